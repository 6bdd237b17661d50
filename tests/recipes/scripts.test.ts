/** The scripts and workflows, read by the programs that know their languages. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'

import { missingOf } from './guide'

const ROOT = join(import.meta.dir, '../..')

const WORKFLOWS = ['.github/workflows/check.yml', '.github/workflows/release.yml']

const notTried = (missing: string | null): string =>
  missing === null ? '' : ` (not tried: ${missing} not installed)`

/** Runs a checker on files. Returns what it complains about. */
function complaints(command: string[], input = ''): string {
  const { stdout, stderr, success } = Bun.spawnSync(command, {
    cwd: ROOT,
    stdin: Buffer.from(input),
  })
  const said = `${stdout.toString()}${stderr.toString()}`
  return success ? said : said || 'failed'
}

const shellcheck = missingOf('shellcheck')

test.skipIf(shellcheck !== null)(
  `shellcheck finds nothing in scripts${notTried(shellcheck)}`,
  () => {
    const scripts = ['.ci/run', ...new Bun.Glob('src/**/*.sh').scanSync(ROOT)]
    expect(scripts.length).toBeGreaterThan(5)
    expect(complaints(['shellcheck', ...scripts])).toBe('')
  },
)

const actionlint = missingOf('actionlint')

test.skipIf(actionlint !== null)(
  `actionlint finds nothing in the workflows${notTried(actionlint)}`,
  () => {
    expect(complaints(['actionlint', '-color=false', ...WORKFLOWS])).toBe('')
    expect(complaints(['actionlint', '-color=false', '-'], 'on: push\njobs: {}\n')).not.toBe('')
  },
)

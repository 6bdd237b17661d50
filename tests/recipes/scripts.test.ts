/** The scripts and workflows, read by the programs that know their languages. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'

import { missingOf } from './guide'

const ROOT = join(import.meta.dir, '../..')

const notTried = (missing: string | null): string =>
  missing === null ? '' : ` (not tried: ${missing} not installed)`

/** Runs a checker on files. Returns what it complains about. */
function complaints(command: string[]): string {
  const { stdout, stderr, success } = Bun.spawnSync(command, { cwd: ROOT })
  const said = `${stdout.toString()}${stderr.toString()}`
  return success ? said : said || 'failed'
}

const shellcheck = missingOf('shellcheck')

test.skipIf(shellcheck !== null)(
  `shellcheck finds nothing in scripts${notTried(shellcheck)}`,
  () => {
    const ours = [...new Bun.Glob('src/**/*.sh').scanSync(ROOT)].toSorted()
    expect(ours).toEqual(['src/deploy/install.sh', 'src/release/try.sh'])
    const scripts = ['.ci/run', ...ours]
    expect(complaints(['shellcheck', ...scripts])).toBe('')
  },
)

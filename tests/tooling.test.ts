import { describe, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { readTestSummary } from './support/test-summary'

const ROOT = join(import.meta.dir, '..')

describe('the counts of a test run', () => {
  const summary = (...lines: string[]): string =>
    ['tests/a.test.ts:', '(pass) a', '', ...lines, ''].join('\n')

  test('are read from its last lines', () => {
    const output = summary(
      ' 1 pass',
      ' 0 fail',
      'Ran 1 test across 1 file. [2.00ms]',
      '',
      ' 12 pass',
      ' 3 fail',
      ' 40 expect() calls',
      'Ran 15 tests across 2 files. [2.00ms]',
    )
    expect(readTestSummary(output, 1)).toEqual({ passed: 12, failed: 3 })
  })

  test('are read despite terminal colors', () => {
    expect(
      readTestSummary(
        summary(
          '\u001b[32m 2 pass\u001b[0m',
          ' 0 fail',
          'Ran \u001b[1m2 tests\u001b[0m across 1 file.',
        ),
        0,
      ),
    ).toEqual({
      passed: 2,
      failed: 0,
    })
  })

  test('show a failure when the run crashed, ran nothing, was killed or ended badly', () => {
    expect(readTestSummary('', 0)).toEqual({ passed: 0, failed: 1 })
    expect(readTestSummary(summary('error: it broke'), 139)).toEqual({ passed: 0, failed: 1 })
    expect(readTestSummary(summary(' 0 pass', ' 0 fail', 'Ran 0 tests across 1 file.'), 0)).toEqual(
      { passed: 0, failed: 1 },
    )
    expect(
      readTestSummary(summary(' 0 pass', ' 5 skip', ' 0 fail', 'Ran 5 tests across 1 file.'), 0),
    ).toEqual({ passed: 0, failed: 1 })
    expect(
      readTestSummary(summary(' 2 pass', ' 0 fail', 'Ran 2 tests across 1 file.'), null),
    ).toEqual({ passed: 2, failed: 1 })
  })

  test('show a failure when an error happened between the tests', () => {
    expect(
      readTestSummary(summary(' 2 pass', ' 0 fail', ' 1 error', 'Ran 2 tests across 1 file.'), 0),
    ).toEqual({ passed: 2, failed: 1 })
  })
})

describe('in a fresh clone', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }

  test('every script for developers installs the dependencies first', () => {
    // called by the others
    const isPart = (name: string): boolean => /^check:|^build:executable$|^deps$/.test(name)
    const without = Object.entries(scripts).filter(
      ([name, command]) => !isPart(name) && !/^bun run (deps|build) && /.test(command),
    )
    expect(without).toEqual([['verify', 'bun tests/verify.ts']]) // installs by itself
  })

  test('the tests run without a manual install', () => {
    const clone = mkdtempSync(join(tmpdir(), 'switchboard-clone-'))
    try {
      const isTracked = (path: string): boolean => !/\/(node_modules|dist|data|\.git)$/.test(path)
      cpSync(ROOT, clone, { recursive: true, filter: isTracked })
      const run = Bun.spawnSync([process.execPath, 'run', 'test', './tests/lib/phone.test.ts'], {
        cwd: clone,
        stdin: 'ignore',
      })
      expect({ output: run.stderr.toString(), code: run.exitCode }).toEqual({
        output: expect.stringContaining(' 0 fail'),
        code: 0,
      })
    } finally {
      rmSync(clone, { recursive: true, force: true })
    }
  }, 60_000)
})

describe('the linter', () => {
  /** Which rules oxlint, with our configuration, finds broken in a file of its own. */
  function brokenRules(code: string): string[] {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-lint-'))
    try {
      writeFileSync(join(folder, 'made-up.ts'), code)
      writeFileSync(
        join(folder, 'tsconfig.json'),
        JSON.stringify({
          compilerOptions: { strict: true, module: 'Preserve', target: 'ESNext', types: [] },
        }),
      )
      const command = [
        'x',
        '--no-install',
        'oxlint',
        '--type-aware',
        '-c',
        join(ROOT, '.oxlintrc.json'),
        '-f',
        'unix',
        folder,
      ]
      const { stdout } = Bun.spawnSync([process.execPath, ...command], {
        cwd: ROOT,
        stdin: 'ignore',
      })
      return [...stdout.toString().matchAll(/\[Error\/[\w-]+\(([\w-]+)\)\]/g)]
        .map((match) => match[1] ?? '')
        .toSorted()
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

  test('reports a query builder that is never run: an unused thenable', () => {
    const builder = 'export interface Query extends PromiseLike<void> {\n  run(): void\n}\n'
    expect(
      brokenRules(`${builder}export function forget(query: () => Query): void {\n  query()\n}\n`),
    ).toEqual(['no-floating-promises'])
    expect(
      brokenRules(
        `${builder}export function finish(query: () => Query): void {\n  query().run()\n}\n`,
      ),
    ).toEqual([])
  })

  test('reports default exports, `any` and the console', () => {
    expect(brokenRules('export default function f(x: any): void {\n  console.log(x)\n}\n')).toEqual(
      ['no-console', 'no-default-export', 'no-explicit-any'],
    )
  })
})

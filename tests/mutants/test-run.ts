import type { Copy } from './copy'

/** A test of a file: its name with those of its groups, and how long it took, milliseconds. */
export interface TestResult {
  name: string
  hasPassed: boolean
  tookMs: number
}

export interface TestRun {
  /** All tests passed; `timeout` when the run was ended before it was done. */
  end: 'passed' | 'failed' | 'timeout'
  tests: TestResult[]
  tookMs: number
}

const RESULT = /^\((pass|fail)\) (.*?)(?: \[([\d.]+)(ms|s)\])?$/gm

/** The tests that a report of the test runner lists, in the order in which they ran. */
export const testsIn = (report: string): TestResult[] =>
  [...report.matchAll(RESULT)].map(([, word, name = '', took = '0', unit]) => ({
    name,
    hasPassed: word === 'pass',
    tookMs: Number(took) * (unit === 's' ? 1_000 : 1),
  }))

/** A pattern that selects exactly the tests of these names. */
export const patternOf = (names: readonly string[]): string =>
  `^(?:${names
    .map((name) =>
      name
        .split(' > ')
        .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`))
        .join('(?: | > )'),
    )
    .join('|')})$`

/**
 * Runs a test file of the copy up to its first failure; `only` selects some of its tests by name.
 */
export async function runTests(
  copy: Copy,
  file: string,
  options: { only: readonly string[] | null; limitMs: number },
): Promise<TestRun> {
  const startedMs = performance.now()
  const run = Bun.spawn(
    [
      'bun',
      'test',
      '--bail',
      ...['--timeout', '60000'],
      ...['--preload', './tests/support/preload.ts', '--preload', './tests/mutants/record.ts'],
      ...(options.only === null ? [] : ['-t', patternOf(options.only)]),
      `./${file}`,
    ],
    {
      cwd: copy.folder,
      stdout: 'ignore',
      stderr: 'pipe',
      timeout: options.limitMs,
      killSignal: 'SIGKILL',
    },
  )
  const report = await new Response(run.stderr).text()
  const code = await run.exited
  const tookMs = performance.now() - startedMs
  const isOver = run.signalCode !== null && tookMs >= options.limitMs
  return {
    end: code === 0 ? 'passed' : isOver ? 'timeout' : 'failed',
    tests: testsIn(report),
    tookMs,
  }
}

import { readFileSync, rmSync, writeFileSync } from 'node:fs'

import type { Copy } from './copy'
import { runTests, type TestResult } from './test-run'

/** A test file as it runs without a mutation, and which of its tests reach which mutations. */
export interface Baseline {
  file: string
  tests: TestResult[]
  /** The tests that reach a mutation; `null` when the file does so outside of its tests. */
  reached: Map<string, TestResult[] | null>
  tookMs: number
}

/** Some tests of a file that can notice a mutation; `only` is `null` for all of the file. */
export interface Step {
  file: string
  only: string[] | null
  tookMs: number
}

/** Longest time of a test file without a mutation. */
const LIMIT_MS = 300_000
/** What it takes to load the program before the first test. */
const LOAD_MS = 1_000

/** The tests by mutation, from a record with a line `<number of the test> <mutation>` for each. */
export function reachedIn(record: string, tests: TestResult[]): Baseline['reached'] {
  const reached: Baseline['reached'] = new Map()
  for (const line of record.split('\n').filter(Boolean)) {
    const [number = '', id = ''] = line.split(' ')
    const test = tests[Number(number)]
    const known = reached.get(id)
    if (test === undefined || known === null) reached.set(id, null)
    else if (known === undefined) reached.set(id, [test])
    else if (!known.includes(test)) known.push(test)
  }
  return reached
}

/** Runs a test file without a mutation and records what it reaches; `null` when it fails. */
export async function baselineOf(copy: Copy, file: string): Promise<Baseline | null> {
  copy.activate(null)
  writeFileSync(copy.state('hits'), '')
  const { end, tests, tookMs } = await runTests(copy, file, { only: null, limitMs: LIMIT_MS })
  const record = readFileSync(copy.state('hits'), 'utf8')
  rmSync(copy.state('hits'))
  return end === 'passed' ? { file, tests, reached: reachedIn(record, tests), tookMs } : null
}

const sumMs = (tests: TestResult[]): number =>
  tests.reduce((sum, { tookMs }) => sum + tookMs, LOAD_MS)

/**
 * The tests to run for a mutation: first the one that reaches the fewest mutations, then file by
 * file all others that reach it, the quickest file first.
 */
export function stepsFor(id: string, baselines: Baseline[]): Step[] {
  const reachedBy = (base: Baseline, test: TestResult): number =>
    [...base.reached.values()].filter((tests) => tests?.includes(test)).length
  const [first] = baselines
    .flatMap((base) =>
      (base.reached.get(id) ?? []).map((test) => ({
        step: { file: base.file, only: [test.name], tookMs: sumMs([test]) },
        reaches: reachedBy(base, test),
      })),
    )
    .toSorted((a, b) => a.reaches - b.reaches || a.step.tookMs - b.step.tookMs)
    .map(({ step }) => step)
  const others = baselines
    .flatMap((base): Step[] => {
      const tests = base.reached.get(id)
      if (tests === undefined) return []
      if (tests === null) return [{ file: base.file, only: null, tookMs: base.tookMs }]
      const rest = tests.filter(({ name }) => base.file !== first?.file || name !== first.only[0])
      return rest.length === 0
        ? []
        : [{ file: base.file, only: rest.map(({ name }) => name), tookMs: sumMs(rest) }]
    })
    .toSorted((a, b) => a.tookMs - b.tookMs)
  return first === undefined ? others : [first, ...others]
}

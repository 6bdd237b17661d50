import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import type { Mutation } from './sample'

/**
 * Tests that start the program as a process of its own; what that process runs does not count as
 * covered.
 */
const STARTS_A_PROCESS = /support\/(?:process|command)'/

/** What one run of a test file ran through: its lines by source file, and how long it took. */
export interface Run {
  test: string
  tookMs: number
  lines: Map<string, Map<number, number>>
}

/** The lines of each file with how often they ran, from 1, as an lcov report has them. */
export function linesOf(report: string): Map<string, Map<number, number>> {
  const lines = new Map<string, Map<number, number>>()
  let current = new Map<number, number>()
  for (const row of report.split('\n')) {
    if (row.startsWith('SF:')) lines.set(row.slice(3), (current = new Map()))
    const [, line, times] = /^DA:(\d+),(\d+)/.exec(row) ?? []
    if (line !== undefined) current.set(Number(line), Number(times))
  }
  return lines
}

/** Runs a test file as it is and notes which lines it reaches; `null` when it fails. */
export function runOf(test: string, temp: string): Run | null {
  const folder = join(temp, 'coverage')
  rmSync(folder, { recursive: true, force: true })
  const startedMs = performance.now()
  const options = [
    '--timeout',
    '60000',
    '--coverage',
    '--coverage-reporter=lcov',
    `--coverage-dir=${folder}`,
  ]
  const { exitCode } = Bun.spawnSync(['bun', 'test', ...options, test], {
    stdout: 'ignore',
    stderr: 'ignore',
  })
  if (exitCode !== 0) return null
  return {
    test,
    tookMs: performance.now() - startedMs,
    lines: linesOf(readFileSync(join(folder, 'lcov.info'), 'utf8')),
  }
}

const reaches = (run: Run, { file, start, end }: Mutation): boolean => {
  const lines = run.lines.get(file)
  if (lines === undefined) return false
  const within = Array.from({ length: end.line - start.line + 1 }, (_, nth) =>
    lines.get(start.line + 1 + nth),
  ).filter((times) => times !== undefined)
  // A stretch without a line of its own belongs to a statement that begins above it.
  return within.length === 0 || within.some((times) => times > 0)
}

/**
 * The test files that can notice a mutation, the quickest first: those that reach it, otherwise
 * those that start a process.
 */
export function testsFor(mutation: Mutation, runs: Run[]): Run[] {
  const reaching = runs.filter((run) => reaches(run, mutation))
  const able =
    reaching.length > 0
      ? reaching
      : runs.filter(({ test }) => STARTS_A_PROCESS.test(readFileSync(test, 'utf8')))
  return able.toSorted((a, b) => a.tookMs - b.tookMs)
}

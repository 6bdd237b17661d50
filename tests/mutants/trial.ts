import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Step } from './baseline'
import type { Copy } from './copy'
import { runTests } from './test-run'

/** What became of a mutation, by which tests, and whether all tests that reach it had their turn. */
export interface Verdict {
  isKilled: boolean
  by: string
  isComplete: boolean
}

/** A run of tests is ended after so long and five times what it takes without a mutation. */
const PATIENCE_MS = 10_000
const limitOf = (step: Step): number => Math.ceil(PATIENCE_MS + 5 * step.tookMs)

/** What tests of a file may share: a variable, an awaited value or a hook beside the tests. */
const SHARED = /^(?: {2})?(?:let |const .* = await |(?:before|after)(?:All|Each)\()/m

/** Tries mutations on a copy of the project, one at a time. */
export class Trial {
  /** Selections of tests that were run without a mutation; those that failed took forever. */
  private readonly controlsMs = new Map<string, number>()

  constructor(private readonly copy: Copy) {}

  /**
   * Runs the steps until one notices the mutation; begins no step after `budgetMs`. A failure in a
   * file whose tests share something counts only when the same tests pass without the mutation,
   * and a timeout only when they then take less than a third of the limit.
   */
  async judge(id: string, steps: Step[], budgetMs: number): Promise<Verdict> {
    const startedMs = performance.now()
    for (const step of steps) {
      if (performance.now() - startedMs > budgetMs)
        return { isKilled: false, by: '', isComplete: false }
      const by = (await this.noticedBy(id, step)) ?? null
      if (by !== null) return { isKilled: true, by, isComplete: true }
    }
    return { isKilled: false, by: '', isComplete: true }
  }

  /** The name of what notices the mutation. */
  private async noticedBy(id: string, step: Step): Promise<string | null> {
    this.copy.activate(id)
    const run = await runTests(this.copy, step.file, { only: step.only, limitMs: limitOf(step) })
    if (run.end === 'passed') return null
    const failed = run.tests.find(({ hasPassed }) => !hasPassed)
    const by = `${step.file} ${failed?.name ?? run.end}`
    if (failed !== undefined && (step.only === null || this.sharesNothing(step.file))) return by
    const ran = failed === undefined ? step.only : run.tests.map(({ name }) => name)
    const control = { ...step, only: step.only === null ? null : ran }
    const usualMs = await this.timeWithout(control)
    if (usualMs < (failed === undefined ? limitOf(step) / 3 : Infinity)) return by
    // Tests that need those before them are run with the whole file.
    return step.only === null ? null : this.noticedBy(id, { ...step, only: null })
  }

  private sharesNothing(file: string): boolean {
    return !SHARED.test(readFileSync(join(this.copy.folder, file), 'utf8'))
  }

  /** How long tests take without a mutation; forever when they fail. */
  private async timeWithout(step: Step): Promise<number> {
    const key = JSON.stringify([step.file, step.only])
    const known = this.controlsMs.get(key)
    if (known !== undefined) return known
    this.copy.activate(null)
    const run = await runTests(this.copy, step.file, { only: step.only, limitMs: limitOf(step) })
    const tookMs = run.end === 'passed' ? run.tookMs : Infinity
    this.controlsMs.set(key, tookMs)
    return tookMs
  }
}

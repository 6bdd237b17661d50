import { and, eq, sql, type SQL } from 'drizzle-orm'

import { HOUR_MS, SECOND_MS } from '../../lib/clock'
import { fullJitterMs } from '../../lib/retry'
import { compiled, place } from '../db/compiled'
import type { Tx } from '../db/transact'
import type { Deps } from '../ctx'
import { jobs, type JobRow } from './table'
import type { Outcome, Work } from './work'

/** The result of a run, as it is recorded. */
export type Result =
  | { kind: 'completed'; isKept: boolean }
  | { kind: 'snoozed'; untilMs: number }
  | { kind: 'retryable'; untilMs: number; reason: string }
  | { kind: 'cancelled'; reason: string }
  | { kind: 'discarded'; reason: string }
  | { kind: 'released' }
  | { kind: 'gated' }

const MAX_PAUSE_MS = 6 * HOUR_MS
const MAX_REASON_LENGTH = 500
const ERRORS_KEPT = 20

/**
 * Returns the pause before the next attempt: exponential from one second to six hours, with full
 * jitter.
 */
export const pauseMs = (attempt: number, random: () => number): number =>
  fullJitterMs({ attempt, baseMs: SECOND_MS, capMs: MAX_PAUSE_MS, random })

/** Returns why a job is discarded without running; `null` if it may run. */
export function refusalOf(row: JobRow, job: Pick<Work, 'fits'> | undefined): string | null {
  if (!job) return `this version has no job named ${row.kind}`
  if (row.attempt > row.maxAttempts) return 'the process ended during every attempt'
  return fits(job, row.args) ? null : 'the job arguments are not valid in this version'
}

function fits(job: Pick<Work, 'fits'>, args: string): boolean {
  try {
    return job.fits(JSON.parse(args))
  } catch {
    return false // not JSON: the row was edited by hand
  }
}

/** Returns the result for the outcome of a handler. */
export function resultOf(
  { clock }: Pick<Deps, 'clock'>,
  row: JobRow,
  outcome: Outcome,
  isKept: boolean,
): Result {
  if (!outcome) return { kind: 'completed', isKept }
  if ('backToGate' in outcome) return { kind: 'gated' }
  if ('snoozeMs' in outcome)
    return { kind: 'snoozed', untilMs: dueAfter(clock.nowMs(), outcome.snoozeMs) }
  if ('cancel' in outcome) return { kind: 'cancelled', reason: outcome.cancel }
  if ('giveUp' in outcome) return { kind: 'discarded', reason: outcome.giveUp }
  if (row.attempt >= row.maxAttempts) return { kind: 'discarded', reason: outcome.reason }
  return {
    kind: 'retryable',
    untilMs: dueAfter(clock.nowMs(), outcome.retryInMs),
    reason: outcome.reason,
  }
}

/** Returns the result of a run that threw. */
export function failureOf(
  { clock, random }: Pick<Deps, 'clock' | 'random'>,
  row: JobRow,
  error: unknown,
): Result {
  const reason = error instanceof Error ? error.message : 'failed for an unknown reason'
  if (row.attempt >= row.maxAttempts) return { kind: 'discarded', reason }
  return { kind: 'retryable', untilMs: clock.nowMs() + pauseMs(row.attempt, random), reason }
}

/**
 * Returns when a job is due after a pause, in whole epoch milliseconds. An invalid pause becomes
 * the maximum of six hours.
 */
function dueAfter(nowMs: number, pauseInMs: number): number {
  const atMs = nowMs + Math.max(0, Math.ceil(pauseInMs))
  return Number.isSafeInteger(atMs) ? atMs : nowMs + MAX_PAUSE_MS
}

/** Matches the row while this run still holds it. */
const isHeld = and(
  eq(jobs.id, place(jobs.id, 'id')),
  sql`${jobs.state} = 'executing'`,
  eq(jobs.attempt, place(jobs.attempt, 'attempt')),
)

const remove = compiled((orm) => orm.delete(jobs).where(isHeld).prepare())
const complete = compiled((orm) =>
  orm
    .update(jobs)
    .set({ state: 'completed', leaseUntilMs: null, finishedAtMs: sql`${sql.placeholder('nowMs')}` })
    .where(isHeld)
    .prepare(),
)

const release = compiled((orm) =>
  orm
    .update(jobs)
    .set({ state: 'available', leaseUntilMs: null, attempt: sql`${jobs.attempt} - 1` })
    .where(isHeld)
    .prepare(),
)

/** Whether the job was expedited while it ran (`expedite`). */
const wasExpedited = sql`${jobs.scheduledAtMs} > ${jobs.attemptedAtMs}`

/** When a snoozing job is due: immediately if it was expedited meanwhile. */
const dueAt = (untilMs: number, nowMs: number): SQL =>
  sql`case when ${wasExpedited} then min(${nowMs}, ${untilMs}) else ${untilMs} end`

/** Records the result of a run in the given transaction. */
export function recordResult(
  tx: Tx,
  deps: Pick<Deps, 'clock' | 'db'>,
  row: JobRow,
  result: Result,
): void {
  const nowMs = deps.clock.nowMs()
  if (result.kind === 'completed') {
    if (result.isKept) complete(deps.db).run({ id: row.id, attempt: row.attempt, nowMs })
    else remove(deps.db).run({ id: row.id, attempt: row.attempt })
    return
  }
  if (result.kind === 'released') {
    release(deps.db).run({ id: row.id, attempt: row.attempt })
    return
  }
  const own = and(eq(jobs.id, row.id), eq(jobs.state, 'executing'), eq(jobs.attempt, row.attempt))
  const errors = 'reason' in result ? withError(row, nowMs, result.reason) : row.errors
  switch (result.kind) {
    case 'snoozed':
      tx.update(jobs)
        .set({
          // A job that is due at once need not be promoted first.
          state: result.untilMs <= nowMs ? 'available' : 'scheduled',
          leaseUntilMs: null,
          scheduledAtMs: dueAt(result.untilMs, nowMs),
          attempt: row.attempt - 1,
        })
        .where(own)
        .run()
      return
    case 'gated':
      tx.update(jobs)
        .set({
          state: 'available',
          leaseUntilMs: null,
          attempt: row.attempt - 1,
          firstAttemptedAtMs: null,
        })
        .where(own)
        .run()
      return
    case 'retryable':
      tx.update(jobs)
        .set({
          state: 'retryable',
          leaseUntilMs: null,
          scheduledAtMs: dueAt(result.untilMs, nowMs),
          errors,
        })
        .where(own)
        .run()
      return
    default:
      tx.update(jobs)
        .set({ state: result.kind, leaseUntilMs: null, finishedAtMs: nowMs, errors })
        .where(own)
        .run()
  }
}

/** Returns the error history of a job as JSON with one more error, limited to the newest twenty. */
export function withError(
  row: JobRow,
  atMs: number,
  reason: string,
  { isByPerson = false } = {},
): string {
  const known = JSON.parse(row.errors) as unknown[]
  return JSON.stringify(
    [
      ...known,
      {
        attempt: row.attempt,
        at_ms: atMs,
        message: reason.slice(0, MAX_REASON_LENGTH),
        ...(isByPerson ? { by_person: true } : {}),
      },
    ].slice(-ERRORS_KEPT),
  )
}

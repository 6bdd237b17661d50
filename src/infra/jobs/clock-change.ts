import { and, desc, gt, or, sql } from 'drizzle-orm'

import { SECOND_MS } from '../../lib/clock'
import type { Deps } from '../ctx'
import { compiled, atMost } from '../db/compiled'
import { transact } from '../db/transact'
import { jobs } from './table'

/** Jobs are rescheduled when the clock moves back by more than this, milliseconds. */
const MIN_CHANGE_MS = 30_000

const newest = compiled((orm) =>
  orm
    .select({ id: jobs.id, atMs: jobs.createdAtMs })
    .from(jobs)
    .orderBy(desc(jobs.id))
    .limit(atMost(1))
    .prepare(),
)

/** Returns the ID of the newest job, or an empty string. */
export const newestJobId = ({ db }: Pick<Deps, 'db'>): string => newest(db).get()?.id ?? ''

/** Notices when the system clock is set back, and reschedules the jobs that were planned by it. */
export class ClockWatch {
  /** Last reading of the system clock and of a monotonic clock. */
  private last = { nowMs: -Infinity, steadyMs: 0 }

  constructor(private readonly deps: Pick<Deps, 'db' | 'clock' | 'log'>) {}

  /** Reschedules jobs if the clock was set back while the server was stopped. */
  checkAtStart(): void {
    const { db, clock } = this.deps
    const backMs = (newest(db).get()?.atMs ?? 0) - clock.nowMs()
    if (backMs > MIN_CHANGE_MS) this.reschedule(backMs)
  }

  /**
   * Reschedules jobs if the clock was set back since the last check. Small corrections do not
   * count. Returns whether it was.
   */
  check(nowMs: number): boolean {
    const steadyMs = performance.now()
    const expectedMs = this.last.nowMs + (steadyMs - this.last.steadyMs)
    this.last = { nowMs, steadyMs }
    const backMs = expectedMs - nowMs
    if (backMs <= MIN_CHANGE_MS) return false
    this.reschedule(backMs)
    return true
  }

  private reschedule(backMs: number): void {
    const facts = {
      seconds: Math.round(backMs / SECOND_MS),
      jobs: rescheduleAfterClockChange(this.deps, backMs),
    }
    this.deps.log.warn(facts, 'system clock moved back; rescheduled jobs')
  }
}

/**
 * Reschedules waiting jobs after the clock was set back by `byMs`. Jobs planned by the wrong time
 * become due that much earlier; jobs planned before keep their time. Returns how many jobs were
 * changed.
 */
function rescheduleAfterClockChange(deps: Pick<Deps, 'db' | 'clock'>, byMs: number): number {
  const nowMs = deps.clock.nowMs()
  return transact(
    deps.db,
    (tx) =>
      tx
        .update(jobs)
        .set({
          scheduledAtMs: sql`max(${nowMs}, ${jobs.scheduledAtMs} - ${Math.round(byMs)})`,
          createdAtMs: sql`min(${nowMs}, ${jobs.createdAtMs})`,
          attemptedAtMs: sql`min(${nowMs}, ${jobs.attemptedAtMs})`,
          firstAttemptedAtMs: sql`min(${nowMs}, ${jobs.firstAttemptedAtMs})`,
        })
        .where(
          and(
            sql`${jobs.state} in ('scheduled', 'retryable')`,
            or(gt(jobs.createdAtMs, nowMs), gt(jobs.attemptedAtMs, nowMs)),
          ),
        )
        .returning({ id: jobs.id })
        .all().length,
  )
}

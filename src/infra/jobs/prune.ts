import { and, inArray, lt, sql } from 'drizzle-orm'
import { DAY_MS } from '../../lib/clock'
import { transact } from '../db/transact'
import type { Deps } from '../ctx'
import { jobs } from './table'

const KEPT_MS = { completed: DAY_MS, cancelled: 7 * DAY_MS, discarded: 30 * DAY_MS } as const

const PRUNE_BATCH = 500

/**
 * Deletes a batch of ended jobs after their retention: completed after a day, cancelled after a
 * week, discarded after a month. Returns how many.
 */
export function pruneJobs(deps: Pick<Deps, 'db' | 'clock'>): number {
  let pruned = 0
  for (const [state, keptMs] of Object.entries(KEPT_MS)) {
    const old = deps.db.orm
      .select({ id: jobs.id })
      .from(jobs)
      .where(and(sql`${jobs.state} = ${state}`, lt(jobs.finishedAtMs, deps.clock.nowMs() - keptMs)))
      .limit(PRUNE_BATCH)
      .all()
      .map(({ id }) => id)
    if (old.length > 0)
      transact(deps.db, (tx) => {
        tx.delete(jobs).where(inArray(jobs.id, old)).run()
      })
    pruned += old.length
  }
  return pruned
}

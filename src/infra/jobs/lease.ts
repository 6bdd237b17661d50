import { and, eq, inArray, lte, sql } from 'drizzle-orm'

import type { Deps } from '../ctx'
import { compiled, place, uuidsIn } from '../db/compiled'
import { transact } from '../db/transact'
import { awaitsRetry, isBlocked, type JobChoice } from './choose'
import { jobs, type JobRow } from './table'

/** How long a lease lasts without a heartbeat, milliseconds. */
export const LEASE_MS = 30_000

/** Size of the first batch of leased jobs, and the growth factor of later batches. */
const FIRST_BATCH = 2
const BATCH_GROWTH = 3

/** Jobs to lease, and jobs to mark as blocked. */
type Claim = Pick<JobChoice, 'ids' | 'blocked' | 'retriesSinceMs'>

/**
 * Splits a choice into growing batches for jobs that run in the claiming transaction. Organizations
 * with few jobs come first and do not wait until all jobs of a large one are leased.
 */
export function* batchesOf({ ids, blocked, retriesSinceMs }: JobChoice): Generator<Claim> {
  let length = FIRST_BATCH
  for (let at = 0; at < ids.length; at += length / BATCH_GROWTH) {
    yield { ids: ids.slice(at, at + length), blocked: at === 0 ? blocked : [], retriesSinceMs }
    length *= BATCH_GROWTH
  }
}

const leaseAll = compiled((orm) =>
  orm
    .update(jobs)
    .set({
      state: 'executing',
      attempt: sql`${jobs.attempt} + 1`,
      attemptedAtMs: place(jobs.attemptedAtMs, 'nowMs'),
      firstAttemptedAtMs: sql`coalesce(${jobs.firstAttemptedAtMs}, ${place(jobs.firstAttemptedAtMs, 'nowMs')})`,
      leaseUntilMs: place(jobs.leaseUntilMs, 'leaseUntilMs'),
    })
    .where(
      and(sql`${jobs.id} in ${uuidsIn(sql.placeholder('ids'))}`, sql`${jobs.state} = 'available'`),
    )
    .returning()
    .prepare(),
)

/**
 * Marks jobs as blocked if they still are: another process may have ended the job before them since
 * they were chosen, and then they would never be examined again.
 */
const markBlocked = compiled((orm) =>
  orm
    .update(jobs)
    .set({ isBlocked: true })
    .where(
      and(
        sql`${jobs.id} in ${uuidsIn(sql.placeholder('ids'))}`,
        sql`${jobs.state} = 'available'`,
        sql`((${isBlocked}) or (${awaitsRetry}))`,
      ),
    )
    .prepare(),
)

/** Leases chosen jobs to this process in its own transaction. Returns them in the chosen order. */
export function leaseJobs(deps: Pick<Deps, 'db' | 'clock'>, claim: Claim): JobRow[] {
  if (claim.ids.length + claim.blocked.length === 0) return []
  // A power cut loses the lease together with everything the jobs did.
  return transact(deps.db, () => leaseJobsIn(deps, claim), { isFlushed: false })
}

/**
 * Leases chosen jobs to this process in the caller's transaction. Returns them in the chosen order.
 */
export function leaseJobsIn(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { ids, blocked, retriesSinceMs }: Claim,
): JobRow[] {
  const nowMs = clock.nowMs()
  if (blocked.length > 0)
    markBlocked(db).run({ ids: JSON.stringify(blocked), retriesSinceMs, nowMs })
  if (ids.length === 0) return []
  const rows = leaseAll(db).all({ ids: JSON.stringify(ids), nowMs, leaseUntilMs: nowMs + LEASE_MS })
  const order = new Map(ids.map((id, index) => [id, index]))
  return rows.toSorted((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0))
}

/** Extends the leases of jobs that this process is running. */
export function extendLeases(deps: Pick<Deps, 'db' | 'clock'>, ids: string[]): void {
  if (ids.length === 0) return
  transact(deps.db, (tx) => {
    tx.update(jobs)
      .set({ leaseUntilMs: deps.clock.nowMs() + LEASE_MS })
      .where(and(inArray(jobs.id, ids), eq(jobs.state, 'executing')))
      .run()
  })
}

/**
 * Makes jobs of dead processes available again: all executing jobs at startup (`all`), expired
 * leases later (`expired`). The attempt still counts, so a job that kills its process is eventually
 * discarded. Returns how many were rescued.
 */
export function rescueOrphans(deps: Pick<Deps, 'db' | 'clock'>, which: 'all' | 'expired'): number {
  const isOrphan = and(
    sql`${jobs.state} = 'executing'`,
    which === 'all' ? undefined : lte(jobs.leaseUntilMs, deps.clock.nowMs()),
  )
  if (!deps.db.orm.select({ id: jobs.id }).from(jobs).where(isOrphan).limit(1).get()) return 0
  return transact(
    deps.db,
    (tx) =>
      tx
        .update(jobs)
        .set({ state: 'available', leaseUntilMs: null })
        .where(isOrphan)
        .returning({ id: jobs.id })
        .all().length,
  )
}

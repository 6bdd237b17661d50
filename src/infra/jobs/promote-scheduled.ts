import { and, eq, gt, lte, sql } from 'drizzle-orm'

import type { Deps } from '../ctx'
import { compiled, atMost, place, uuidsIn } from '../db/compiled'
import type { Db } from '../db/connection'
import { transact } from '../db/transact'
import { withIndex } from '../db/index-hint'
import { jobs } from './table'

/** Jobs promoted in one step. */
const BATCH_SIZE = 200

/** Jobs promoted per organization first, if more are due than one step promotes. */
const SHARE = 8

/** Organizations examined in that case. */
const MAX_EXAMINED = 1_024

const isWaiting = sql`state in ('scheduled', 'retryable')`

const dueIds = compiled((orm) =>
  orm
    .select({ id: sql`id`.mapWith(jobs.id) })
    .from(withIndex(jobs, 'jobs_due'))
    .where(and(isWaiting, lte(jobs.scheduledAtMs, place(jobs.scheduledAtMs, 'nowMs'))))
    .orderBy(jobs.scheduledAtMs)
    .limit(atMost(BATCH_SIZE + 1))
    .prepare(),
)

const nextOrganization = compiled((orm) =>
  orm
    .select({ organizationId: sql`organization_id`.mapWith(jobs.organizationId) })
    .from(withIndex(jobs, 'jobs_due_of_organization'))
    .where(and(isWaiting, gt(jobs.organizationId, place(jobs.organizationId, 'after'))))
    .orderBy(jobs.organizationId)
    .limit(atMost(1))
    .prepare(),
)

const dueIdsOf = compiled((orm) =>
  orm
    .select({ id: sql`id`.mapWith(jobs.id) })
    .from(withIndex(jobs, 'jobs_due_of_organization'))
    .where(
      and(
        isWaiting,
        eq(jobs.organizationId, place(jobs.organizationId, 'organizationId')),
        lte(jobs.scheduledAtMs, place(jobs.scheduledAtMs, 'nowMs')),
      ),
    )
    .orderBy(jobs.scheduledAtMs)
    .limit(atMost('limit'))
    .prepare(),
)

const promote = compiled((orm) =>
  orm
    .update(jobs)
    .set({ state: 'available' })
    .where(and(sql`${jobs.id} in ${uuidsIn(sql.placeholder('ids'))}`, isWaiting))
    .prepare(),
)

/** Result of one promotion step. */
export interface PromotedJobs {
  jobs: number
  /** The organization examined last; the next step continues after it. */
  after: string
}

/**
 * Makes due jobs available, up to 200 per step. If more are due, organizations take turns, starting
 * after `after`, so 100,000 jobs due at the same time do not delay other organizations.
 */
export function promoteDueJobs(deps: Pick<Deps, 'db' | 'clock'>, after: string): PromotedJobs {
  const nowMs = deps.clock.nowMs()
  const due = dueIds(deps.db).all({ nowMs })
  if (due.length === 0) return { jobs: 0, after }
  const chosen =
    due.length <= BATCH_SIZE
      ? { ids: due.map(({ id }) => id), after }
      : dueInTurn(deps.db, nowMs, after)
  const ids = JSON.stringify(chosen.ids)
  // a power cut makes them due again
  transact(deps.db, () => promote(deps.db).run({ ids }), { isFlushed: false })
  return { jobs: chosen.ids.length, after: chosen.after }
}

/**
 * Chooses due jobs of many organizations, a few of each. Remaining capacity goes to those that have
 * more.
 */
function dueInTurn(db: Db, nowMs: number, after: string): { ids: string[]; after: string } {
  const ids = new Set<string>()
  const idsOf = (organizationId: string, limit: number): string[] =>
    dueIdsOf(db)
      .all({ organizationId, nowMs, limit })
      .map(({ id }) => id)
  const haveMore: string[] = []
  let last = after
  let hasTurned = false
  for (let examined = 0; examined < MAX_EXAMINED && ids.size < BATCH_SIZE; examined += 1) {
    const next = nextOrganization(db).get({ after: last })
    if (!next || (hasTurned && next.organizationId > after)) {
      if (hasTurned || after === '') break
      hasTurned = true
      last = ''
      continue
    }
    last = next.organizationId
    const found = idsOf(last, SHARE)
    if (found.length === SHARE) haveMore.push(last)
    for (const id of found) ids.add(id)
  }
  for (const organizationId of haveMore) {
    if (ids.size >= BATCH_SIZE) break
    for (const id of idsOf(organizationId, SHARE + BATCH_SIZE - ids.size)) ids.add(id)
  }
  return { ids: [...ids], after: last }
}

const nextDue = compiled((orm) =>
  orm
    .select({ atMs: jobs.scheduledAtMs })
    .from(jobs)
    .where(sql`${jobs.state} in ('scheduled', 'retryable')`)
    .orderBy(jobs.scheduledAtMs)
    .limit(atMost(1))
    .prepare(),
)

/** Returns when the next scheduled job is due, in epoch milliseconds; `null` if there is none. */
export const nextDueMs = (deps: Pick<Deps, 'db'>): number | null =>
  nextDue(deps.db).get()?.atMs ?? null

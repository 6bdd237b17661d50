import { and, eq, gt, lte, sql } from 'drizzle-orm'

import type { Deps } from '../ctx'
import { compiled } from '../db/compiled'
import type { Db } from '../db/connection'
import { transact } from '../db/transact'
import { through } from '../db/index-hint'
import { jobs } from './table'
import { atMost, place } from '../db/place'

/** Jobs made available in one turn: those of the database that wait are done in between. */
const AT_ONCE = 200

/** Of one organization so many first, when more are due than are made available in one turn. */
const SHARE = 8

/** Organizations looked at in one turn then. */
const MAX_LOOKED_AT = 1_024

const isWaiting = sql`state in ('scheduled', 'retryable')`

const dueIds = compiled((orm) =>
  orm
    .select({ id: sql<string>`id` })
    .from(through(jobs, 'jobs_due'))
    .where(and(isWaiting, lte(jobs.scheduledAtMs, place('nowMs'))))
    .orderBy(jobs.scheduledAtMs)
    .limit(atMost(AT_ONCE + 1))
    .prepare(),
)

const nextOrganization = compiled((orm) =>
  orm
    .select({ organizationId: sql<string>`organization_id` })
    .from(through(jobs, 'jobs_due_of'))
    .where(and(isWaiting, gt(jobs.organizationId, place('after'))))
    .orderBy(jobs.organizationId)
    .limit(atMost(1))
    .prepare(),
)

const dueIdsOf = compiled((orm) =>
  orm
    .select({ id: sql<string>`id` })
    .from(through(jobs, 'jobs_due_of'))
    .where(
      and(
        isWaiting,
        eq(jobs.organizationId, place('organizationId')),
        lte(jobs.scheduledAtMs, place('nowMs')),
      ),
    )
    .orderBy(jobs.scheduledAtMs)
    .limit(place('limit'))
    .prepare(),
)

const stage = compiled((orm) =>
  orm
    .update(jobs)
    .set({ state: 'available' })
    .where(
      and(sql`${jobs.id} in (select value from json_each(${sql.placeholder('ids')}))`, isWaiting),
    )
    .prepare(),
)

/** What a turn of staging came to. */
export interface PromotedJobs {
  jobs: number
  /** The organization that was looked at last, where the next turn goes on. */
  after: string
}

/**
 * Makes jobs whose time has come available, two hundred in one turn. Where more are due
 * organizations take turns, those after `after` first: a hundred thousand jobs that are due at the
 * same moment hold up nobody else's.
 */
export function promoteDueJobs(deps: Pick<Deps, 'db' | 'clock'>, after: string): PromotedJobs {
  const nowMs = deps.clock.nowMs()
  const due = dueIds(deps.db).all({ nowMs })
  if (due.length === 0) return { jobs: 0, after }
  const chosen =
    due.length <= AT_ONCE
      ? { ids: due.map(({ id }) => id), after }
      : dueInTurn(deps.db, nowMs, after)
  const ids = JSON.stringify(chosen.ids)
  // what a power cut undoes is due again
  transact(deps.db, () => stage(deps.db).run({ ids }), { isFlushed: false })
  return { jobs: chosen.ids.length, after: chosen.after }
}

/**
 * The due jobs of many organizations, some of each; what room is left then is for those that have
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
  for (let lookedAt = 0; lookedAt < MAX_LOOKED_AT && ids.size < AT_ONCE; lookedAt += 1) {
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
    if (ids.size >= AT_ONCE) break
    for (const id of idsOf(organizationId, SHARE + AT_ONCE - ids.size)) ids.add(id)
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

/** When the next waiting job is due, epoch milliseconds; `null` when none waits. */
export const nextDueMs = (deps: Pick<Deps, 'db'>): number | null =>
  nextDue(deps.db).get()?.atMs ?? null

import { and, eq, gt, inArray, lte, sql } from 'drizzle-orm'

import { compiled, transact, type Db } from '../db'
import type { Deps } from '../ctx'
import type { Lane } from './define'
import { jobs } from './table'

/** A job as the worker holds it. */
export type JobRow = typeof jobs.$inferSelect

/** How long a claimed job is ours without a heartbeat, milliseconds. */
export const LEASE_MS = 30_000

/** A job that waits for its next attempt holds back later ones of its serial key for so long, milliseconds. */
const SERIAL_PATIENCE_MS = 60_000

/** Organizations looked at in one claim. */
const TURN = 64

const nextOrganization = compiled((orm) =>
  orm
    .select({ organizationId: jobs.organizationId })
    .from(jobs)
    .where(and(eq(jobs.lane, sql.placeholder('lane')), sql`${jobs.state} = 'available'`, gt(jobs.organizationId, sql.placeholder('after'))))
    .orderBy(jobs.lane, jobs.organizationId)
    .limit(1)
    .prepare(),
)

const claimable = compiled((orm) =>
  orm
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      and(
        eq(jobs.lane, sql.placeholder('lane')),
        sql`${jobs.state} = 'available'`,
        eq(jobs.organizationId, sql.placeholder('organizationId')),
        sql`(${jobs.serialKey} is null or not exists (
          select 1 from jobs other
          where other.serial_key = ${jobs.serialKey} and other.id <> ${jobs.id}
            and other.state in ('scheduled', 'available', 'executing', 'retryable')
            and (other.state = 'executing' or (other.id < ${jobs.id}
              and (other.state = 'available' or other.first_attempted_at_ms > ${sql.placeholder('patientSinceMs')})))
        ))`,
      ),
    )
    .orderBy(jobs.id)
    .limit(sql.placeholder('limit'))
    .prepare(),
)

/** Up to `TURN` organizations with available work in the lane, the ones after `after` first: the order of turns. */
function organizationsInTurn(db: Db, lane: Lane, after: string): string[] {
  const turn: string[] = []
  const collect = (from: string, until: string | null): void => {
    let last = from
    while (turn.length < TURN) {
      const next = nextOrganization(db).get({ lane, after: last })
      if (!next || (until !== null && next.organizationId > until)) return
      turn.push(next.organizationId)
      last = next.organizationId
    }
  }
  collect(after, null)
  if (after !== '') collect('', after)
  return turn
}

/**
 * Chooses up to `slots` available jobs of a lane, in turns between organizations and in order within one, and leases them to
 * this process. Returns the rows and the organization that was served last, where the next turn goes on.
 */
export function claimJobs(
  deps: Pick<Deps, 'db' | 'clock'>,
  lane: Lane,
  at: { slots: number; after: string },
): { rows: JobRow[]; after: string } {
  const nowMs = deps.clock.nowMs()
  const turn = organizationsInTurn(deps.db, lane, at.after)
  if (turn.length === 0) return { rows: [], after: at.after }
  const share = Math.max(1, Math.floor(at.slots / turn.length))
  const ids: string[] = []
  let after = at.after
  for (const organizationId of turn) {
    const limit = turn.length === 1 ? at.slots : Math.min(share, at.slots - ids.length)
    if (limit <= 0) break
    for (const { id } of claimable(deps.db).all({ lane, organizationId, limit, patientSinceMs: nowMs - SERIAL_PATIENCE_MS })) ids.push(id)
    after = organizationId
  }
  return { rows: ids.length === 0 ? [] : lease(deps.db, ids, nowMs), after }
}

const leaseAll = compiled((orm) =>
  orm
    .update(jobs)
    .set({
      state: 'executing',
      attempt: sql`${jobs.attempt} + 1`,
      attemptedAtMs: sql`${sql.placeholder('nowMs')}`,
      firstAttemptedAtMs: sql`coalesce(${jobs.firstAttemptedAtMs}, ${sql.placeholder('nowMs')})`,
      leaseUntilMs: sql`${sql.placeholder('leaseUntilMs')}`,
    })
    .where(and(sql`${jobs.id} in (select value from json_each(${sql.placeholder('ids')}))`, eq(jobs.state, 'available')))
    .returning()
    .prepare(),
)

function lease(db: Db, ids: string[], nowMs: number): JobRow[] {
  const rows = transact(db, () => leaseAll(db).all({ ids: JSON.stringify(ids), nowMs, leaseUntilMs: nowMs + LEASE_MS }))
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

const isDue = and(sql`${jobs.state} in ('scheduled', 'retryable')`, lte(jobs.scheduledAtMs, sql.placeholder('nowMs')))

const anyDue = compiled((orm) => orm.select({ id: jobs.id }).from(jobs).where(isDue).limit(1).prepare())
const stage = compiled((orm) => orm.update(jobs).set({ state: 'available' }).where(isDue).returning({ id: jobs.id }).prepare())

/** Makes jobs whose time has come available; returns how many. */
export function stageDueJobs(deps: Pick<Deps, 'db' | 'clock'>): number {
  const at = { nowMs: deps.clock.nowMs() }
  if (!anyDue(deps.db).get(at)) return 0
  return transact(deps.db, () => stage(deps.db).all(at).length)
}

const nextDue = compiled((orm) =>
  orm
    .select({ atMs: jobs.scheduledAtMs })
    .from(jobs)
    .where(sql`${jobs.state} in ('scheduled', 'retryable')`)
    .orderBy(jobs.scheduledAtMs)
    .limit(1)
    .prepare(),
)

/** When the next waiting job is due, epoch milliseconds; `null` when none waits. */
export const nextDueMs = (deps: Pick<Deps, 'db'>): number | null => nextDue(deps.db).get()?.atMs ?? null

/** Extends the leases of jobs this process is working on. */
export function heartbeat(deps: Pick<Deps, 'db' | 'clock'>, ids: string[]): void {
  if (ids.length === 0) return
  transact(deps.db, (tx) => {
    tx.update(jobs)
      .set({ leaseUntilMs: deps.clock.nowMs() + LEASE_MS })
      .where(and(inArray(jobs.id, ids), eq(jobs.state, 'executing')))
      .run()
  })
}

/**
 * Gives jobs back whose process is gone: at start all that were executing (`all`), while running those whose lease ended.
 * The attempt stays counted, so that a job that kills its process is given up in the end. Returns how many were rescued.
 */
export function rescueOrphans(deps: Pick<Deps, 'db' | 'clock'>, which: 'all' | 'expired'): number {
  const isOrphan = and(sql`${jobs.state} = 'executing'`, which === 'all' ? undefined : lte(jobs.leaseUntilMs, deps.clock.nowMs()))
  if (!deps.db.orm.select({ id: jobs.id }).from(jobs).where(isOrphan).limit(1).get()) return 0
  return transact(
    deps.db,
    (tx) => tx.update(jobs).set({ state: 'available', leaseUntilMs: null }).where(isOrphan).returning({ id: jobs.id }).all().length,
  )
}

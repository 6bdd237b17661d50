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

/** Organizations served in one claim, and looked at for it: those whose gates are all shut are passed over. */
const TURN = 64
const MOST_LOOKED_AT = 1_024

/** Gate keys of one organization that are looked at in one claim. */
const MOST_KEYS = 256

const nextOrganization = compiled((orm) =>
  orm
    .select({ organizationId: jobs.organizationId })
    .from(jobs)
    .where(and(eq(jobs.lane, sql.placeholder('lane')), sql`${jobs.state} = 'available'`, gt(jobs.organizationId, sql.placeholder('after'))))
    .orderBy(jobs.lane, jobs.organizationId)
    .limit(1)
    .prepare(),
)

const firstGateKey = compiled((orm) =>
  orm
    .select({ gateKey: jobs.gateKey })
    .from(jobs)
    .where(
      and(
        eq(jobs.lane, sql.placeholder('lane')),
        sql`${jobs.state} = 'available'`,
        eq(jobs.organizationId, sql.placeholder('organizationId')),
      ),
    )
    .orderBy(jobs.lane, jobs.organizationId, jobs.gateKey)
    .limit(1)
    .prepare(),
)

const nextGateKey = compiled((orm) =>
  orm
    .select({ gateKey: jobs.gateKey })
    .from(jobs)
    .where(
      and(
        eq(jobs.lane, sql.placeholder('lane')),
        sql`${jobs.state} = 'available'`,
        eq(jobs.organizationId, sql.placeholder('organizationId')),
        gt(jobs.gateKey, sql.placeholder('after')),
      ),
    )
    .orderBy(jobs.lane, jobs.organizationId, jobs.gateKey)
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
        eq(jobs.gateKey, sql.placeholder('gateKey')),
        sql`(${jobs.serialKey} is null or not exists (
          select 1 from jobs other
          where other.serial_key = ${jobs.serialKey} and other.gate_key = ${jobs.gateKey} and other.id <> ${jobs.id}
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

/** What bounds a claim beside the free slots of the lane. */
export interface Bounds {
  /** Jobs of one organization that may still be started. */
  roomOf: (organizationId: string) => number
  /** Jobs of one gate that may still be started, when so many gates of the organization have work. */
  roomAt: (organizationId: string, gateKey: string, gates: number) => number
}

const UNBOUNDED: Bounds = { roomOf: () => Infinity, roomAt: () => Infinity }

/** An organization with work that may start: how much of it in all, and at which gates. */
interface Turn {
  organizationId: string
  room: number
  gates: { key: string; room: number }[]
}

/** The gates of an organization with available work behind them. */
function gateKeysOf(db: Db, lane: Lane, organizationId: string): string[] {
  const keys: string[] = []
  for (let next = firstGateKey(db).get({ lane, organizationId }); next && keys.length < MOST_KEYS;) {
    keys.push(next.gateKey)
    next = nextGateKey(db).get({ lane, organizationId, after: next.gateKey })
  }
  return keys
}

function turnOf(db: Db, lane: Lane, organizationId: string, bounds: Bounds): Turn | null {
  const room = bounds.roomOf(organizationId)
  if (room <= 0) return null
  const keys = gateKeysOf(db, lane, organizationId)
  const gates = keys.map((key) => ({ key, room: bounds.roomAt(organizationId, key, keys.length) })).filter((gate) => gate.room > 0)
  return gates.length === 0 ? null : { organizationId, room, gates }
}

/** Up to `TURN` organizations with work that may start in the lane, the ones after `after` first: the order of turns. */
function organizationsInTurn(db: Db, lane: Lane, after: string, bounds: Bounds): Turn[] {
  const turns: Turn[] = []
  let lookedAt = 0
  const collect = (from: string, until: string | null): void => {
    let last = from
    while (turns.length < TURN && lookedAt < MOST_LOOKED_AT) {
      const next = nextOrganization(db).get({ lane, after: last })
      if (!next || (until !== null && next.organizationId > until)) return
      last = next.organizationId
      lookedAt += 1
      const turn = turnOf(db, lane, last, bounds)
      if (turn) turns.push(turn)
    }
  }
  collect(after, null)
  if (after !== '') collect('', after)
  return turns
}

/**
 * Chooses up to `slots` available jobs of a lane, in turns between organizations, evenly between the gates of one and in order
 * behind each, and leases them to this process. Returns the rows and the organization that was served last, where the next turn
 * goes on.
 */
export function claimJobs(
  deps: Pick<Deps, 'db' | 'clock'>,
  lane: Lane,
  at: { slots: number; after: string; bounds?: Bounds },
): { rows: JobRow[]; after: string } {
  const nowMs = deps.clock.nowMs()
  const turns = organizationsInTurn(deps.db, lane, at.after, at.bounds ?? UNBOUNDED)
  const share = Math.max(1, Math.floor(at.slots / Math.max(1, turns.length)))
  const ids: string[] = []
  let after = at.after
  for (const turn of turns) {
    const limit = Math.min(share, at.slots - ids.length, turn.room)
    if (limit <= 0) break
    ids.push(...chooseOf(deps.db, lane, turn, { limit, patientSinceMs: nowMs - SERIAL_PATIENCE_MS, nowMs }))
    after = turn.organizationId
  }
  return { rows: ids.length === 0 ? [] : lease(deps.db, ids, nowMs), after }
}

/** The next jobs of one organization: each gate gets an even part of what is still to be given away, whoever comes first by turns. */
function chooseOf(db: Db, lane: Lane, turn: Turn, at: { limit: number; patientSinceMs: number; nowMs: number }): string[] {
  const { organizationId, gates } = turn
  const first = gates.length === 1 ? 0 : at.nowMs % gates.length
  const ids: string[] = []
  for (const [index, gate] of [...gates.slice(first), ...gates.slice(0, first)].entries()) {
    const limit = Math.min(gate.room, Math.ceil((at.limit - ids.length) / (gates.length - index)))
    if (limit <= 0) break
    for (const { id } of claimable(db).all({ lane, organizationId, gateKey: gate.key, limit, patientSinceMs: at.patientSinceMs }))
      ids.push(id)
  }
  return ids
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

import { and, desc, eq, gt, inArray, lte, or, sql } from 'drizzle-orm'

import { compiled } from '../db/compiled'
import type { Db } from '../db/connection'
import { transact } from '../db/transact'
import type { Deps } from '../ctx'
import type { Queue } from './job'
import { jobs } from './table'
import { atMost, place } from '../db/place'

/** A job as the worker holds it. */
export type JobRow = typeof jobs.$inferSelect

/** How long a claimed job is ours without a heartbeat, milliseconds. */
export const LEASE_MS = 30_000

/**
 * A job that waits for its next attempt holds back later ones of its serial key for so long,
 * milliseconds.
 */
const SERIAL_PATIENCE_MS = 60_000

/**
 * Organizations served in one claim, and looked at for it: those whose gates are all shut are
 * passed over.
 */
const TURN = 64
const MAX_LOOKED_AT = 1_024

/** Gate keys of one organization that are looked at in one claim. */
const MAX_KEYS = 256

/** The next organization, after one, with jobs of a queue that may start. */
export const nextOrganization = compiled((orm) =>
  orm
    .select({ organizationId: jobs.organizationId })
    .from(jobs)
    .where(
      and(
        eq(jobs.queue, place('queue')),
        sql`${jobs.state} = 'available' and ${jobs.isBehind} = 0`,
        gt(jobs.organizationId, place('after')),
      ),
    )
    .orderBy(jobs.queue, jobs.organizationId)
    .limit(atMost(1))
    .prepare(),
)

const firstGateKey = compiled((orm) =>
  orm
    .select({ gateKey: jobs.gateKey })
    .from(jobs)
    .where(
      and(
        eq(jobs.queue, place('queue')),
        sql`${jobs.state} = 'available' and ${jobs.isBehind} = 0`,
        eq(jobs.organizationId, place('organizationId')),
      ),
    )
    .orderBy(jobs.queue, jobs.organizationId, jobs.gateKey)
    .limit(atMost(1))
    .prepare(),
)

const nextGateKey = compiled((orm) =>
  orm
    .select({ gateKey: jobs.gateKey })
    .from(jobs)
    .where(
      and(
        eq(jobs.queue, place('queue')),
        sql`${jobs.state} = 'available' and ${jobs.isBehind} = 0`,
        eq(jobs.organizationId, place('organizationId')),
        gt(jobs.gateKey, place('after')),
      ),
    )
    .orderBy(jobs.queue, jobs.organizationId, jobs.gateKey)
    .limit(atMost(1))
    .prepare(),
)

/**
 * Whether a job has one of its serial key before it: one that runs, or an earlier one that is
 * behind none itself (ids go back with the clock: two that are behind each other would wait for
 * ever). Columns are spelled out: Drizzle names those of a single table without it, which inside
 * would be the other one's.
 */
const isBehind = sql<number>`jobs.serial_key is not null and (
  exists (select 1 from jobs other where other.serial_key = jobs.serial_key and other.serial_key is not null
    and other.gate_key = jobs.gate_key and other.state = 'executing')
  or exists (select 1 from jobs other where other.serial_key = jobs.serial_key and other.serial_key is not null
    and other.gate_key = jobs.gate_key and other.id < jobs.id
    and other.state in ('scheduled', 'available', 'executing', 'retryable') and other.state = 'available' and other.is_behind = 0))`

/**
 * The next available jobs of a gate after a place, with what holds each back: `isBehind`, or
 * `isPatient` an earlier one that is to be tried again soon.
 */
const candidates = compiled((orm) =>
  orm
    .select({
      id: jobs.id,
      priority: jobs.priority,
      isBehind,
      isPatient: sql<number>`jobs.serial_key is not null and exists (
        select 1 from jobs other where other.serial_key = jobs.serial_key and other.serial_key is not null
          and other.gate_key = jobs.gate_key and other.id < jobs.id
          and other.state in ('scheduled', 'available', 'executing', 'retryable')
          and other.first_attempted_at_ms > ${place('patientSinceMs')} and other.first_attempted_at_ms <= ${place('nowMs')})`,
    })
    .from(jobs)
    .where(
      and(
        eq(jobs.queue, place('queue')),
        sql`${jobs.state} = 'available' and ${jobs.isBehind} = 0`,
        eq(jobs.organizationId, place('organizationId')),
        eq(jobs.gateKey, place('gateKey')),
        sql`(${jobs.priority}, ${jobs.id}) > (${place('afterPriority')}, ${place('afterId')})`,
      ),
    )
    .orderBy(jobs.priority, jobs.id)
    .limit(place('limit'))
    .prepare(),
)

/** What bounds a claim beside the free slots of the queue. */
export interface Bounds {
  /** Jobs of one organization that may still be started. */
  roomOf: (organizationId: string) => number
  /**
   * Jobs of one gate that may still be started, when so many gates of the organization have work.
   */
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
function gateKeysOf(db: Db, queue: Queue, organizationId: string): string[] {
  const keys: string[] = []
  for (
    let next = firstGateKey(db).get({ queue, organizationId });
    next && keys.length < MAX_KEYS;
  ) {
    keys.push(next.gateKey)
    next = nextGateKey(db).get({ queue, organizationId, after: next.gateKey })
  }
  return keys
}

function turnOf(db: Db, queue: Queue, organizationId: string, bounds: Bounds): Turn | null {
  const room = bounds.roomOf(organizationId)
  if (room <= 0) return null
  const keys = gateKeysOf(db, queue, organizationId)
  const gates = keys
    .map((key) => ({ key, room: bounds.roomAt(organizationId, key, keys.length) }))
    .filter((gate) => gate.room > 0)
  return gates.length === 0 ? null : { organizationId, room, gates }
}

/**
 * Whose turn it is, and where the look at the organizations ended when there were more of them than
 * are looked at in one claim.
 */
interface Turns {
  turns: Turn[]
  cutAt: string | null
  /**
   * Whether it ended before the last of them, so that some were not looked at since the first one
   * was.
   */
  isPartial: boolean
}

/**
 * Up to `TURN` organizations with work that may start in the queue, the ones after `after` first:
 * the order of turns.
 */
function organizationsInTurn(db: Db, queue: Queue, after: string, bounds: Bounds): Turns {
  const turns: Turn[] = []
  let lookedAt = 0
  let last = after
  const hasRoom = (): boolean => turns.length < TURN && lookedAt < MAX_LOOKED_AT
  const collect = (until: string | null): boolean => {
    while (hasRoom()) {
      const next = nextOrganization(db).get({ queue, after: last })
      if (!next || (until !== null && next.organizationId > until)) return true
      last = next.organizationId
      lookedAt += 1
      const turn = turnOf(db, queue, last, bounds)
      if (turn) turns.push(turn)
    }
    return false
  }
  const hasSeenLast = collect(null)
  if (hasSeenLast && after !== '') {
    last = ''
    collect(after)
  }
  return {
    turns,
    cutAt: lookedAt < MAX_LOOKED_AT ? null : last,
    isPartial: !hasSeenLast && lookedAt >= MAX_LOOKED_AT,
  }
}

/** Which jobs are to be begun next. */
export interface Choice {
  /** The jobs, in the order they are to be begun: those of organizations with little work first. */
  ids: string[]
  /**
   * Those behind an earlier one of their serial key that were come across: nobody looks at them
   * again until that one has moved.
   */
  behind: string[]
  /** The organization that was served last, where the next turn goes on. */
  after: string
  /** Whether it is worth choosing again at once: only a part of what waits was looked at. */
  isPartial: boolean
}

/**
 * Where a choice begins and what bounds it: free slots, the organization that was served last, and
 * what gates and shares leave.
 */
export interface ChoosingPlace {
  slots: number
  after: string
  bounds?: Bounds
}

/**
 * Chooses up to `slots` available jobs of a queue, in turns between organizations, evenly between
 * the gates of one and by priority and age behind each.
 */
export function chooseJobs(
  deps: Pick<Deps, 'db' | 'clock'>,
  queue: Queue,
  at: ChoosingPlace,
): Choice {
  const nowMs = deps.clock.nowMs()
  const { turns, cutAt, isPartial } = organizationsInTurn(
    deps.db,
    queue,
    at.after,
    at.bounds ?? UNBOUNDED,
  )
  const share = Math.max(1, Math.floor(at.slots / Math.max(1, turns.length)))
  const byTurn: string[][] = []
  const seen: Seen = { behind: [], isPartial }
  let left = at.slots
  let after = at.after
  for (const turn of turns) {
    const limit = Math.min(share, left, turn.room)
    if (limit <= 0) break
    const ids = chooseOf(
      deps.db,
      queue,
      turn,
      { limit, patientSinceMs: nowMs - SERIAL_PATIENCE_MS, nowMs },
      seen,
    )
    byTurn.push(ids)
    left -= ids.length
    after = turn.organizationId
  }
  // Shut gates of more organizations than are looked at in one claim must not keep those after them
  // from their turn.
  if (cutAt !== null && byTurn.length === turns.length) after = cutAt
  const ids = byTurn.toSorted((a, b) => a.length - b.length).flat()
  return { ids, behind: seen.behind, after, isPartial: seen.isPartial }
}

/**
 * What a choice came across beside the jobs it takes: those behind an earlier one, and whether it
 * stopped looking before the end.
 */
interface Seen {
  behind: string[]
  isPartial: boolean
}

/**
 * The next jobs of one organization: each gate gets an even part of what is still to be given away,
 * whoever comes first by turns.
 */
function chooseOf(
  db: Db,
  queue: Queue,
  turn: Turn,
  at: { limit: number; patientSinceMs: number; nowMs: number },
  seen: Seen,
): string[] {
  const { organizationId, gates } = turn
  const first = gates.length === 1 ? 0 : at.nowMs % gates.length
  const ids: string[] = []
  for (const [index, gate] of [...gates.slice(first), ...gates.slice(0, first)].entries()) {
    const limit = Math.min(gate.room, Math.ceil((at.limit - ids.length) / (gates.length - index)))
    if (limit <= 0) break
    ids.push(
      ...chooseBehind(
        db,
        {
          queue,
          organizationId,
          gateKey: gate.key,
          limit,
          patientSinceMs: at.patientSinceMs,
          nowMs: at.nowMs,
        },
        seen,
      ),
    )
  }
  return ids
}

/** Jobs looked at in one go, and behind one gate in one claim. */
const LOOK = 64
const MAX_LOOKS = 8

/**
 * The next jobs behind one gate that may start; those behind an earlier one of their key are noted,
 * so that nobody looks at them again.
 */
function chooseBehind(
  db: Db,
  at: {
    queue: Queue
    organizationId: string
    gateKey: string
    limit: number
    patientSinceMs: number
    nowMs: number
  },
  seen: Seen,
): string[] {
  const ids: string[] = []
  let after = { afterPriority: 0, afterId: '' }
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const limit = look === 0 ? at.limit : LOOK
    const found = candidates(db).all({ ...at, ...after, limit })
    for (const { id, isBehind, isPatient } of found) {
      if (isBehind) seen.behind.push(id)
      else if (!isPatient && ids.length < at.limit) ids.push(id)
    }
    const last = found.at(-1)
    if (ids.length >= at.limit || !last || found.length < limit) return ids
    after = { afterPriority: last.priority, afterId: last.id }
  }
  seen.isPartial = true
  return ids
}

/**
 * The first part of jobs that are leased in parts, and how much longer each is than the one before.
 */
const FIRST_PART = 2
const PART_GROWTH = 3

/**
 * The parts in which jobs are leased that are done at once, each when it is its turn: the first,
 * those of organizations with little work, wait for no others.
 */
export function* partsOf({ ids, behind }: Choice): Generator<Pick<Choice, 'ids' | 'behind'>> {
  let length = FIRST_PART
  for (let at = 0; at < ids.length; at += length / PART_GROWTH) {
    yield { ids: ids.slice(at, at + length), behind: at === 0 ? behind : [] }
    length *= PART_GROWTH
  }
}

const leaseAll = compiled((orm) =>
  orm
    .update(jobs)
    .set({
      state: 'executing',
      attempt: sql`${jobs.attempt} + 1`,
      attemptedAtMs: sql`${place('nowMs')}`,
      firstAttemptedAtMs: sql`coalesce(${jobs.firstAttemptedAtMs}, ${place('nowMs')})`,
      leaseUntilMs: sql`${place('leaseUntilMs')}`,
    })
    .where(
      and(
        sql`${jobs.id} in (select value from json_each(${place('ids')}))`,
        sql`${jobs.state} = 'available'`,
      ),
    )
    .returning()
    .prepare(),
)

/**
 * Since they were chosen another process may have ended the one before them: nobody would look at
 * them again.
 */
const holdBack = compiled((orm) =>
  orm
    .update(jobs)
    .set({ isBehind: true })
    .where(
      and(
        sql`${jobs.id} in (select value from json_each(${place('ids')}))`,
        sql`${jobs.state} = 'available'`,
        isBehind,
      ),
    )
    .prepare(),
)

/** Leases chosen jobs to this process, in a transaction of its own. Returns them in their order. */
export function leaseJobs(
  deps: Pick<Deps, 'db' | 'clock'>,
  choice: Pick<Choice, 'ids' | 'behind'>,
): JobRow[] {
  if (choice.ids.length + choice.behind.length === 0) return []
  // After a power cut nobody has taken them, and nothing of what they did is there either.
  return transact(deps.db, () => leaseJobsIn(deps, choice), { isFlushed: false })
}

/** Leases chosen jobs to this process, in the caller's transaction. Returns them in their order. */
export function leaseJobsIn(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { ids, behind }: Pick<Choice, 'ids' | 'behind'>,
): JobRow[] {
  if (behind.length > 0) holdBack(db).run({ ids: JSON.stringify(behind) })
  if (ids.length === 0) return []
  const nowMs = clock.nowMs()
  const rows = leaseAll(db).all({ ids: JSON.stringify(ids), nowMs, leaseUntilMs: nowMs + LEASE_MS })
  const place = new Map(ids.map((id, index) => [id, index]))
  return rows.toSorted((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0))
}

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
 * Gives jobs back whose process is gone: at start all that were executing (`all`), while running
 * those whose lease ended. The attempt stays counted, so that a job that kills its process is given
 * up in the end. Returns how many were rescued.
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

const newest = compiled((orm) =>
  orm
    .select({ id: jobs.id, atMs: jobs.createdAtMs })
    .from(jobs)
    .orderBy(desc(jobs.id))
    .limit(atMost(1))
    .prepare(),
)

/** The id of the newest job; empty where there is none. */
export const newestJobId = ({ db }: Pick<Deps, 'db'>): string => newest(db).get()?.id ?? ''

/**
 * How far ahead of now the newest job was enqueued, milliseconds: the clock was put back since
 * then; 0 when it was not.
 */
export const aheadMs = ({ db, clock }: Pick<Deps, 'db' | 'clock'>): number =>
  Math.max(0, (newest(db).get()?.atMs ?? 0) - clock.nowMs())

/**
 * After the clock was put back by `byMs`: what was planned by the time that was wrong is due as
 * much earlier, so that nothing waits out a day that never was, and counts as planned now. What was
 * planned before keeps its time. Returns how many jobs that concerned.
 */
export function rescheduleAfterClockChange(deps: Pick<Deps, 'db' | 'clock'>, byMs: number): number {
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

import { and, desc, eq, gt, inArray, lte, or, sql } from 'drizzle-orm'

import { compiled } from '../db/compiled'
import type { Db } from '../db/connection'
import { transact } from '../db/transact'
import type { Deps } from '../ctx'
import type { Queue } from './job'
import { jobs } from './table'
import { atMost, place } from '../db/place'

/** A row of the job table. */
export type JobRow = typeof jobs.$inferSelect

/** How long a lease lasts without a heartbeat, milliseconds. */
export const LEASE_MS = 30_000

/** How long a job that waits for a retry blocks later jobs with its ordering key, milliseconds. */
const SERIAL_PATIENCE_MS = 60_000

/**
 * Organizations served in one claim, and organizations examined for it. Organizations whose gates
 * are all closed are skipped.
 */
const MAX_ORGANIZATIONS = 64
const MAX_EXAMINED = 1_024

/** Gate keys of one organization that one claim examines. */
const MAX_KEYS = 256

/** The next organization after `after` with jobs in a queue that may start. */
export const nextOrganization = compiled((orm) =>
  orm
    .select({ organizationId: jobs.organizationId })
    .from(jobs)
    .where(
      and(
        eq(jobs.queue, place('queue')),
        sql`${jobs.state} = 'available' and ${jobs.isBlocked} = 0`,
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
        sql`${jobs.state} = 'available' and ${jobs.isBlocked} = 0`,
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
        sql`${jobs.state} = 'available' and ${jobs.isBlocked} = 0`,
        eq(jobs.organizationId, place('organizationId')),
        gt(jobs.gateKey, place('after')),
      ),
    )
    .orderBy(jobs.queue, jobs.organizationId, jobs.gateKey)
    .limit(atMost(1))
    .prepare(),
)

/**
 * Whether a job must wait for another one with its ordering key: one that is running, or an earlier
 * one that is not blocked itself. IDs go back when the clock does, and two jobs blocking each other
 * would wait forever. Columns are written out because Drizzle omits the table name in single-table
 * queries, and inside the subquery they would refer to `other`.
 */
const isBlocked = sql<number>`jobs.ordering_key is not null and (
  exists (select 1 from jobs other where other.ordering_key = jobs.ordering_key and other.ordering_key is not null
    and other.gate_key = jobs.gate_key and other.state = 'executing')
  or exists (select 1 from jobs other where other.ordering_key = jobs.ordering_key and other.ordering_key is not null
    and other.gate_key = jobs.gate_key and other.id < jobs.id
    and other.state in ('scheduled', 'available', 'executing', 'retryable') and other.state = 'available' and other.is_blocked = 0))`

/**
 * The next available jobs of a gate after a position, each with what blocks it: `isBlocked` for
 * another job of its ordering key, `isPatient` for an earlier one that is retried soon.
 */
const candidates = compiled((orm) =>
  orm
    .select({
      id: jobs.id,
      priority: jobs.priority,
      isBlocked,
      isPatient: sql<number>`jobs.ordering_key is not null and exists (
        select 1 from jobs other where other.ordering_key = jobs.ordering_key and other.ordering_key is not null
          and other.gate_key = jobs.gate_key and other.id < jobs.id
          and other.state in ('scheduled', 'available', 'executing', 'retryable')
          and other.first_attempted_at_ms > ${place('patientSinceMs')} and other.first_attempted_at_ms <= ${place('nowMs')})`,
    })
    .from(jobs)
    .where(
      and(
        eq(jobs.queue, place('queue')),
        sql`${jobs.state} = 'available' and ${jobs.isBlocked} = 0`,
        eq(jobs.organizationId, place('organizationId')),
        eq(jobs.gateKey, place('gateKey')),
        sql`(${jobs.priority}, ${jobs.id}) > (${place('afterPriority')}, ${place('afterId')})`,
      ),
    )
    .orderBy(jobs.priority, jobs.id)
    .limit(place('limit'))
    .prepare(),
)

/** Limits of a claim in addition to the free slots of the queue. */
export interface Bounds {
  /** How many more jobs of an organization may start. */
  roomOf: (organizationId: string) => number
  /**
   * How many more jobs of a gate may start, given the number of the organization's gates with work.
   */
  roomAt: (organizationId: string, gateKey: string, gates: number) => number
}

const UNBOUNDED: Bounds = { roomOf: () => Infinity, roomAt: () => Infinity }

/** An organization with jobs that may start: how many, and through which gates. */
interface Turn {
  organizationId: string
  room: number
  gates: { key: string; room: number }[]
}

/** Keys of the organization's gates with available jobs. */
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

/** The organizations to serve, and where the search ended if it reached its limit. */
interface Turns {
  turns: Turn[]
  cutAt: string | null
  /** Whether the search ended before the last organization, so some were not examined. */
  isPartial: boolean
}

/**
 * Finds up to `MAX_ORGANIZATIONS` organizations with jobs that may start, in rotation: those after
 * `after` first.
 */
function organizationsInTurn(db: Db, queue: Queue, after: string, bounds: Bounds): Turns {
  const turns: Turn[] = []
  let examined = 0
  let last = after
  const hasRoom = (): boolean => turns.length < MAX_ORGANIZATIONS && examined < MAX_EXAMINED
  const collect = (until: string | null): boolean => {
    while (hasRoom()) {
      const next = nextOrganization(db).get({ queue, after: last })
      if (!next || (until !== null && next.organizationId > until)) return true
      last = next.organizationId
      examined += 1
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
    cutAt: examined < MAX_EXAMINED ? null : last,
    isPartial: !hasSeenLast && examined >= MAX_EXAMINED,
  }
}

/** The jobs to start next. */
export interface Choice {
  /** Job IDs in start order: organizations with few jobs first. */
  ids: string[]
  /**
   * Jobs that wait for another one of their ordering key. They are not examined again until that one
   * has moved.
   */
  behind: string[]
  /** The organization served last; the next claim continues after it. */
  after: string
  /** Whether to choose again immediately, because only some of the waiting jobs were examined. */
  isPartial: boolean
}

/**
 * Input of a choice: free slots, the organization served last, and the limits of gates and
 * organizations.
 */
export interface ChoosingPlace {
  slots: number
  after: string
  bounds?: Bounds
}

/**
 * Chooses up to `slots` available jobs of a queue. Organizations take turns, the gates of one
 * organization share evenly, and behind each gate priority and age decide.
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
  // Closed gates of more organizations than one claim examines must not keep later organizations
  // from their turn.
  if (cutAt !== null && byTurn.length === turns.length) after = cutAt
  const ids = byTurn.toSorted((a, b) => a.length - b.length).flat()
  return { ids, behind: seen.behind, after, isPartial: seen.isPartial }
}

/**
 * Findings of a choice besides the chosen jobs: blocked jobs, and whether the search stopped early.
 */
interface Seen {
  behind: string[]
  isPartial: boolean
}

/**
 * Chooses the next jobs of one organization. Each gate gets an even share of the remaining slots,
 * and the first gate rotates.
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

/** Jobs per query, and queries per gate in one claim. */
const PAGE_SIZE = 64
const MAX_PAGES = 8

/** Chooses the next jobs of one gate that may start, and collects the blocked ones in `seen`. */
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
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const limit = page === 0 ? at.limit : PAGE_SIZE
    const found = candidates(db).all({ ...at, ...after, limit })
    for (const { id, isBlocked, isPatient } of found) {
      if (isBlocked) seen.behind.push(id)
      else if (!isPatient && ids.length < at.limit) ids.push(id)
    }
    const last = found.at(-1)
    if (ids.length >= at.limit || !last || found.length < limit) return ids
    after = { afterPriority: last.priority, afterId: last.id }
  }
  seen.isPartial = true
  return ids
}

/** Size of the first batch of leased jobs, and the growth factor of later batches. */
const FIRST_BATCH = 2
const BATCH_GROWTH = 3

/**
 * Splits a choice into growing batches for jobs that run in the claiming transaction. Organizations
 * with few jobs come first and do not wait until all jobs of a large one are leased.
 */
export function* batchesOf({ ids, behind }: Choice): Generator<Pick<Choice, 'ids' | 'behind'>> {
  let length = FIRST_BATCH
  for (let at = 0; at < ids.length; at += length / BATCH_GROWTH) {
    yield { ids: ids.slice(at, at + length), behind: at === 0 ? behind : [] }
    length *= BATCH_GROWTH
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
 * Marks jobs as blocked if they still are: another process may have ended the job before them since
 * they were chosen, and then they would never be examined again.
 */
const holdBack = compiled((orm) =>
  orm
    .update(jobs)
    .set({ isBlocked: true })
    .where(
      and(
        sql`${jobs.id} in (select value from json_each(${place('ids')}))`,
        sql`${jobs.state} = 'available'`,
        isBlocked,
      ),
    )
    .prepare(),
)

/** Leases chosen jobs to this process in its own transaction. Returns them in the chosen order. */
export function leaseJobs(
  deps: Pick<Deps, 'db' | 'clock'>,
  choice: Pick<Choice, 'ids' | 'behind'>,
): JobRow[] {
  if (choice.ids.length + choice.behind.length === 0) return []
  // A power cut loses the lease together with everything the jobs did.
  return transact(deps.db, () => leaseJobsIn(deps, choice), { isFlushed: false })
}

/**
 * Leases chosen jobs to this process in the caller's transaction. Returns them in the chosen order.
 */
export function leaseJobsIn(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { ids, behind }: Pick<Choice, 'ids' | 'behind'>,
): JobRow[] {
  if (behind.length > 0) holdBack(db).run({ ids: JSON.stringify(behind) })
  if (ids.length === 0) return []
  const nowMs = clock.nowMs()
  const rows = leaseAll(db).all({ ids: JSON.stringify(ids), nowMs, leaseUntilMs: nowMs + LEASE_MS })
  const order = new Map(ids.map((id, index) => [id, index]))
  return rows.toSorted((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0))
}

/** Extends the leases of jobs that this process is running. */
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

/**
 * Returns how far the creation time of the newest job lies in the future, milliseconds. A positive
 * number means the clock was set back.
 */
export const aheadMs = ({ db, clock }: Pick<Deps, 'db' | 'clock'>): number =>
  Math.max(0, (newest(db).get()?.atMs ?? 0) - clock.nowMs())

/**
 * Reschedules waiting jobs after the clock was set back by `byMs`. Jobs planned by the wrong time
 * become due that much earlier; jobs planned before keep their time. Returns how many jobs were
 * changed.
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

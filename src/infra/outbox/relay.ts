import { and, asc, eq, gt, gte, inArray, lte, sql } from 'drizzle-orm'

import { DAY_MS, HOUR_MS, SECOND_MS } from '../../lib/clock'
import { systemCtx, type Deps } from '../ctx'
import { compiled, atMost, place } from '../db/compiled'
import { isStorageError } from '../db/errors'
import { flushed, transact } from '../db/transact'
import { enqueue } from '../jobs/enqueue'
import { newestPosition, readEvent, type LoggedEvent } from './events'
import type { Subscription } from './subscribe'
import { eventHeads, events, relayState } from './table'
import { afterYield } from '../event-loop'

/** Enqueues the subscribers of committed events and publishes the events to sockets. */
export interface Relay {
  /**
   * Relays every committed event that was not relayed yet, oldest first. Synchronous. Returns how
   * many.
   */
  drain(): number
  /** Schedules a drain after the current work, of the events that are on disk. */
  wake(): void
}

const BATCH = 200
const PRUNE_BATCH = 1_000

const unrelayed = compiled((orm) =>
  orm
    .select()
    .from(events)
    .where(
      and(
        gt(events.position, place(events.position, 'after')),
        lte(events.position, place(events.position, 'upTo')),
      ),
    )
    .orderBy(asc(events.position))
    .limit(atMost(BATCH))
    .prepare(),
)

/** Returns the ID of the event log and the relayed position. Creates them at the first start. */
export function openEventLog(deps: Pick<Deps, 'db' | 'ids'>): { logId: string; position: number } {
  return transact(deps.db, (tx) => {
    const known = tx.select().from(relayState).where(eq(relayState.id, 1)).get()
    if (known) return known
    const fresh = { id: 1, position: 0, logId: deps.ids.next() }
    tx.insert(relayState).values(fresh).run()
    return fresh
  })
}

/**
 * Gives the event log a new ID. After a restore, its numbers belong to other events, and clients
 * must not resume from theirs.
 */
export function renewEventLog(deps: Pick<Deps, 'db' | 'ids'>): void {
  openEventLog(deps)
  transact(deps.db, (tx) =>
    tx.update(relayState).set({ logId: deps.ids.next() }).where(eq(relayState.id, 1)).run(),
  )
}

/**
 * Returns the oldest stored and the newest number of an organization's log; both are 0 without
 * events.
 */
export function logBounds(
  deps: Pick<Deps, 'db'>,
  organizationId: string,
): { oldestSeq: number; seq: number } {
  const head = deps.db.orm
    .select()
    .from(eventHeads)
    .where(eq(eventHeads.organizationId, organizationId))
    .get()
  return head ? { oldestSeq: head.oldestSeq, seq: head.seq } : { oldestSeq: 0, seq: 0 }
}

const beyond = compiled((orm) =>
  orm
    .select()
    .from(events)
    .where(gt(events.position, place(events.position, 'position')))
    .orderBy(asc(events.position))
    .limit(atMost('limit'))
    .prepare(),
)

/** Returns relayed events of all organizations after a position, oldest first. */
export const eventsBeyond = (
  deps: Pick<Deps, 'db'>,
  position: number,
  limit: number,
): LoggedEvent[] => beyond(deps.db).all({ position, limit }).map(readEvent)

const numberedAfter = compiled((orm) =>
  orm
    .select()
    .from(events)
    .where(
      and(
        eq(events.organizationId, place(events.organizationId, 'organizationId')),
        gt(events.seq, place(events.seq, 'after')),
      ),
    )
    .orderBy(asc(events.seq))
    .limit(atMost('limit'))
    .prepare(),
)

/** Returns up to `limit` events of an organization with a number above `after`, oldest first. */
export const eventsAfter = (
  deps: Pick<Deps, 'db'>,
  organizationId: string,
  at: { after: number; limit: number },
): LoggedEvent[] =>
  numberedAfter(deps.db)
    .all({ organizationId, ...at })
    .map(readEvent)

/**
 * Returns the events of the given types with a number above `after`, up to and including `upTo`.
 */
export const eventsOfTypes = (
  deps: Pick<Deps, 'db'>,
  organizationId: string,
  at: { after: number; upTo: number; types: string[] },
): LoggedEvent[] =>
  deps.db.orm
    .select()
    .from(events)
    .where(
      and(
        eq(events.organizationId, organizationId),
        gt(events.seq, at.after),
        lte(events.seq, at.upTo),
        inArray(events.type, at.types),
      ),
    )
    .orderBy(asc(events.seq))
    .all()
    .map(readEvent)

/** Creates the relay. `publish` passes a batch to the sockets; it must not throw or wait. */
export function createRelay(
  deps: Deps,
  subscriptions: Subscription[],
  publish: (batch: LoggedEvent[]) => void,
): Relay {
  const log = deps.eventLog
  log.relayedUpTo = openEventLog(deps).position
  let savedPosition = log.relayedUpTo
  let isAwake = false

  const subscriptionsTo = (type: string): Subscription[] =>
    subscriptions.filter(({ event }) => event === type)

  const relayBatch = (batch: LoggedEvent[], upTo: number): void => {
    const hasSubscribers = batch.some((event) => subscriptionsTo(event.type).length > 0)
    // If the position is saved late, only events without subscribers are published again after a
    // crash, when no socket is open.
    if (hasSubscribers || upTo - savedPosition >= BATCH) {
      // A power cut undoes position and jobs together; the events are relayed again.
      transact(
        deps.db,
        (tx) => {
          for (const event of batch)
            for (const { job } of subscriptionsTo(event.type))
              enqueue(tx, systemCtx(deps, event.organizationId), job, {
                args: event.payload,
                uniqueKey: `event:${event.position}:${job.name}`,
              })
          tx.update(relayState).set({ position: upTo }).where(eq(relayState.id, 1)).run()
        },
        { isFlushed: false },
      )
      savedPosition = upTo
    }
    log.relayedUpTo = upTo
    publish(batch)
  }

  const relayUpTo = (upTo: number): number => {
    let relayed = 0
    for (;;) {
      const batch = unrelayed(deps.db).all({ after: log.relayedUpTo, upTo }).map(readEvent)
      const last = batch.at(-1)
      if (!last) return relayed
      relayBatch(batch, last.position)
      relayed += batch.length
      if (batch.length < BATCH) return relayed
    }
  }

  /** What leaves the process was flushed before. */
  const relayFlushed = async (): Promise<void> => {
    const upTo = newestPosition(deps)
    if (!deps.db.logFlush.isDone) await flushed(deps.db)
    relayUpTo(upTo)
  }

  const relay: Relay = {
    drain() {
      if (!deps.db.logFlush.isDone) deps.db.logFlush.now()
      return relayUpTo(newestPosition(deps))
    },
    wake() {
      if (isAwake) return
      isAwake = true
      afterYield(() => {
        isAwake = false
        relayFlushed().catch((error: unknown) => {
          if (!isStorageError(error)) deps.log.error({ error }, 'event relay failed; retrying')
          deps.clock.after(SECOND_MS, () => relay.wake())
        })
      }, 1)
    },
  }
  return relay
}

/**
 * Deletes a batch of relayed events that are older than the retention of the log. Returns how many.
 */
export function pruneEvents(deps: Deps, readUpTo = Infinity): number {
  const nowMs = deps.clock.nowMs()
  const beforeMs = nowMs - deps.settings.realtimeLogHours * HOUR_MS
  return transact(deps.db, (tx) => {
    const first = tx
      .select({ position: events.position, atMs: events.atMs })
      .from(events)
      .where(lte(events.position, Math.min(readUpTo, deps.eventLog.relayedUpTo)))
      .orderBy(asc(events.position))
      .limit(PRUNE_BATCH)
      .all()
    // An event from days ahead was emitted while the clock was wrong, and holds up nothing.
    const young = first.findIndex(({ atMs }) => atMs >= beforeMs && atMs < nowMs + DAY_MS)
    const upTo = first.at(young < 0 ? -1 : young - 1)?.position
    if (upTo === undefined || young === 0) return 0
    const deleted = tx
      .delete(events)
      .where(lte(events.position, upTo))
      .returning({ organizationId: events.organizationId, seq: events.seq })
      .all()
    const oldest = new Map<string, number>()
    for (const { organizationId, seq } of deleted)
      oldest.set(organizationId, Math.max(seq + 1, oldest.get(organizationId) ?? 0))
    for (const [organizationId, oldestSeq] of oldest)
      tx.update(eventHeads)
        .set({ oldestSeq })
        .where(
          and(
            eq(eventHeads.organizationId, organizationId),
            gte(sql`${oldestSeq}`, eventHeads.oldestSeq),
          ),
        )
        .run()
    return deleted.length
  })
}

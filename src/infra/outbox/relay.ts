import { and, asc, eq, gt, gte, inArray, lt, lte, max, sql } from 'drizzle-orm'

import { HOUR_MS, SECOND_MS } from '../../lib/clock'
import { systemCtx, type Deps } from '../ctx'
import { compiled } from '../db/compiled'
import { isStorageError } from '../db/errors'
import { transact } from '../db/transact'
import { enqueue } from '../jobs/enqueue'
import type { LoggedEvent } from './events'
import type { Subscription } from './subscribe'
import { eventHeads, events, relayState } from './table'
import { afterYield } from '../event-loop'
import { atMost, place } from '../db/place'

/** Turns committed events into jobs and into what sockets hear. */
export interface Relay {
  /**
   * Passes on every committed event that was not passed on yet, oldest first. Synchronous; returns
   * how many.
   */
  drain(): number
  /** Asks for a drain after the current work. */
  wake(): void
}

const BATCH = 200
const PRUNE_BATCH = 1_000

const unrelayed = compiled((orm) =>
  orm
    .select()
    .from(events)
    .where(gt(events.position, place('after')))
    .orderBy(asc(events.position))
    .limit(atMost(BATCH))
    .prepare(),
)

/** The identity of the installation's event log; made at first start. */
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
 * Gives the event log a new identity: after a restore its numbers mean something else, and clients
 * must not go on from theirs.
 */
export function renewEventLog(deps: Pick<Deps, 'db' | 'ids'>): void {
  openEventLog(deps)
  transact(deps.db, (tx) =>
    tx.update(relayState).set({ logId: deps.ids.next() }).where(eq(relayState.id, 1)).run(),
  )
}

/**
 * The oldest number still kept and the newest number of an organization's log; both 0 when nothing
 * has happened yet.
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

const numberedAfter = compiled((orm) =>
  orm
    .select()
    .from(events)
    .where(and(eq(events.organizationId, place('organizationId')), gt(events.seq, place('after'))))
    .orderBy(asc(events.seq))
    .limit(place('limit'))
    .prepare(),
)

/** Up to `limit` events of an organization with a number above `after`, oldest first. */
export const eventsAfter = (
  deps: Pick<Deps, 'db'>,
  organizationId: string,
  at: { after: number; limit: number },
): LoggedEvent[] =>
  numberedAfter(deps.db)
    .all({ organizationId, ...at })
    .map(readEvent)

/** The events of some kinds with a number above `after` and up to `upTo`. */
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

const readEvent = (row: typeof events.$inferSelect): LoggedEvent => ({
  ...row,
  payload: JSON.parse(row.payload) as unknown,
})

/**
 * The relay over the outbox. `publish` hands a batch to the sockets; it must not throw and must not
 * wait.
 */
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

  const passOn = (batch: LoggedEvent[], upTo: number): void => {
    const follow = batch.some((event) => subscriptionsTo(event.type).length > 0)
    // A position that is saved late only means that sockets nobody holds any more are told again
    // after a crash.
    if (follow || upTo - savedPosition >= BATCH) {
      // What a power cut undoes is passed on again: position and jobs are undone together.
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

  const drain = (): number => {
    let passed = 0
    for (;;) {
      const batch = unrelayed(deps.db).all({ after: log.relayedUpTo }).map(readEvent)
      const last = batch.at(-1)
      if (!last) return passed
      passOn(batch, last.position)
      passed += batch.length
    }
  }

  const relay: Relay = {
    drain,
    wake() {
      if (isAwake) return
      isAwake = true
      afterYield(() => {
        isAwake = false
        try {
          drain()
        } catch (error) {
          if (!isStorageError(error)) deps.log.error({ error }, 'event relay failed; retrying')
          deps.clock.after(SECOND_MS, () => relay.wake())
        }
      }, 1)
    },
  }
  return relay
}

/**
 * Deletes a batch of events that are older than the log is kept and were passed on. Returns how
 * many.
 */
export function pruneEvents(deps: Deps): number {
  const beforeMs = deps.clock.nowMs() - deps.settings.realtimeLogHours * HOUR_MS
  return transact(deps.db, (tx) => {
    const upTo = tx
      .select({ position: max(events.position) })
      .from(
        tx
          .select({ position: events.position })
          .from(events)
          .where(and(lt(events.atMs, beforeMs), lte(events.position, deps.eventLog.relayedUpTo)))
          .orderBy(asc(events.position))
          .limit(PRUNE_BATCH)
          .as('old'),
      )
      .get()?.position
    if (upTo === undefined || upTo === null) return 0
    const gone = tx
      .delete(events)
      .where(lte(events.position, upTo))
      .returning({ organizationId: events.organizationId, seq: events.seq })
      .all()
    const oldest = new Map<string, number>()
    for (const { organizationId, seq } of gone)
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
    return gone.length
  })
}

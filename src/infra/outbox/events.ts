import type { Static, TSchema } from '@sinclair/typebox'
import { and, desc, eq, gt, inArray, lte, sql } from 'drizzle-orm'

import { typeGuardOf } from '../../lib/schema-check'
import { compiled, atMost, place } from '../db/compiled'
import type { Tx } from '../db/transact'
import type { Ctx } from '../ctx'
import { eventHeads, events } from './table'
import { uuidToBytes } from '../db/uuid'

/**
 * Definition of an event type: a name in the past tense and the schema of its payload, which holds
 * only facts that never change.
 */
export interface EventDefinition<S extends TSchema = TSchema> {
  name: string
  payload: S
  /** Whether a payload matches the schema. */
  fits: (payload: unknown) => boolean
}

/** A stored event. */
export interface LoggedEvent {
  position: number
  organizationId: string
  seq: number
  type: string
  contactId: string | null
  payload: unknown
  atMs: number
}

/** Returns an event from its row. Its payload names the contact that the row is about. */
export const readEvent = (row: typeof events.$inferSelect): LoggedEvent => ({
  ...row,
  payload: {
    ...(row.contactId === null ? {} : { contactId: row.contactId }),
    ...(JSON.parse(row.payload) as Record<string, unknown>),
  },
})

/** Defines an event type by its name and the schema of its payload. */
export const defineEvent = <S extends TSchema>(name: string, payload: S): EventDefinition<S> => ({
  name,
  payload,
  fits: typeGuardOf(payload),
})

const firstHead = compiled((orm) =>
  orm
    .insert(eventHeads)
    .values({ organizationId: sql.placeholder('organizationId'), seq: 1 })
    .prepare(),
)

/**
 * Runs on SQLite directly, which returns the number of changed rows. `returning` would create a
 * temporary table for the result.
 */
const COUNT_UP = 'update event_heads set seq = seq + 1 where organization_id = ?'

const append = compiled((orm) =>
  orm
    .insert(events)
    .values({
      organizationId: sql.placeholder('organizationId'),
      seq: sql`(select ${eventHeads.seq} from ${eventHeads} where ${eventHeads.organizationId} = ${place(eventHeads.organizationId, 'organizationId')})`,
      type: sql.placeholder('type'),
      contactId: sql.placeholder('contactId'),
      payload: sql.placeholder('payload'),
      atMs: sql.placeholder('atMs'),
    })
    .prepare(),
)

/**
 * Lets the numbers of an organization's events go on above one, in the transaction that completes its
 * import: receivers know the numbers that it had elsewhere.
 */
export const continueNumbersIn = (tx: Tx, ctx: Ctx, seq: number): void =>
  tx
    .insert(eventHeads)
    .values({ organizationId: ctx.organizationId, seq, oldestSeq: seq + 1 })
    .onConflictDoUpdate({
      target: eventHeads.organizationId,
      set: { seq: sql`max(${eventHeads.seq}, ${seq})` },
    })
    .run()

/**
 * Writes an event to the outbox in the caller's transaction: both are committed or neither. Assigns
 * the next number of the organization's log. The relay enqueues subscribers and notifies sockets
 * after the commit. Throws TypeError if the payload does not match the schema.
 */
export function emit<S extends TSchema>(
  tx: Tx,
  ctx: Ctx,
  event: EventDefinition<S>,
  facts: { contactId: string | null; payload: Static<S> },
): void {
  void tx // one connection: the compiled statements run inside the transaction that `tx` proves to be open
  if (!event.fits(facts.payload))
    throw new TypeError(`event ${event.name} has a payload of another shape`)
  const { changes } = ctx.db.sqlite.query(COUNT_UP).run(uuidToBytes(ctx.organizationId))
  if (changes === 0) firstHead(ctx.db).run({ organizationId: ctx.organizationId })
  append(ctx.db).run({
    organizationId: ctx.organizationId,
    type: event.name,
    contactId: facts.contactId,
    payload: payloadText(facts),
    atMs: ctx.clock.nowMs(),
  })
}

/** Returns the payload in JSON, without the contact's ID if it stands in the row. */
const payloadText = (facts: { contactId: string | null; payload: unknown }): string => {
  const { contactId, ...others } = facts.payload as { contactId?: unknown }
  return JSON.stringify(contactId === facts.contactId ? others : facts.payload)
}

/** Events deleted in one transaction. */
const ERASE_BATCH = 300

const newest = compiled((orm) =>
  orm
    .select({ position: events.position })
    .from(events)
    .orderBy(desc(events.position))
    .limit(atMost(1))
    .prepare(),
)

/** Returns the position of the newest event, or 0. */
export const newestPosition = ({ db }: Pick<Ctx, 'db'>): number => newest(db).get()?.position ?? 0

/** Returns the newest 300 events of a contact after a position, oldest first. */
export const newestEventsOf = (
  ctx: Ctx,
  { contactId, after }: { contactId: string; after: number },
): LoggedEvent[] =>
  ctx.db.orm
    .select()
    .from(events)
    .where(
      and(
        eq(events.organizationId, ctx.organizationId),
        eq(events.contactId, contactId),
        gt(events.position, after),
      ),
    )
    .orderBy(desc(events.position))
    .limit(ERASE_BATCH)
    .all()
    .map(readEvent)
    .toReversed()

/**
 * Deletes the newest 300 events of a contact up to a position, in the caller's transaction, so that
 * sockets cannot receive them even when they resume. Returns how many were deleted.
 */
export function eraseEventsIn(tx: Tx, ctx: Ctx, contactId: string, upTo: number): number {
  const newest = tx
    .select({ position: events.position })
    .from(events)
    .where(
      and(
        eq(events.organizationId, ctx.organizationId),
        eq(events.contactId, contactId),
        lte(events.position, upTo),
      ),
    )
    .orderBy(desc(events.position))
    .limit(ERASE_BATCH)
    .all()
    .map(({ position }) => position)
  if (newest.length > 0) tx.delete(events).where(inArray(events.position, newest)).run()
  return newest.length
}

/**
 * Moves the events of one contact to another, in the transaction that merges them. Their payloads
 * keep the contact that they were about.
 */
export function moveEventsIn(tx: Tx, ctx: Ctx, move: { from: string; to: string }): void {
  tx.update(events)
    .set({
      contactId: move.to,
      payload: sql`json_insert(${events.payload}, '$.contactId', json(${JSON.stringify(move.from)}))`,
    })
    .where(and(eq(events.organizationId, ctx.organizationId), eq(events.contactId, move.from)))
    .run()
}

import type { Static, TSchema } from '@sinclair/typebox'
import { and, desc, eq, inArray, lte, sql } from 'drizzle-orm'

import { typeGuardOf } from '../../lib/schema-check'
import { compiled } from '../db/compiled'
import type { Tx } from '../db/transact'
import type { Ctx } from '../ctx'
import { eventHeads, events } from './table'

/**
 * A kind of event: something that has happened, named in the past tense, with the facts that must
 * not change.
 */
export interface EventDefinition<S extends TSchema = TSchema> {
  name: string
  payload: S
  /** Whether a payload has that shape. */
  fits: (payload: unknown) => boolean
}

/** One event as the log holds it. */
export interface LoggedEvent {
  position: number
  organizationId: string
  seq: number
  type: string
  contactId: string | null
  payload: unknown
  atMs: number
}

/** Names a kind of event and the shape of its payload. */
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
 * Straight to SQLite, which tells how many rows it was: asked for the number instead it would set
 * up a table for the answer.
 */
const COUNT_UP = 'update event_heads set seq = seq + 1 where organization_id = ?'

const append = compiled((orm) =>
  orm
    .insert(events)
    .values({
      organizationId: sql.placeholder('organizationId'),
      seq: sql`(select ${eventHeads.seq} from ${eventHeads} where ${eventHeads.organizationId} = ${sql.placeholder('organizationId')})`,
      type: sql.placeholder('type'),
      contactId: sql.placeholder('contactId'),
      payload: sql.placeholder('payload'),
      atMs: sql.placeholder('atMs'),
    })
    .prepare(),
)

/**
 * Writes an event into the outbox, in the transaction of the change it tells of: both are committed
 * or neither. The number is the next of the organization's log. Who reacts and which socket hears
 * of it is decided after the commit, by the relay. Throws when the payload does not have the
 * event's shape.
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
  const { changes } = ctx.db.sqlite.query(COUNT_UP).run(ctx.organizationId)
  if (changes === 0) firstHead(ctx.db).run({ organizationId: ctx.organizationId })
  append(ctx.db).run({
    organizationId: ctx.organizationId,
    type: event.name,
    contactId: facts.contactId,
    payload: JSON.stringify(facts.payload),
    atMs: ctx.clock.nowMs(),
  })
}

/** Events taken out of the log in one transaction. */
const FORGOTTEN_AT_ONCE = 300

/** The place of the newest event there is. */
export const newestPosition = ({ db }: Pick<Ctx, 'db'>): number =>
  db.orm
    .select({ position: events.position })
    .from(events)
    .orderBy(desc(events.position))
    .limit(1)
    .get()?.position ?? 0

/**
 * Takes what happened with a contact out of the log up to a place, the newest 300 events of it, in
 * the transaction that deletes it or in a later step: nobody is told of it any more, not even
 * later. Returns how many went.
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
    .limit(FORGOTTEN_AT_ONCE)
    .all()
    .map(({ position }) => position)
  if (newest.length > 0) tx.delete(events).where(inArray(events.position, newest)).run()
  return newest.length
}

/**
 * Lets what happened with one contact count as having happened with another, in the transaction
 * that makes them one.
 */
export function moveEventsIn(tx: Tx, ctx: Ctx, move: { from: string; to: string }): void {
  tx.update(events)
    .set({ contactId: move.to })
    .where(and(eq(events.organizationId, ctx.organizationId), eq(events.contactId, move.from)))
    .run()
}

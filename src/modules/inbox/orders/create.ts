import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { OrderCreated } from './events'
import type { OrderContent } from './model'
import { orders } from './table'

/** The message that brought an order. */
export interface OrderMessage {
  id: string
  contactId: string
  accountId: string
  timestampMs: number
  content: OrderContent
  /** Set when a delivery is reprocessed much later: nothing reacts to it. */
  isLate: boolean
}

/**
 * Stores the order of a customer's message, in the transaction that stores the message, and
 * publishes it. A message brings one order, however often it is processed. Orders in the imported
 * history of a number were handled before it was connected, so the caller leaves them out.
 */
export function createOrderIn(tx: Tx, ctx: Ctx, message: OrderMessage): void {
  const { contactId, accountId, content } = message
  const nowMs = ctx.clock.nowMs()
  const created = tx
    .insert(orders)
    .values({
      organizationId: ctx.organizationId,
      id: ctx.ids.next(),
      messageId: message.id,
      contactId,
      accountId,
      state: 'new',
      catalogId: content.catalog_id,
      text: content.text,
      items: content.items,
      total: content.total,
      currency: content.currency,
      placedAtMs: message.timestampMs,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    })
    .onConflictDoNothing({ target: [orders.organizationId, orders.messageId] })
    .returning({ id: orders.id })
    .get()
  if (!created) return
  emit(tx, ctx, OrderCreated, {
    contactId,
    payload: {
      orderId: created.id,
      contactId,
      changed: ['state'],
      ...(message.isLate ? { isLate: true } : {}),
    },
  })
}

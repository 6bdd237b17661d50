import { and, eq, exists, inArray, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { messages } from '../messages/table'
import { orders } from './table'

/**
 * Moves the orders of a contact whose messages have moved to another contact, in the same
 * transaction.
 */
export function moveOrdersIn(tx: Tx, ctx: Ctx, { from, to }: { from: string; to: string }): void {
  const isMoved = exists(
    tx
      .select({ one: sql`1` })
      .from(messages)
      .where(
        inOrganization(
          ctx,
          messages,
          eq(messages.id, orders.messageId),
          eq(messages.contactId, to),
        ),
      ),
  )
  tx.update(orders)
    .set({ contactId: to })
    .where(inOrganization(ctx, orders, and(eq(orders.contactId, from), isMoved)))
    .run()
}

/** Deletes the orders of messages before the messages, in the same transaction. */
export function eraseOrdersIn(tx: Tx, ctx: Ctx, messageIds: string[]): number {
  return tx
    .delete(orders)
    .where(inOrganization(ctx, orders, inArray(orders.messageId, messageIds)))
    .returning({ id: orders.id })
    .all().length
}

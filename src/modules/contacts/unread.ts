import { eq, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { contacts } from './table'

/**
 * Keeps a contact's unread count the sum of its conversations', in the transaction that changes one
 * of them by `by`.
 */
export function shiftUnreadIn(tx: Tx, ctx: Ctx, contactId: string, by: number): void {
  if (by === 0) return
  tx.update(contacts)
    .set({ unreadCount: sql`max(0, ${contacts.unreadCount} + ${by})` })
    .where(inOrganization(ctx, contacts, eq(contacts.id, contactId)))
    .run()
}

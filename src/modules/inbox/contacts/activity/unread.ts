import { eq, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { contacts } from '../table'

/**
 * Changes a contact's unread count by `by`, in the transaction that changes the count of one of its
 * conversations.
 */
export function shiftUnreadIn(tx: Tx, ctx: Ctx, contactId: string, by: number): void {
  if (by === 0) return
  tx.update(contacts)
    .set({ unreadCount: sql`max(0, ${contacts.unreadCount} + ${by})` })
    .where(inOrganization(ctx, contacts, eq(contacts.id, contactId)))
    .run()
}

import { and, eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { shiftUnreadIn } from '../contacts/activity/unread'
import { changeConversationIn } from './update'
import type { ConversationRow } from './row'
import { conversations } from './table'

/**
 * Sets the number of unread messages of a conversation, updates its contact's count, and publishes
 * the change. Runs inside the caller's transaction.
 */
export function setUnreadIn(tx: Tx, ctx: Ctx, before: ConversationRow, unreadCount: number): void {
  if (before.unreadCount === unreadCount) return
  changeConversationIn(tx, ctx, before, { unreadCount })
  shiftUnreadIn(tx, ctx, before.contactId, unreadCount - before.unreadCount)
}

/** Returns all conversations of a contact, or the one with the given account. */
export const conversationsOf = (
  tx: Tx,
  ctx: Ctx,
  at: { contactId: string; accountId?: string | undefined },
): ConversationRow[] =>
  tx
    .select()
    .from(conversations)
    .where(
      inOrganization(
        ctx,
        conversations,
        and(
          eq(conversations.contactId, at.contactId),
          at.accountId === undefined ? undefined : eq(conversations.accountId, at.accountId),
        ),
      ),
    )
    .all()

/** Records that the customer was shown a typing indicator. Runs inside the caller's transaction. */
export function recordTypingIn(tx: Tx, ctx: Ctx, conversationId: string): void {
  tx.update(conversations)
    .set({ lastTypingAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, conversations, eq(conversations.id, conversationId)))
    .run()
}

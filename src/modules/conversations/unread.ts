import { and, eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { shiftUnreadIn } from '../contacts/unread'
import { changeConversationIn } from './update'
import type { ConversationRow } from './row'
import { conversations } from './table'

/**
 * Sets how many messages of a conversation are unread, for its contact too, and announces it, in
 * the caller's transaction.
 */
export function setUnreadIn(tx: Tx, ctx: Ctx, before: ConversationRow, unreadCount: number): void {
  if (before.unreadCount === unreadCount) return
  changeConversationIn(tx, ctx, before, { unreadCount })
  shiftUnreadIn(tx, ctx, before.contactId, unreadCount - before.unreadCount)
}

/** The conversations of a contact, all or the one with this number of ours. */
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

/** Remembers that the customer was shown that somebody writes, in the caller's transaction. */
export function noteTypingIn(tx: Tx, ctx: Ctx, conversationId: string): void {
  tx.update(conversations)
    .set({ lastTypingAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, conversations, eq(conversations.id, conversationId)))
    .run()
}

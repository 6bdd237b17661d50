import { desc, eq } from 'drizzle-orm'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { newestMissedCall } from '../../../channel/calls/find'
import { markCallUnreadIn } from '../../../channel/calls/mark-read'
import { getVisibleConversation } from '../../conversations/queries'
import type { ConversationRow } from '../../conversations/row'
import { setUnreadIn } from '../../conversations/unread'
import { messages } from '../table'
import { type MessageRow } from '../view'
import type { UnreadCount } from './model'
import { writtenIn } from './unread-messages'

/**
 * Marks a conversation, and its newest incoming message or missed call, as unread. Throws
 * NotFoundError.
 */
export function markConversationUnread(ctx: Ctx, id: string): UnreadCount {
  return transact(ctx.db, (tx) => {
    const conversation = getVisibleConversation(ctx, id)
    if (conversation.unreadCount > 0) return { unread_count: conversation.unreadCount }
    const newest = newestIncoming(tx, ctx, conversation)
    const call = newestMissedCall(tx, ctx, conversation)
    if (call && call.timestampMs >= (newest?.timestampMs ?? 0)) markCallUnreadIn(tx, ctx, call.id)
    else if (newest)
      tx.update(messages)
        .set({ status: 'delivered', readAtMs: null })
        .where(inOrganization(ctx, messages, eq(messages.id, newest.id)))
        .run()
    setUnreadIn(tx, ctx, conversation, 1)
    return { unread_count: 1 }
  })
}

/** Returns the newest incoming message of a conversation, or `null`. */
export const newestIncoming = (
  tx: Tx,
  ctx: Ctx,
  conversation: ConversationRow,
): MessageRow | null =>
  tx
    .select()
    .from(messages)
    .where(inOrganization(ctx, messages, writtenIn(conversation)))
    .orderBy(desc(messages.timestampMs), desc(messages.id))
    .limit(1)
    .get() ?? null

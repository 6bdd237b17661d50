import { and, desc, eq, lte, sql, type SQL } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { countUnreadCalls } from '../../conversations/recount'
import { messagesOf, type ConversationRow } from '../../conversations/row'
import { messages } from '../table'
import type { MessageRow } from '../view'

/** Where a message or call stands in its thread. */
export type Position = Pick<MessageRow, 'id' | 'timestampMs'>

/** Unread incoming messages. Has no bound values, so that SQLite uses the partial index. */
const isUnread = sql`${messages.direction} = 'incoming' and ${messages.status} = 'delivered'`

/** Condition for what the customer of a conversation wrote, without notices of the platform. */
export const writtenIn = (conversation: ConversationRow): SQL | undefined =>
  and(
    messagesOf(conversation),
    // Skips what is newer on other phone numbers.
    lte(messages.timestampMs, conversation.lastMessageAtMs ?? 0),
    sql`${messages.direction} = 'incoming' and ${messages.type} <> 'system'`,
  )

/** Whether a message stands at a position of its thread or before it; `null`: at its end. */
const isReached = (upTo: Position | null): SQL =>
  upTo === null
    ? sql`1`
    : sql`(${messages.timestampMs}, ${messages.id}) <= (${upTo.timestampMs}, ${sql.param(upTo.id, messages.id)})`

/**
 * Returns the unread messages of a conversation, newest first, and whether each stands at `upTo` or
 * before it. The conversation's count says how many there are, so the walk back from the newest
 * message ends at the oldest unread one.
 */
export const unreadMessagesIn = (
  tx: Tx,
  ctx: Ctx,
  conversation: ConversationRow,
  upTo: Position | null,
) =>
  tx
    .select({ row: messages.row, isReached: sql<number>`${isReached(upTo)}` })
    .from(messages)
    .where(inOrganization(ctx, messages, writtenIn(conversation), isUnread))
    .orderBy(desc(messages.timestampMs), desc(messages.id))
    .limit(Math.max(0, conversation.unreadCount - countUnreadCalls(tx, ctx, conversation)))
    .all()

/** Returns the unread notices of the platform, which do not count. An index holds these few. */
export const unreadNoticesIn = (
  tx: Tx,
  ctx: Ctx,
  conversation: ConversationRow,
  upTo: Position | null,
): number[] =>
  tx
    .select({ row: messages.row })
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        eq(messages.conversationId, conversation.id),
        isUnread,
        sql`${messages.type} = 'system'`,
        isReached(upTo),
      ),
    )
    .all()
    .map(({ row }) => row)

/** Marks messages as read, by their rows, in the caller's transaction. */
export function markRowsReadIn(tx: Tx, ctx: Ctx, rows: number[]): void {
  if (rows.length === 0) return
  const isOneOf = sql`${messages.row} in (select value from json_each(${JSON.stringify(rows)}))`
  tx.update(messages)
    .set({ status: 'read', readAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, messages, isOneOf))
    .run()
}

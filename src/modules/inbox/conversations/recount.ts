import { and, count, desc, eq, sql, type SQL } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { calls } from '../../channel/calls/table'
import { messages } from '../messages/table'
import { messagesOf, type ConversationRow } from './row'
import { conversations } from './table'
import { changeConversationIn } from './update'

/** Condition for the calls of a conversation. */
export const callsOf = (row: Pick<ConversationRow, 'contactId' | 'accountId'>): SQL | undefined =>
  and(eq(calls.contactId, row.contactId), eq(calls.accountId, row.accountId))

/**
 * Condition for missed calls that nobody has read. Written without bound values so that SQLite uses
 * the partial index.
 */
export const isUnreadCall = sql`${calls.direction} = 'incoming' and ${calls.state} = 'missed' and ${calls.readAtMs} is null`

/**
 * Recomputes a conversation's totals from its messages and calls and publishes it. Runs inside the
 * caller's transaction.
 */
export function recountConversationIn(tx: Tx, ctx: Ctx, before: ConversationRow): void {
  const own = sql`${messages.organizationId} = ${sql.param(ctx.organizationId, messages.organizationId)} and ${messagesOf(before)}`
  const byCustomer = sql`${own} and ${messages.direction} = 'incoming' and ${messages.type} <> 'system'`
  const isWaiting = sql`${byCustomer} and ${messages.isSilent} = 0`
  const counted = tx
    .select({
      unread: sql<number>`(select count(*) from ${messages} where ${byCustomer} and ${messages.status} = 'delivered')`,
      waiting: sql<
        number | null
      >`(select min(${messages.timestampMs}) from ${messages} where ${isWaiting} and ${messages.timestampMs} > ${before.lastAnsweredAtMs ?? 0})`,
    })
    .from(conversations)
    .where(inOrganization(ctx, conversations, eq(conversations.id, before.id)))
    .get()
  changeConversationIn(tx, ctx, before, {
    ...newestItemOf(tx, ctx, before),
    unreadCount: (counted?.unread ?? 0) + countUnreadCalls(tx, ctx, before),
    unansweredSinceMs: counted?.waiting ?? null,
  })
}

/** Returns the newest message or call of a conversation, as its columns. */
export function newestItemOf(
  tx: Tx,
  ctx: Ctx,
  conversation: ConversationRow,
): Pick<ConversationRow, 'lastMessageId' | 'lastMessageAtMs'> {
  const message = tx
    .select({ id: messages.id, atMs: messages.timestampMs })
    .from(messages)
    .where(inOrganization(ctx, messages, messagesOf(conversation)))
    .orderBy(desc(messages.timestampMs), desc(messages.receivedAtMs), desc(messages.id))
    .limit(1)
    .get()
  const call = newestCall(tx, ctx, conversation)
  const newest = call && call.atMs >= (message?.atMs ?? 0) ? call : message
  return { lastMessageId: newest?.id ?? null, lastMessageAtMs: newest?.atMs ?? null }
}

const newestCall = (tx: Tx, ctx: Ctx, row: ConversationRow) =>
  tx
    .select({ id: calls.id, atMs: calls.timestampMs })
    .from(calls)
    .where(inOrganization(ctx, calls, callsOf(row)))
    .orderBy(desc(calls.timestampMs), desc(calls.id))
    .limit(1)
    .get()

/** Returns the number of missed calls in a conversation that nobody has read. */
export const countUnreadCalls = (
  tx: Tx,
  ctx: Ctx,
  row: Pick<ConversationRow, 'contactId' | 'accountId'>,
): number =>
  tx
    .select({ rows: count() })
    .from(calls)
    .where(inOrganization(ctx, calls, callsOf(row), isUnreadCall))
    .get()?.rows ?? 0

import { and, eq, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled, place } from '../../../infra/db/compiled'
import type { Tx } from '../../../infra/db/transact'
import { runHooks } from '../../../infra/transaction-hooks'
import { publishVisibilityChangeIn } from '../contacts/sight/publish-visibility'
import { viewersOf } from '../contacts/sight/visibility'
import { botSessions } from '../../automation/chatbot/engine/table'
import { messages } from '../messages/table'
import { AnswerStateChanged, ConversationMoving } from './events'
import { findConversationById, type ConversationRow } from './row'
import { conversations } from './table'
import { activeOwnerOf, queueOf } from './service'
import { changeConversationIn, publishListFieldsIn } from './update'
import { recordReferralIn } from './referrals'
import { recordTimelineIn } from './timeline/record'

/** Effects of a message on its conversation. Times are epoch milliseconds. */
export interface ConversationMessage {
  conversationId: string
  messageId: string
  atMs: number
  /** Platform time if the message opens the 24-hour window, else `null`. */
  inboundAtMs: number | null
  /** 1 if the message counts as unread, else 0. */
  unread: 0 | 1
  /** Whether a customer's message opens the conversation. */
  reopens: boolean
  /** Whether the bot may answer it. Only then a pending conversation stays with the bot. */
  isForBot?: boolean
  /** Whether the message is a reply by a person. */
  isAnswer: boolean
  /** Part of the imported history, of which no event tells. */
  isPast?: boolean
  /** The ad that led the customer here, JSON. */
  referral: string | null
  /** The conversation, if the caller has read it in this transaction. */
  conversation: ConversationRow | null
}

const activeSession = compiled((orm) =>
  orm
    .select({ id: botSessions.id })
    .from(botSessions)
    .where(
      inOrganization(
        anyScope,
        botSessions,
        and(
          eq(botSessions.contactId, place(botSessions.contactId, 'contactId')),
          eq(botSessions.accountId, place(botSessions.accountId, 'accountId')),
          sql`${botSessions.status} = 'active'`,
        ),
      ),
    )
    .prepare(),
)

/** Whether the bot looks after a pending conversation. */
const isBotActive = (ctx: Ctx, { contactId, accountId }: ConversationRow): boolean =>
  activeSession(ctx.db).get({ organizationId: ctx.organizationId, contactId, accountId }) !==
  undefined

const recordMessage = compiled((orm) => {
  const at = sql.placeholder('atMs')
  const isNewest = sql`(${conversations.lastMessageAtMs} is null or ${conversations.lastMessageAtMs} <= ${at})`
  const isAnswer = sql`${sql.placeholder('isAnswer')} = 1`
  const answeredAt = sql`max(coalesce(${conversations.lastAnsweredAtMs}, 0), case when ${isAnswer} then ${at} else 0 end)`
  // Time of the oldest message without a later reply, whatever the order of arrival.
  const stillWaiting = sql`(select min(${messages.timestampMs}) from ${messages} where ${messages.organizationId} = ${conversations.organizationId} and ${messages.contactId} = ${conversations.contactId} and ${messages.conversationId} = ${conversations.id} and ${messages.timestampMs} > ${answeredAt} and ${messages.direction} = 'incoming' and ${messages.type} <> 'system' and ${messages.isSilent} = 0)`
  const isWaiting = sql`${sql.placeholder('unread')} = 1 and ${at} > coalesce(${conversations.lastAnsweredAtMs}, 0)`
  const reopens = sql`(${sql.placeholder('reopens')} = 1 and ${conversations.state} <> 'open')`
  return orm
    .update(conversations)
    .set({
      lastMessageId: sql`case when ${isNewest} then ${place(conversations.lastMessageId, 'messageId')} else ${conversations.lastMessageId} end`,
      lastMessageAtMs: sql`max(coalesce(${conversations.lastMessageAtMs}, 0), ${at})`,
      lastInboundAtMs: sql`nullif(max(coalesce(${conversations.lastInboundAtMs}, 0), ${sql.placeholder('inboundAtMs')}), 0)`,
      unreadCount: sql`${conversations.unreadCount} + ${sql.placeholder('unread')}`,
      unansweredSinceMs: sql`case when ${isAnswer} then ${stillWaiting} when ${isWaiting} then min(coalesce(${conversations.unansweredSinceMs}, ${at}), ${at}) else ${conversations.unansweredSinceMs} end`,
      lastAnsweredAtMs: sql`nullif(${answeredAt}, 0)`,
      firstResponseAtMs: sql`case when ${isAnswer} then min(coalesce(${conversations.firstResponseAtMs}, ${at}), ${at}) else ${conversations.firstResponseAtMs} end`,
      state: sql`case when ${reopens} then 'open' else ${conversations.state} end`,
      assignedTo: sql`case when ${reopens} then coalesce(${place(conversations.assignedTo, 'ownerId')}, ${conversations.assignedTo}) else ${conversations.assignedTo} end`,
      closedAtMs: sql`case when ${reopens} then null else ${conversations.closedAtMs} end`,
      snoozedUntilMs: sql`case when ${reopens} then null else ${conversations.snoozedUntilMs} end`,
      updatedAtMs: sql`${sql.placeholder('nowMs')}`,
    })
    .where(
      inOrganization(
        anyScope,
        conversations,
        eq(conversations.id, place(conversations.id, 'conversationId')),
      ),
    )
    .returning()
    .prepare()
})

/**
 * Shorter update for a message that is no reply, reopens nothing and leaves the oldest unanswered
 * message as it is. Most messages are like this, and the update touches few indexes.
 */
const recordFurther = compiled((orm) =>
  orm
    .update(conversations)
    .set({
      lastMessageId: sql`${place(conversations.lastMessageId, 'lastMessageId')}`,
      lastMessageAtMs: sql`${sql.placeholder('lastMessageAtMs')}`,
      lastInboundAtMs: sql`${sql.placeholder('lastInboundAtMs')}`,
      unreadCount: sql`${sql.placeholder('unreadCount')}`,
      updatedAtMs: sql`${sql.placeholder('updatedAtMs')}`,
    })
    .where(
      inOrganization(anyScope, conversations, eq(conversations.id, place(conversations.id, 'id'))),
    )
    .prepare(),
)

/**
 * Reports whether a message changes only the conversation's newest message, window and unread
 * count.
 */
function isFurther(before: ConversationRow, message: ConversationMessage): boolean {
  if (message.isAnswer || (message.reopens && before.state !== 'open')) return false
  const isWaiting = message.unread === 1 && message.atMs > (before.lastAnsweredAtMs ?? 0)
  return (
    !isWaiting || (before.unansweredSinceMs !== null && before.unansweredSinceMs <= message.atMs)
  )
}

function recordFurtherIn(
  tx: Tx,
  ctx: Ctx,
  before: ConversationRow,
  message: ConversationMessage,
): ConversationRow {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  const isNewest = before.lastMessageAtMs === null || before.lastMessageAtMs <= message.atMs
  const set = {
    lastMessageId: isNewest ? message.messageId : before.lastMessageId,
    lastMessageAtMs: Math.max(before.lastMessageAtMs ?? 0, message.atMs),
    lastInboundAtMs: Math.max(before.lastInboundAtMs ?? 0, message.inboundAtMs ?? 0) || null,
    unreadCount: before.unreadCount + message.unread,
    updatedAtMs: ctx.clock.nowMs(),
  }
  recordFurther(ctx.db).run({ organizationId: ctx.organizationId, id: before.id, ...set })
  return { ...before, ...set }
}

/**
 * Updates a conversation's newest message, window and unread count, in the transaction of the
 * message, and publishes them unless the message is part of the imported history. An older message
 * never moves them back. A customer's message opens a conversation, unless the bot looks after it. A
 * closed conversation that reopens is assigned to the contact's assignee; while the contact has a
 * transfer, it waits in the queue of the transfer instead.
 */
export function recordMessageOnConversationIn(
  tx: Tx,
  ctx: Ctx,
  message: ConversationMessage,
): void {
  const { isAnswer, isPast, inboundAtMs, referral, conversation, isForBot, ...placeholders } =
    message
  const before = conversation ?? findConversationById(ctx, message.conversationId)
  if (!before) return
  const staysWithBot = isForBot === true && before.state === 'pending' && isBotActive(ctx, before)
  const reopens = message.reopens && !staysWithBot
  const isReopened = reopens && before.state === 'closed'
  const queue = isReopened ? queueOf(ctx, before.contactId) : null
  const ownerId = isReopened && queue === null ? activeOwnerOf(ctx, before) : null
  const seenBefore = ownerId === null && queue === null ? [] : viewersOf(ctx, before.contactId)
  const after = isFurther(before, { ...message, reopens })
    ? recordFurtherIn(tx, ctx, before, message)
    : recordMessage(ctx.db).get({
        organizationId: ctx.organizationId,
        ...placeholders,
        inboundAtMs: inboundAtMs ?? 0,
        reopens: reopens ? 1 : 0,
        isAnswer: isAnswer ? 1 : 0,
        ownerId,
        nowMs: ctx.clock.nowMs(),
      })
  if (reopens && before.state === 'snoozed')
    runHooks(tx, ctx, ConversationMoving, { before, state: 'open' })
  if (
    before.unansweredSinceMs !== after.unansweredSinceMs ||
    before.lastAnsweredAtMs !== after.lastAnsweredAtMs
  )
    runHooks(tx, ctx, AnswerStateChanged, { conversation: after })
  if (reopens) recordTimelineIn(tx, ctx, { before, after, by: 'customer' })
  if (!isPast) publishListFieldsIn(tx, ctx, before, after)
  if (queue) changeConversationIn(tx, ctx, after, { assignedTo: null, ...queue })
  if (referral !== null) recordReferralIn(tx, ctx, after, { atMs: message.atMs, referral })
  if (ownerId !== null || queue) publishVisibilityChangeIn(tx, ctx, before.contactId, seenBefore)
}

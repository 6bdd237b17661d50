import { and, eq, sql } from 'drizzle-orm'

import { InvalidError } from '../../lib/errors'
import { isoTime } from '../../lib/clock'
import { anyScope, inOrganization, type Ctx } from '../../infra/ctx'
import { compiled, transact, type Tx } from '../../infra/db'
import type { AssignmentView } from '../contacts/model'
import { assignContactIn } from '../contacts/service'
import { assigneesOf, getVisibleContact } from '../contacts/visibility'
import { messages } from '../messages/table'
import { findActiveMember } from '../organizations/members/service'
import { conversations } from './table'

/** A conversation as its row holds it. */
export type ConversationRow = typeof conversations.$inferSelect

const byPair = compiled((orm) =>
  orm
    .select()
    .from(conversations)
    .where(
      inOrganization(
        anyScope,
        conversations,
        and(eq(conversations.contactId, sql.placeholder('contactId')), eq(conversations.accountId, sql.placeholder('accountId'))),
      ),
    )
    .prepare(),
)

const insertConversation = compiled((orm) =>
  orm
    .insert(conversations)
    .values({
      organizationId: sql.placeholder('organizationId'),
      id: sql.placeholder('id'),
      contactId: sql.placeholder('contactId'),
      accountId: sql.placeholder('accountId'),
      state: 'open',
      assignedTo: sql.placeholder('assignedTo'),
      createdAtMs: sql.placeholder('nowMs'),
      updatedAtMs: sql.placeholder('nowMs'),
    })
    .returning()
    .prepare(),
)

/** The conversation of a contact with a number; `null` before the first message. */
export const findConversation = (ctx: Ctx, at: { contactId: string; accountId: string }): ConversationRow | null =>
  byPair(ctx.db).get({ organizationId: ctx.organizationId, ...at }) ?? null

/** The conversation of a contact with a number, opened if there is none, in the caller's transaction. The contact's owner becomes its assignee. */
export function conversationOfIn(
  tx: Tx,
  ctx: Ctx,
  at: { contactId: string; accountId: string; assignedTo: string | null },
): ConversationRow {
  const known = findConversation(ctx, at)
  if (known) return known
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  return insertConversation(ctx.db).get({
    organizationId: ctx.organizationId,
    id: ctx.ids.next(),
    contactId: at.contactId,
    accountId: at.accountId,
    assignedTo: at.assignedTo !== null && findActiveMember(ctx, at.assignedTo) ? at.assignedTo : null,
    nowMs: ctx.clock.nowMs(),
  })
}

/** What a message changes about its conversation. Times are epoch milliseconds. */
export interface ConversationNews {
  conversationId: string
  messageId: string
  atMs: number
  /** Platform time when the message opens the 24-hour window, else `null`. */
  inboundAtMs: number | null
  /** 1 for a message that is to be read, else 0. */
  unread: 0 | 1
  /** Whether a customer's message reopens what was closed or put off. */
  reopens: boolean
  /** Whether a person answers with it. */
  isAnswer: boolean
}

const noteMessage = compiled((orm) => {
  const at = sql.placeholder('atMs')
  const isNewest = sql`(${conversations.lastMessageAtMs} is null or ${conversations.lastMessageAtMs} <= ${at})`
  const isAnswer = sql`${sql.placeholder('isAnswer')} = 1`
  const answeredAt = sql`max(coalesce(${conversations.lastAnsweredAtMs}, 0), case when ${isAnswer} then ${at} else 0 end)`
  // The oldest message that no answer follows, whatever the order in which they arrive.
  const stillWaiting = sql`(select min(${messages.timestampMs}) from ${messages} where ${messages.organizationId} = ${conversations.organizationId} and ${messages.conversationId} = ${conversations.id} and ${messages.timestampMs} > ${answeredAt} and ${messages.direction} = 'incoming' and ${messages.type} <> 'system')`
  const isWaiting = sql`${sql.placeholder('unread')} = 1 and ${at} > coalesce(${conversations.lastAnsweredAtMs}, 0)`
  const reopens = sql`(${sql.placeholder('reopens')} = 1 and ${conversations.state} in ('closed', 'snoozed'))`
  return orm
    .update(conversations)
    .set({
      lastMessageId: sql`case when ${isNewest} then ${sql.placeholder('messageId')} else ${conversations.lastMessageId} end`,
      lastMessageAtMs: sql`max(coalesce(${conversations.lastMessageAtMs}, 0), ${at})`,
      lastInboundAtMs: sql`nullif(max(coalesce(${conversations.lastInboundAtMs}, 0), ${sql.placeholder('inboundAtMs')}), 0)`,
      unreadCount: sql`${conversations.unreadCount} + ${sql.placeholder('unread')}`,
      unansweredSinceMs: sql`case when ${isAnswer} then ${stillWaiting} when ${isWaiting} then min(coalesce(${conversations.unansweredSinceMs}, ${at}), ${at}) else ${conversations.unansweredSinceMs} end`,
      lastAnsweredAtMs: sql`nullif(${answeredAt}, 0)`,
      firstResponseAtMs: sql`case when ${isAnswer} then min(coalesce(${conversations.firstResponseAtMs}, ${at}), ${at}) else ${conversations.firstResponseAtMs} end`,
      state: sql`case when ${reopens} then 'open' else ${conversations.state} end`,
      closedAtMs: sql`case when ${reopens} then null else ${conversations.closedAtMs} end`,
      snoozedUntilMs: sql`case when ${reopens} then null else ${conversations.snoozedUntilMs} end`,
      updatedAtMs: sql`${sql.placeholder('nowMs')}`,
    })
    .where(inOrganization(anyScope, conversations, eq(conversations.id, sql.placeholder('conversationId'))))
    .prepare()
})

/** Keeps a conversation's newest message, window and unread count up to date, in the transaction of the message; an older message moves nothing back. */
export function noteMessageOnConversationIn(tx: Tx, ctx: Ctx, news: ConversationNews): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  const { reopens, isAnswer, inboundAtMs, ...rest } = news
  noteMessage(ctx.db).run({
    organizationId: ctx.organizationId,
    ...rest,
    inboundAtMs: inboundAtMs ?? 0,
    reopens: reopens ? 1 : 0,
    isAnswer: isAnswer ? 1 : 0,
    nowMs: ctx.clock.nowMs(),
  })
}

/** Closes the window that was computed, after the platform said it is closed. */
export function closeWindowIn(tx: Tx, ctx: Ctx, conversationId: string, closedSinceMs: number): void {
  tx.update(conversations)
    .set({ lastInboundAtMs: closedSinceMs })
    .where(
      inOrganization(
        ctx,
        conversations,
        and(eq(conversations.id, conversationId), sql`${conversations.lastInboundAtMs} > ${closedSinceMs}`),
      ),
    )
    .run()
}

/**
 * Gives a contact, and its conversations that are not closed, to an active member or to nobody. Throws NotFoundError for a contact
 * out of sight and InvalidError `not_a_member`.
 */
export function assignContact(ctx: Ctx, contactId: string, userId: string | null): AssignmentView {
  return transact(ctx.db, (tx) => {
    getVisibleContact(ctx, contactId)
    if (userId !== null && !findActiveMember(ctx, userId))
      throw new InvalidError('The user is not an active member of this organization.', {
        code: 'not_a_member',
        errors: [{ path: 'body.user_id', message: 'is not an active member' }],
      })
    const seenBefore = assigneesOf(ctx, contactId)
    tx.update(conversations)
      .set({ assignedTo: userId, updatedAtMs: ctx.clock.nowMs() })
      .where(inOrganization(ctx, conversations, and(eq(conversations.contactId, contactId), sql`${conversations.state} <> 'closed'`)))
      .run()
    const row = assignContactIn(tx, ctx, contactId, userId, seenBefore)
    return { id: row.id, assigned_to: row.assignedTo, assigned_team_id: null, updated_at: isoTime(row.updatedAtMs) }
  })
}

/** Takes every conversation from a member, in the transaction that ends the membership. */
export function unassignConversationsIn(tx: Tx, ctx: Ctx, userId: string): void {
  tx.update(conversations)
    .set({ assignedTo: null, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, conversations, eq(conversations.assignedTo, userId)))
    .run()
}

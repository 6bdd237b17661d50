import { and, count, desc, eq, gt, inArray, isNull, type SQL } from 'drizzle-orm'

import { isoTime, isoTimeOrNull } from '../../lib/clock'
import { NotFoundError } from '../../lib/errors'
import { maskPhone } from '../../lib/phone'
import { longPage, readCursor, type LongPage } from '../../lib/page'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { readBeyond } from '../../infra/keyset'
import { contacts } from '../contacts/table'
import { displayNameOf, windowEndMs } from '../contacts/view'
import { masksNumbers, visibleTo } from '../contacts/visibility'
import { messages } from '../messages/table'
import { users } from '../users/table'
import type { ConversationView } from './model'
import { isWindowOpen } from './window'
import type { ConversationRow } from './service'
import { conversations } from './table'

/** How conversations are chosen. */
export interface ConversationQuery {
  page: number
  limit: number
  cursor?: string | undefined
  states?: ConversationRow['state'][] | undefined
  accountId?: string | undefined
  /** A user id, `me` or `none`. */
  assignedTo?: string | undefined
  unread?: boolean | undefined
}

const joined = (ctx: Ctx) =>
  ctx.db.orm
    .select({ conversation: conversations, contact: contacts, assignee: { id: users.id, full_name: users.fullName }, last: messages })
    .from(conversations)
    .innerJoin(contacts, and(eq(contacts.organizationId, conversations.organizationId), eq(contacts.id, conversations.contactId)))
    .leftJoin(users, eq(users.id, conversations.assignedTo))
    .leftJoin(messages, and(eq(messages.organizationId, conversations.organizationId), eq(messages.id, conversations.lastMessageId)))

type Joined = ReturnType<ReturnType<typeof joined>['all']>[number]

/** Conversations of contacts the caller sees, newest message first. */
export function listConversations(ctx: Ctx, query: ConversationQuery): LongPage<ConversationView> {
  const filter = inOrganization(
    ctx,
    conversations,
    visibleTo(ctx, conversations.contactId),
    query.states === undefined ? undefined : inArray(conversations.state, query.states),
    query.accountId === undefined ? undefined : eq(conversations.accountId, query.accountId),
    query.unread === true ? gt(conversations.unreadCount, 0) : undefined,
    assignedFilter(ctx, query.assignedTo),
  )
  const key = { value: conversations.lastMessageAtMs, id: conversations.id }
  const read = (condition: SQL | undefined, limit: number): Joined[] =>
    joined(ctx)
      .where(and(filter, isNull(contacts.deletedAtMs), condition))
      .orderBy(desc(key.value), desc(key.id))
      .limit(limit)
      .offset(query.cursor === undefined ? (query.page - 1) * query.limit : 0)
      .all()
  const wanted = query.limit + 1
  const rows =
    query.cursor === undefined
      ? read(undefined, wanted)
      : readBeyond(key, { place: readCursor(query.cursor), order: 'desc', limit: wanted }, read)
  const isMasked = masksNumbers(ctx)
  return longPage(rows, query, {
    view: (shown) => shown.map((row) => conversationView(row, { isMasked, nowMs: ctx.clock.nowMs() })),
    placeOf: ({ conversation }) => ({ value: conversation.lastMessageAtMs, id: conversation.id }),
    total: () => countConversations(ctx, filter),
  })
}

const countConversations = (ctx: Ctx, filter: SQL): number =>
  ctx.db.orm
    .select({ rows: count() })
    .from(conversations)
    .innerJoin(contacts, and(eq(contacts.organizationId, conversations.organizationId), eq(contacts.id, conversations.contactId)))
    .where(and(filter, isNull(contacts.deletedAtMs)))
    .get()?.rows ?? 0

function assignedFilter(ctx: Ctx, assignedTo: string | undefined): SQL | undefined {
  if (assignedTo === undefined) return undefined
  if (assignedTo === 'none') return isNull(conversations.assignedTo)
  return eq(conversations.assignedTo, assignedTo === 'me' ? (ctx.actor.userId ?? '') : assignedTo)
}

/** The conversation with this id if the caller sees its contact. Throws NotFoundError. */
export function getConversation(ctx: Ctx, id: string): ConversationView {
  const row = joined(ctx)
    .where(
      inOrganization(
        ctx,
        conversations,
        and(eq(conversations.id, id), isNull(contacts.deletedAtMs), visibleTo(ctx, conversations.contactId)),
      ),
    )
    .get()
  if (!row) throw new NotFoundError('Conversation')
  return conversationView(row, { isMasked: masksNumbers(ctx), nowMs: ctx.clock.nowMs() })
}

function conversationView({ conversation, contact, assignee, last }: Joined, at: { isMasked: boolean; nowMs: number }): ConversationView {
  return {
    id: conversation.id,
    contact: {
      id: contact.id,
      display_name: displayNameOf(contact, at.isMasked),
      phone_number: at.isMasked && contact.phoneNumber !== null ? maskPhone(contact.phoneNumber) : contact.phoneNumber,
      avatar_url: null,
      tags: [],
      blocked: contact.blockedAtMs !== null,
    },
    account_id: conversation.accountId,
    state: conversation.state,
    assigned_to: conversation.assignedTo,
    assigned_user: assignee,
    team_id: null,
    unread_count: conversation.unreadCount,
    last_message: last && {
      id: last.id,
      direction: last.direction,
      type: last.type,
      preview: last.preview,
      status: last.status,
      timestamp: isoTime(last.timestampMs),
    },
    last_inbound_at: isoTimeOrNull(conversation.lastInboundAtMs),
    window_expires_at: isoTimeOrNull(windowEndMs(conversation.lastInboundAtMs)),
    window_open: isWindowOpen(conversation.lastInboundAtMs, at.nowMs),
    snoozed_until: isoTimeOrNull(conversation.snoozedUntilMs),
    first_response_at: isoTimeOrNull(conversation.firstResponseAtMs),
    bot_active: false,
    priority: conversation.priority,
    closed_at: isoTimeOrNull(conversation.closedAtMs),
    created_at: isoTime(conversation.createdAtMs),
    updated_at: isoTime(conversation.updatedAtMs),
  }
}

import { and, eq, sql } from 'drizzle-orm'

import { isoTime, isoTimeOrNull } from '../../lib/clock'
import { NotFoundError } from '../../lib/errors'
import { maskNumbersIn, maskPhone, maskPhonesIn } from '../../lib/phone'
import { hasIdIn, anyScope, inOrganization, type Ctx } from '../../infra/ctx'
import { compiled } from '../../infra/db/compiled'
import { callPreview, callStatus } from '../../platform/call-summary'
import { accounts } from '../accounts/table'
import { calls } from '../calls/table'
import { botSessions } from '../chatbot/engine/table'
import { contacts } from '../contacts/table'
import { tagsOf, type TagSummary } from '../contacts/tags'
import { displayNameOf, numbersOfContact, windowEndMs, type ContactRow } from '../contacts/view'
import { masksNumbers } from '../contacts/visibility'
import { messages } from '../messages/table'
import { transfers } from '../transfers/table'
import { users } from '../users/table'
import type { ConversationView } from './model'
import { threadOwnerAt } from './thread-owner'
import { costsThisMonth } from './cost'
import { conversations } from './table'
import { isWindowOpen } from './window'
import { contactOf } from './row'
import { referralIn } from './referrals'

/**
 * Returns a conversation as the API shows it. Does not check visibility, because a caller that has
 * just reassigned it still gets a response. Throws NotFoundError.
 */
export function viewOf(ctx: Ctx, id: string): ConversationView {
  const [view] = views(ctx, rowsWithRelations(ctx, [id]))
  if (!view) throw new NotFoundError('Conversation')
  return view
}

/** Columns of the newest message in the response. */
const LAST = {
  id: messages.id,
  direction: messages.direction,
  type: messages.type,
  preview: messages.preview,
  status: messages.status,
  timestampMs: messages.timestampMs,
}

/** Columns of the newest item in the response if it is a call. */
const LAST_CALL = {
  id: calls.id,
  direction: calls.direction,
  state: calls.state,
  readAtMs: calls.readAtMs,
  timestampMs: calls.timestampMs,
}

/** Columns of the active transfer in the response. */
const TRANSFER = {
  id: transfers.id,
  agentId: transfers.agentId,
  teamId: transfers.teamId,
  priority: transfers.priority,
  responseDueAtMs: transfers.responseDueAtMs,
  breachedAtMs: transfers.breachedAtMs,
}

const transferOfConversation = and(
  eq(transfers.organizationId, conversations.organizationId),
  eq(transfers.contactId, conversations.contactId),
  eq(transfers.accountId, conversations.accountId),
  sql`${transfers.status} = 'active'`,
)

/** Returns an active transfer as conversations show it. */
export const transferSummary = (
  row:
    | {
        [column in keyof typeof TRANSFER]: (typeof transfers.$inferSelect)[column]
      }
    | null,
): ConversationView['transfer'] =>
  row && {
    id: row.id,
    agent_id: row.agentId,
    team_id: row.teamId,
    priority: row.priority,
    sla_response_deadline: isoTimeOrNull(row.responseDueAtMs),
    sla_breached: row.breachedAtMs !== null,
  }

const joined = compiled((orm) =>
  orm
    .select({
      conversation: conversations,
      contact: contacts,
      assignee: { id: users.id, full_name: users.fullName },
      last: LAST,
      lastCall: LAST_CALL,
      sharedAtMs: accounts.sharedAtMs,
      transfer: TRANSFER,
      botSessionId: botSessions.id,
    })
    .from(conversations)
    .innerJoin(contacts, contactOf)
    .innerJoin(
      accounts,
      and(
        eq(accounts.organizationId, conversations.organizationId),
        eq(accounts.id, conversations.accountId),
      ),
    )
    .leftJoin(
      botSessions,
      and(
        eq(botSessions.organizationId, conversations.organizationId),
        eq(botSessions.contactId, conversations.contactId),
        eq(botSessions.accountId, conversations.accountId),
        sql`${botSessions.status} = 'active'`,
      ),
    )
    .leftJoin(users, eq(users.id, conversations.assignedTo))
    .leftJoin(
      messages,
      and(
        eq(messages.organizationId, conversations.organizationId),
        eq(messages.id, conversations.lastMessageId),
      ),
    )
    .leftJoin(
      calls,
      and(
        eq(calls.organizationId, conversations.organizationId),
        eq(calls.id, conversations.lastMessageId),
      ),
    )
    .leftJoin(transfers, transferOfConversation)
    .where(inOrganization(anyScope, conversations, hasIdIn(conversations.id)))
    .prepare(),
)

/** Returns the conversations with these IDs, joined with contact, assignee and last message. */
export const rowsWithRelations = (ctx: Ctx, ids: string[]) =>
  joined(ctx.db).all({ organizationId: ctx.organizationId, ids: JSON.stringify(ids) })

type Joined = ReturnType<typeof rowsWithRelations>[number]

/** Returns conversations as the API shows them. Reads related rows for all of them at once. */
export function views(ctx: Ctx, rows: Joined[]): ConversationView[] {
  const contactTags = tagsOf(ctx, [...new Set(rows.map(({ contact }) => contact.id))])
  const at = { isMasked: masksNumbers(ctx), nowMs: ctx.clock.nowMs() }
  const costs = costsThisMonth(
    ctx,
    rows.map(({ conversation }) => conversation),
  )
  return rows.map((row) =>
    conversationView(row, {
      ...at,
      contactTags: contactTags.get(row.contact.id) ?? [],
      costMonth: costs.get(row.conversation.id) ?? null,
    }),
  )
}

/**
 * Returns the preview of the newest message, with the same masked numbers as in `messages/view.ts`.
 */
function previewOf(
  { type, preview }: { type: string; preview: string },
  contact: ContactRow,
  isMasked: boolean,
): string {
  if (!isMasked) return preview
  if (type === 'system') return maskPhonesIn(preview)
  return type === 'template' ? maskNumbersIn(preview, numbersOfContact(contact)) : preview
}

/** Returns a call as the newest item of its conversation, in the form of a message. */
const lastCallView = (call: Joined['lastCall']) =>
  call && {
    id: call.id,
    direction: call.direction,
    type: 'call',
    preview: callPreview(call.direction, call.state),
    status: callStatus(call),
    timestampMs: call.timestampMs,
  }

function conversationView(
  {
    conversation,
    contact,
    assignee,
    last: message,
    lastCall,
    sharedAtMs,
    transfer,
    botSessionId,
  }: Joined,
  at: {
    isMasked: boolean
    nowMs: number
    contactTags: TagSummary[]
    costMonth: ConversationView['cost_month']
  },
): ConversationView {
  const last = message ?? lastCallView(lastCall)
  const thread = threadOwnerAt(conversation, { isShared: sharedAtMs !== null, nowMs: at.nowMs })
  return {
    id: conversation.id,
    contact: {
      id: contact.id,
      display_name: displayNameOf(contact, at.isMasked),
      phone_number:
        at.isMasked && contact.phoneNumber !== null
          ? maskPhone(contact.phoneNumber)
          : contact.phoneNumber,
      avatar_url: null,
      tags: at.contactTags,
      blocked: contact.blockedAtMs !== null,
    },
    account_id: conversation.accountId,
    state: conversation.state,
    assigned_to: conversation.assignedTo,
    assigned_user: assignee,
    team_id: conversation.teamId,
    unread_count: conversation.unreadCount,
    last_message: last && {
      id: last.id,
      direction: last.direction,
      type: last.type,
      preview: previewOf(last, contact, at.isMasked),
      status: last.status,
      timestamp: isoTime(last.timestampMs),
    },
    transfer: transferSummary(transfer),
    last_inbound_at: isoTimeOrNull(conversation.lastInboundAtMs),
    window_expires_at: isoTimeOrNull(windowEndMs(conversation)),
    window_open: isWindowOpen(conversation, at.nowMs),
    snoozed_until: isoTimeOrNull(conversation.snoozedUntilMs),
    first_response_at: isoTimeOrNull(conversation.firstResponseAtMs),
    bot_active: botSessionId !== null,
    priority: conversation.priority,
    thread_owner: thread.owner,
    owner_since: isoTimeOrNull(thread.sinceMs),
    closed_at: isoTimeOrNull(conversation.closedAtMs),
    created_at: isoTime(conversation.createdAtMs),
    updated_at: isoTime(conversation.updatedAtMs),
    first_referral: referralIn(conversation.firstReferral),
    last_referral: referralIn(conversation.lastReferral),
    free_entry_point_until: isoTimeOrNull(conversation.freeEntryUntilMs),
    cost_month: at.costMonth,
  }
}

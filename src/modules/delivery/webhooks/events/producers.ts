import { and, eq } from 'drizzle-orm'

import { isoTime, isoTimeOrNull } from '../../../../lib/clock'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { LoggedEvent } from '../../../../infra/outbox/events'
import { AccountChanged } from '../../../channel/accounts/events'
import {
  CallEnded,
  CallMissed,
  CallPermissionChanged,
  CallReceived,
} from '../../../channel/calls/events'
import { findCalls } from '../../../channel/calls/find'
import { loadCallView } from '../../../channel/calls/queries'
import { CampaignStateChanged } from '../../../outreach/campaigns/events'
import { campaignViewOf } from '../../../outreach/campaigns/queries'
import { findCampaign } from '../../../outreach/campaigns/state'
import { newestConsent } from '../../../inbox/contacts/consent/ledger'
import { SessionEnded } from '../../../automation/chatbot/engine/events'
import { findSession } from '../../../automation/chatbot/engine/production/store'
import { maskingOf } from '../../../automation/chatbot/sessions/queries'
import { sessionView } from '../../../automation/chatbot/sessions/view'
import {
  ContactBatchChanged,
  ContactChanged,
  ContactCreated,
  ContactDeleted,
} from '../../../inbox/contacts/events'
import { contactDetails } from '../../../inbox/contacts/load-views'
import { findContact } from '../../../inbox/contacts/service'
import { masksNumbers } from '../../../inbox/contacts/sight/visibility'
import { sightOf } from '../../../inbox/contacts/sight/visible-history'
import { ConversationChanged, ConversationHandedOver } from '../../../inbox/conversations/events'
import { viewOf as conversationViewOf } from '../../../inbox/conversations/load-views'
import { findConversationById } from '../../../inbox/conversations/row'
import { FlowChanged, FlowSubmitted } from '../../../channel/flows/events'
import { flowResponses } from '../../../channel/flows/sent-table'
import {
  MessageEchoed,
  MessageReacted,
  MessageReceived,
  MessageStatusChanged,
  MessageUpdated,
} from '../../../inbox/messages/events'
import { findMessages, messageViews } from '../../../inbox/messages/queries'
import { platformIdOf, type MessageRow } from '../../../inbox/messages/view'
import { OrderCreated, OrderUpdated } from '../../../inbox/orders/events'
import { findOrders } from '../../../inbox/orders/queries'
import { contactSummary } from '../../realtime/frames/contact'
import { frameKindOf } from '../../realtime/frames/registry'
import { TemplateChanged } from '../../../channel/templates/events'
import { TRANSFER_EVENTS, TransferEdited } from '../../../automation/transfers/events'
import { findTransfer } from '../../../automation/transfers/find'
import { loadTransferViews } from '../../../automation/transfers/load-views'
import { produces, type EventData, type Producer } from './produce'

/** Returns a message and its contact, or `null` if one of them is gone. */
function messageWithContact(ctx: Ctx, messageId: string) {
  const [row] = findMessages(ctx, [messageId])
  const contact = row && findContact(ctx, row.contactId)
  return contact?.deletedAtMs === null ? { row: row as MessageRow, contact } : null
}

function messageData(ctx: Ctx, messageId: string, more: Record<string, unknown> = {}): EventData {
  const found = messageWithContact(ctx, messageId)
  if (!found) return null
  const [view] = messageViews(ctx, [found.row])
  return {
    ...view,
    contact: contactSummary(found.contact, masksNumbers(ctx)),
    ...more,
  }
}

const accountOfMessage = (ctx: Ctx, messageId: string): string | null =>
  findMessages(ctx, [messageId])[0]?.accountId ?? null

/** Statuses that prove that the platform accepted a message. */
const ACCEPTED = ['sent', 'delivered', 'read']
const FAILED = ['failed', 'unknown']

const messageProducers = [
  produces(MessageReceived, (ctx, { messageId }) => [
    {
      type: 'message.received',
      accountId: accountOfMessage(ctx, messageId),
      render: (scope) => messageData(scope, messageId),
    },
  ]),
  produces(MessageEchoed, (ctx, { messageId }) => [
    {
      type: 'message.echo',
      accountId: accountOfMessage(ctx, messageId),
      render: (scope) => messageData(scope, messageId),
    },
  ]),
  produces(MessageStatusChanged, (ctx, payload) => {
    const { messageId, status, previousStatus } = payload
    const accountId = accountOfMessage(ctx, messageId)
    const render = (scope: Ctx): EventData => {
      const found = messageWithContact(scope, messageId)
      if (!found) return null
      const [view] = messageViews(scope, [found.row])
      return {
        message_id: messageId,
        wa_message_id: platformIdOf(found.row),
        contact_id: found.row.contactId,
        status,
        previous_status: previousStatus,
        timestamp: isoTime(payload.timestampMs),
        // The message may have failed since: the error belongs to that status.
        error: FAILED.includes(status) ? (view?.error ?? null) : null,
        pricing: view?.pricing ?? null,
        campaign_id: payload.campaignId ?? null,
        client_ref: found.row.clientRef,
      }
    }
    const wasAccepted = ACCEPTED.includes(status) && ['pending', 'unknown'].includes(previousStatus)
    return [
      ...(wasAccepted
        ? [
            {
              type: 'message.sent',
              accountId,
              render: (scope: Ctx) => messageData(scope, messageId),
            },
          ]
        : []),
      { type: 'message.status', accountId, render },
      ...(FAILED.includes(status) ? [{ type: 'message.failed', accountId, render }] : []),
    ]
  }),
  produces(MessageUpdated, (ctx, { messageId, changed }) => {
    const accountId = accountOfMessage(ctx, messageId)
    if (changed.join() !== 'media')
      return [
        {
          type: 'message.updated',
          accountId,
          render: (scope) => messageData(scope, messageId, { changed }),
        },
      ]
    return [
      {
        type: 'message.media_ready',
        accountId,
        render(scope) {
          const data = messageData(scope, messageId)
          return data && { message_id: messageId, media: data['media'] }
        },
      },
    ]
  }),
  produces(MessageReacted, (ctx, { messageId, contactId, by, emoji }) => [
    {
      type: 'message.reaction',
      accountId: accountOfMessage(ctx, messageId),
      render: (scope) =>
        messageWithContact(scope, messageId) && {
          message_id: messageId,
          contact_id: contactId,
          by,
          emoji,
        },
    },
  ]),
]

function contactData(ctx: Ctx, contactId: string, more: Record<string, unknown>): EventData {
  const row = findContact(ctx, contactId)
  if (row?.deletedAtMs !== null) return null
  return { ...contactDetails(ctx, row, sightOf(ctx)), ...more }
}

/** Returns the newest consent entry, or `null` if there is none or the contact is gone. */
function consentData(ctx: Ctx, contactId: string): EventData {
  const entry = newestConsent(ctx, contactId)
  if (!entry || findContact(ctx, contactId)?.deletedAtMs !== null) return null
  return {
    contact_id: contactId,
    purpose: entry.purpose,
    state: entry.state,
    source: entry.source,
    at: isoTime(entry.atMs),
  }
}

const contactProducers = [
  produces(ContactCreated, (_ctx, { contactId }) => [
    { type: 'contact.created', render: (scope) => contactData(scope, contactId, { changed: [] }) },
  ]),
  produces(ContactChanged, (_ctx, { contactId, changed }) => [
    { type: 'contact.updated', render: (scope) => contactData(scope, contactId, { changed }) },
    ...(changed.includes('marketing_consent')
      ? [
          {
            type: 'contact.consent_changed',
            render: (scope: Ctx) => consentData(scope, contactId),
          },
        ]
      : []),
  ]),
  produces(ContactDeleted, (_ctx, { contactId, reason, mergedInto }) => [
    {
      type: 'contact.deleted',
      isPersonal: false,
      render: () => ({ id: contactId, reason, merged_into: mergedInto }),
    },
  ]),
  produces(ContactBatchChanged, (_ctx, { reason, jobId, contactIds, ...counts }) => [
    {
      type: 'contact.bulk',
      render: () => ({
        reason,
        job_id: reason === 'import' ? null : jobId,
        import_id: reason === 'import' ? jobId : null,
        ...counts,
        contact_ids: contactIds,
        truncated: false,
      }),
    },
  ]),
]

/** Fields of a conversation whose changes are sent. */
const CONVERSATION_FIELDS = ['state', 'assigned_to', 'team_id']

const accountOfConversation = (ctx: Ctx, id: string): string | null =>
  findConversationById(ctx, id)?.accountId ?? null

function conversationData(ctx: Ctx, id: string, more: Record<string, unknown>): EventData {
  const row = findConversationById(ctx, id)
  const contact = row && findContact(ctx, row.contactId)
  return contact?.deletedAtMs === null ? { ...conversationViewOf(ctx, id), ...more } : null
}

const conversationProducers = [
  produces(ConversationChanged, (ctx, { conversationId, changed }) =>
    changed.some((field) => CONVERSATION_FIELDS.includes(field))
      ? [
          {
            type: 'conversation.updated',
            accountId: accountOfConversation(ctx, conversationId),
            render: (scope) => conversationData(scope, conversationId, { changed }),
          },
        ]
      : [],
  ),
  produces(ConversationHandedOver, (ctx, { conversationId, from, to }) => [
    {
      type: 'conversation.handover',
      accountId: accountOfConversation(ctx, conversationId),
      render: (scope) => conversationData(scope, conversationId, { from, to }),
    },
  ]),
]

const callProducers = (
  [
    [CallReceived, 'call.received'],
    [CallEnded, 'call.ended'],
    [CallMissed, 'call.missed'],
  ] as const
).map(([event, type]) =>
  produces(event, (ctx, { callId }) => [
    {
      type,
      accountId: findCalls(ctx, [callId])[0]?.accountId ?? null,
      render(scope) {
        const [row] = findCalls(scope, [callId])
        const contact = row && findContact(scope, row.contactId)
        if (contact?.deletedAtMs !== null || !row) return null
        const isMasked = masksNumbers(scope)
        return {
          ...loadCallView(scope, row, isMasked),
          contact: contactSummary(contact, isMasked),
        }
      },
    },
  ]),
)

const orderProducers = (
  [
    [OrderCreated, 'order.created'],
    [OrderUpdated, 'order.updated'],
  ] as const
).map(([event, type]) =>
  produces(event, (ctx, { orderId, changed }) => [
    {
      type,
      accountId: findOrders(ctx, [orderId])[0]?.account_id ?? null,
      render(scope) {
        const [order] = findOrders(scope, [orderId])
        const contact = order && findContact(scope, order.contact_id)
        return contact?.deletedAtMs === null
          ? { ...order, contact: contactSummary(contact, masksNumbers(scope)), changed }
          : null
      },
    },
  ]),
)

const transferProducers = TRANSFER_EVENTS.filter((event) => event !== TransferEdited).map((event) =>
  produces(event, (ctx, { transferId }) => [
    {
      type: event.name,
      accountId: findTransfer(ctx, transferId)?.accountId ?? null,
      render: (scope) => loadTransferViews(scope, [transferId], masksNumbers(scope))[0] ?? null,
    },
  ]),
)

const chatbotProducers = [
  produces(SessionEnded, (_ctx, { sessionId, accountId }) => [
    {
      type: 'chatbot.session_ended',
      accountId,
      render: (scope) => {
        const row = findSession(scope, sessionId)
        return row && sessionView(row, maskingOf(scope, row.contactId))
      },
    },
  ]),
]

const otherProducers = [
  produces(CallPermissionChanged, (_ctx, { contactId, accountId, state, expiresAtMs }) => [
    {
      type: 'call.permission_changed',
      accountId,
      render: () => ({
        contact_id: contactId,
        account_id: accountId,
        state,
        expires_at: isoTimeOrNull(expiresAtMs),
      }),
    },
  ]),
  produces(FlowSubmitted, (ctx, { responseId, messageId, contactId, flowId }) => [
    {
      type: 'flow.submitted',
      accountId: accountOfMessage(ctx, messageId),
      render(scope) {
        const row = scope.db.orm
          .select({ data: flowResponses.data })
          .from(flowResponses)
          .where(inOrganization(scope, flowResponses, and(eq(flowResponses.id, responseId))))
          .get()
        return (
          (row && {
            message_id: messageId,
            contact_id: contactId,
            flow_id: flowId,
            response: row.data === null ? {} : (JSON.parse(row.data) as unknown),
          }) ??
          null
        )
      },
    },
  ]),
  produces(CampaignStateChanged, (ctx, { campaignId, turn }) => [
    {
      type: `campaign.${turn}`,
      accountId: findCampaign(ctx, campaignId)?.accountId ?? null,
      render(scope) {
        const row = findCampaign(scope, campaignId)
        return row ? { ...campaignViewOf(scope, row) } : null
      },
    },
  ]),
]

/** Events about settings are sent as sockets show them. */
const asOnSockets = (
  [
    [AccountChanged, 'account.updated'],
    [FlowChanged, 'flow.updated'],
    [TemplateChanged, 'template.updated'],
  ] as const
).map(([definition, type]): readonly [string, Producer] => [
  definition.name,
  (ctx, event) => {
    const render = (scope: Ctx): EventData =>
      frameKindOf(event)?.render(scope, event, masksNumbers(scope)) ?? null
    const account = render(ctx)
    const accountId = account?.[type === 'account.updated' ? 'id' : 'account_id']
    return [
      {
        type,
        contactId: null,
        isPersonal: false,
        accountId: typeof accountId === 'string' ? accountId : null,
        render,
      },
    ]
  },
])

const producers = new Map<string, Producer>([
  ...messageProducers,
  ...contactProducers,
  ...conversationProducers,
  ...callProducers,
  ...orderProducers,
  ...transferProducers,
  ...chatbotProducers,
  ...otherProducers,
  ...asOnSockets,
])

/** Returns the events of outbound webhooks that an entry of the log becomes. */
export const producedBy = (ctx: Ctx, event: LoggedEvent) =>
  producers.get(event.type)?.(ctx, event) ?? []

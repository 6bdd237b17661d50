import { oneOf } from '../../../lib/fields'
import type { Permission } from '../../../infra/permissions'

/** An event type that an endpoint can choose. */
export interface WebhookEventType {
  value: string
  label: string
  description: string
  /** Permissions that are needed, besides `contacts:read_all`, to choose it or to read its payloads. */
  needs: Permission[]
}

type Entry = readonly [value: string, label: string, description: string]

const area = (needs: Permission[], entries: Entry[]): WebhookEventType[] =>
  entries.map(([value, label, description]) => ({ value, label, description, needs }))

/** All event types of outbound webhooks (webhooks-out 2). */
export const WEBHOOK_EVENTS: WebhookEventType[] = [
  ...area(
    ['messages:read'],
    [
      ['message.received', 'Message received', 'A customer sent a message, of whatever type.'],
      [
        'message.sent',
        'Message sent',
        'The platform accepted an outgoing message. Messages of campaigns carry `campaign_id`.',
      ],
      ['message.status', 'Message status', 'The status of an outgoing message moved forward.'],
      [
        'message.failed',
        'Message failed',
        'An outgoing message failed for good, or its outcome is unknown. It is also a ' +
          '`message.status`.',
      ],
      [
        'message.media_ready',
        'Media ready',
        'The file of a message was stored, or its download was given up (`media.state: failed`).',
      ],
      [
        'message.updated',
        'Message updated',
        'The customer edited or deleted a message, or a merge moved it. `changed` names the fields.',
      ],
      [
        'message.reaction',
        'Reaction',
        'Somebody reacted to a message; `emoji` is `null` if the reaction was removed.',
      ],
      ['message.echo', 'Message from the phone app', 'Somebody wrote in the phone app.'],
      [
        'conversation.updated',
        'Conversation updated',
        'The state, the assignee or the team of a conversation changed.',
      ],
      [
        'conversation.handover',
        'Thread handed over',
        'Another app, or the platform’s agent, took a conversation or gave it back.',
      ],
      ['call.received', 'Call received', 'A customer calls.'],
      ['call.ended', 'Call ended', 'A call ended that was answered, rejected or failed.'],
      ['call.missed', 'Call missed', 'A call ended that nobody answered.'],
      [
        'call.permission_changed',
        'Call permission changed',
        'A customer answered a request for the permission to call.',
      ],
      ['order.created', 'Order created', 'A customer placed an order.'],
      ['order.updated', 'Order updated', 'The state of an order changed.'],
      ['flow.submitted', 'Flow submitted', 'A customer submitted a platform Flow.'],
    ],
  ),
  ...area(
    ['contacts:read'],
    [
      ['contact.created', 'Contact created', 'A contact was created.'],
      ['contact.updated', 'Contact updated', 'A contact changed. `changed` names the fields.'],
      [
        'contact.deleted',
        'Contact deleted',
        'A contact was deleted, erased, or merged into another one.',
      ],
      [
        'contact.bulk',
        'Contacts changed in bulk',
        'An import or a bulk job changed contacts, at most 500 in an event. They send no events of ' +
          'their own.',
      ],
      [
        'contact.consent_changed',
        'Consent changed',
        'A contact opted in to marketing messages or out of them.',
      ],
    ],
  ),
  ...area(
    ['transfers:read', 'transfers:assign'],
    [
      ['transfer.created', 'Transfer created', 'A contact was transferred to a person or a queue.'],
      ['transfer.assigned', 'Transfer assigned', 'A person picked up a transfer, or was given it.'],
      [
        'transfer.returned',
        'Transfer returned',
        'A transfer returned to its queue, or moved to another one.',
      ],
      [
        'transfer.resumed',
        'Transfer ended',
        'A person ended a transfer, or it ended with its contact. The bot answers again.',
      ],
      ['transfer.expired', 'Transfer expired', 'A transfer ended because the customer was silent.'],
      [
        'transfer.sla_breached',
        'SLA missed',
        'A transfer missed a deadline of the SLA for the first time.',
      ],
      ['transfer.escalated', 'Transfer escalated', 'Nobody answered a transfer in time.'],
    ],
  ),
  ...area(
    ['chatbot:read'],
    [
      [
        'chatbot.session_ended',
        'Chatbot session ended',
        'A session of the chatbot ended, with its variables.',
      ],
    ],
  ),
  ...area(
    ['campaigns:read'],
    [
      ['campaign.started', 'Campaign started', 'A campaign began to send.'],
      ['campaign.paused', 'Campaign paused', 'A campaign was paused, by a person or by itself.'],
      ['campaign.resumed', 'Campaign resumed', 'A paused campaign sends again.'],
      ['campaign.completed', 'Campaign completed', 'A campaign has sent to all its recipients.'],
      ['campaign.cancelled', 'Campaign cancelled', 'A campaign was canceled.'],
    ],
  ),
  ...area(
    ['templates:read'],
    [['template.updated', 'Template updated', 'A template changed. `changed` names the fields.']],
  ),
  ...area(
    ['flows:read'],
    [['flow.updated', 'Flow updated', 'A platform Flow changed. `changed` names the fields.']],
  ),
  ...area(
    ['accounts:read'],
    [
      [
        'account.updated',
        'Phone number updated',
        'A connected phone number changed. `changed` names the fields; `callback` is a check of the ' +
          'callback address by WhatsApp.',
      ],
    ],
  ),
  ...area([], [['webhook.test', 'Test', 'A test of the endpoint, sent by a person.']]),
]

const VALUES = WEBHOOK_EVENTS.map(({ value }) => value)

/** Areas that may be chosen as `area.*`. */
const AREAS = new Set(VALUES.map((value) => value.slice(0, value.indexOf('.'))))

/** Schema of one event type. */
export const WebhookEvent = oneOf(VALUES as [string, ...string[]], {
  error: 'must be an event type; `GET /api/webhooks/events` lists them',
})

/** Whether a text chooses events: a type, `area.*` or `*`. */
export const isEventPattern = (text: string): boolean =>
  text === '*' || VALUES.includes(text) || (text.endsWith('.*') && AREAS.has(text.slice(0, -2)))

/** Whether an event type is chosen by one of the patterns. A test always is. */
export const isChosen = (type: string, patterns: readonly string[]): boolean =>
  type === 'webhook.test' ||
  patterns.some(
    (pattern) =>
      pattern === '*' ||
      pattern === type ||
      (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))),
  )

/** Returns the permissions that are needed to choose these patterns, without `contacts:read_all`. */
export const permissionsFor = (patterns: readonly string[]): Permission[] => [
  ...new Set(
    WEBHOOK_EVENTS.filter(({ value }) => isChosen(value, patterns)).flatMap(({ needs }) => needs),
  ),
]

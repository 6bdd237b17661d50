import { Type, type TObject, type TProperties, type TSchema } from '@sinclair/typebox'

import { freeObject } from '../../../../lib/fields'
import { VARIANTS_KEY } from '../../../../lib/variants'
import { CallView } from '../../../channel/calls/model'
import { CampaignView } from '../../../outreach/campaigns/model'
import { ConsentView } from '../../../inbox/contacts/consent/model'
import { ContactDetails } from '../../../inbox/contacts/model'
import { ConversationView } from '../../../inbox/conversations/model'
import { MessageView } from '../../../inbox/messages/model'
import { OrderView } from '../../../inbox/orders/model'
import { ContactSummary, SERVER_PAYLOADS } from '../../realtime/frames/model'
import { BotSessionView } from '../../../automation/chatbot/sessions/model'
import { TransferView } from '../../../automation/transfers/model'
import { WEBHOOK_EVENTS } from '../../realtime/webhook-events'
import type { Example } from './examples'

const Text = Type.String()
const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()])
const changed = Type.Array(Text, { description: 'Names of the fields that changed.' })

const truncated = Type.Optional(Type.Boolean({ description: '`true` if texts were cut.' }))

/** An object of the API with more fields. It has a name of its own if it has a title. */
const withMore = (
  { properties, ...schema }: TObject,
  more: TProperties,
  options: { title?: string } = {},
) => {
  const { [VARIANTS_KEY]: variants } = schema
  return {
    ...Type.Object({ ...properties, ...more, truncated }, options),
    ...(variants === undefined || options.title === undefined ? {} : { [VARIANTS_KEY]: variants }),
  }
}

const { error, pricing, media, status } = MessageView.properties
const { thread_owner } = ConversationView.properties
const { purpose, state: consent, source } = ConsentView.properties

const Message = withMore(MessageView, { contact: ContactSummary }, { title: 'WebhookMessage' })
const MessageStatus = Type.Object(
  {
    message_id: Uuid,
    wa_message_id: orNull(Text),
    contact_id: Uuid,
    status,
    previous_status: status,
    timestamp: Time,
    error,
    pricing,
    campaign_id: orNull(Uuid),
    client_ref: orNull(Text),
  },
  { title: 'WebhookMessageStatus' },
)
const Call = withMore(CallView, { contact: ContactSummary }, { title: 'WebhookCall' })
const Order = withMore(OrderView, { contact: ContactSummary, changed }, { title: 'WebhookOrder' })
const Contact = withMore(ContactDetails, { changed }, { title: 'WebhookContact' })

const TRANSFERS = [
  'created',
  'assigned',
  'returned',
  'resumed',
  'expired',
  'sla_breached',
  'escalated',
]
const CAMPAIGNS = ['started', 'paused', 'resumed', 'completed', 'cancelled']

const each = (area: string, verbs: string[], schema: TSchema): Record<string, TSchema> =>
  Object.fromEntries(verbs.map((verb) => [`${area}.${verb}`, schema]))

/** The schemas of the data of all event types. */
const EVENT_DATA: Record<string, TSchema> = {
  ...each('message', ['received', 'sent', 'echo'], Message),
  ...each('message', ['status', 'failed'], MessageStatus),
  'message.media_ready': Type.Object({ message_id: Uuid, media }),
  'message.updated': withMore(MessageView, { contact: ContactSummary, changed }),
  'message.reaction': Type.Object({
    message_id: Uuid,
    contact_id: Uuid,
    by: Type.String({ enum: ['contact', 'user'] }),
    emoji: orNull(Text),
  }),
  'conversation.updated': withMore(ConversationView, { changed }),
  'conversation.handover': withMore(ConversationView, { from: thread_owner, to: thread_owner }),
  ...each('call', ['received', 'ended', 'missed'], Call),
  'call.permission_changed': Type.Object({
    contact_id: Uuid,
    account_id: Uuid,
    state: Type.String({ enum: ['temporary', 'permanent', 'denied'] }),
    expires_at: orNull(Time),
  }),
  ...each('order', ['created', 'updated'], Order),
  'flow.submitted': Type.Object({
    message_id: Uuid,
    contact_id: Uuid,
    flow_id: orNull(Uuid),
    response: freeObject({ description: 'The fields of the form.' }),
  }),
  ...each('contact', ['created', 'updated'], Contact),
  'contact.deleted': SERVER_PAYLOADS['contact:deleted'],
  'contact.bulk': Type.Object({
    ...SERVER_PAYLOADS['contact:bulk'].properties,
    job_id: orNull(Uuid),
    import_id: orNull(Uuid),
    contact_ids: Type.Array(Uuid, { maxItems: 500 }),
    truncated: Type.Boolean({ description: 'Always `false`: each contact is in one event.' }),
  }),
  'contact.consent_changed': Type.Object({
    contact_id: Uuid,
    purpose,
    state: consent,
    source,
    at: Time,
  }),
  ...each('transfer', TRANSFERS, TransferView),
  'chatbot.session_ended': BotSessionView,
  ...each('campaign', CAMPAIGNS, CampaignView),
  'template.updated': SERVER_PAYLOADS['template:updated'],
  'flow.updated': SERVER_PAYLOADS['flow:updated'],
  'account.updated': SERVER_PAYLOADS['account:updated'],
  'webhook.test': Type.Object({ message: Text, endpoint_id: Uuid }),
}

/** The fields of all events. */
const ENVELOPE = {
  id: Type.String({ description: 'The same at every endpoint and for every retry.' }),
  timestamp: Type.String({ format: 'date-time', description: 'When it happened.' }),
  organization_id: Uuid,
  seq: Type.Integer({ description: 'Number of the event in the log; 0 for tests.' }),
}

const titleOf = (type: string): string =>
  `${type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`

/** Returns the schema of the body of an event. Its title is its name in the API document. */
export const eventSchema = (type: string): TSchema =>
  Type.Object(
    { ...ENVELOPE, type: Type.Literal(type), data: EVENT_DATA[type] ?? Type.Object({}) },
    {
      title: titleOf(type),
      description:
        '`data` has at most 20 KiB: longer texts are cut, and `data.truncated` is `true`.',
    },
  )

/** The body of any event, by its `type`. */
const WebhookEvent = Type.Unsafe<Example | null>(
  Type.Union(
    WEBHOOK_EVENTS.map(({ value }) => eventSchema(value)),
    {
      title: 'WebhookEvent',
      discriminator: {
        propertyName: 'type',
        mapping: Object.fromEntries(
          WEBHOOK_EVENTS.map(({ value }) => [value, `#/components/schemas/${titleOf(value)}`]),
        ),
      },
    },
  ),
)

export const EventTypeView = Type.Object(
  {
    value: Type.String(),
    label: Type.String(),
    description: Type.String(),
    example: WebhookEvent,
  },
  { title: 'WebhookEventType' },
)

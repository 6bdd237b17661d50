import { Type, type Static } from '@sinclair/typebox'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const Text = Type.String()
const uuidOrNull = Type.Union([Uuid, Type.Null()])
const timeOrNull = Type.Union([Time, Type.Null()])
const textOrNull = Type.Union([Text, Type.Null()])
const numberOrNull = Type.Union([Type.Number(), Type.Null()])
const Anything = Type.Record(Text, Type.Unknown())

/** A reaction that stands on a message. */
const Reaction = Type.Object(
  {
    emoji: Text,
    by: Type.String({ enum: ['contact', 'user'] }),
    user_id: Type.Union([Text, Type.Null()], {
      description: 'Who of us reacted; null for the customer.',
    }),
    contact_id: uuidOrNull,
    at: Time,
  },
  { title: 'Reaction' },
)

/** The reactions that stand on a message. */
export const ReactionsView = Type.Object(
  { message_id: Uuid, reactions: Type.Array(Reaction) },
  { title: 'Reactions' },
)
export type ReactionsView = Static<typeof ReactionsView>

/** A message as the API answers it. */
export const MessageView = Type.Object(
  {
    id: Uuid,
    conversation_id: Uuid,
    contact_id: Uuid,
    account_id: Uuid,
    wa_message_id: textOrNull,
    direction: Type.String({ enum: ['incoming', 'outgoing'] }),
    type: Type.String({ description: 'text, image, interactive … or unsupported' }),
    content: Type.Record(Text, Type.Unknown(), {
      description:
        'What the message says, by type. Has `errors` when the platform reported errors beside an incoming message.',
    }),
    status: Type.String({ enum: ['pending', 'sent', 'delivered', 'read', 'failed', 'unknown'] }),
    timestamp: Type.String({
      format: 'date-time',
      description: 'Platform time of an incoming message, else ours.',
    }),
    received_at: Time,
    sent_at: timeOrNull,
    delivered_at: timeOrNull,
    read_at: timeOrNull,
    played_at: timeOrNull,
    failed_at: timeOrNull,
    error: Type.Union([
      Type.Object({
        code: Text,
        platform_code: numberOrNull,
        message: Text,
        details: textOrNull,
        retryable: Type.Boolean(),
        retry_after: Type.Optional(Time),
      }),
      Type.Null(),
    ]),
    reply_to: Type.Union([Type.Object({ id: Uuid, type: Text, preview: Text }), Type.Null()]),
    context: Type.Union([Anything, Type.Null()]),
    referral: Type.Union([Anything, Type.Null()]),
    media: Type.Union([
      Type.Object({
        id: Uuid,
        url: textOrNull,
        mime_type: textOrNull,
        filename: textOrNull,
        size_bytes: numberOrNull,
        state: Text,
      }),
      Type.Null(),
    ]),
    reactions: Type.Array(Reaction),
    edited_at: timeOrNull,
    revoked_at: timeOrNull,
    preview: Text,
    warnings: Type.Array(Text, {
      description:
        'What the sender should know, in words or as a code. `group_message`: it answers a message of a group, and goes to the private chat.',
    }),
    source: Type.String({
      enum: ['contact', 'agent', 'api', 'chatbot', 'campaign', 'phone_app', 'system'],
    }),
    sent_by: Type.Union([Type.Object({ id: Uuid, name: textOrNull }), Type.Null()]),
    client_ref: textOrNull,
    campaign_id: uuidOrNull,
    template_name: textOrNull,
    resend_of: uuidOrNull,
    pricing: Type.Union([
      Type.Object({
        category: textOrNull,
        type: textOrNull,
        billable: Type.Union([Type.Boolean(), Type.Null()]),
      }),
      Type.Null(),
    ]),
    created_at: Time,
  },
  { title: 'Message' },
)
export type MessageView = Static<typeof MessageView>

/** A template's message as it is answered when it was accepted. */
export const TemplateMessageView = Type.Object(
  {
    ...MessageView.properties,
    message_id: Type.String({ format: 'uuid', description: 'The same as `id`.' }),
    phone_number: Type.Union([Text, Type.Null()], {
      description: 'Where it goes; hidden from callers who may not see numbers.',
    }),
  },
  { title: 'TemplateMessage' },
)
export type TemplateMessageView = Static<typeof TemplateMessageView>

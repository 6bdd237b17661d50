import { Type, type Static } from '@sinclair/typebox'

import { MESSAGE_STATUSES, THREAD_TYPES } from '../../../platform/message-types'
import { withVariants } from '../../../lib/variants'
import { CallContent } from '../../channel/calls/model'
import { AnyContent, CONTENT_BY_TYPE, CONTENTS, MessageType } from './content/model'
import { MESSAGE_SOURCES } from './table'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const Text = Type.String()
const uuidOrNull = Type.Union([Uuid, Type.Null()])
const timeOrNull = Type.Union([Time, Type.Null()])
const textOrNull = Type.Union([Text, Type.Null()])
const numberOrNull = Type.Union([Type.Number(), Type.Null()])
const Anything = Type.Record(Text, Type.Unknown())

/** A current reaction to a message. */
const Reaction = Type.Object(
  {
    emoji: Text,
    by: Type.String({ enum: ['contact', 'user'] }),
    user_id: Type.Union([Text, Type.Null()], {
      description:
        'User who reacted. `null` for the customer and for the WhatsApp app of the number.',
    }),
    user_name: Type.Union([Text, Type.Null()], { description: 'Name of that user.' }),
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

/** The cost of an outgoing message. */
const MessageCost = Type.Object(
  {
    amount: Type.String({ description: 'Decimal number.' }),
    currency: Text,
    category: Type.Union([Text, Type.Null()], {
      description: 'Category of the price list. `SERVICE` for messages other than templates.',
    }),
    is_estimate: Type.Boolean({
      description:
        'Whether the amount comes from the price list alone. `false` once the platform has ' +
        'reported whether it charges the message.',
    }),
    free_reason: Type.Union([Text, Type.Null()], {
      description:
        'Why the message is free: `free_customer_service` or `free_entry_point` as reported by ' +
        'the platform, `service_allowance` (one of the free service messages of the month), ' +
        '`not_billable` (the platform gives no reason) or `not_delivered`. `null` = the price ' +
        'applies.',
    }),
  },
  { title: 'MessageCost' },
)

/** A message as the API answers it. */
export const MessageView = withVariants(
  Type.Object(
    {
      id: Uuid,
      conversation_id: Uuid,
      contact_id: Uuid,
      account_id: Uuid,
      wa_message_id: textOrNull,
      direction: Type.String({ enum: ['incoming', 'outgoing'] }),
      type: MessageType,
      content: AnyContent,
      status: Type.String({ enum: [...MESSAGE_STATUSES] }),
      timestamp: Type.String({
        format: 'date-time',
        description: 'When the message was sent, according to the platform for incoming messages.',
      }),
      received_at: Time,
      sent_at: timeOrNull,
      delivered_at: timeOrNull,
      read_at: timeOrNull,
      played_at: timeOrNull,
      failed_at: timeOrNull,
      error: Type.Union(
        [
          Type.Object({
            code: Text,
            platform_code: numberOrNull,
            message: Text,
            details: textOrNull,
            retryable: Type.Boolean(),
            retry_after: Type.Optional(Time),
          }),
          Type.Null(),
        ],
        {
          description:
            'Why the message failed. `direct_send_refused`: WhatsApp did not take it without a ' +
            'template.',
        },
      ),
      reply_to: Type.Union([
        Type.Object({ id: Uuid, type: MessageType, preview: Text }),
        Type.Null(),
      ]),
      context: Type.Union([Anything, Type.Null()]),
      referral: Type.Union([Anything, Type.Null()]),
      media: Type.Union([
        Type.Object({
          id: Uuid,
          url: textOrNull,
          mime_type: textOrNull,
          filename: textOrNull,
          size_bytes: numberOrNull,
          state: Type.String({ enum: ['pending', 'ready', 'failed', 'expired'] }),
          width: Type.Union([Type.Integer(), Type.Null()], {
            description: 'Pixels, for images.',
          }),
          height: numberOrNull,
          duration_ms: Type.Union([Type.Integer(), Type.Null()], {
            description: 'Duration of audio and video in milliseconds, if known.',
          }),
          thumbnail_url: Type.Union([Text, Type.Null()], {
            description: 'A small WebP image. `null` for other files than images.',
          }),
        }),
        Type.Null(),
      ]),
      reactions: Type.Array(Reaction),
      edited_at: timeOrNull,
      revoked_at: timeOrNull,
      preview: Text,
      warnings: Type.Array(Text, {
        description:
          'Hints for the sender, as a sentence or code. `group_message`: the message replies to ' +
          'a group message but is sent to the private chat. `direct_send_refused`, only in a ' +
          'preview: WhatsApp has refused messages without a template from this number.',
      }),
      source: Type.String({
        enum: [...MESSAGE_SOURCES],
        description:
          "`platform_agent` and `other_app`: an answer of the platform's own agent or of another " +
          'app that shares the number.',
      }),
      observed: Type.Boolean({
        description:
          'Whether it was only observed, because someone else owned the thread. Such messages are ' +
          'never unread.',
      }),
      ai_generated: Type.Boolean({
        description:
          'Whether AI wrote the text or a part of it: the bot, or the agent of WhatsApp itself.',
      }),
      ai_model: Type.Union([Type.String(), Type.Null()], {
        description: 'The model that wrote it.',
      }),
      sent_by: Type.Union([Type.Object({ id: Uuid, name: textOrNull }), Type.Null()]),
      client_ref: textOrNull,
      campaign_id: uuidOrNull,
      direct: Type.Boolean({
        description:
          'Whether it was sent outside the 24-hour window without a template of yours, as a utility ' +
          'message.',
      }),
      platform_template_id: Type.Union([Text, Type.Null()], {
        description:
          'ID of the WhatsApp template that the message was sent with, as its statuses report it. ' +
          'They do so for `direct` messages, for which WhatsApp makes templates of its own.',
      }),
      template_name: textOrNull,
      resend_of: Type.Union([Uuid, Type.Null()], {
        description: 'The failed or unknown message that was resent with this one.',
      }),
      repeat_of: Type.Union([Uuid, Type.Null()], {
        description:
          'The unconfirmed message of the bot that the server repeated with this one. The customer ' +
          'may have received both.',
      }),
      pricing: Type.Union([
        Type.Object({
          category: textOrNull,
          type: textOrNull,
          billable: Type.Union([Type.Boolean(), Type.Null()]),
        }),
        Type.Null(),
      ]),
      cost: Type.Union([MessageCost, Type.Null()], {
        description:
          'What an outgoing message costs. `null` = no price is known, or it was not sent by this ' +
          'server.',
      }),
      created_at: Time,
      raw: Type.Optional(
        Type.Unknown({ description: 'The item as the platform sent it, with `include=raw`.' }),
      ),
    },
    { title: 'Message' },
  ),
  'type',
  CONTENT_BY_TYPE,
)
export type MessageView = Static<typeof MessageView>

/** An item of a thread: a message, or a call in the same form. */
export const ThreadItem = withVariants(
  Type.Object(
    {
      ...MessageView.properties,
      type: Type.String({ enum: [...THREAD_TYPES] }),
      status: Type.String({
        enum: [...MESSAGE_STATUSES],
        description:
          'For calls, `delivered` for an unread missed call, `read` for other calls of the ' +
          'customer, and `sent` for calls to the customer.',
      }),
    },
    { title: 'ThreadItem' },
  ),
  'type',
  { ...CONTENT_BY_TYPE, call: { content: CallContent } },
)
export type ThreadItem = Static<typeof ThreadItem>

/** Response to sending a template message. */
export const TemplateMessageView = Type.Object(
  {
    ...MessageView.properties,
    type: Type.String({ enum: ['template'] }),
    content: Type.Unsafe<Record<string, unknown>>(CONTENTS.template),
    message_id: Type.String({ format: 'uuid', description: 'Same as `id`.' }),
    phone_number: Type.Union([Text, Type.Null()], {
      description: 'Recipient address. Hidden from callers who may not see phone numbers.',
    }),
  },
  { title: 'SentTemplateMessage' },
)
export type TemplateMessageView = Static<typeof TemplateMessageView>

/** A message as its recipient would see it: its type and content. */
export const RenderedMessage = withVariants(
  Type.Object({ type: MessageType, content: AnyContent }, { title: 'RenderedMessage' }),
  'type',
  CONTENT_BY_TYPE,
)

import { Type, type Static, type TSchema } from '@sinclair/typebox'

import { oneOf } from '../../../../lib/fields'
import { withVariants } from '../../../../lib/variants'
import { MessageView, RenderedMessage } from '../model'
import { TYPES } from './by-type/model'
import { Interactive, mediaSource, Text, Words } from './interactive/model'
import { LIMITS } from './rules'
import { templateMessage } from './template/model'

/** Types of messages that can be sent. */
const SENDABLE_TYPES = Object.keys(TYPES) as [keyof typeof TYPES]

/** Types of messages with a file. */
const MEDIA_TYPES = ['image', 'video', 'audio', 'document', 'sticker'] as const
const Uuid = Type.String({ format: 'uuid' })
const described = (description: string) => Type.Optional(Type.String({ description }))

const entries = <const K extends string>(...names: K[]) =>
  Type.Optional(
    Type.Array(
      Type.Object(
        Object.fromEntries(names.map((name) => [name, Words])) as Record<K, typeof Words>,
      ),
    ),
  )

/** The types of the fields of all messages. Once these are right, `TYPES` judges what each may hold. */
const message = {
  type: oneOf(SENDABLE_TYPES, {
    error: `must be one of ${SENDABLE_TYPES.join(', ')}. Send a reaction with POST /api/contacts/{id}/messages/{message_id}/reaction`,
  }),
  text: Words,
  content: Type.Optional(Type.Object({ text: Text })),
  ...mediaSource,
  caption: described(
    `For \`image\`, \`video\` and \`document\`: up to ${LIMITS.caption} characters.`,
  ),
  filename: described(`For \`document\`: file name, up to ${LIMITS.filename} characters.`),
  voice: Type.Optional(Type.Boolean()),
  location: Type.Optional(
    Type.Object({ latitude: Type.Number(), longitude: Type.Number(), name: Words, address: Words }),
  ),
  contacts: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.Object({
          formatted_name: Text,
          first_name: Words,
          last_name: Words,
          middle_name: Words,
          suffix: Words,
          prefix: Words,
        }),
        phones: entries('phone', 'type', 'wa_id'),
        emails: entries('email', 'type'),
        addresses: entries('street', 'city', 'state', 'zip', 'country', 'country_code', 'type'),
        urls: entries('url', 'type'),
        org: Type.Optional(Type.Object({ company: Words, department: Words, title: Words })),
        birthday: Words,
      }),
    ),
  ),
  interactive: Type.Optional(Interactive),
  ...templateMessage,
}

const commonFields = {
  account_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description:
        'Phone number to send from. Defaults to the number of the message replied to, then the ' +
        'one last used with this contact, then the default outgoing number.',
    }),
  ),
  reply_to: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'ID of the message in this conversation to reply to.',
    }),
  ),
  preview_url: Type.Optional(Type.Boolean()),
  direct: Type.Optional(
    Type.Boolean({
      description:
        'Whether to send it without a template if the 24-hour window is closed: as a utility message ' +
        '(Direct Send of WhatsApp), at the price of a utility template. For `text` of up to ' +
        `${LIMITS.directText} characters without a link preview, and for \`interactive\` with reply ` +
        'buttons or a link. WhatsApp must have enabled it for the business. While the window is ' +
        'open, the message is sent as usual. Defaults to `false`.',
    }),
  ),
  client_ref: Type.Optional(
    Type.String({ maxLength: 100, description: 'Your own reference, returned with the message.' }),
  ),
  take: Type.Optional(
    Type.Boolean({
      description:
        "Whether to take over a thread that the platform's agent or another app owns. Without it, " +
        'such a message fails with 409 `thread_not_ours`. Templates never need it.',
    }),
  ),
}

const recipientFields = {
  contact_id: Type.Optional(Uuid),
  phone_number: described(
    'Phone number in any format. Alternative to `contact_id`; creates the contact if needed.',
  ),
  user_id: described('Business-scoped user ID. Alternative to `contact_id`.'),
}

/** A message to a contact. */
export const NewMessage = withVariants(
  Type.Object(
    { ...message, ...commonFields },
    {
      title: 'MessageInput',
      examples: [
        { type: 'text', text: 'Your order is on its way.' },
        {
          type: 'image',
          media_id: '01900000-0000-7000-8000-000000000001',
          caption: 'Your receipt',
        },
        { type: 'location', location: { latitude: 52.5163, longitude: 13.3777, name: 'Our shop' } },
        {
          type: 'interactive',
          interactive: {
            type: 'button',
            body: 'Shall we deliver tomorrow?',
            buttons: [
              { id: 'yes', title: 'Yes' },
              { id: 'no', title: 'No' },
            ],
          },
        },
      ],
    },
  ),
  'type',
  TYPES,
)
export type NewMessage = Static<typeof NewMessage>

/** A message whose body names the recipient. */
export const NewDirectMessage = withVariants(
  Type.Object(
    { ...recipientFields, ...message, ...commonFields },
    {
      title: 'DirectMessageInput',
      examples: [
        { phone_number: '+1 555 010 9999', type: 'text', text: 'Your order is on its way.' },
      ],
    },
  ),
  'type',
  TYPES,
)
export type NewDirectMessage = Static<typeof NewDirectMessage>

/** Fields of a media message; multipart forms send text values. */
export const mediaMessage = {
  ...recipientFields,
  type: Type.Union(MEDIA_TYPES.map((type) => Type.Literal(type))),
  ...mediaSource,
  caption: message.caption,
  filename: message.filename,
  voice: Type.Optional(
    Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false')], {
      description: 'For `audio`: send as a voice message. Defaults to `false`.',
    }),
  ),
  account_id: commonFields.account_id,
  reply_to: commonFields.reply_to,
  client_ref: commonFields.client_ref,
  take: Type.Optional(
    Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false')], {
      description: commonFields.take.description ?? '',
    }),
  ),
}

/** Template fields that a multipart form sends as JSON. */
export const TEMPLATE_PARTS = [
  'template_params',
  'header_params',
  'button_params',
  'cards',
  'flow_params',
] as const

const orJson = <S extends TSchema>(schema: S) =>
  Type.Union([schema, Type.String()], {
    description: `${schema.description ?? ''} In a form, as JSON text.`,
  })

/** Fields of a template message; multipart forms send objects as JSON. */
export const templateBody = {
  ...recipientFields,
  ...templateMessage,
  template_params: Type.Optional(orJson(templateMessage.template_params)),
  header_params: Type.Optional(orJson(templateMessage.header_params)),
  button_params: Type.Optional(orJson(templateMessage.button_params)),
  cards: Type.Optional(orJson(templateMessage.cards)),
  flow_params: Type.Optional(orJson(templateMessage.flow_params)),
  account_id: commonFields.account_id,
  account_name: described('Name of the phone number to send from. Alternative to `account_id`.'),
  reply_to: commonFields.reply_to,
  client_ref: commonFields.client_ref,
}

/** Preview of a message. */
export const PreviewView = Type.Object(
  {
    rendered: RenderedMessage,
    platform_payload: Type.Record(Text, Type.Unknown(), {
      description:
        'Request that would be sent to the platform. It contains the file IDs of this server; ' +
        'they are replaced with IDs of the platform when the message is sent.',
    }),
    platform_path: Type.String({
      enum: ['messages', 'marketing_messages'],
      description: "The platform's path that the request would be sent to.",
    }),
    window_open: Type.Boolean({
      description:
        'Whether the 24-hour window is open. Outside of it only templates and `direct` messages can ' +
        'be sent.',
    }),
    estimated_cost: Type.Union([Type.Object({ amount: Text, currency: Text }), Type.Null()], {
      description:
        'Price from the price list. Messages other than templates have a price too; the first ones ' +
        'of a month can be free. `null` = no price is known.',
    }),
    warnings: MessageView.properties.warnings,
  },
  { title: 'MessagePreview' },
)
export type PreviewView = Static<typeof PreviewView>

/** Errors of send routes beside invalid input. */
export const SEND_REFUSALS = [
  '400 account_inactive',
  '400 account_required',
  '400 contact_blocked',
  '400 no_address',
  '400 window_closed',
  '400 media_url_refused',
  '400 flow_not_sendable',
  '400 opted_out',
  '400 phone_required',
  '400 template_not_found',
  '400 template_not_approved',
  '400 missing_params',
  '400 invalid_params',
  '409 thread_not_ours',
  '409 permission_request_limit',
  '409 budget_reached',
  '429 queue_full',
] as const

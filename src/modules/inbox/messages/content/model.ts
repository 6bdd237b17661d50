import { Type, type TProperties, type TSchema } from '@sinclair/typebox'

import { MESSAGE_TYPES } from '../../../../platform/message-types'
import { withVariants } from '../../../../lib/variants'
import { OrderItem } from '../../orders/table'

const Text = Type.String()
const textOrNull = Type.Union([Text, Type.Null()])
const numberOrNull = Type.Union([Type.Number(), Type.Null()])
const AnyObject = Type.Record(Text, Type.Unknown())
const objectOrNull = Type.Union([AnyObject, Type.Null()])

/** Errors that the platform reported with an incoming message. */
const reported = {
  errors: Type.Optional(
    Type.Array(AnyObject, {
      description: 'Errors the platform reported with an incoming message.',
    }),
  ),
}

const TextContent = Type.Object(
  {
    text: Type.Union([Text, Type.Null()], {
      description: '`null` if the message was deleted: see `revoked_at`.',
    }),
    ...reported,
  },
  { title: 'TextContent' },
)

const file = {
  caption: textOrNull,
  mime_type: textOrNull,
  filename: textOrNull,
  sha256: textOrNull,
  size_bytes: numberOrNull,
  ...reported,
}
const FileContent = Type.Object(file, { title: 'FileContent' })
const AudioContent = Type.Object(
  { ...file, voice: Type.Boolean({ description: 'Whether it is a voice message.' }) },
  { title: 'AudioContent' },
)
const StickerContent = Type.Object(
  { ...file, animated: Type.Boolean() },
  { title: 'StickerContent' },
)

const LocationContent = Type.Object(
  {
    latitude: numberOrNull,
    longitude: numberOrNull,
    name: textOrNull,
    address: textOrNull,
    url: textOrNull,
    ...reported,
  },
  { title: 'LocationContent' },
)

const Card = Type.Object(
  {
    name: Type.Object(
      { formatted_name: Text },
      {
        additionalProperties: true,
        description: 'Also the parts of the name, such as `first_name`.',
      },
    ),
    phones: Type.Array(Type.Object({ phone: textOrNull, type: textOrNull, wa_id: textOrNull })),
    emails: Type.Array(AnyObject),
    addresses: Type.Array(AnyObject),
    urls: Type.Array(AnyObject),
    org: AnyObject,
    birthday: textOrNull,
    origin: textOrNull,
    vcard: Type.Optional(textOrNull),
  },
  { title: 'ContactCard' },
)
const ContactsContent = Type.Object(
  { contacts: Type.Array(Card), ...reported },
  { title: 'ContactsContent' },
)

/** The header of an interactive message: a text or a file. */
const Header = Type.Union([
  Text,
  Type.Object(
    {
      type: Type.String({ enum: ['image', 'video', 'document'] }),
      media_id: textOrNull,
      filename: textOrNull,
    },
    { title: 'MessageHeaderFile' },
  ),
  Type.Null(),
])
const frame = { body: Text, header: Header, footer: textOrNull }
const Section = <T extends TProperties>(own: T) =>
  Type.Array(Type.Object({ title: textOrNull, ...own }))
const reply = { id: textOrNull, title: textOrNull, description: textOrNull, ...reported }
const form = { data: objectOrNull, data_raw: Type.Optional(textOrNull), ...reported }

/** The content of an interactive message, sent or received, by kind. */
const InteractiveContent = withVariants(Type.Object({}, { title: 'InteractiveContent' }), 'kind', {
  button: { ...frame, buttons: Type.Array(Type.Object({ id: Text, title: Text })) },
  list: {
    ...frame,
    button_text: Text,
    sections: Section({
      rows: Type.Array(Type.Object({ id: Text, title: Text, description: textOrNull })),
    }),
  },
  cta_url: { ...frame, button_text: Text, url: Text },
  flow: {
    ...frame,
    button_text: Text,
    flow_id: Text,
    meta_flow_id: Text,
    flow_name: Text,
    mode: Type.String({ enum: ['draft', 'published'] }),
    flow_action: Type.String({ enum: ['navigate', 'data_exchange'] }),
    screen: textOrNull,
    data: objectOrNull,
    flow_token: Text,
  },
  location_request: frame,
  contact_request: frame,
  call_permission_request: frame,
  product: { ...frame, body: textOrNull, catalog_id: Text, product_retailer_id: Text },
  product_list: {
    ...frame,
    catalog_id: Text,
    sections: Section({ product_retailer_ids: Type.Array(Text) }),
  },
  catalog: { ...frame, thumbnail_product_retailer_id: textOrNull },
  media_carousel: {
    ...frame,
    cards: Type.Array(
      Type.Object({
        header: Type.Object({
          type: Type.String({ enum: ['image', 'video'] }),
          media_id: textOrNull,
          filename: textOrNull,
        }),
        body: textOrNull,
        button_text: Text,
        url: Text,
      }),
    ),
  },
  product_carousel: { ...frame, catalog_id: Text, product_retailer_ids: Type.Array(Text) },
  address_message: {
    ...frame,
    country: Text,
    values: objectOrNull,
    saved_addresses: Type.Array(Type.Object({ id: Text, value: AnyObject })),
    validation_errors: objectOrNull,
  },
  order_details: { ...frame, parameters: AnyObject },
  order_status: { ...frame, reference_id: Text, order_status: Text, description: textOrNull },
  voice_call: {
    ...frame,
    button_text: textOrNull,
    ttl_minutes: numberOrNull,
    payload: textOrNull,
  },
  button_reply: reply,
  list_reply: reply,
  template_button: { payload: textOrNull, title: textOrNull, ...reported },
  flow_reply: { ...form, flow_id: textOrNull, flow_token: textOrNull, body: textOrNull },
  address_reply: form,
  call_permission_reply: { response: textOrNull, expires_at: textOrNull, ...reported },
  other: { raw: Type.Optional(AnyObject), ...reported },
})

const TemplateContent = Type.Object(
  {
    template_id: Text,
    name: Text,
    language: Text,
    category: Text,
    header: Type.Union([Text, AnyObject, Type.Null()], {
      description: 'A text, or an object that describes a file or a place.',
    }),
    body: textOrNull,
    footer: textOrNull,
    offer: Type.Union([Type.Object({ text: Text, expires_at: textOrNull }), Type.Null()]),
    buttons: Type.Array(AnyObject),
    cards: Type.Array(AnyObject),
    params: Type.Record(Text, Type.Unknown(), { description: 'The values given for the text.' }),
  },
  { title: 'TemplateContent' },
)

const OrderContent = Type.Object(
  {
    catalog_id: textOrNull,
    text: textOrNull,
    items: Type.Array(OrderItem),
    total: numberOrNull,
    currency: textOrNull,
    ...reported,
  },
  { title: 'OrderContent' },
)

const SystemContent = Type.Object(
  {
    event: Type.String({
      enum: ['number_changed', 'user_id_changed', 'identity_changed', 'handover', 'other'],
      description:
        '`handover`: another responder of the number had the thread, and `text` is its summary of ' +
        'the conversation. A model wrote it, so show it and do not parse it.',
    }),
    text: textOrNull,
    old: Type.Union([Type.String(), Type.Null()], {
      description: 'The value before. For `handover`, the role of the former owner.',
    }),
    new: Type.Union([Type.String(), Type.Null()], {
      description: 'The value now. For `handover`, the role of the new owner.',
    }),
    ...reported,
  },
  { title: 'SystemContent' },
)

const UnsupportedContent = Type.Object(
  {
    platform_type: Type.String({ description: "The platform's name of the type." }),
    text: textOrNull,
    errors: Type.Array(AnyObject),
    raw: Type.Optional(AnyObject),
  },
  { title: 'UnsupportedContent' },
)

/** The schema of `content` by the type of its message. */
export const CONTENTS = {
  text: TextContent,
  image: FileContent,
  video: FileContent,
  audio: AudioContent,
  document: FileContent,
  sticker: StickerContent,
  location: LocationContent,
  contacts: ContactsContent,
  interactive: InteractiveContent,
  template: TemplateContent,
  order: OrderContent,
  system: SystemContent,
  unsupported: UnsupportedContent,
} as const satisfies Record<(typeof MESSAGE_TYPES)[number], TSchema>

/** `type` of a message, as fields of schemas show it. */
export const MessageType = Type.String({ enum: [...MESSAGE_TYPES] })

/** The fields that differ by the type of a message, for `withVariants`. */
export const CONTENT_BY_TYPE = Object.fromEntries(
  Object.entries(CONTENTS).map(([type, content]) => [type, { content }]),
)

/** The content of a message of any type, for schemas that are not told apart by `type`. */
export const AnyContent = Type.Unsafe<Record<string, unknown>>(
  Type.Record(Text, Type.Unknown(), { examples: [{ text: 'Hello!' }] }),
)

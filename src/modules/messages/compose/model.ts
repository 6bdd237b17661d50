import { Type, type Static, type TSchema } from '@sinclair/typebox'

import { freeObject, oneOf } from '../../../lib/fields'
import { withVariants } from '../../../lib/variants'
import { MessageView, RenderedMessage } from '../model'
import { INTERACTIVE_KINDS, LIMITS, MOST } from './rules'
import { INTERACTIVE_VARIANTS, messageVariants } from './by-type/model'

/** What can be sent. */
const SENDABLE_TYPES = [
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contacts',
  'interactive',
  'template',
] as const

/** What carries a file. */
const MEDIA_TYPES = ['image', 'video', 'audio', 'document', 'sticker'] as const

const Text = Type.String()
const Uuid = Type.String({ format: 'uuid' })
const Words = (description: string) => Type.Optional(Type.String({ description }))
const mediaSource = {
  media_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Id of a file you uploaded or see; or send `media_url`.',
    }),
  ),
  media_url: Words(
    'An http(s) address on the public internet; the file is fetched and kept by this server first.',
  ),
}

const Header = Type.Union(
  [
    Type.String({ description: `At most ${LIMITS.header} characters.` }),
    Type.Object({ type: Type.String({ enum: ['image', 'video', 'document'] }), ...mediaSource }),
  ],
  {
    description:
      'Words, or a file with button, cta_url and flow. Not with location_request, contact_request, product and catalog.',
  },
)

const Section = Type.Object({
  title: Words(
    `At most ${LIMITS.sectionTitle} characters; needed when there are several sections.`,
  ),
  rows: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String({ description: `At most ${LIMITS.rowId} characters, unique in the list.` }),
        title: Type.String({ description: `At most ${LIMITS.rowTitle} characters.` }),
        description: Words(`At most ${LIMITS.rowDescription} characters.`),
      }),
      { description: `Of a list; ${MOST.rows} in all sections together.` },
    ),
  ),
  product_retailer_ids: Type.Optional(
    Type.Array(Text, {
      description: `Of a product_list; ${MOST.products} in all sections together.`,
    }),
  ),
})

const Interactive = withVariants(
  Type.Object(
    {
      type: Type.String({ enum: [...INTERACTIVE_KINDS] }),
      body: Words(
        `At most ${LIMITS.body} characters, ${LIMITS.listBody} of a list; optional only with product.`,
      ),
      header: Type.Optional(Header),
      footer: Words(`At most ${LIMITS.footer} characters.`),
      buttons: Type.Optional(
        Type.Array(Type.Object({ id: Text, title: Text }), {
          description: `button: 1 to ${MOST.buttons}, each with an id of at most ${LIMITS.buttonId} and a title of at most ${LIMITS.buttonTitle} characters, all different.`,
        }),
      ),
      button_text: Words(`list, cta_url and flow: at most ${LIMITS.buttonText} characters.`),
      sections: Type.Optional(
        Type.Array(Section, { description: `list and product_list: 1 to ${MOST.sections}.` }),
      ),
      url: Words('cta_url: an http(s) address.'),
      flow_id: Words('flow: id of a published flow of this organization.'),
      mode: Type.Optional(
        Type.String({
          enum: ['draft', 'published'],
          description:
            'flow: draft sends a draft the platform has, for those who may change flows.',
        }),
      ),
      screen: Words(
        'flow: the first screen; without it a flow with an endpoint asks that, any other begins with its own first one.',
      ),
      data: Type.Optional(freeObject({ description: 'flow: what the first screen is given.' })),
      catalog_id: Words('product and product_list.'),
      product_retailer_id: Words('product.'),
      thumbnail_product_retailer_id: Words('catalog.'),
    },
    { title: 'NewInteractive', description: 'An interactive message.' },
  ),
  'type',
  INTERACTIVE_VARIANTS,
)
export type InteractiveInput = Static<typeof Interactive>

const cardEntries = (fields: Record<string, typeof Text>) =>
  Type.Optional(
    Type.Array(
      Type.Object(
        Object.fromEntries(
          Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]),
        ),
      ),
    ),
  )

const Card = Type.Object(
  {
    name: Type.Object({
      formatted_name: Text,
      first_name: Type.Optional(Text),
      last_name: Type.Optional(Text),
      middle_name: Type.Optional(Text),
      suffix: Type.Optional(Text),
      prefix: Type.Optional(Text),
    }),
    phones: cardEntries({ phone: Text, type: Text, wa_id: Text }),
    emails: cardEntries({ email: Text, type: Text }),
    addresses: cardEntries({
      street: Text,
      city: Text,
      state: Text,
      zip: Text,
      country: Text,
      country_code: Text,
      type: Text,
    }),
    urls: cardEntries({ url: Text, type: Text }),
    org: Type.Optional(
      Type.Object({
        company: Type.Optional(Text),
        department: Type.Optional(Text),
        title: Type.Optional(Text),
      }),
    ),
    birthday: Words('As YYYY-MM-DD.'),
  },
  { title: 'NewContactCard' },
)
export type CardInput = Static<typeof Card>

const headerMedia = {
  header_media_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description:
        "template: the file of its header; or send `header_media_url`. By default the template's own.",
    }),
  ),
  header_media_url: Words('template: an http(s) address of that file.'),
  header_media_filename: Words(
    `template: the name of a document in its header, at most ${LIMITS.filename} characters.`,
  ),
}

const Values = (description: string) => Type.Optional(freeObject({ description }))

const TEMPLATE_PARAMS =
  'template: values of the text, by name or number: `{"name":"Ana"}`, `{"1":"Ana"}`. Texts, numbers, yes and no; an amount or a date as `{"currency":{"fallback_value":"$100.99","code":"USD","amount_1000":100990}}` or `{"date_time":{"fallback_value":"July 1"}}`. Of authentication templates the code is `"1"`.'
const BUTTON_PARAMS =
  'template: values of buttons by their place from 0: the end of an address, the payload of a quick reply, a code to copy; of a catalog `{"thumbnail_product_retailer_id"}`, of products `{"thumbnail_product_retailer_id","sections":[{"title","product_retailer_ids":[]}]}`.'

/** What is filled in of one card. */
const TemplateCard = Type.Object({
  template_params: Values('Values of the text of the card.'),
  header_params: Values('Of a card that shows a product: `catalog_id`, `product_retailer_id`.'),
  button_params: Values('Values of the buttons of the card.'),
  ...headerMedia,
})

/**
 * A text is no list: of elements without required members what normalizes bodies would make one of
 * it. Members are looked at when a card is read.
 */
const Cards = Type.Unsafe<Static<typeof TemplateCard>[]>(
  Type.Array(
    freeObject({
      description:
        'As a template: `template_params`, `header_params`, `button_params`, `header_media_id`, `header_media_url`, `header_media_filename`.',
    }),
    {
      maxItems: 10,
      description: 'template: the cards of a carousel, in their order.',
    },
  ),
)

/** What says which template is sent, and what is filled in. */
export const templateMessage = {
  template_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'template: its id; or send `template_name`.' }),
  ),
  template_name: Words('template: its name.'),
  language: Words('template: with `template_name`, where it has several languages.'),
  template_params: Values(TEMPLATE_PARAMS),
  header_params: Values(
    'template: value of the text of the header, or `latitude`, `longitude`, `name` and `address` of a place.',
  ),
  button_params: Values(BUTTON_PARAMS),
  cards: Type.Optional(Cards),
  flow_params: Values('template: `flow_token` and `data` of the form behind its button.'),
  offer_expires_at: Type.Optional(
    Type.String({ format: 'date-time', description: 'template: when its offer ends.' }),
  ),
  ...headerMedia,
}

const message = {
  type: oneOf(SENDABLE_TYPES, {
    error: `must be one of ${SENDABLE_TYPES.join(', ')}. Send a reaction with POST /api/contacts/{id}/messages/{message_id}/reaction`,
  }),
  text: Words(`text: 1 to ${LIMITS.text} characters, not blank.`),
  content: Type.Optional(Type.Object({ text: Text }, { description: 'text: instead of `text`.' })),
  ...mediaSource,
  caption: Words(`image, video and document: at most ${LIMITS.caption} characters.`),
  filename: Words(`document: at most ${LIMITS.filename} characters.`),
  voice: Type.Optional(
    Type.Boolean({
      description:
        'audio: as a voice message. What is not ogg with one opus channel goes as plain audio, with a warning.',
    }),
  ),
  location: Type.Optional(
    Type.Object({
      latitude: Type.Number({ description: '-90 to 90' }),
      longitude: Type.Number({ description: '-180 to 180' }),
      name: Words(`At most ${LIMITS.place} characters.`),
      address: Words(`At most ${LIMITS.place} characters.`),
    }),
  ),
  contacts: Type.Optional(
    Type.Array(Card, {
      description: `contacts: 1 to ${MOST.contacts} cards, each with a formatted name and one more part of the name.`,
    }),
  ),
  interactive: Type.Optional(Interactive),
  ...templateMessage,
}

const around = {
  account_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description:
        'The number to send from; by default that of the message replied to, the one last used, else the default outgoing one.',
    }),
  ),
  reply_to: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Id of the message of this conversation that is quoted.',
    }),
  ),
  preview_url: Type.Optional(
    Type.Boolean({
      description: 'text: whether the customer sees a preview of the first link. Default false.',
    }),
  ),
  client_ref: Type.Optional(
    Type.String({ maxLength: 100, description: 'A reference of yours that is echoed.' }),
  ),
}

const whom = {
  contact_id: Type.Optional(Uuid),
  phone_number: Words(
    'In any form; instead of `contact_id`. Creates the contact when it is not known yet.',
  ),
  user_id: Words('A business-scoped user id; instead of `contact_id`.'),
}

const SEND_VARIANTS = messageVariants({
  card: Card,
  interactive: Interactive,
  template: templateMessage,
})

/** A message to a contact. */
export const NewMessage = withVariants(
  Type.Object(
    { ...message, ...around },
    {
      title: 'NewMessage',
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
  SEND_VARIANTS,
)
export type NewMessage = Static<typeof NewMessage>

/** A message to whoever is named in it. */
export const NewDirectMessage = withVariants(
  Type.Object(
    { ...whom, ...message, ...around },
    {
      title: 'NewDirectMessage',
      examples: [
        { phone_number: '+1 555 010 9999', type: 'text', text: 'Your order is on its way.' },
      ],
    },
  ),
  'type',
  SEND_VARIANTS,
)
export type NewDirectMessage = Static<typeof NewDirectMessage>

/** What goes with a file to whoever is named; values of a form are texts. */
export const mediaMessage = {
  ...whom,
  type: Type.Union(MEDIA_TYPES.map((type) => Type.Literal(type))),
  ...mediaSource,
  caption: message.caption,
  filename: message.filename,
  voice: Type.Optional(
    Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false')], {
      description: 'audio: as a voice message. Default false.',
    }),
  ),
  account_id: around.account_id,
  reply_to: around.reply_to,
  client_ref: around.client_ref,
}

/** Parts of a template that a form brings as JSON. */
export const TEMPLATE_PARTS = [
  'template_params',
  'header_params',
  'button_params',
  'cards',
  'flow_params',
] as const

const orJson = <S extends TSchema>(schema: S) =>
  Type.Union([schema, Type.String()], {
    description: `${schema.description ?? ''} In a form as JSON.`,
  })

/** A template to whoever is named; of a form its objects are JSON. */
export const templateBody = {
  ...whom,
  ...templateMessage,
  template_params: Type.Optional(orJson(templateMessage.template_params)),
  header_params: Type.Optional(orJson(templateMessage.header_params)),
  button_params: Type.Optional(orJson(templateMessage.button_params)),
  cards: Type.Optional(orJson(templateMessage.cards)),
  flow_params: Type.Optional(orJson(templateMessage.flow_params)),
  account_id: around.account_id,
  account_name: Words('The name of the number to send from; instead of `account_id`.'),
  reply_to: around.reply_to,
  client_ref: around.client_ref,
}

/** What a message would look like and come to. */
export const PreviewView = Type.Object(
  {
    rendered: RenderedMessage,
    platform_payload: Type.Record(Text, Type.Unknown(), {
      description:
        'What the platform would be asked. Files go by our ids here: the platform gives them its own when they are sent.',
    }),
    window_open: Type.Boolean({
      description: 'Whether it could be sent now; outside the window only templates can.',
    }),
    estimated_cost: Type.Union([Type.Object({ amount: Text, currency: Text }), Type.Null()], {
      description:
        'From the table of prices; null where it has no price, and of messages that are no templates.',
    }),
    warnings: MessageView.properties.warnings,
  },
  { title: 'MessagePreview' },
)
export type PreviewView = Static<typeof PreviewView>

/** What may be wrong with a send beside its input, as routes that send document it. */
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
  '429 queue_full',
] as const

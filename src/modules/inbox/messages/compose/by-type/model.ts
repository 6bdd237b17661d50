import { Type, type TProperties, type TSchema } from '@sinclair/typebox'

import { freeObject, oneOf } from '../../../../../lib/fields'
import { HEADER_FILES, LIMITS, MAX_COUNTS, MIN_CARDS, ORDER_STATUSES } from '../rules'

const text = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, ...(description === undefined ? {} : { description }) })
const optionalText = (maxLength: number, description?: string) =>
  Type.Optional(Type.String({ maxLength, ...(description === undefined ? {} : { description }) }))

const mediaSource = {
  media_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'ID of an uploaded file. Alternative to `media_url`.',
    }),
  ),
  media_url: optionalText(LIMITS.url, 'Public http(s) URL of the file. Alternative to `media_id`.'),
}

const HeaderFile = Type.Object(
  { type: oneOf(HEADER_FILES), ...mediaSource },
  { title: 'HeaderFileInput' },
)
const HeaderText = Type.String({ maxLength: LIMITS.header })
const header = Type.Optional(Type.Union([HeaderText, HeaderFile]))
const body = text(LIMITS.body)
const footer = optionalText(LIMITS.footer)
const button_text = text(LIMITS.buttonText)
const productId = text(LIMITS.productId)

const Section = <T extends TProperties>(own: T) =>
  Type.Array(
    Type.Object({
      title: optionalText(LIMITS.sectionTitle, 'Required with more than one section.'),
      ...own,
    }),
    { minItems: 1, maxItems: MAX_COUNTS.sections },
  )

/** The fields of an interactive message by kind, with the limits of the platform. */
export const INTERACTIVE_VARIANTS: Record<string, TProperties> = {
  button: {
    body,
    header,
    footer,
    buttons: Type.Array(
      Type.Object({ id: text(LIMITS.buttonId), title: text(LIMITS.buttonTitle) }),
      { minItems: 1, maxItems: MAX_COUNTS.buttons, description: 'IDs and titles are unique.' },
    ),
  },
  list: {
    body: text(LIMITS.listBody),
    header: Type.Optional(HeaderText),
    footer,
    button_text,
    sections: Section({
      rows: Type.Array(
        Type.Object({
          id: text(LIMITS.rowId, 'Unique in the list.'),
          title: text(LIMITS.rowTitle),
          description: optionalText(LIMITS.rowDescription),
        }),
        {
          minItems: 1,
          maxItems: MAX_COUNTS.rows,
          description: `At most ${MAX_COUNTS.rows} rows in all sections together.`,
        },
      ),
    }),
  },
  cta_url: { body, header, footer, button_text, url: text(LIMITS.url) },
  flow: {
    body,
    header,
    footer,
    button_text: text(
      LIMITS.draftButtonText,
      `At most ${LIMITS.buttonText} characters for a published Flow. No emoji.`,
    ),
    flow_id: Type.String({ description: 'ID of a published Flow of this organization.' }),
    mode: Type.Optional(oneOf(['draft', 'published'], { description: 'Default `published`.' })),
    screen: optionalText(LIMITS.screen, 'The first screen.'),
    data: Type.Optional(freeObject({ description: 'Data for the first screen.' })),
  },
  location_request: { body, footer },
  contact_request: { body, footer },
  call_permission_request: { body, footer },
  product: {
    body: optionalText(LIMITS.body),
    footer,
    catalog_id: productId,
    product_retailer_id: productId,
  },
  product_list: {
    body,
    header: text(LIMITS.header),
    footer,
    catalog_id: productId,
    sections: Section({
      product_retailer_ids: Type.Array(productId, {
        minItems: 1,
        maxItems: MAX_COUNTS.products,
        description: `At most ${MAX_COUNTS.products} products in all sections together.`,
      }),
    }),
  },
  catalog: { body, footer, thumbnail_product_retailer_id: optionalText(LIMITS.productId) },
  product_carousel: {
    body,
    catalog_id: productId,
    product_retailer_ids: Type.Array(productId, {
      minItems: MIN_CARDS,
      maxItems: MAX_COUNTS.carouselCards,
      description: 'One card for each product.',
    }),
  },
  media_carousel: {
    body,
    cards: Type.Array(
      Type.Object({
        header: Type.Object({ type: oneOf(['image', 'video']), ...mediaSource }),
        body: optionalText(LIMITS.cardBody),
        button_text,
        url: text(LIMITS.url),
      }),
      {
        minItems: MIN_CARDS,
        maxItems: MAX_COUNTS.carouselCards,
        description: 'Headers of all cards have the same type.',
      },
    ),
  },
  address_message: {
    body,
    header: Type.Optional(HeaderText),
    footer,
    country: Type.String({ description: 'Country (ISO 3166-1 alpha-2), in upper case.' }),
    values: Type.Optional(freeObject({ description: 'Fields that are filled in already.' })),
    saved_addresses: Type.Optional(
      Type.Array(
        Type.Object({ id: text(LIMITS.rowId), value: freeObject({ description: 'Its fields.' }) }),
        { maxItems: MAX_COUNTS.savedAddresses, description: 'Addresses to choose from.' },
      ),
    ),
    validation_errors: Type.Optional(
      freeObject({ description: 'A sentence for each field that was not accepted.' }),
    ),
  },
  order_details: {
    body,
    header,
    footer,
    parameters: freeObject({
      description:
        'The payment request as the platform documents it for the country: `reference_id` (at ' +
        `most ${LIMITS.reference} characters), \`type\`, \`currency\`, \`total_amount\`, ` +
        '`order` and the payment settings. Amounts are `{value, offset}`.',
    }),
  },
  order_status: {
    body,
    footer,
    reference_id: text(LIMITS.reference, 'The reference of the payment request.'),
    order_status: oneOf(ORDER_STATUSES),
    description: optionalText(LIMITS.orderDescription),
  },
  voice_call: {
    body,
    footer,
    button_text: optionalText(LIMITS.buttonText),
    ttl_minutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LIMITS.callMinutes,
        description: 'How long the button works. The platform uses 7 days by default.',
      }),
    ),
    payload: optionalText(LIMITS.callPayload, 'Returned with the call.'),
  },
}

const caption = optionalText(LIMITS.caption)

/** The fields of a message to send, by type. */
export const messageVariants = (parts: {
  card: TSchema
  interactive: TSchema
  template: TProperties
}): Record<string, TProperties> => ({
  text: {
    text: optionalText(LIMITS.text, 'Required, here or in `content`. Not blank.'),
    content: Type.Optional(Type.Object({ text: text(LIMITS.text) })),
    preview_url: Type.Optional(
      Type.Boolean({
        description: 'Whether to show a preview of the first link. Defaults to `false`.',
      }),
    ),
  },
  image: { ...mediaSource, caption },
  video: { ...mediaSource, caption },
  audio: {
    ...mediaSource,
    voice: Type.Optional(
      Type.Boolean({ description: 'Whether to send it as a voice message. Defaults to `false`.' }),
    ),
  },
  document: { ...mediaSource, caption, filename: optionalText(LIMITS.filename) },
  sticker: mediaSource,
  location: {
    location: Type.Object({
      latitude: Type.Number({ minimum: -90, maximum: 90 }),
      longitude: Type.Number({ minimum: -180, maximum: 180 }),
      name: optionalText(LIMITS.place),
      address: optionalText(LIMITS.place),
    }),
  },
  contacts: { contacts: Type.Array(parts.card, { minItems: 1, maxItems: MAX_COUNTS.contacts }) },
  interactive: { interactive: parts.interactive },
  template: parts.template,
})

import { Type, type Static, type TProperties, type TSchema } from '@sinclair/typebox'

import { checkedText, freeObject, oneOf, patternText } from '../../../../../lib/fields'
import { optionalText, text } from '../../../../../lib/read-fields'
import { withVariants } from '../../../../../lib/variants'
import { isWebAddress } from '../../../../../lib/web-url'
import { HEADER_FILES, LIMITS, MAX_COUNTS, MIN_CARDS, ORDER_STATUSES } from '../rules'

/** A text, and an optional one, of which only the type is said. */
export const Text = Type.String()
export const Words = Type.Optional(Text)

/** The file of a message or header: one of both. */
export const fileSource = {
  media_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'ID of an uploaded file. Alternative to `media_url`.',
    }),
  ),
  media_url: optionalText(LIMITS.url, 'Public http(s) URL of the file. Alternative to `media_id`.'),
}

/** The same of which only the types are said. */
export const mediaSource = {
  media_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'ID of a file you uploaded or can see. Alternative to `media_url`.',
    }),
  ),
  media_url: Type.Optional(
    Type.String({
      description: 'Public http(s) URL. The server downloads and stores the file before sending.',
    }),
  ),
}

const HeaderText = Type.String({ maxLength: LIMITS.header })
const header = Type.Optional(
  Type.Union([
    HeaderText,
    Type.Object({ type: oneOf(HEADER_FILES), ...fileSource }, { title: 'HeaderFileInput' }),
  ]),
)
const body = text(LIMITS.body)
export const Footer = optionalText(LIMITS.footer)
const button_text = text(LIMITS.buttonText)
const productId = text(LIMITS.productId)
const url = checkedText('web-address', isWebAddress, 'must be an http or https URL', {
  minLength: 1,
  maxLength: LIMITS.url,
})

const flowButton = (maxLength: number, description?: string) =>
  checkedText(
    `flow-button-${maxLength}`,
    (label) => !/\p{Extended_Pictographic}/u.test(label),
    'must not contain emoji',
    { minLength: 1, maxLength, ...(description === undefined ? {} : { description }) },
  )

const sections = <T extends TSchema, P extends TProperties>(title: T, own: P) =>
  Type.Array(Type.Object({ title, ...own }), { minItems: 1, maxItems: MAX_COUNTS.sections })
const sectionTitle = optionalText(LIMITS.sectionTitle, 'Required with more than one section.')
const rows = Type.Array(
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
)
const product_retailer_ids = Type.Array(productId, {
  minItems: 1,
  maxItems: MAX_COUNTS.products,
  description: `At most ${MAX_COUNTS.products} products in all sections together.`,
})

/** The fields of an interactive message by kind, with the limits of the platform. */
export const KINDS = {
  button: {
    body,
    header,
    footer: Footer,
    buttons: Type.Array(
      Type.Object({ id: text(LIMITS.buttonId), title: text(LIMITS.buttonTitle) }),
      { minItems: 1, maxItems: MAX_COUNTS.buttons, description: 'IDs and titles are unique.' },
    ),
  },
  list: {
    body: text(LIMITS.listBody),
    header: Type.Optional(HeaderText),
    footer: Footer,
    button_text,
    sections: sections(sectionTitle, { rows }),
  },
  cta_url: { body, header, footer: Footer, button_text, url },
  flow: {
    body,
    header,
    footer: Footer,
    flow_id: Type.String({ description: 'ID of a published Flow of this organization.' }),
    button_text: flowButton(
      LIMITS.draftButtonText,
      `At most ${LIMITS.buttonText} characters for a published Flow. No emoji.`,
    ),
    mode: Type.Optional(oneOf(['draft', 'published'], { description: 'Default `published`.' })),
    screen: optionalText(LIMITS.screen, 'The first screen.'),
    data: Type.Optional(freeObject({ description: 'Data for the first screen.' })),
  },
  location_request: { body, footer: Footer },
  contact_request: { body, footer: Footer },
  product: {
    body: optionalText(LIMITS.body),
    footer: Footer,
    catalog_id: productId,
    product_retailer_id: productId,
  },
  product_list: {
    body,
    header: text(LIMITS.header),
    footer: Footer,
    catalog_id: productId,
    sections: sections(sectionTitle, { product_retailer_ids }),
  },
  catalog: { body, footer: Footer, thumbnail_product_retailer_id: optionalText(LIMITS.productId) },
  product_carousel: {
    body,
    product_retailer_ids: Type.Array(productId, {
      minItems: MIN_CARDS,
      maxItems: MAX_COUNTS.carouselCards,
      description: 'One card for each product.',
    }),
    catalog_id: productId,
  },
  media_carousel: {
    body,
    cards: Type.Array(
      Type.Object({
        header: Type.Object({ type: oneOf(['image', 'video']), ...fileSource }),
        body: optionalText(LIMITS.cardBody),
        button_text,
        url,
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
    footer: Footer,
    country: patternText('^[A-Z]{2}$', 'must be a country code such as IN', {
      maxLength: 2,
      description: 'Country (ISO 3166-1 alpha-2), in upper case.',
    }),
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
    footer: Footer,
    parameters: freeObject({
      description:
        'The payment request as the platform documents it for the country: `reference_id` (at ' +
        `most ${LIMITS.reference} characters), \`type\`, \`currency\`, \`total_amount\`, ` +
        '`order` and the payment settings. Amounts are `{value, offset}`.',
    }),
  },
  order_status: {
    body,
    footer: Footer,
    order_status: oneOf(ORDER_STATUSES, { missing: `must be one of ${ORDER_STATUSES.join(', ')}` }),
    reference_id: text(LIMITS.reference, 'The reference of the payment request.'),
    description: optionalText(LIMITS.orderDescription),
  },
  call_permission_request: { body, footer: Footer },
  voice_call: {
    body,
    footer: Footer,
    ttl_minutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LIMITS.callMinutes,
        description: 'How long the button works. The platform uses 7 days by default.',
      }),
    ),
    button_text: optionalText(LIMITS.buttonText),
    payload: optionalText(LIMITS.callPayload, 'Returned with the call.'),
  },
} satisfies Record<string, TProperties>

/** Fields that are stricter than those of their kind: in several sections, in a published Flow. */
export const STRICTER = {
  list: { sections: sections(text(LIMITS.sectionTitle), { rows }) },
  product_list: { sections: sections(text(LIMITS.sectionTitle), { product_retailer_ids }) },
  flow: { button_text: flowButton(LIMITS.buttonText) },
}

const free = Type.Optional(freeObject())

/** The types of the fields of all kinds. Once these are right, `KINDS` judges what each may hold. */
export const Interactive = withVariants(
  Type.Object(
    {
      type: oneOf(Object.keys(KINDS) as [keyof typeof KINDS]),
      body: Words,
      header: Type.Optional(
        Type.Union([Text, Type.Object({ type: oneOf(HEADER_FILES), ...mediaSource })]),
      ),
      footer: Words,
      buttons: Type.Optional(Type.Array(Type.Object({ id: Text, title: Text }))),
      button_text: Words,
      sections: Type.Optional(
        Type.Array(
          Type.Object({
            title: Words,
            rows: Type.Optional(
              Type.Array(Type.Object({ id: Text, title: Text, description: Words })),
            ),
            product_retailer_ids: Type.Optional(Type.Array(Text)),
          }),
        ),
      ),
      url: Words,
      flow_id: Words,
      mode: Type.Optional(oneOf(['draft', 'published'], { error: 'must be draft or published' })),
      screen: Words,
      data: free,
      catalog_id: Words,
      product_retailer_id: Words,
      thumbnail_product_retailer_id: Words,
      product_retailer_ids: Type.Optional(Type.Array(Text)),
      cards: Type.Optional(
        Type.Array(
          Type.Object({
            header: Type.Object({ type: oneOf(['image', 'video']), ...mediaSource }),
            body: Words,
            button_text: Words,
            url: Words,
          }),
        ),
      ),
      country: Words,
      values: free,
      saved_addresses: Type.Optional(Type.Array(Type.Object({ id: Text, value: freeObject() }))),
      validation_errors: free,
      parameters: free,
      reference_id: Words,
      order_status: Type.Optional(oneOf(ORDER_STATUSES)),
      description: Words,
      ttl_minutes: Type.Optional(Type.Integer()),
      payload: Words,
    },
    { title: 'InteractiveInput', description: 'An interactive message.' },
  ),
  'type',
  KINDS,
)
export type InteractiveInput = Static<typeof Interactive>

import { Type, type Static } from '@sinclair/typebox'
import { freeObject, oneOf } from '../../../../../lib/fields'
import { withVariants } from '../../../../../lib/variants'
import {
  HEADER_FILES,
  INTERACTIVE_KINDS,
  LIMITS,
  MAX_COUNTS,
  MIN_CARDS,
  ORDER_STATUSES,
} from '../rules'
import { INTERACTIVE_VARIANTS } from '../by-type/model'

export const Text = Type.String()

/** An optional text field. */
export const Words = (description: string) => Type.Optional(Type.String({ description }))
export const mediaSource = {
  media_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'ID of a file you uploaded or can see. Alternative to `media_url`.',
    }),
  ),
  media_url: Words('Public http(s) URL. The server downloads and stores the file before sending.'),
}

const Header = Type.Union(
  [
    Type.String({ description: `Up to ${LIMITS.header} characters.` }),
    Type.Object({ type: oneOf(HEADER_FILES), ...mediaSource }),
  ],
  {
    description:
      'Text for `list`, `product_list` and `address_message`. Text or a file for `button`, ' +
      '`cta_url`, `flow` and `order_details`. Not allowed for other kinds.',
  },
)

const Section = Type.Object({
  title: Words(`Up to ${LIMITS.sectionTitle} characters. Required with several sections.`),
  rows: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String({ description: `Up to ${LIMITS.rowId} characters, unique in the list.` }),
        title: Type.String({ description: `Up to ${LIMITS.rowTitle} characters.` }),
        description: Words(`Up to ${LIMITS.rowDescription} characters.`),
      }),
      { description: `For \`list\`: up to ${MAX_COUNTS.rows} in all sections together.` },
    ),
  ),
  product_retailer_ids: Type.Optional(
    Type.Array(Text, {
      description: `For \`product_list\`: up to ${MAX_COUNTS.products} in all sections together.`,
    }),
  ),
})

export const Interactive = withVariants(
  Type.Object(
    {
      type: oneOf(INTERACTIVE_KINDS),
      body: Words(
        `Up to ${LIMITS.body} characters, ${LIMITS.listBody} for \`list\`. Optional only for ` +
          '`product`.',
      ),
      header: Type.Optional(Header),
      footer: Words(`Up to ${LIMITS.footer} characters.`),
      buttons: Type.Optional(
        Type.Array(Type.Object({ id: Text, title: Text }), {
          description:
            `For \`button\`: 1 to ${MAX_COUNTS.buttons} buttons, each with an ID of up to ` +
            `${LIMITS.buttonId} and a title of up to ${LIMITS.buttonTitle} characters, all ` +
            'different.',
        }),
      ),
      button_text: Words(
        `For \`list\`, \`cta_url\`, \`flow\` and \`voice_call\`: up to ${LIMITS.buttonText} characters.`,
      ),
      sections: Type.Optional(
        Type.Array(Section, {
          description: `For \`list\` and \`product_list\`: 1 to ${MAX_COUNTS.sections}.`,
        }),
      ),
      url: Words('For `cta_url`: an http(s) URL.'),
      flow_id: Words('For `flow`: ID of a published flow of this organization.'),
      mode: Type.Optional(
        oneOf(['draft', 'published'], {
          error: 'must be draft or published',
          description:
            'For `flow`: `draft` sends a draft that is saved to the platform. Requires ' +
            '`flows:update`.',
        }),
      ),
      screen: Words(
        'For `flow`: the first screen. By default, a flow with an endpoint asks the endpoint, ' +
          'and any other flow starts with its own first screen.',
      ),
      data: Type.Optional(freeObject({ description: 'For `flow`: data for the first screen.' })),
      catalog_id: Words('For `product` and `product_list`.'),
      product_retailer_id: Words('For `product`.'),
      thumbnail_product_retailer_id: Words('For `catalog`.'),
      product_retailer_ids: Type.Optional(
        Type.Array(Text, {
          description: `For \`product_carousel\`: ${MIN_CARDS} to ${MAX_COUNTS.carouselCards}.`,
        }),
      ),
      cards: Type.Optional(
        Type.Array(
          Type.Object({
            header: Type.Object({
              type: oneOf(['image', 'video']),
              ...mediaSource,
            }),
            body: Words(`Up to ${LIMITS.cardBody} characters.`),
            button_text: Words(`Up to ${LIMITS.buttonText} characters.`),
            url: Words('An http(s) URL.'),
          }),
          { description: `For \`media_carousel\`: ${MIN_CARDS} to ${MAX_COUNTS.carouselCards}.` },
        ),
      ),
      country: Words('For `address_message`: a country code such as IN.'),
      values: Type.Optional(freeObject({ description: 'For `address_message`: known fields.' })),
      saved_addresses: Type.Optional(
        Type.Array(Type.Object({ id: Text, value: freeObject({ description: 'Its fields.' }) }), {
          description: `For \`address_message\`: up to ${MAX_COUNTS.savedAddresses}.`,
        }),
      ),
      validation_errors: Type.Optional(
        freeObject({ description: 'For `address_message`: a sentence for each wrong field.' }),
      ),
      parameters: Type.Optional(
        freeObject({
          description: "For `order_details`: the platform's parameters of a payment request.",
        }),
      ),
      reference_id: Words(`For \`order_status\`: up to ${LIMITS.reference} characters.`),
      order_status: Type.Optional(oneOf(ORDER_STATUSES, { description: 'For `order_status`.' })),
      description: Words(`For \`order_status\`: up to ${LIMITS.orderDescription} characters.`),
      ttl_minutes: Type.Optional(
        Type.Integer({
          description: `For \`voice_call\`: 1 to ${LIMITS.callMinutes}, how long the button works.`,
        }),
      ),
      payload: Words(`For \`voice_call\`: up to ${LIMITS.callPayload} characters.`),
    },
    { title: 'InteractiveInput', description: 'An interactive message.' },
  ),
  'type',
  INTERACTIVE_VARIANTS,
)
export type InteractiveInput = Static<typeof Interactive>

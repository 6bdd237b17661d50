import { Type, type Static } from '@sinclair/typebox'
import { freeObject } from '../../../../../lib/fields'
import { LIMITS } from '../rules'

const described = (description: string) => Type.Optional(Type.String({ description }))

const headerMedia = {
  header_media_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description:
        'For `template`: file for the header. Alternative to `header_media_url`. Defaults to ' +
        "the template's own file.",
    }),
  ),
  header_media_url: described('For `template`: public http(s) URL of the header file.'),
  header_media_filename: described(
    `For \`template\`: file name of a document in the header, up to ${LIMITS.filename} ` +
      'characters.',
  ),
}

const Values = (description: string) => Type.Optional(freeObject({ description }))

const TEMPLATE_PARAMS =
  'For `template`: values of the body variables, by name or number, for example ' +
  '`{"name":"Ana"}` or `{"1":"Ana"}`. Strings, numbers, booleans, or an object such as ' +
  '`{"currency":{"fallback_value":"$100.99","code":"USD","amount_1000":100990}}` or ' +
  '`{"date_time":{"fallback_value":"July 1"}}`. For authentication templates, the code ' +
  'is `"1"`.'
const BUTTON_PARAMS =
  'For `template`: button values by zero-based index: the URL suffix, quick-reply ' +
  'payload, or copy code. For a catalog button `{"thumbnail_product_retailer_id"}`, for ' +
  'a multi-product button ' +
  '`{"thumbnail_product_retailer_id","sections":[{"title","product_retailer_ids":[]}]}`.'

/** The values of one card. */
const TemplateCard = Type.Object({
  template_params: Values("Values of the card's body variables."),
  header_params: Values('For a card that shows a product: `catalog_id` and `product_retailer_id`.'),
  button_params: Values("Values of the card's buttons."),
  ...headerMedia,
})

/**
 * The array keeps free objects: a schema without required members would let the body normalizer
 * turn a text into a list. The fields are validated when a card is read.
 */
const Cards = Type.Unsafe<Static<typeof TemplateCard>[]>(
  Type.Array(
    freeObject({
      description:
        'Same fields as for a template: `template_params`, `header_params`, `button_params`, ' +
        '`header_media_id`, `header_media_url`, `header_media_filename`.',
    }),
    {
      maxItems: 10,
      description: 'For `template`: the cards of a carousel, in order.',
    },
  ),
)

/** Fields that select a template and its values. */
export const templateMessage = {
  template_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'For `template`: ID of the template. Alternative to `template_name`.',
    }),
  ),
  template_name: described('For `template`: name of the template.'),
  language: described(
    'For `template`: language, required with `template_name` if the template has several.',
  ),
  template_params: Values(TEMPLATE_PARAMS),
  header_params: Values(
    'For `template`: value of the header variable, or `latitude`, `longitude`, `name` and ' +
      '`address` of a location.',
  ),
  button_params: Values(BUTTON_PARAMS),
  cards: Type.Optional(Cards),
  flow_params: Values('For `template`: `flow_token` and `data` for the flow of its button.'),
  offer_expires_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'For `template`: when its limited-time offer ends.',
    }),
  ),
  ...headerMedia,
}

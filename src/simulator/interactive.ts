import { mediaRule } from './media-rules'
import {
  all,
  anyObject,
  exactlyOne,
  fields,
  invalid,
  isObject,
  link,
  list,
  missing,
  numeric,
  oneOf,
  someText,
  text,
} from './rules'
import type { Problem, Rule } from './rules'

const BODY = 1024
const LIST_BODY = 4096

const bodyOf = (max: number): Rule => fields({ required: { text: text(max) } })
const footer: Rule = fields({ required: { text: text(60) } })

/** A header of one of the given kinds. The content is under the key named after the kind. */
function headerOf(...kinds: string[]): Rule {
  const parts = {
    text: text(60),
    sub_text: text(60),
    image: mediaRule('image'),
    video: mediaRule('video'),
    document: mediaRule('document'),
  }
  return (value, at) => {
    const problem = fields({ required: { type: oneOf(...kinds) }, optional: parts })(value, at)
    if (problem !== undefined || !isObject(value)) return problem
    const kind = String(value['type'])
    return kinds.includes(kind) && value[kind] === undefined
      ? missing(`${at}['${kind}']`)
      : undefined
  }
}

const richHeader = headerOf('text', 'image', 'video', 'document')

/** Checks that the values under this key are distinct. */
function distinct(
  items: unknown[],
  read: (item: unknown) => unknown,
  at: string,
): Problem | undefined {
  const values = items.map(read).filter((value) => value !== undefined)
  return new Set(values).size === values.length ? undefined : invalid(at, 'must be unique')
}

const at2 = (item: unknown, outer: string, inner: string): unknown => {
  const part = isObject(item) ? item[outer] : undefined
  return isObject(part) ? part[inner] : undefined
}

const label = fields({ required: { id: text(256), title: text(20) } })
const replyButton = fields({ required: { type: oneOf('reply'), reply: label } })

const buttons: Rule = (value, at) => {
  const problem = list(replyButton, 1, 3)(value, at)
  if (problem !== undefined || !Array.isArray(value)) return problem
  return (
    distinct(value, (item) => at2(item, 'reply', 'id'), `${at} ids`) ??
    distinct(value, (item) => at2(item, 'reply', 'title'), `${at} titles`)
  )
}

const row = fields({
  required: { id: text(200), title: text(24) },
  optional: { description: text(72, { min: 0 }) },
})
const section = fields({
  required: { rows: list(row, 1, 10) },
  optional: { title: text(24, { min: 0 }) },
})

/**
 * Sections of a list: at most ten rows in total, with titles if there are several sections
 * (platform document 2.3).
 */
const listSections: Rule = (value, at) => {
  const problem = list(section, 1, 10)(value, at)
  if (problem !== undefined || !Array.isArray(value)) return problem
  const rows = value.flatMap((part: unknown) =>
    isObject(part) && Array.isArray(part['rows']) ? part['rows'] : [],
  )
  if (rows.length > 10)
    return invalid(at, `has ${rows.length} rows in total, at most 10 are allowed`)
  const untitled = value.findIndex(
    (part: unknown) => !isObject(part) || part['title'] === undefined || part['title'] === '',
  )
  if (value.length > 1 && untitled >= 0) return missing(`${at}[${untitled}]['title']`)
  return distinct(rows, (item) => (isObject(item) ? item['id'] : undefined), `${at} row ids`)
}

const productSection = fields({
  required: { product_items: list(fields({ required: { product_retailer_id: someText } }), 1, 30) },
  optional: { title: text(24) },
})

const productSections: Rule = (value, at) => {
  const problem = list(productSection, 1, 10)(value, at)
  if (problem !== undefined || !Array.isArray(value)) return problem
  const count = value.flatMap((part: unknown) =>
    isObject(part) && Array.isArray(part['product_items']) ? part['product_items'] : [],
  ).length
  if (count > 30) return invalid(at, `has ${count} products in total, at most 30 are allowed`)
  const untitled = value.findIndex(
    (part: unknown) => !isObject(part) || part['title'] === undefined,
  )
  return value.length > 1 && untitled >= 0 ? missing(`${at}[${untitled}]['title']`) : undefined
}

const flowScreen = fields({
  required: { screen: someText },
  optional: {
    data: (value, at) =>
      anyObject(value, at) ??
      (isObject(value) && Object.keys(value).length === 0
        ? invalid(at, 'must not be empty')
        : undefined),
  },
})

const flowCall: Rule = fields({
  required: {
    flow_message_version: oneOf('3'),
    flow_cta: (value, at) =>
      text(30)(value, at) ??
      (/\p{Extended_Pictographic}/u.test(String(value))
        ? invalid(at, 'must not contain emoji')
        : undefined),
  },
  optional: {
    flow_token: someText,
    flow_id: someText,
    flow_name: someText,
    mode: oneOf('draft', 'published'),
    flow_action: oneOf('navigate', 'data_exchange'),
    flow_action_payload: flowScreen,
  },
})

const flowParameters: Rule = all(flowCall, exactlyOne('flow_id', 'flow_name'), (value, at) => {
  const exchange =
    isObject(value) &&
    value['flow_action'] === 'data_exchange' &&
    value['flow_action_payload'] !== undefined
  return exchange
    ? invalid(`${at}['flow_action_payload']`, 'is not allowed with data_exchange')
    : undefined
})

const amount = fields({
  required: { value: numeric(0, 1e15, { whole: true }), offset: numeric(1, 1e6, { whole: true }) },
  open: true,
})

const orderItem = fields({
  required: { name: someText, amount, quantity: numeric(1, 1e6) },
  optional: { retailer_id: someText, sale_amount: amount },
  open: true,
})

const orderParameters = {
  required: {
    reference_id: someText,
    type: oneOf('digital-goods', 'physical-goods'),
    currency: text(3, { min: 3 }),
    total_amount: amount,
    order: fields({
      required: { status: oneOf('pending'), items: list(orderItem, 1, 999), subtotal: amount },
      open: true,
    }),
  },
  open: true,
}

const orderStatus = fields({
  required: {
    reference_id: someText,
    order: fields({
      required: {
        status: oneOf(
          'pending',
          'processing',
          'partially_shipped',
          'shipped',
          'completed',
          'canceled',
        ),
      },
      optional: { description: text(120) },
      open: true,
    }),
  },
  open: true,
})

const named = (name: string, parameters?: Rule, needed = true): Rule =>
  fields({
    required: { name: oneOf(name), ...(parameters !== undefined && needed ? { parameters } : {}) },
    optional: parameters !== undefined && !needed ? { parameters } : {},
  })

const ctaUrl = named('cta_url', fields({ required: { display_text: text(20), url: link } }))
const replies = fields({ required: { buttons } })
const product = fields({ required: { catalog_id: someText, product_retailer_id: someText } })

const quickReply = all(
  fields({
    required: { type: oneOf('quick_reply', 'reply') },
    optional: { quick_reply: label, reply: label },
  }),
  exactlyOne('quick_reply', 'reply'),
)

const card: Rule = (value, at) =>
  fields({
    required: {
      card_index: numeric(0, 9, { whole: true }),
      type: oneOf('cta_url', 'button', 'quick_reply', 'product'),
      action: fields({ open: true }),
    },
    optional: { header: headerOf('image', 'video'), body: bodyOf(160) },
  })(value, at) ?? cardAction(value, at)

function cardAction(card: unknown, at: string): Problem | undefined {
  if (!isObject(card)) return undefined
  const rule =
    card['type'] === 'cta_url'
      ? ctaUrl
      : card['type'] === 'product'
        ? product
        : fields({ required: { buttons: list(quickReply, 1, 2) } })
  return rule(card['action'], `${at}['action']`)
}

const callParameters = fields({
  optional: {
    display_text: text(20),
    ttl_minutes: numeric(1, 43_200, { whole: true }),
    payload: text(512),
  },
})

const addressParameters = fields({
  required: { country: text(2, { min: 2 }) },
  optional: {
    values: anyObject,
    validation_errors: anyObject,
    saved_addresses: list(anyObject, 0, 100),
  },
  open: true,
})

type Parts = {
  action: Rule
  body?: number | 'optional'
  header?: Rule | 'required-text'
  footer?: boolean
}

/**
 * Rules of each interactive kind: its action, and which of header, body and footer it allows or
 * requires.
 */
const KINDS: Readonly<Record<string, Parts>> = {
  button: { action: replies, header: richHeader },
  list: {
    action: fields({ required: { button: text(20), sections: listSections } }),
    header: headerOf('text'),
    body: LIST_BODY,
  },
  cta_url: { action: ctaUrl, header: richHeader },
  flow: { action: named('flow', flowParameters), header: richHeader },
  location_request_message: { action: named('send_location') },
  contact_request: { action: named('request_contact_info') },
  // As a public client library writes the same request.
  request_contact_info: { action: named('request_contact_info') },
  product: { action: product, body: 'optional' },
  product_list: {
    action: fields({ required: { catalog_id: someText, sections: productSections } }),
    header: 'required-text',
  },
  catalog_message: {
    action: named(
      'catalog_message',
      fields({ optional: { thumbnail_product_retailer_id: someText } }),
      false,
    ),
  },
  voice_call: { action: named('voice_call', callParameters, false) },
  call_permission_request: { action: named('call_permission_request') },
  carousel: { action: fields({ required: { cards: list(card, 2, 10) } }), footer: false },
  order_details: {
    action: named('review_and_pay', fields(orderParameters)),
    header: headerOf('image', 'video', 'document', 'text'),
  },
  order_status: { action: named('review_order', orderStatus) },
  address_message: { action: named('address_message', addressParameters), header: richHeader },
}

function shapeOf(parts: Parts): Rule {
  const body = bodyOf(typeof parts.body === 'number' ? parts.body : BODY)
  const header = parts.header === 'required-text' ? headerOf('text') : parts.header
  return fields({
    required: {
      type: someText,
      action: parts.action,
      ...(parts.body === 'optional' ? {} : { body }),
      ...(parts.header === 'required-text' && header !== undefined ? { header } : {}),
    },
    optional: {
      body,
      ...(header === undefined
        ? { header: (_value, at) => invalid(at, 'is not allowed for this type') }
        : { header }),
      ...(parts.footer === false ? {} : { footer }),
    },
  })
}

const SHAPES = new Map(Object.entries(KINDS).map(([kind, parts]) => [kind, shapeOf(parts)]))

/**
 * The older form of a payment request, nested one level deeper, with parameters directly in the
 * action.
 */
const nestedOrder = fields({
  required: { body: bodyOf(BODY), action: fields(orderParameters) },
  optional: { header: headerOf('image', 'video', 'document', 'text'), footer },
})

/** An interactive message of any supported kind (platform document 2.2, limits 2.3). */
export const interactive: Rule = (value, at) => {
  if (!isObject(value)) return { code: 100, details: `Param ${at} must be an object.` }
  const kind = value['type']
  if (kind === undefined) return missing(`${at}['type']`)
  if (kind === 'order_details' && value['order_details'] !== undefined)
    return nestedOrder(value['order_details'], `${at}['order_details']`)
  const shape = typeof kind === 'string' ? SHAPES.get(kind) : undefined
  return shape === undefined
    ? invalid(`${at}['type']`, `must be one of {${[...SHAPES.keys()].join(', ')}}`)
    : shape(value, at)
}

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { CONTENTS } from '../../../../src/modules/inbox/messages/content/model'
import type { Loose } from '../../../support/client'
import { exactCheck } from '../../../support/exact-schema'
import { openSendFixture, tracesIn, type SendFixture } from '../../../support/sending'

let fixture: SendFixture

beforeAll(async () => {
  fixture = await openSendFixture()
})

afterAll(() => fixture.world.stop())

const FRAME = { header: null, footer: null }
const amount = (value: number): Loose => ({ value, offset: 100 })
const PAYMENT = {
  reference_id: 'order-12',
  type: 'physical-goods',
  currency: 'INR',
  total_amount: amount(2_500),
  payment_settings: [{ type: 'payment_gateway', payment_gateway: { type: 'razorpay' } }],
  order: {
    status: 'pending',
    items: [{ retailer_id: 'sku-77', name: 'Hat', amount: amount(1_250), quantity: 2 }],
    subtotal: amount(2_500),
    tax: amount(0),
  },
}
const ADDRESS = {
  country: 'IN',
  values: { name: 'Ana', in_pin_code: '400063' },
  saved_addresses: [{ id: 'home', value: { city: 'Mumbai' } }],
  validation_errors: { in_pin_code: 'We do not deliver there.' },
}
const CATALOG = { catalog_id: '401', product_retailer_ids: ['sku-77', 'sku-78'] }

/** Of each kind: what is sent, what is stored and shown, and what the platform gets. */
const KINDS: [name: string, request: Loose, content: Loose, action: Loose][] = [
  [
    'a carousel of products',
    { type: 'product_carousel', body: 'Our hats', ...CATALOG },
    { kind: 'product_carousel', body: 'Our hats', ...FRAME, ...CATALOG },
    {
      cards: ['sku-77', 'sku-78'].map((product_retailer_id, card_index) => ({
        card_index,
        type: 'product',
        action: { catalog_id: '401', product_retailer_id },
      })),
    },
  ],
  [
    'a request for an address',
    { type: 'address_message', body: 'Where to?', country: 'SG' },
    {
      kind: 'address_message',
      body: 'Where to?',
      ...FRAME,
      country: 'SG',
      values: null,
      saved_addresses: [],
      validation_errors: null,
    },
    { name: 'address_message', parameters: { country: 'SG' } },
  ],
  [
    'a request for an address with known ones',
    { type: 'address_message', body: 'Where to?', ...ADDRESS },
    { kind: 'address_message', body: 'Where to?', ...FRAME, ...ADDRESS },
    { name: 'address_message', parameters: ADDRESS },
  ],
  [
    'a payment request',
    { type: 'order_details', body: 'Please pay', parameters: PAYMENT },
    { kind: 'order_details', body: 'Please pay', ...FRAME, parameters: PAYMENT },
    { name: 'review_and_pay', parameters: PAYMENT },
  ],
  [
    'the status of an order',
    {
      type: 'order_status',
      body: 'On its way',
      reference_id: 'order-12',
      order_status: 'shipped',
      description: 'Two days',
    },
    {
      kind: 'order_status',
      body: 'On its way',
      ...FRAME,
      reference_id: 'order-12',
      order_status: 'shipped',
      description: 'Two days',
    },
    {
      name: 'review_order',
      parameters: {
        reference_id: 'order-12',
        order: { status: 'shipped', description: 'Two days' },
      },
    },
  ],
  [
    'a request for permission to call',
    { type: 'call_permission_request', body: 'May we call?' },
    { kind: 'call_permission_request', body: 'May we call?', ...FRAME },
    { name: 'call_permission_request' },
  ],
  [
    'a call button',
    { type: 'voice_call', body: 'Call us', button_text: 'Call now', ttl_minutes: 100 },
    {
      kind: 'voice_call',
      body: 'Call us',
      ...FRAME,
      button_text: 'Call now',
      ttl_minutes: 100,
      payload: null,
    },
    { name: 'voice_call', parameters: { display_text: 'Call now', ttl_minutes: 100 } },
  ],
  [
    'a plain call button',
    { type: 'voice_call', body: 'Call us' },
    {
      kind: 'voice_call',
      body: 'Call us',
      ...FRAME,
      button_text: null,
      ttl_minutes: null,
      payload: null,
    },
    { name: 'voice_call' },
  ],
]

const PLATFORM_TYPES: Record<string, string> = { product_carousel: 'carousel' }

describe('is stored, previewed and sent with the exact payload:', () => {
  test.each(KINDS)('%s', async (_, request, content, action) => {
    const body = { type: 'interactive', interactive: request }
    const kind = String(request['type'])
    const interactive = {
      type: PLATFORM_TYPES[kind] ?? kind,
      body: { text: request['body'] },
      action,
    }
    const preview = await fixture.client.post('/api/messages/preview', {
      contact_id: fixture.contact['id'],
      ...body,
    })
    expect(preview.data).toMatchObject({
      rendered: { type: 'interactive', content },
      platform_path: 'messages',
    })
    expect(preview.data['platform_payload']['interactive']).toEqual(interactive)
    const { message, payload } = await fixture.sent(body)
    expect(message).toMatchObject({ status: 'delivered', preview: request['body'], warnings: [] })
    expect(message['content']).toEqual(content)
    expect(exactCheck(CONTENTS.interactive)(message['content'])).toBe(true)
    expect(payload['interactive']).toEqual(interactive)
    expect(fixture.world.simulator.unexpected).toEqual([])
  })
})

const payment = (changes: Loose): Loose => ({
  type: 'order_details',
  body: 'Pay',
  parameters: { ...PAYMENT, ...changes },
})
const order = (changes: Loose): Loose => payment({ order: { ...PAYMENT.order, ...changes } })
const item = (changes: Loose): Loose =>
  order({ items: [{ ...PAYMENT.order.items[0], ...changes }] })

describe('is refused and stores nothing:', () => {
  test.each<[string, Loose, string]>([
    [
      'a carousel of one product',
      { ...CATALOG, product_retailer_ids: ['a'] },
      'product_retailer_ids',
    ],
    [
      'a carousel of eleven products',
      { ...CATALOG, product_retailer_ids: Array.from({ length: 11 }, (_, index) => `p${index}`) },
      'product_retailer_ids',
    ],
    [
      'a carousel that repeats a product',
      { ...CATALOG, product_retailer_ids: ['a', 'a'] },
      'product_retailer_ids.1',
    ],
    ['a carousel without a catalog', { product_retailer_ids: ['a', 'b'] }, 'catalog_id'],
    ['a carousel with a header', { ...CATALOG, header: 'Hats' }, 'header'],
    ['a carousel with a footer', { ...CATALOG, footer: 'Acme' }, 'footer'],
    ['an address without a country', { type: 'address_message' }, 'country'],
    ['an address in no country', { type: 'address_message', country: 'in' }, 'country'],
    [
      'an address with a reserved name',
      { type: 'address_message', country: 'IN', values: JSON.parse('{"__proto__":{"a":1}}') },
      'values.__proto__',
    ],
    [
      'a saved address without an ID',
      { type: 'address_message', country: 'IN', saved_addresses: [{ id: '', value: {} }] },
      'saved_addresses.0.id',
    ],
    ['a payment without parameters', { type: 'order_details' }, 'parameters'],
    ['a long reference', payment({ reference_id: 'r'.repeat(36) }), 'parameters.reference_id'],
    ['goods of another type', payment({ type: 'services' }), 'parameters.type'],
    ['a currency in words', payment({ currency: 'Rupee' }), 'parameters.currency'],
    ['a total as a number', payment({ total_amount: 25 }), 'parameters.total_amount'],
    ['a negative total', payment({ total_amount: amount(-1) }), 'parameters.total_amount'],
    ['a paid order', order({ status: 'completed' }), 'parameters.order.status'],
    ['an order without items', order({ items: [] }), 'parameters.order.items'],
    ['an order without a subtotal', order({ subtotal: null }), 'parameters.order.subtotal'],
    ['an item without a name', item({ name: ' ' }), 'parameters.order.items.0.name'],
    ['half an item', item({ quantity: 0.5 }), 'parameters.order.items.0.quantity'],
    ['an item without an amount', item({ amount: {} }), 'parameters.order.items.0.amount'],
    [
      'a status without a reference',
      { type: 'order_status', order_status: 'shipped' },
      'reference_id',
    ],
    [
      'a long description of a status',
      {
        type: 'order_status',
        reference_id: 'r',
        order_status: 'shipped',
        description: 'd'.repeat(121),
      },
      'description',
    ],
    [
      'an unknown status',
      { type: 'order_status', reference_id: 'r', order_status: 'lost' },
      'order_status',
    ],
    [
      'an unknown status beside a call button',
      { type: 'voice_call', order_status: 'lost' },
      'order_status',
    ],
    ['a call button for no time', { type: 'voice_call', ttl_minutes: 0 }, 'ttl_minutes'],
    ['a call button for 31 days', { type: 'voice_call', ttl_minutes: 44_640 }, 'ttl_minutes'],
    ['a long call button', { type: 'voice_call', button_text: 'b'.repeat(21) }, 'button_text'],
    ['a call button with a header', { type: 'voice_call', header: 'Hi' }, 'header'],
    ['a request to call without a body', { type: 'call_permission_request', body: '' }, 'body'],
  ])('%s', async (_, request, path) => {
    using _stay = fixture.world.stays('jobs')
    const before = tracesIn(fixture.world)
    const { status, body } = await fixture.send({
      type: 'interactive',
      interactive: { type: 'product_carousel', body: 'Look', ...request },
    })
    expect({ status, paths: (body.errors ?? []).map((problem) => problem.path) }).toEqual({
      status: 400,
      paths: [`body.interactive.${path}`],
    })
    expect(tracesIn(fixture.world)).toEqual(before)
  })
})

test("a kind that the number's country does not have fails with the platform's reason", async () => {
  const details = 'Payments are not available for this country.'
  fixture.world.simulator.fail({ code: 131_009, details }, { route: 'messages' })
  const { data } = await fixture.send({ type: 'interactive', interactive: payment({}) })
  await fixture.world.settle()
  const { data: message } = await fixture.client.get(`/api/messages/${data['id']}`)
  expect(message).toMatchObject({ status: 'failed', error: { platform_code: 131_009, details } })
})

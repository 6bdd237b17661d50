import { afterAll, beforeAll, expect, test } from 'bun:test'

import { interactive as platformRule } from '../../../../src/simulator/interactive'
import { pick, seededRandom } from '../../../../src/simulator/random'
import type { Loose } from '../../../support/client'
import { openSendFixture, type SendFixture } from '../../../support/sending'

/** Mutations of a run. */
const ROUNDS = 400

const amount = { value: 2_500, offset: 100 }

/** One complete request of each kind. */
const REQUESTS: Loose[] = [
  {
    type: 'button',
    body: 'Yes?',
    header: 'Hi',
    footer: 'Bye',
    buttons: [
      { id: 'y', title: 'Yes' },
      { id: 'n', title: 'No' },
    ],
  },
  {
    type: 'list',
    body: 'Choose',
    button_text: 'Open',
    sections: [
      { title: 'Hats', rows: [{ id: 'h1', title: 'Red', description: 'Warm' }] },
      { title: 'Shoes', rows: [{ id: 's1', title: 'Blue' }] },
    ],
  },
  { type: 'cta_url', body: 'Look', button_text: 'Open', url: 'https://example.com/a?b=c' },
  { type: 'location_request', body: 'Where are you?' },
  { type: 'contact_request', body: 'Your number?' },
  { type: 'product', catalog_id: '401', product_retailer_id: 'sku-1', body: 'A hat' },
  {
    type: 'product_list',
    body: 'Hats',
    header: 'Ours',
    catalog_id: '401',
    sections: [{ title: 'All', product_retailer_ids: ['sku-1', 'sku-2'] }],
  },
  { type: 'catalog', body: 'All we have', thumbnail_product_retailer_id: 'sku-1' },
  {
    type: 'product_carousel',
    body: 'Our hats',
    catalog_id: '401',
    product_retailer_ids: ['sku-1', 'sku-2'],
  },
  {
    type: 'address_message',
    body: 'Where to?',
    country: 'IN',
    values: { name: 'Ana', in_pin_code: '400063' },
    saved_addresses: [{ id: 'home', value: { city: 'Mumbai' } }],
    validation_errors: { in_pin_code: 'We do not deliver there.' },
  },
  {
    type: 'order_details',
    body: 'Please pay',
    parameters: {
      reference_id: 'order-12',
      type: 'physical-goods',
      currency: 'INR',
      total_amount: amount,
      payment_settings: [{ type: 'payment_gateway', payment_gateway: { type: 'razorpay' } }],
      order: {
        status: 'pending',
        items: [{ retailer_id: 'sku-1', name: 'Hat', amount, quantity: 2 }],
        subtotal: amount,
        tax: { value: 0, offset: 100, description: 'none' },
        shipping: { value: 100, offset: 100 },
        discount: { value: 100, offset: 100, discount_program_name: 'Spring' },
        expiration: { timestamp: '1893456000', description: 'Soon' },
      },
    },
  },
  {
    type: 'order_status',
    body: 'On its way',
    reference_id: 'order-12',
    order_status: 'shipped',
    description: 'Two days',
  },
  { type: 'call_permission_request', body: 'May we call?' },
  { type: 'voice_call', body: 'Call', button_text: 'Call now', ttl_minutes: 100, payload: 'p' },
]

const VALUES: readonly unknown[] = [
  null,
  '',
  ' ',
  'x',
  'x'.repeat(21),
  'x'.repeat(61),
  'x'.repeat(300),
  'x'.repeat(5_000),
  '\u0000',
  '\uD800',
  '👩‍👩‍👧‍👦'.repeat(10),
  'https://example.com/é ü',
  'javascript:alert(1)',
  0,
  -1,
  0.5,
  1e21,
  true,
  [],
  {},
  [[]],
  [null],
  ['a', 'a'],
  { text: 'x' },
]

/** Returns the request with one value removed, replaced or repeated, at any depth. */
function mutated(request: Loose, random: () => number): Loose {
  const copy = structuredClone(request)
  let at: Loose | unknown[] = copy
  for (;;) {
    const keys = Object.keys(at)
    const key = pick(random, keys) ?? 'extra'
    const inside = (at as Loose)[key]
    if (typeof inside === 'object' && inside !== null && random() < 0.7) {
      at = inside as Loose
      continue
    }
    const how = random()
    if (Array.isArray(at) && how < 0.3) at.push(...Array.from({ length: 12 }, () => inside))
    else if (Array.isArray(at)) at[Number(key) || 0] = pick(random, VALUES)
    else if (how < 0.3) delete at[key]
    else if (how < 0.4) at[`${key}_other`] = inside
    else at[key] = pick(random, VALUES)
    return copy
  }
}

let fixture: SendFixture

beforeAll(async () => {
  fixture = await openSendFixture()
})

afterAll(() => fixture.world.stop())

const preview = (interactive: Loose) =>
  fixture.client.post('/api/messages/preview', {
    contact_id: fixture.contact['id'],
    type: 'interactive',
    interactive,
  })

test('each kind is accepted as it is', async () => {
  for (const request of REQUESTS) {
    const { status, data } = await preview(request)
    expect([request['type'], status]).toEqual([request['type'], 200])
    const { interactive } = data['platform_payload'] as Loose
    expect(platformRule(interactive, 'interactive')).toBeUndefined()
  }
})

test.each([1, 2, 3])(
  'a changed body is refused with its path, or is one that the platform accepts (seed %p)',
  async (seed) => {
    const random = seededRandom(seed)
    let accepted = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const request = mutated(pick(random, REQUESTS) ?? {}, random)
      const answer = await preview(request)
      if (answer.status === 200) {
        accepted += 1
        const { interactive } = answer.data['platform_payload'] as Loose
        expect({ request, problem: platformRule(interactive, 'interactive') }).toEqual({
          request,
          problem: undefined,
        })
      } else {
        expect({ request, status: answer.status, code: answer.body.code }).toMatchObject({
          status: 400,
          code: 'invalid_input',
        })
        expect(answer.body.errors?.length).toBeGreaterThan(0)
      }
    }
    expect(accepted).toBeGreaterThan(ROUNDS / 20)
  },
)

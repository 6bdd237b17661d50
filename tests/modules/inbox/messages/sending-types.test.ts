import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { deliver, textTo } from '../../../support/lines'
import { openSendFixture, type SendFixture } from '../../../support/sending'

let fixture: SendFixture

beforeAll(async () => {
  fixture = await openSendFixture()
})

afterAll(() => fixture.world.stop())

const FRAME = { header: null, footer: null }
const WHOLE_CARD = {
  name: {
    formatted_name: 'Dr. Bo Lin Jr.',
    first_name: 'Bo',
    last_name: 'Lin',
    middle_name: 'A.',
    prefix: 'Dr.',
    suffix: 'Jr.',
  },
  phones: [
    { phone: '+1 555 010 6666', type: 'WORK', wa_id: '15550106666' },
    { phone: '+1 555 010 6667' },
  ],
  emails: [{ email: 'bo@example.com', type: 'WORK' }, { email: 'home@example.com' }],
  addresses: [
    {
      street: '1 Road',
      city: 'X',
      state: 'ZZ',
      zip: '12345',
      country: 'Y',
      country_code: 'yy',
      type: 'HOME',
    },
  ],
  urls: [{ url: 'https://example.com', type: 'WORK' }],
  org: { company: 'Acme', department: 'Sales', title: 'Head' },
  birthday: '1990-01-31',
}
const sections = [
  { title: 'Fast', rows: [{ id: 'express', title: 'Express', description: 'Next day' }] },
  { title: 'Slow', rows: [{ id: 'std', title: 'Standard' }] },
]

/** Of each type: what is sent, what is stored and shown, and what the platform gets. */
const TYPES: [name: string, request: Loose, content: Loose, preview: string, part: unknown][] = [
  [
    'a place',
    {
      type: 'location',
      location: { latitude: 52.5163, longitude: -13.3777, name: 'Our shop', address: '1 Road' },
    },
    { latitude: 52.5163, longitude: -13.3777, name: 'Our shop', address: '1 Road', url: null },
    'Our shop',
    { latitude: 52.5163, longitude: -13.3777, name: 'Our shop', address: '1 Road' },
  ],
  [
    'a place without words, at the edges of the world',
    { type: 'location', location: { latitude: -90, longitude: 180 } },
    { latitude: -90, longitude: 180, name: null, address: null, url: null },
    'Location',
    { latitude: -90, longitude: 180 },
  ],
  [
    'a small contact card',
    { type: 'contacts', contacts: [{ name: { formatted_name: 'Bo Lin', first_name: 'Bo' } }] },
    {
      contacts: [
        {
          name: { formatted_name: 'Bo Lin', first_name: 'Bo' },
          phones: [],
          emails: [],
          addresses: [],
          urls: [],
          org: {},
          birthday: null,
          origin: null,
        },
      ],
    },
    'Bo Lin',
    [{ name: { formatted_name: 'Bo Lin', first_name: 'Bo' } }],
  ],
  [
    'a whole contact card',
    { type: 'contacts', contacts: [WHOLE_CARD] },
    {
      contacts: [
        {
          ...WHOLE_CARD,
          phones: [WHOLE_CARD.phones[0], { phone: '+1 555 010 6667', type: null, wa_id: null }],
          emails: [WHOLE_CARD.emails[0], { email: 'home@example.com', type: null }],
          origin: null,
        },
      ],
    },
    'Dr. Bo Lin Jr.',
    [WHOLE_CARD],
  ],
  [
    'a contact card whose texts have line ends of Windows and characters that WhatsApp rejects',
    {
      type: 'contacts',
      contacts: [
        {
          name: { formatted_name: 'Bo\r\nLin\0', first_name: 'Bo\uD800' },
          phones: [{ wa_id: '1555\0' }],
          addresses: [{ city: 'X', zip: '' }],
          org: { company: 'Acme', title: '' },
        },
      ],
    },
    {
      contacts: [
        {
          name: { formatted_name: 'Bo\nLin', first_name: 'Bo\uFFFD' },
          phones: [{ phone: null, type: null, wa_id: '1555' }],
          emails: [],
          addresses: [{ city: 'X' }],
          urls: [],
          org: { company: 'Acme' },
          birthday: null,
          origin: null,
        },
      ],
    },
    'Bo\nLin',
    [
      {
        name: { formatted_name: 'Bo\nLin', first_name: 'Bo\uFFFD' },
        phones: [{ wa_id: '1555' }],
        addresses: [{ city: 'X' }],
        org: { company: 'Acme' },
      },
    ],
  ],
  [
    'buttons',
    {
      type: 'interactive',
      interactive: {
        type: 'button',
        header: 'Order 12',
        body: 'Confirm?',
        footer: 'Acme',
        buttons: [
          { id: 'yes', title: 'Yes' },
          { id: 'no', title: 'No' },
        ],
      },
    },
    {
      kind: 'button',
      body: 'Confirm?',
      header: 'Order 12',
      footer: 'Acme',
      buttons: [
        { id: 'yes', title: 'Yes' },
        { id: 'no', title: 'No' },
      ],
    },
    'Confirm?',
    {
      type: 'button',
      header: { type: 'text', text: 'Order 12' },
      body: { text: 'Confirm?' },
      footer: { text: 'Acme' },
      action: {
        buttons: [
          { type: 'reply', reply: { id: 'yes', title: 'Yes' } },
          { type: 'reply', reply: { id: 'no', title: 'No' } },
        ],
      },
    },
  ],
  [
    'a list of several sections',
    {
      type: 'interactive',
      interactive: {
        type: 'list',
        body: 'Pick one',
        button_text: 'Options',
        header: 'Shipping',
        footer: 'Acme',
        sections,
      },
    },
    {
      kind: 'list',
      body: 'Pick one',
      header: 'Shipping',
      footer: 'Acme',
      button_text: 'Options',
      sections: [
        sections[0],
        { title: 'Slow', rows: [{ id: 'std', title: 'Standard', description: null }] },
      ],
    },
    'Pick one',
    {
      type: 'list',
      header: { type: 'text', text: 'Shipping' },
      body: { text: 'Pick one' },
      footer: { text: 'Acme' },
      action: { button: 'Options', sections },
    },
  ],
  [
    'a list of one section without a title',
    {
      type: 'interactive',
      interactive: {
        type: 'list',
        body: 'Pick',
        button_text: 'Options',
        sections: [{ rows: [{ id: 'a', title: 'A' }] }],
      },
    },
    {
      kind: 'list',
      body: 'Pick',
      ...FRAME,
      button_text: 'Options',
      sections: [{ title: null, rows: [{ id: 'a', title: 'A', description: null }] }],
    },
    'Pick',
    {
      type: 'list',
      body: { text: 'Pick' },
      action: { button: 'Options', sections: [{ rows: [{ id: 'a', title: 'A' }] }] },
    },
  ],
  [
    'a button to a page',
    {
      type: 'interactive',
      interactive: {
        type: 'cta_url',
        body: 'Tap below',
        button_text: 'See dates',
        url: 'https://example.com?x=1',
      },
    },
    {
      kind: 'cta_url',
      body: 'Tap below',
      ...FRAME,
      button_text: 'See dates',
      url: 'https://example.com?x=1',
    },
    'Tap below',
    {
      type: 'cta_url',
      body: { text: 'Tap below' },
      action: {
        name: 'cta_url',
        parameters: { display_text: 'See dates', url: 'https://example.com?x=1' },
      },
    },
  ],
  [
    'a request for the place',
    { type: 'interactive', interactive: { type: 'location_request', body: 'Where are you?' } },
    { kind: 'location_request', body: 'Where are you?', ...FRAME },
    'Where are you?',
    {
      type: 'location_request_message',
      body: { text: 'Where are you?' },
      action: { name: 'send_location' },
    },
  ],
  [
    'a request for the number',
    { type: 'interactive', interactive: { type: 'contact_request', body: 'Your number?' } },
    { kind: 'contact_request', body: 'Your number?', ...FRAME },
    'Your number?',
    {
      type: 'contact_request',
      body: { text: 'Your number?' },
      action: { name: 'request_contact_info' },
    },
  ],
  [
    'a product without words',
    {
      type: 'interactive',
      interactive: { type: 'product', catalog_id: '401', product_retailer_id: 'sku-77' },
    },
    { kind: 'product', body: null, ...FRAME, catalog_id: '401', product_retailer_id: 'sku-77' },
    'Product',
    { type: 'product', action: { catalog_id: '401', product_retailer_id: 'sku-77' } },
  ],
  [
    'a product with words',
    {
      type: 'interactive',
      interactive: {
        type: 'product',
        body: 'Look',
        footer: 'Acme',
        catalog_id: '401',
        product_retailer_id: 'sku-77',
      },
    },
    {
      kind: 'product',
      body: 'Look',
      header: null,
      footer: 'Acme',
      catalog_id: '401',
      product_retailer_id: 'sku-77',
    },
    'Look',
    {
      type: 'product',
      body: { text: 'Look' },
      footer: { text: 'Acme' },
      action: { catalog_id: '401', product_retailer_id: 'sku-77' },
    },
  ],
  [
    'several products',
    {
      type: 'interactive',
      interactive: {
        type: 'product_list',
        header: 'Our picks',
        body: 'Choose',
        catalog_id: '401',
        sections: [{ title: 'Hats', product_retailer_ids: ['sku-77', 'sku-78'] }],
      },
    },
    {
      kind: 'product_list',
      body: 'Choose',
      header: 'Our picks',
      footer: null,
      catalog_id: '401',
      sections: [{ title: 'Hats', product_retailer_ids: ['sku-77', 'sku-78'] }],
    },
    'Choose',
    {
      type: 'product_list',
      header: { type: 'text', text: 'Our picks' },
      body: { text: 'Choose' },
      action: {
        catalog_id: '401',
        sections: [
          {
            title: 'Hats',
            product_items: [{ product_retailer_id: 'sku-77' }, { product_retailer_id: 'sku-78' }],
          },
        ],
      },
    },
  ],
  [
    'the catalog',
    {
      type: 'interactive',
      interactive: { type: 'catalog', body: 'Browse', thumbnail_product_retailer_id: 'sku-77' },
    },
    { kind: 'catalog', body: 'Browse', ...FRAME, thumbnail_product_retailer_id: 'sku-77' },
    'Browse',
    {
      type: 'catalog_message',
      body: { text: 'Browse' },
      action: { name: 'catalog_message', parameters: { thumbnail_product_retailer_id: 'sku-77' } },
    },
  ],
  [
    'the catalog without a picture',
    { type: 'interactive', interactive: { type: 'catalog', body: 'Browse' } },
    { kind: 'catalog', body: 'Browse', ...FRAME, thumbnail_product_retailer_id: null },
    'Browse',
    { type: 'catalog_message', body: { text: 'Browse' }, action: { name: 'catalog_message' } },
  ],
]

describe('each message type is stored and sent with the exact payload:', () => {
  test.each(TYPES)('%s', async (_, request, content, preview, part) => {
    const { message, payload } = await fixture.sent(request)
    expect(message).toMatchObject({
      type: request['type'],
      status: 'delivered',
      preview,
      media: null,
      warnings: [],
    })
    expect(message['content']).toEqual(content)
    expect(payload).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: `+${String(fixture.contact['wa_id'])}`,
      type: request['type'],
      [request['type'] as string]: part,
      biz_opaque_callback_data: message['id'],
    })
  })

  test.each(TYPES)('the quote with %s', async (_, request) => {
    const { world, client, contact } = fixture
    const [asked] = (await client.get(`/api/contacts/${contact['id']}/messages?direction=incoming`))
      .data['items'] as Loose[]
    const { message, payload } = await fixture.sent({
      ...request,
      reply_to: asked?.['id'],
      client_ref: 'r-1',
    })
    expect(payload['context']).toEqual({ message_id: asked?.['wa_message_id'] })
    expect(message).toMatchObject({
      reply_to: { id: asked?.['id'] },
      client_ref: 'r-1',
      source: 'agent',
    })
    expect(world.simulator.unexpected).toEqual([])
  })
})

test('texts are changed only in line ends and characters that cannot be stored', async () => {
  const { message, payload } = await fixture.sent({
    type: 'interactive',
    interactive: { type: 'contact_request', body: ' a\r\nb\0 \ud800' },
  })
  expect(message['content']['body']).toBe(' a\nb \ufffd')
  expect(payload['interactive']['body']['text']).toBe(' a\nb \ufffd')
})

test('fields of other types and unknown fields are ignored', async () => {
  const { message } = await fixture.sent({
    type: 'location',
    text: 'marker',
    voice: true,
    location: { latitude: 1, longitude: 2, zoom: 'marker' },
    interactive: { type: 'catalog', body: 'marker' },
  })
  expect(JSON.stringify(message)).not.toContain('marker')
})

test('a reply is sent from the phone number that received the message', async () => {
  await using own = await openSendFixture()
  const { world, contact } = own
  const second = { id: '301000000000009', wabaId: world.tenant.wabaId, token: world.tenant.token }
  world.simulator.addPhone(second)
  const { data: account } = await (
    await world.as('admin')
  ).post('/api/accounts', {
    name: 'Second',
    phone_id: second.id,
    business_id: second.wabaId,
    access_token: second.token,
  })
  const line = {
    wabaId: second.wabaId,
    phoneNumberId: second.id,
    displayPhoneNumber: '15550100009',
  }
  await deliver(
    world,
    textTo(world, 'To the second', {
      line,
      id: 'wamid.second',
      person: { waId: String(contact['wa_id']) },
    }),
  )
  await deliver(
    world,
    textTo(world, 'To the first again', { person: { waId: String(contact['wa_id']) } }),
  )
  const [asked] = world.rows('select id from messages where wa_message_id = ?', 'wamid.second')
  const { message } = await own.sent({
    type: 'text',
    text: 'From the second',
    reply_to: asked?.['id'],
  })
  expect(message).toMatchObject({ account_id: account['id'], reply_to: { id: asked?.['id'] } })
  expect(
    (
      await own.send({
        type: 'text',
        text: 'x',
        reply_to: asked?.['id'],
        account_id: world.tenant.accountId,
      })
    ).body,
  ).toMatchObject({
    code: 'invalid_input',
    errors: [{ path: 'body.reply_to' }],
  })
})

/** An unassigned number. */
export const SOMEONE = '15550109999'

type Body = Record<string, unknown>

const head = { messaging_product: 'whatsapp', recipient_type: 'individual', to: SOMEONE }

/** Returns a body of the type; `part` is the member named after the type. */
export const send = (type: string, part: unknown, more: Body = {}): Body => ({
  ...head,
  type,
  [type]: part,
  ...more,
})

/** Returns an interactive body of the kind. */
const interact = (kind: string, action: unknown, more: Body = {}): Body =>
  send('interactive', { type: kind, body: { text: 'Choose' }, action, ...more })

/** Returns a template body with these components. */
export const sendTemplate = (name: string, components?: unknown[]): Body =>
  send('template', {
    name,
    language: { code: 'en_US' },
    ...(components === undefined ? {} : { components }),
  })

const replyButton = (id: string, title: string): Body => ({ type: 'reply', reply: { id, title } })
const row = (id: string, title: string): Body => ({ id, title, description: 'Details' })
const flow = (parameters: Body): Body => ({
  name: 'flow',
  parameters: { flow_message_version: '3', flow_cta: 'Open', ...parameters },
})
const url = {
  name: 'cta_url',
  parameters: { display_text: 'See dates', url: 'https://example.com?x=1' },
}
const card = (index: number): Body => ({
  card_index: index,
  type: 'cta_url',
  header: { type: 'image', image: { link: 'https://cdn.example.com/1.jpg' } },
  body: { text: 'One' },
  action: url,
})
const amount = (value: number): Body => ({ value, offset: 100 })
const payment = {
  reference_id: 'order-12',
  type: 'digital-goods',
  payment_type: 'upi',
  currency: 'INR',
  total_amount: amount(1100),
  order: {
    status: 'pending',
    items: [{ retailer_id: 'sku-77', name: 'hat', amount: amount(1100), quantity: 1 }],
    subtotal: amount(1100),
  },
}
const image = { id: '1037543291543636' }
const header = (part: Body): Body => ({ type: 'header', parameters: [part] })
const body = (...texts: string[]): Body => ({
  type: 'body',
  parameters: texts.map((text) => ({ type: 'text', text })),
})
const button = (subType: string, index: string | number, ...parameters: Body[]): Body => ({
  type: 'button',
  sub_type: subType,
  index,
  parameters,
})

/**
 * One body of each kind that the platform accepts (platform document 2.2), with a description for
 * the test name.
 */
export const TAKEN: readonly (readonly [string, Body])[] = [
  ['a text', send('text', { preview_url: true, body: 'See https://example.com' })],
  [
    'a text without a type',
    { messaging_product: 'whatsapp', to: '+1 555-010-9999', text: { body: 'hi' } },
  ],
  [
    'a list without a type',
    {
      ...interact('list', { button: 'O', sections: [{ rows: [row('a', 'A')] }] }),
      type: undefined,
    },
  ],
  [
    'a reply with a text',
    send('text', { body: 'Sure' }, { context: { message_id: 'wamid.QQ==' } }),
  ],
  ['a text of 4096 astral characters', send('text', { body: '😀'.repeat(4096) })],
  [
    'a text to a user id with callback data',
    { messaging_product: 'whatsapp', recipient: 'US.9000001', type: 'text', text: { body: 'hi' } },
  ],
  [
    'a text to a group',
    send('text', { body: 'hello' }, { recipient_type: 'group', to: 'Y2FwaV9ncm91cDoxNTU1' }),
  ],
  [
    'callback data of 512 characters',
    send('text', { body: 'hi' }, { biz_opaque_callback_data: 'é'.repeat(512) }),
  ],
  ['an image by id', send('image', { ...image, caption: 'Your receipt' })],
  ['an image by link', send('image', { link: 'https://cdn.example.com/a.jpg' })],
  ['a video', send('video', { ...image, caption: 'demo' })],
  ['audio', send('audio', image)],
  ['a voice message', send('audio', { ...image, voice: true })],
  ['a document', send('document', { ...image, filename: 'invoice.pdf', caption: 'Invoice' })],
  ['a sticker', send('sticker', image)],
  [
    'a location',
    send('location', {
      latitude: 37.44,
      longitude: '-122.16',
      name: 'HQ',
      address: '101 Forest Ave',
    }),
  ],
  [
    'contacts',
    send('contacts', [
      {
        name: { formatted_name: 'Bo Lin', first_name: 'Bo' },
        phones: [{ phone: '+15550106666', type: 'WORK', wa_id: '15550106666' }],
        birthday: '1990-01-31',
      },
    ]),
  ],
  ['a reaction', send('reaction', { message_id: 'wamid.QQ==', emoji: '👨‍👩‍👧' })],
  ['a removed reaction', send('reaction', { message_id: 'wamid.QQ==', emoji: '' })],
  [
    'reply buttons',
    interact(
      'button',
      { buttons: [replyButton('yes', 'Yes'), replyButton('no', 'No')] },
      { footer: { text: 'Acme' } },
    ),
  ],
  [
    'a list',
    interact('list', {
      button: 'Options',
      sections: [
        { title: 'Fast', rows: [row('a', 'A')] },
        { title: 'Slow', rows: [row('b', 'B')] },
      ],
    }),
  ],
  ['a link button', interact('cta_url', url, { header: { type: 'text', text: 'Offer' } })],
  [
    'a flow',
    interact(
      'flow',
      flow({
        flow_token: 't',
        flow_id: '701',
        flow_action: 'navigate',
        flow_action_payload: { screen: 'A', data: { a: 1 } },
      }),
    ),
  ],
  [
    'a Flow by name that starts with its endpoint',
    interact('flow', flow({ flow_name: 'book', flow_action: 'data_exchange', mode: 'draft' })),
  ],
  ['a location request', interact('location_request_message', { name: 'send_location' })],
  ['a contact request', interact('contact_request', { name: 'request_contact_info' })],
  [
    'a contact request as a library writes it',
    interact('request_contact_info', { name: 'request_contact_info' }),
  ],
  ['a product', interact('product', { catalog_id: '401', product_retailer_id: 'sku-77' })],
  [
    'a product list',
    interact(
      'product_list',
      {
        catalog_id: '401',
        sections: [{ title: 'Hats', product_items: [{ product_retailer_id: 'sku-77' }] }],
      },
      { header: { type: 'text', text: 'Our picks' } },
    ),
  ],
  [
    'a catalogue',
    interact('catalog_message', {
      name: 'catalog_message',
      parameters: { thumbnail_product_retailer_id: 'sku-77' },
    }),
  ],
  [
    'a call button',
    interact('voice_call', {
      name: 'voice_call',
      parameters: { display_text: 'Call now', ttl_minutes: 100 },
    }),
  ],
  [
    'a call permission request',
    interact('call_permission_request', { name: 'call_permission_request' }),
  ],
  ['a carousel', interact('carousel', { cards: [card(0), card(1)] })],
  ['a payment request', interact('order_details', { name: 'review_and_pay', parameters: payment })],
  [
    'a payment request in its older form',
    send('interactive', {
      type: 'order_details',
      order_details: { body: { text: 'Pay' }, action: payment },
    }),
  ],
  [
    'an order status',
    interact('order_status', {
      name: 'review_order',
      parameters: { reference_id: 'order-12', order: { status: 'shipped' } },
    }),
  ],
  [
    'an address request',
    interact('address_message', {
      name: 'address_message',
      parameters: { country: 'IN', values: { name: 'Ana' } },
    }),
  ],
  ['a template', sendTemplate('hello_world')],
  ['a template with values', sendTemplate('order', [body('Ana', '860198')])],
  [
    'a template with an image and buttons',
    sendTemplate('promo', [
      header({ type: 'image', image }),
      body('Ana'),
      button('quick_reply', '0', { type: 'payload', payload: 'YES' }),
      button('URL', 1, { type: 'text', text: 'promo?c=1' }),
    ]),
  ],
  [
    'a template with money and a date',
    sendTemplate('pay', [
      {
        type: 'body',
        parameters: [
          { type: 'currency', currency: { fallback_value: '$1', code: 'USD', amount_1000: 1000 } },
          { type: 'date_time', date_time: { fallback_value: 'May 1, 2026' } },
        ],
      },
    ]),
  ],
  [
    'a coupon template',
    sendTemplate('coupon', [
      button('copy_code', '0', { type: 'coupon_code', coupon_code: 'SAVE25' }),
    ]),
  ],
  [
    'a flow template',
    sendTemplate('survey', [
      button('flow', '0', { type: 'action', action: { flow_token: 'tok-2' } }),
    ]),
  ],
  [
    'a catalogue template',
    sendTemplate('c', [
      button('CATALOG', 0, { type: 'action', action: { thumbnail_product_retailer_id: 'sku' } }),
    ]),
  ],
  [
    'a limited-time offer template',
    sendTemplate('lto', [
      {
        type: 'limited_time_offer',
        parameters: [
          { type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: 1.79e12 } },
        ],
      },
    ]),
  ],
  [
    'a carousel template',
    sendTemplate('summer', [
      {
        type: 'carousel',
        cards: [{ card_index: 0, components: [header({ type: 'image', image }), body('10OFF')] }],
      },
    ]),
  ],
]

const rows = (count: number): Body[] =>
  Array.from({ length: count }, (_, index) => ({ id: `r${index}`, title: `Row ${index}` }))
const { to: _to, ...nobody } = head
const text = (more: Body): Body => send('text', { body: 'hi' }, more)

/** Bodies that the platform rejects, each with its error code. */
export const REFUSED: readonly (readonly [string, number, Body])[] = [
  ['no messaging_product', 100, { to: SOMEONE, type: 'text', text: { body: 'hi' } }],
  ['another messaging_product', 100, text({ messaging_product: 'telegram' })],
  ['neither to nor recipient', 131008, { ...nobody, type: 'text', text: { body: 'hi' } }],
  ['an empty recipient', 131008, text({ to: '' })],
  ['a recipient of letters', 131009, text({ to: 'ana' })],
  ['a number too short', 131009, text({ to: '1234' })],
  ['a number too long', 131009, text({ to: '1'.repeat(21) })],
  ['a numeric recipient', 100, text({ to: 15550109999 })],
  [
    'a malformed user id',
    131009,
    { ...nobody, recipient: 'ana', type: 'text', text: { body: 'hi' } },
  ],
  ['the sender as recipient', 131021, text({ to: '+1 555 010 0001' })],
  ['an unknown recipient type', 131009, text({ recipient_type: 'crowd' })],
  ['an unknown type', 131051, send('poll', {})],
  ['a type without its member', 131008, { ...head, type: 'image' }],
  ['a text that is a string', 100, send('text', 'hi')],
  ['a text without body', 131008, send('text', { preview_url: false })],
  ['an empty text', 131009, send('text', { body: '' })],
  ['a text of 4097 characters', 100, send('text', { body: 'é'.repeat(4097) })],
  ['a text with an unknown key', 100, send('text', { body: 'hi', colour: 'red' })],
  ['a preview flag that is a word', 100, send('text', { body: 'hi', preview_url: 'yes' })],
  ['callback data of 513 characters', 131009, text({ biz_opaque_callback_data: 'x'.repeat(513) })],
  ['a reply to nothing', 131008, text({ context: {} })],
  ['media without id and link', 131008, send('image', { caption: 'x' })],
  [
    'media with id and link',
    131009,
    send('image', { ...image, link: 'https://example.com/a.jpg' }),
  ],
  [
    'media with a link of another scheme',
    131009,
    send('image', { link: 'ftp://example.com/a.jpg' }),
  ],
  ['a media id of letters', 131009, send('image', { id: 'my-image' })],
  ['a caption of 1025 characters', 131009, send('video', { ...image, caption: 'x'.repeat(1025) })],
  ['a caption on audio', 100, send('audio', { ...image, caption: 'x' })],
  ['a caption on a sticker', 100, send('sticker', { ...image, caption: 'x' })],
  ['a location without longitude', 131008, send('location', { latitude: 1 })],
  ['a latitude of 91', 131009, send('location', { latitude: 91, longitude: 1 })],
  ['a location in words', 100, send('location', { latitude: 'north', longitude: 1 })],
  ['no contact', 131009, send('contacts', [])],
  [
    '258 contacts',
    131009,
    send(
      'contacts',
      Array.from({ length: 258 }, () => ({ name: { formatted_name: 'B', first_name: 'B' } })),
    ),
  ],
  [
    'a contact with a formatted name only',
    131008,
    send('contacts', [{ name: { formatted_name: 'Bo' } }]),
  ],
  [
    'a contact with a birthday in words',
    131009,
    send('contacts', [{ name: { formatted_name: 'B', first_name: 'B' }, birthday: 'May' }]),
  ],
  ['a reaction without emoji', 131008, send('reaction', { message_id: 'wamid.QQ==' })],
  [
    'a reaction of two emoji',
    131009,
    send('reaction', { message_id: 'wamid.QQ==', emoji: '👍👍' }),
  ],
  ['a reaction of letters', 131009, send('reaction', { message_id: 'wamid.QQ==', emoji: 'ok' })],
  ['interactive of no kind', 131008, send('interactive', { body: { text: 'x' } })],
  ['interactive of an unknown kind', 131009, interact('quiz', {})],
  ['no button', 131009, interact('button', { buttons: [] })],
  [
    'four buttons',
    131009,
    interact('button', { buttons: ['a', 'b', 'c', 'd'].map((id) => replyButton(id, id)) }),
  ],
  [
    'a button of 21 characters',
    131009,
    interact('button', { buttons: [replyButton('a', 'x'.repeat(21))] }),
  ],
  [
    'two buttons of one title',
    131009,
    interact('button', { buttons: [replyButton('a', 'A'), replyButton('b', 'A')] }),
  ],
  [
    'two buttons of one id',
    131009,
    interact('button', { buttons: [replyButton('a', 'A'), replyButton('a', 'B')] }),
  ],
  [
    'buttons without a body',
    131008,
    send('interactive', { type: 'button', action: { buttons: [replyButton('a', 'A')] } }),
  ],
  [
    'a body of 1025 characters',
    131009,
    interact('cta_url', url, { body: { text: 'x'.repeat(1025) } }),
  ],
  [
    'a footer of 61 characters',
    131009,
    interact('cta_url', url, { footer: { text: 'x'.repeat(61) } }),
  ],
  ['a header without its member', 131008, interact('cta_url', url, { header: { type: 'image' } })],
  [
    'a product with a header',
    131009,
    interact(
      'product',
      { catalog_id: '4', product_retailer_id: 's' },
      { header: { type: 'text', text: 'x' } },
    ),
  ],
  [
    'a list with an image as header',
    131009,
    interact(
      'list',
      { button: 'O', sections: [{ rows: rows(1) }] },
      { header: { type: 'image', image } },
    ),
  ],
  [
    'a list of eleven rows',
    131009,
    interact('list', {
      button: 'O',
      sections: [
        { title: 'A', rows: rows(6) },
        { title: 'B', rows: rows(5) },
      ],
    }),
  ],
  [
    'two sections without titles',
    131008,
    interact('list', { button: 'O', sections: [{ rows: rows(1) }, { rows: [row('z', 'Z')] }] }),
  ],
  [
    'two rows of one id',
    131009,
    interact('list', { button: 'O', sections: [{ rows: [row('a', 'A'), row('a', 'B')] }] }),
  ],
  [
    'a row title of 25 characters',
    131009,
    interact('list', { button: 'O', sections: [{ rows: [row('a', 'x'.repeat(25))] }] }),
  ],
  [
    'a link button label of 21 characters',
    131009,
    interact('cta_url', {
      name: 'cta_url',
      parameters: { display_text: 'x'.repeat(21), url: 'https://example.com' },
    }),
  ],
  ['a flow with neither id nor name', 131008, interact('flow', flow({ flow_token: 't' }))],
  [
    'a flow label with emoji',
    131009,
    interact('flow', flow({ flow_id: '7', flow_cta: 'Open 🎉' })),
  ],
  [
    'a data exchange with a payload',
    131009,
    interact(
      'flow',
      flow({ flow_id: '7', flow_action: 'data_exchange', flow_action_payload: { screen: 'A' } }),
    ),
  ],
  [
    'a product list without header',
    131008,
    interact('product_list', {
      catalog_id: '4',
      sections: [{ product_items: [{ product_retailer_id: 's' }] }],
    }),
  ],
  ['a carousel of one card', 131009, interact('carousel', { cards: [card(0)] })],
  [
    'a call button for 43201 minutes',
    131009,
    interact('voice_call', { name: 'voice_call', parameters: { ttl_minutes: 43_201 } }),
  ],
  ['a template without language', 131008, send('template', { name: 'hello_world' })],
  ['a template with an unknown component', 131009, sendTemplate('x', [{ type: 'tail' }])],
  [
    'a template button without sub_type',
    131008,
    sendTemplate('x', [{ type: 'button', index: 0, parameters: [] }]),
  ],
  [
    'a template parameter without its member',
    131008,
    sendTemplate('x', [header({ type: 'image' })]),
  ],
  ['a read receipt without an ID', 131008, { messaging_product: 'whatsapp', status: 'read' }],
  [
    'a status other than read',
    131009,
    { messaging_product: 'whatsapp', status: 'seen', message_id: 'wamid.QQ==' },
  ],
]

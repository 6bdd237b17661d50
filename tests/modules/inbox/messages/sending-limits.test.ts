import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { openSendFixture, tracesIn, type SendFixture } from '../../../support/sending'

let fixture: SendFixture

beforeAll(async () => {
  fixture = await openSendFixture()
})

afterAll(() => fixture.world.stop())

/** Characters of two UTF-16 units each: people and the platform count them as one. */
const chars = (count: number): string => '🍕'.repeat(count)
const letters = (count: number): string => 'x'.repeat(count)
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

const interactive = (fields: Loose): Loose => ({
  type: 'interactive',
  interactive: { body: 'Hi', ...fields },
})
const buttons = (...list: Loose[]): Loose => interactive({ type: 'button', buttons: list })
const button = (fields: Loose = {}): Loose => ({ id: 'yes', title: 'Yes', ...fields })
const list = (fields: Loose): Loose =>
  interactive({ type: 'list', button_text: 'Options', sections: [{ rows: [row(1)] }], ...fields })
const row = (nth: number, fields: Loose = {}): Loose => ({
  id: `row-${nth}`,
  title: `Row ${nth}`,
  ...fields,
})
const rows = (count: number, from = 0): Loose[] => times(count, (index) => row(from + index))
const page = (fields: Loose): Loose =>
  interactive({ type: 'cta_url', button_text: 'See', url: 'https://example.com', ...fields })
const product = (fields: Loose): Loose => ({
  type: 'interactive',
  interactive: { type: 'product', catalog_id: '401', product_retailer_id: 'sku', ...fields },
})
const products = (fields: Loose): Loose =>
  interactive({
    type: 'product_list',
    header: 'Picks',
    catalog_id: '401',
    sections: [{ product_retailer_ids: ['sku'] }],
    ...fields,
  })
const skus = (count: number): string[] => times(count, (index) => `sku-${index}`)
const card = (fields: Loose = {}): Loose => ({
  name: { formatted_name: 'Bo Lin', first_name: 'Bo' },
  ...fields,
})
const cards = (...contacts: Loose[]): Loose => ({ type: 'contacts', contacts })
const place = (fields: Loose): Loose => ({
  type: 'location',
  location: { latitude: 1, longitude: 2, ...fields },
})

/** Each limit: a body at it, a body one beyond it, and the path that is named then. */
const LIMITS: [what: string, path: string, body: (count: number) => Loose, limit: number][] = [
  ['characters of a text', 'text', (n) => ({ type: 'text', text: chars(n) }), 4_096],
  [
    'characters of a reference',
    'client_ref',
    (n) => ({ type: 'text', text: 'x', client_ref: letters(n) }),
    100,
  ],
  [
    'characters of a body',
    'interactive.body',
    (n) => ({
      ...buttons(button()),
      interactive: { ...buttons(button())['interactive'], body: chars(n) },
    }),
    1_024,
  ],
  ['characters of the body of a list', 'interactive.body', (n) => list({ body: chars(n) }), 4_096],
  ['characters of the body of a page', 'interactive.body', (n) => page({ body: chars(n) }), 1_024],
  [
    'characters of the body of a product',
    'interactive.body',
    (n) => product({ body: chars(n) }),
    1_024,
  ],
  [
    'characters of the body of a catalog',
    'interactive.body',
    (n) => interactive({ type: 'catalog', body: chars(n) }),
    1_024,
  ],
  [
    'characters of a request',
    'interactive.body',
    (n) => interactive({ type: 'location_request', body: chars(n) }),
    1_024,
  ],
  ['characters of a header', 'interactive.header', (n) => list({ header: chars(n) }), 60],
  ['characters of a footer', 'interactive.footer', (n) => list({ footer: chars(n) }), 60],
  [
    'buttons',
    'interactive.buttons',
    (n) => buttons(...times(n, (index) => ({ id: `id ${index}`, title: `Title ${index}` }))),
    3,
  ],
  [
    'characters of a button',
    'interactive.buttons.0.title',
    (n) => buttons(button({ title: chars(n) })),
    20,
  ],
  [
    'characters of the id of a button',
    'interactive.buttons.0.id',
    (n) => buttons(button({ id: chars(n) })),
    256,
  ],
  [
    'characters of the button of a list',
    'interactive.button_text',
    (n) => list({ button_text: chars(n) }),
    20,
  ],
  [
    'sections of a list',
    'interactive.sections',
    (n) => list({ sections: times(n, (i) => ({ title: `T ${i}`, rows: [row(i)] })) }),
    10,
  ],
  [
    'rows of a section',
    'interactive.sections.0.rows',
    (n) => list({ sections: [{ rows: rows(n) }] }),
    10,
  ],
  [
    'rows in total',
    'interactive.sections',
    (n) =>
      list({
        sections: [
          { title: 'A', rows: rows(5) },
          { title: 'B', rows: rows(n - 5, 5) },
        ],
      }),
    10,
  ],
  [
    'characters of a section',
    'interactive.sections.0.title',
    (n) => list({ sections: [{ title: chars(n), rows: rows(1) }] }),
    24,
  ],
  [
    'characters of a row',
    'interactive.sections.0.rows.0.title',
    (n) => list({ sections: [{ rows: [row(1, { title: chars(n) })] }] }),
    24,
  ],
  [
    'characters of the id of a row',
    'interactive.sections.0.rows.0.id',
    (n) => list({ sections: [{ rows: [row(1, { id: chars(n) })] }] }),
    200,
  ],
  [
    'characters about a row',
    'interactive.sections.0.rows.0.description',
    (n) => list({ sections: [{ rows: [row(1, { description: chars(n) })] }] }),
    72,
  ],
  [
    'characters of the button of a page',
    'interactive.button_text',
    (n) => page({ button_text: chars(n) }),
    20,
  ],
  [
    'sections of products',
    'interactive.sections',
    (n) =>
      products({ sections: times(n, (i) => ({ title: `T ${i}`, product_retailer_ids: ['sku'] })) }),
    10,
  ],
  [
    'products of a section',
    'interactive.sections.0.product_retailer_ids',
    (n) => products({ sections: [{ product_retailer_ids: skus(n) }] }),
    30,
  ],
  [
    'products in total',
    'interactive.sections',
    (n) =>
      products({
        sections: [
          { title: 'A', product_retailer_ids: skus(20) },
          { title: 'B', product_retailer_ids: skus(n - 20) },
        ],
      }),
    30,
  ],
  [
    'characters of a section of products',
    'interactive.sections.0.title',
    (n) => products({ sections: [{ title: chars(n), product_retailer_ids: ['sku'] }] }),
    24,
  ],
  ['contact cards', 'contacts', (n) => cards(...times(n, () => card())), 257],
  [
    'numbers of a card',
    'contacts.0.phones',
    (n) => cards(card({ phones: times(n, () => ({ phone: '1' })) })),
    50,
  ],
  [
    'characters of a name',
    'contacts.0.name.formatted_name',
    (n) => cards({ name: { formatted_name: chars(n), last_name: 'x' } }),
    1_000,
  ],
  ['characters of the name of a place', 'location.name', (n) => place({ name: chars(n) }), 1_000],
  ['characters of an address', 'location.address', (n) => place({ address: chars(n) }), 1_000],
  ['degrees north', 'location.latitude', (n) => place({ latitude: n }), 90],
  ['degrees south', 'location.latitude', (n) => place({ latitude: -n }), 90],
  ['degrees east', 'location.longitude', (n) => place({ longitude: n }), 180],
  ['degrees west', 'location.longitude', (n) => place({ longitude: -n }), 180],
]

describe("the platform's maximum is accepted, and one more is 400 that names the field:", () => {
  test.each(LIMITS)('%s', async (_, path, body, limit) => {
    const { payload } = await fixture.sent(body(limit))
    expect(payload['type']).toBe(body(limit)['type'])
    using _stay = fixture.world.stays('jobs')
    const before = tracesIn(fixture.world)
    const answer = await fixture.send(body(limit + 1))
    expect({ status: answer.status, code: answer.body.code }).toEqual({
      status: 400,
      code: 'invalid_input',
    })
    expect(answer.body.errors?.[0]?.path).toBe(`body.${path}`)
    expect(tracesIn(fixture.world)).toEqual(before)
  })
})

const NOBODY = '01900000-0000-7000-8000-ffffffffffff'

const REFUSED: [what: string, body: Loose, ...paths: string[]][] = [
  ['no type', { text: 'x' }, 'type'],
  ['a template', { type: 'template', template: { name: 'hello' } }, 'template_id'],
  ['a type that only comes in', { type: 'system', text: 'x' }, 'type'],
  ['a place that is missing', { type: 'location' }, 'location'],
  [
    'a place without degrees',
    { type: 'location', location: { name: 'x' } },
    'location.latitude',
    'location.longitude',
  ],
  [
    'degrees that are words',
    { type: 'location', location: { latitude: '1', longitude: 2 } },
    'location.latitude',
  ],
  ['a blank name of a place', place({ name: ' ' }), 'location.name'],
  ['no cards', { type: 'contacts' }, 'contacts'],
  ['an empty list of cards', cards(), 'contacts'],
  ['a card without a name', cards({ phones: [] }), 'contacts.0.name'],
  [
    'a card without a formatted name',
    cards({ name: { first_name: 'Bo' } }),
    'contacts.0.name.formatted_name',
  ],
  [
    'a card with nothing but the formatted name',
    cards(card(), { name: { formatted_name: 'Bo' } }),
    'contacts.1.name',
  ],
  [
    'a card with a blank name',
    cards({ name: { formatted_name: ' ', first_name: 'Bo' } }),
    'contacts.0.name.formatted_name',
  ],
  [
    'a card with an empty number',
    cards(card({ phones: [{ type: 'WORK' }] })),
    'contacts.0.phones.0.phone',
  ],
  [
    'a card with an empty address of mail',
    cards(card({ emails: [{ type: 'WORK' }] })),
    'contacts.0.emails.0.email',
  ],
  [
    'a card with a birthday that is no day',
    cards(card({ birthday: '1990-02-31' })),
    'contacts.0.birthday',
  ],
  ['a card with a birthday in words', cards(card({ birthday: 'in May' })), 'contacts.0.birthday'],
  ['no interactive part', { type: 'interactive' }, 'interactive'],
  ['an unknown kind', interactive({ type: 'carousel' }), 'interactive.type'],
  ['the kind of an answer', interactive({ type: 'button_reply' }), 'interactive.type'],
  [
    'no body',
    { type: 'interactive', interactive: { type: 'contact_request' } },
    'interactive.body',
  ],
  ['a blank body', interactive({ type: 'contact_request', body: ' \n' }), 'interactive.body'],
  ['a blank footer', interactive({ type: 'contact_request', footer: ' ' }), 'interactive.footer'],
  ['no buttons', interactive({ type: 'button' }), 'interactive.buttons'],
  ['an empty list of buttons', buttons(), 'interactive.buttons'],
  [
    'an empty button',
    buttons(button({ id: '', title: ' ' })),
    'interactive.buttons.0.id',
    'interactive.buttons.0.title',
  ],
  ['two buttons of one id', buttons(button(), button({ title: 'Y' })), 'interactive.buttons.1.id'],
  [
    'two buttons of one title',
    buttons(button(), button({ id: 'y' })),
    'interactive.buttons.1.title',
  ],
  ['a list without a button', list({ button_text: undefined }), 'interactive.button_text'],
  ['a list without sections', list({ sections: undefined }), 'interactive.sections'],
  ['a section without rows', list({ sections: [{ title: 'A' }] }), 'interactive.sections.0.rows'],
  [
    'sections of which one has no title',
    list({ sections: [{ title: 'A', rows: rows(1) }, { rows: rows(1, 1) }] }),
    'interactive.sections.1.title',
  ],
  [
    'sections of products of which one has no title',
    products({
      sections: [{ title: 'A', product_retailer_ids: ['a'] }, { product_retailer_ids: ['b'] }],
    }),
    'interactive.sections.1.title',
  ],
  [
    'two rows of one id',
    list({
      sections: [
        { title: 'A', rows: rows(1) },
        { title: 'B', rows: rows(1) },
      ],
    }),
    'interactive.sections.1.rows.0.id',
  ],
  [
    'a list with a picture above it',
    list({ header: { type: 'image', media_id: NOBODY } }),
    'interactive.header',
  ],
  ['a page without an address', page({ url: undefined }), 'interactive.url'],
  ['a page at a file', page({ url: 'file:///etc/passwd' }), 'interactive.url'],
  ['a page at a script', page({ url: 'javascript:alert(1)' }), 'interactive.url'],
  [
    'a page with a space in its address',
    page({ url: 'https://example.com/a b' }),
    'interactive.url',
  ],
  [
    'a request with a header',
    interactive({ type: 'location_request', header: 'x' }),
    'interactive.header',
  ],
  [
    'a request for a number with a header',
    interactive({ type: 'contact_request', header: 'x' }),
    'interactive.header',
  ],
  ['a catalog with a header', interactive({ type: 'catalog', header: 'x' }), 'interactive.header'],
  ['a product with a header', product({ header: 'x' }), 'interactive.header'],
  ['a product of no catalog', product({ catalog_id: undefined }), 'interactive.catalog_id'],
  [
    'a product without an id',
    product({ product_retailer_id: '' }),
    'interactive.product_retailer_id',
  ],
  ['products without a header', products({ header: undefined }), 'interactive.header'],
  ['products without a catalog', products({ catalog_id: undefined }), 'interactive.catalog_id'],
  [
    'a section without products',
    products({ sections: [{ title: 'A' }] }),
    'interactive.sections.0.product_retailer_ids',
  ],
  [
    'a header of an unknown kind',
    page({ header: { type: 'audio', media_id: NOBODY } }),
    'interactive.header.type',
  ],
  ['a header without a file', page({ header: { type: 'image' } }), 'interactive.header.media_id'],
  [
    'a header with two files',
    page({ header: { type: 'image', media_id: NOBODY, media_url: 'https://x.example' } }),
    'interactive.header.media_url',
  ],
  [
    'a header with a file nobody has',
    page({ header: { type: 'image', media_id: NOBODY } }),
    'interactive.header.media_id',
  ],
  [
    'a flow, for there are none',
    interactive({ type: 'flow', button_text: 'Open', flow_id: NOBODY }),
    'interactive.flow_id',
  ],
  [
    'a flow without an id',
    interactive({ type: 'flow', button_text: 'Open' }),
    'interactive.flow_id',
  ],
  ['a picture without a file', { type: 'image' }, 'media_id'],
  [
    'a picture with two files',
    { type: 'image', media_id: NOBODY, media_url: 'https://example.com/a.jpg' },
    'media_url',
  ],
  ['a picture nobody has', { type: 'image', media_id: NOBODY }, 'media_id'],
  [
    'a caption that is too long',
    { type: 'video', media_id: NOBODY, caption: chars(1_025) },
    'caption',
  ],
  ['a blank caption', { type: 'document', media_id: NOBODY, caption: '  ' }, 'caption'],
  [
    'a file name that is too long',
    { type: 'document', media_id: NOBODY, filename: letters(241) },
    'filename',
  ],
  ['a caption on a sound', { type: 'audio', media_id: NOBODY, caption: 'x' }, 'caption'],
  ['a caption on a sticker', { type: 'sticker', media_id: NOBODY, caption: 'x' }, 'caption'],
  [
    'several things at once',
    interactive({
      type: 'button',
      body: '',
      footer: chars(61),
      buttons: [button({ title: '' }), button()],
    }),
    'interactive.footer',
    'interactive.body',
    'interactive.buttons.0.title',
    'interactive.buttons.1.id',
  ],
]

describe('invalid messages are 400 that names every invalid field, and nothing is stored:', () => {
  test.each(REFUSED)('%s', async (_, body, ...paths) => {
    using _stay = fixture.world.stays('jobs')
    const before = tracesIn(fixture.world)
    const answer = await fixture.send(body)
    expect({ status: answer.status, code: answer.body.code }).toEqual({
      status: 400,
      code: 'invalid_input',
    })
    expect(answer.body.errors?.map((problem) => problem.path)).toEqual(
      paths.map((path) => `body.${path}`),
    )
    expect(tracesIn(fixture.world)).toEqual(before)
  })
})

test('at most twenty problems are listed', async () => {
  expect(
    (await fixture.send(cards(...times(30, () => ({ name: { formatted_name: '' } }))))).body.errors,
  ).toHaveLength(20)
})

test('each rule is told in words that say what to do', async () => {
  const link = { url: 'example.com', button_text: 'Open' }
  const told: [body: Loose, words: string][] = [
    [interactive({ type: 'button' }), 'is required'],
    [interactive({ type: 'contact_request', body: ' ' }), 'must not be empty or blank'],
    [
      interactive({ type: 'contact_request', footer: chars(61) }),
      'must have at most 60 characters',
    ],
    [buttons(), 'must have 1 to 3 items'],
    [place({ longitude: 181 }), 'must be a number from -180 to 180'],
    [interactive({ type: 'cta_url', ...link }), 'must be an http or https URL'],
    [cards(card({ birthday: 'in May' })), 'must be a date as YYYY-MM-DD'],
    [interactive({ type: 'address_message', country: 'in' }), 'must be a country code such as IN'],
    [
      interactive({ type: 'order_status', reference_id: 'r' }),
      'must be one of pending, processing, partially_shipped, shipped, completed, canceled',
    ],
    [
      { type: 'document', media_id: NOBODY, filename: 'a\tb' },
      'must be one line without control characters',
    ],
    [
      interactive({ type: 'flow', flow_id: NOBODY, button_text: 'Open 🍕 now' }),
      'must not contain emoji',
    ],
  ]
  for (const [body, words] of told) {
    const { errors } = (await fixture.send(body)).body
    expect(errors?.map(({ message }) => message)).toEqual([words])
  }
})

test('an optional text that is empty is none', async () => {
  const sections = [{ title: '', rows: [{ id: 'a', title: 'A', description: '' }] }]
  const { message } = await fixture.sent(list({ header: '', footer: '', sections }))
  expect(message['content']).toMatchObject({
    header: null,
    footer: null,
    sections: [{ title: null, rows: [{ id: 'a', title: 'A', description: null }] }],
  })
  const map = await fixture.sent(place({ name: '', address: '' }))
  expect(map.message['content']).toMatchObject({ name: null, address: null })
})

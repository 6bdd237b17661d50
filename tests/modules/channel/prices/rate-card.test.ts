import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Answer, Client, Loose } from '../../../support/client'
import { sendForm } from '../../../support/sending'
import { World } from '../../../support/world'

let world: World
let root: Client

beforeAll(async () => {
  world = await World.create()
  root = await world.as('super')
})

afterAll(() => world.stop())

/** The form in which the platform publishes its rate card; the amounts are invented. */
const CARD = `"Cost per message in USD, effective October 1, 2026",,,,,,
"Note: Authentication-International applies to some markets, see the documentation.",,,,,,
Market,Currency,Marketing,Utility,Authentication,"Authentication-
International",Service
Argentina,$US,0.0618,0.0260,0.0260,n/a,0.0260
India,$US,0.0118,0.0014,0.0014,0.0280,0.0014
Morocco,$US,0.0300,0.0070,0.0070,0.0500,0.0070
North America,$US,0.0250,0.0034,0.0034,n/a,0.0034
Rest of Africa,$US,0.0225,0.0040,0.0040,n/a,0.0040
Türkiye,$US,0.0109,0.0009,0.0009,n/a,0.0009
Atlantis,$US,0.1,0.1,0.1,n/a,0.1
Other,$US,0.0604,0.0077,0.0077,n/a,0.0077
Chile,$US,0.0889,free,0.02x,n/a,0.1234567

"Rates do not include taxes.",,,,,,
`

const hand = (text: string, fields: Record<string, string> = {}): Promise<Answer<Loose>> =>
  sendForm(root, '/api/prices/import', fields, {
    name: 'rates.csv',
    type: 'text/csv',
    bytes: new TextEncoder().encode(text),
  })

const listed = async (query: string): Promise<Loose[]> =>
  (await (await world.as('manager')).get(`/api/prices?limit=100&${query}`)).data['items'] as Loose[]

test('imports the rate card of the platform as published', async () => {
  const answer = await hand(CARD, { free_per_month: '1000' })
  expect({ status: answer.status, invalid: answer.data['invalid'] }).toEqual({
    status: 201,
    invalid: [
      { row: 7, reason: 'market Atlantis is not known' },
      { row: 9, reason: 'price must be a decimal number with up to six decimals' },
    ],
  })
  expect(await listed('country=IN')).toMatchObject([
    { category: 'AUTHENTICATION', price: '0.0014', free_per_month: null },
    { category: 'AUTHENTICATION_INTERNATIONAL', price: '0.028' },
    { category: 'MARKETING', price: '0.0118', kind: 'template' },
    {
      category: 'SERVICE',
      kind: 'service',
      price: '0.0014',
      currency: 'USD',
      free_per_month: 1_000,
      effective_from: '2026-10-01T00:00:00.000Z',
      source: 'Rate card: India',
    },
    { category: 'UTILITY', price: '0.0014' },
  ])
  expect(await listed('country=TR&category=utility')).toMatchObject([{ price: '0.0009' }])
  expect(await listed('country=*&category=utility')).toMatchObject([{ price: '0.0077' }])
})

test('a rate card without service prices charges them as utility since October 2026', async () => {
  const card = (date: string): string =>
    `Effective ${date},,\nMarket,Currency,Utility\nIceland,EUR,0.05\n`
  await hand(card('July 1, 2026'), { free_per_month: '1000' })
  expect(await listed('country=IS')).toMatchObject([{ category: 'UTILITY' }])
  await hand(card('October 1, 2026'), { free_per_month: '1000' })
  expect(await listed('country=IS&at=2026-11-01T00:00:00Z')).toMatchObject([
    { category: 'SERVICE', price: '0.05', free_per_month: 1_000, currency: 'EUR' },
    { category: 'UTILITY', price: '0.05' },
  ])
  world.program.http.db.sqlite.run("delete from prices where country = 'IS'")
})

test('a rate card may separate thousands, quote cells, and begin with a byte order mark', async () => {
  const card =
    '\uFEFF"Effective January 1, 2027"\r\n' +
    '"Market","Currency","Marketing","Utility","Authentication – International"\r\n' +
    '"Iceland","IDR","Rp1,029.12","Rp 586.33","n/a"\r\n'
  expect((await hand(card)).data).toEqual({ imported: 3, replaced: 0, invalid: [] })
  expect(await listed('country=IS')).toMatchObject([
    { category: 'MARKETING', price: '1029.12', currency: 'IDR' },
    { category: 'SERVICE', price: '586.33' },
    { category: 'UTILITY', price: '586.33' },
  ])
  world.program.http.db.sqlite.run("delete from prices where country = 'IS'")
})

test('a country with prices of its own is left out of its regional group', async () => {
  await hand(CARD)
  expect(await listed('country=CA&category=service')).toMatchObject([{ price: '0.0034' }])
  expect(await listed('country=KE&category=marketing')).toMatchObject([{ price: '0.0225' }])
  expect(await listed('country=MA&category=marketing')).toMatchObject([{ price: '0.03' }])
})

test('a rate card without a date needs one in the request', async () => {
  const undated = CARD.slice(CARD.indexOf('Market,'))
  const refused = await hand(undated)
  expect({ status: refused.status, errors: refused.body.errors }).toMatchObject({
    status: 400,
    errors: [{ path: 'body.effective_from' }],
  })
  expect((await hand(undated, { effective_from: '2027-01-01' })).status).toBe(201)
  expect(await listed('country=IN&category=service')).toMatchObject([
    { effective_from: '2027-01-01T00:00:00.000Z' },
    { effective_from: '2026-10-01T00:00:00.000Z' },
  ])
  expect((await hand(undated, { effective_from: 'soon' })).status).toBe(400)
})

test.each([
  ['Effective July 1, 2026', '2026-07-01'],
  ['Rates effective 1 October 2026 in USD', '2026-10-01'],
  ['Effective from 2027-01-01', '2027-01-01'],
  ['Effective Oct 1st, 2026', '2026-10-01'],
])('reads the date of "%s"', async (title, date) => {
  const card = `${title},,\nMarket,Currency,Utility\nIceland,EUR,0.05\n`
  expect((await hand(card)).data).toMatchObject({ replaced: 0, invalid: [] })
  const [newest] = await listed(`country=IS&at=${date}T12:00:00Z`)
  expect(newest).toMatchObject({ effective_from: `${date}T00:00:00.000Z`, currency: 'EUR' })
  world.program.http.db.sqlite.run("delete from prices where country = 'IS'")
})

test('a file without known columns is reported row by row', async () => {
  expect((await hand('Land,Preis\nDE,1\nFR,2\n')).data).toEqual({
    imported: 0,
    replaced: 0,
    invalid: [
      { row: 1, reason: 'country is missing' },
      { row: 2, reason: 'country is missing' },
    ],
  })
})

/** The markets of their own since October 2026, a phone number in each, and their former groups. */
const NEW_MARKETS = [
  ['Bangladesh', 'BD', '8801812345678', 'Rest of Asia Pacific'],
  ['Iraq', 'IQ', '9647912345678', 'Rest of Middle East'],
  ['Kazakhstan', 'KZ', '77710009998', 'Other'],
  ['Kuwait', 'KW', '96550012345', 'Rest of Middle East'],
  ['Morocco', 'MA', '212650123456', 'Rest of Africa'],
  ['Nepal', 'NP', '9779841234567', 'Rest of Asia Pacific'],
  ['Oman', 'OM', '96892123456', 'Rest of Middle East'],
  ['Sri Lanka', 'LK', '94712345678', 'Rest of Asia Pacific'],
  ['Ukraine', 'UA', '380501234567', 'Rest of Central & Eastern Europe'],
] as const

/** A card of a date without service column: the groups at 0.5, and the given markets. */
const groupsCard = (date: string, markets: readonly (readonly string[])[]): string =>
  [
    `Effective ${date}`,
    'Market,Currency,Marketing,Utility,Authentication,Authentication-International',
    ...['Rest of Africa', 'Rest of Asia Pacific', 'Rest of Central & Eastern Europe']
      .concat('Rest of Middle East', 'Other')
      .map((group) => `${group},USD,0.5,0.5,0.5,n/a`),
    ...markets.map(([name], nth) => `${name},USD,1.${nth},2.${nth},3.${nth},4.${nth}`),
  ].join('\n')

test('the nine markets of October 2026 have rates of their own, also one for international codes', async () => {
  world.program.http.db.sqlite.run('delete from prices')
  expect((await hand(groupsCard('2026-10-01', NEW_MARKETS))).data['invalid']).toEqual([])
  const manager = await world.as('manager')
  for (const [nth, [, code, phone_number]] of NEW_MARKETS.entries()) {
    const found = await listed(`country=${code}&at=2026-11-01T00:00:00Z`)
    expect(Object.fromEntries(found.map(({ category, price }) => [category, price]))).toEqual({
      MARKETING: `1.${nth}0`,
      UTILITY: `2.${nth}0`,
      AUTHENTICATION: `3.${nth}0`,
      AUTHENTICATION_INTERNATIONAL: `4.${nth}0`,
      SERVICE: `2.${nth}0`,
    })
    const { data } = await manager.post('/api/contacts', { phone_number })
    expect(data['country']).toBe(code)
  }
  expect(await listed('country=DZ&category=marketing')).toMatchObject([{ price: '0.50' }])
})

test('the nine markets are in their regional groups before October 2026 and in none since', async () => {
  for (const [date, isInside] of [
    ['2026-09-30', true],
    ['2026-10-01', false],
  ] as const) {
    world.program.http.db.sqlite.run('delete from prices')
    await hand(groupsCard(date, []))
    for (const [, code, , group] of NEW_MARKETS)
      expect([code, (await listed(`country=${code}&category=marketing`)).length]).toEqual([
        code,
        isInside && group !== 'Other' ? 1 : 0,
      ])
  }
})

test('service messages cost as much as utility since October 2026 if the list does not price them', async () => {
  const { sqlite } = world.program.http.db
  sqlite.run('delete from prices')
  const contact = await world.contactOf()
  const estimate = async (): Promise<unknown> =>
    (
      await (
        await world.as('manager')
      ).post('/api/messages/preview', { contact_id: contact['id'], type: 'text', text: 'Hi' })
    ).data['estimated_cost']
  await hand('Effective July 1, 2026\nMarket,Currency,Utility\nOther,USD,0.04\n')
  await root.post('/api/prices/import', {
    rows: [
      {
        country: '*',
        category: 'SERVICE',
        price: '0',
        currency: 'USD',
        effective_from: '2025-07-01',
      },
    ],
  })
  // 1,000 are free by the rule of WhatsApp, which no list states here.
  expect(await estimate()).toEqual({ amount: '0.00', currency: 'USD' })
  await root.post('/api/prices/import', {
    rows: [
      {
        country: 'XK',
        category: 'SERVICE',
        price: '1',
        currency: 'USD',
        effective_from: '2026-10-01',
        free_per_month: 0,
      },
    ],
  })
  expect(await estimate()).toEqual({ amount: '0.04', currency: 'USD' })
})

test('super admins are told once per quarter that the price list is old', async () => {
  const notices = async (): Promise<unknown[]> =>
    (
      (await (await world.as('admin')).get('/api/me/notifications')).data['items'] as Loose[]
    ).filter(({ kind }) => kind === 'price_list_old')
  const { sqlite } = world.program.http.db
  sqlite.run('update users set is_super_admin = 1 where email = ?', [
    world.emailOf('admin', world.tenant),
  ])
  sqlite.run('delete from prices')
  await hand(CARD)
  world.clock.advance({ hours: 24 })
  await world.settle()
  expect(await notices()).toHaveLength(0)
  world.clock.advance({ hours: 24 * 45 })
  await world.settle()
  expect(await notices()).toMatchObject([{ severity: 'warning', link: '/prices' }])
  world.clock.advance({ hours: 48 })
  await world.settle()
  expect(await notices()).toHaveLength(1)
})

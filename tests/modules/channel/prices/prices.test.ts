import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Answer, Client, Loose } from '../../../support/client'
import { World } from '../../../support/world'
import { openSendFixture, sendForm, type SendFixture } from '../../../support/sending'
import { approvedTemplate } from '../../../support/templates'

let fixture: SendFixture
let root: Client

beforeAll(async () => {
  fixture = await openSendFixture()
  root = await fixture.world.as('super')
})

afterAll(() => fixture.world.stop())

const row = (parts: Loose = {}): Loose => ({
  country: 'US',
  category: 'marketing',
  price: '0.025',
  currency: 'usd',
  effective_from: '2026-01-01',
  ...parts,
})
const bring = (...rows: Loose[]) => root.post('/api/prices/import', { rows })
const listed = async (query: string): Promise<Loose[]> =>
  (await (await fixture.world.as('manager')).get(`/api/prices?${query}`)).data['items'] as Loose[]

test('imports prices from JSON and CSV, replaces existing ones and reports invalid rows', async () => {
  const { status, data } = await bring(
    row(),
    row({ country: 'DE|FR', price: 0.1131 }),
    row({ price: '-1' }),
    row({ country: 'Narnia' }),
    row({ effective_from: '2026-02-30' }),
  )
  expect({ status, data }).toEqual({
    status: 201,
    data: {
      imported: 3,
      replaced: 0,
      invalid: [
        { row: 3, reason: 'price must be a decimal number with up to six decimals' },
        { row: 4, reason: 'country NARNIA is not known' },
        { row: 5, reason: 'effective_from must be a date such as 2026-07-01' },
      ],
    },
  })
  const csv =
    'Country;Category;Price;Currency;Effective-From;Inside_Window;Source\nUS;MARKETING;0,5;USD;2026-01-01;;x\nUS;MARKETING;0.03;USD;2026-01-01;;"card; 1"\n*;utility;0;USD;2026-01-01;true;\n'
  const bytes = new TextEncoder().encode(`\uFEFF${csv}`)
  const answer = await sendForm(
    root,
    '/api/prices/import',
    {},
    { name: 'prices.csv', type: 'text/csv', bytes },
  )
  expect(answer.data).toEqual({
    imported: 1,
    replaced: 1,
    invalid: [{ row: 1, reason: 'price must be a decimal number with up to six decimals' }],
  })
  expect(await listed('country=us')).toEqual([
    {
      country: 'US',
      category: 'MARKETING',
      kind: 'template',
      price: '0.03',
      currency: 'USD',
      inside_window: null,
      free_per_month: null,
      effective_from: '2026-01-01T00:00:00.000Z',
      source: 'card; 1',
    },
  ])
  expect((await bring()).body.code).toBe('empty_file')
  expect(
    (
      await sendForm(
        root,
        '/api/prices/import',
        {},
        { name: 'x.csv', type: 'text/csv', bytes: new TextEncoder().encode('country\n"US') },
      )
    ).body.code,
  ).toBe('malformed_csv')
})

test('rejects too many rows and too many countries in a row', async () => {
  const header = 'country,category,price,currency,effective_from\n'
  const hand = (text: string): Promise<Answer<Loose>> =>
    sendForm(
      root,
      '/api/prices/import',
      {},
      { name: 'prices.csv', type: 'text/csv', bytes: new TextEncoder().encode(header + text) },
    )
  const one = 'BR,MARKETING,1,USD,2026-01-01\n'
  expect((await hand(`\n${one.repeat(9_999)}`)).data).toEqual({
    imported: 1,
    replaced: 9_998,
    invalid: [],
  })
  for (const text of [one.repeat(10_001), `${'\n'.repeat(10_001)}${one}`])
    expect((await hand(text)).body).toMatchObject({
      code: 'invalid_input',
      errors: [{ path: 'body.file' }],
    })
  expect((await hand(`${'BR|'.repeat(700)}BR,MARKETING,1,USD,2026-01-01\n`)).data).toEqual({
    imported: 0,
    replaced: 0,
    invalid: [{ row: 1, reason: 'country has more than 2,000 characters' }],
  })
  expect((await bring(row({ country: 'BR|'.repeat(700) }))).data['invalid']).toHaveLength(1)
})

test('accepts dates and times with offset', async () => {
  const dates = [
    '2026-02-30',
    '2026-7-1',
    '01.07.2026',
    '2026-07-01T00:00',
    '2026-13-01',
    '',
    '20260701',
    '2026-07-01T25:00:00Z',
  ]
  const { data } = await bring(
    ...dates.map((effective_from) => row({ country: 'NZ', effective_from })),
  )
  expect(data).toMatchObject({ imported: 0, invalid: dates.map((_, nth) => ({ row: nth + 1 })) })
  await bring(
    row({ country: 'NZ', effective_from: '2026-07-01T00:00:00+12:00' }),
    row({ country: 'NZ', effective_from: '2028-02-29', price: '1' }),
  )
  expect(
    (await listed('country=NZ')).map(({ effective_from }) => effective_from as unknown),
  ).toEqual(['2028-02-29T00:00:00.000Z', '2026-06-30T12:00:00.000Z'])
})

test('lists the prices that apply at a time', async () => {
  await bring(
    row({ country: 'BR', price: '1' }),
    row({ country: 'BR', price: '2', effective_from: '2026-06-01' }),
    row({ country: 'BR', price: '3', effective_from: '2027-01-01' }),
  )
  expect((await listed('country=BR')).map(({ price }) => price)).toEqual(['3.00', '2.00', '1.00'])
  expect((await listed('country=BR&at=2026-07-01T00:00:00Z')).map(({ price }) => price)).toEqual([
    '2.00',
  ])
  expect(await listed('country=BR&at=2025-07-01T00:00:00Z')).toEqual([])
  expect((await (await fixture.world.as('agent')).get('/api/prices')).status).toBe(403)
})

test('estimates by country, category, window and date, and reports unknown prices', async () => {
  const { id } = await approvedTemplate(fixture.world, {
    components: [{ type: 'BODY', text: 'Your parcel is on its way' }],
    category: 'UTILITY',
  })
  const estimate = async (to: Loose): Promise<Loose> =>
    (
      await (
        await fixture.world.as('manager')
      ).post('/api/messages/preview', { ...to, type: 'template', template_id: id })
    ).data['estimated_cost']
  const open = { contact_id: fixture.contact['id'] }
  // The only price is from before October 2026, when templates inside the window were free.
  expect(await estimate(open)).toBeNull()
  expect(await estimate({ phone_number: '+49 1512 3456789' })).toBeNull()
  await bring(
    row({ country: '*', category: 'utility', price: '0.05', inside_window: false }),
    row({ country: 'DE', category: 'UTILITY', price: '0.045612', inside_window: 'false' }),
  )
  expect(await estimate({ phone_number: '+49 1512 3456789' })).toEqual({
    amount: '0.045612',
    currency: 'USD',
  })
  expect(await estimate({ phone_number: '+33 6 12 34 56 78' })).toEqual({
    amount: '0.05',
    currency: 'USD',
  })
  expect(await estimate(open)).toEqual({ amount: '0.05', currency: 'USD' })
  await bring(
    row({
      country: 'DE',
      category: 'UTILITY',
      price: '0.09',
      inside_window: false,
      effective_from: '2026-12-01',
    }),
  )
  expect(await estimate({ phone_number: '+49 1512 3456789' })).toEqual({
    amount: '0.045612',
    currency: 'USD',
  })
  fixture.world.clock.advance({ hours: 24 * 20 })
  expect(await estimate({ phone_number: '+49 1512 3456789' })).toEqual({
    amount: '0.09',
    currency: 'USD',
  })
})

test('a list of prices is shown before it is imported', async () => {
  await using world = await World.create({ tenants: 1 })
  const operator = await world.as('super')
  const row = { country: 'DE', category: 'MARKETING', price: '0.1131', currency: 'EUR' }
  const rows = [
    { ...row, effective_from: '2026-10-01' },
    { ...row, country: 'XX', effective_from: '2026-10-01' },
  ]
  const listed = async () =>
    (await operator.get('/api/prices?country=DE&currency=EUR')).data['total']
  const before = await listed()
  const seen = await operator.post('/api/prices/import', { rows, dry_run: true })
  expect(seen.data).toMatchObject({
    ...{ imported: 1, replaced: 0, invalid: [{ row: 2 }] },
    sample: [{ country: 'DE', category: 'MARKETING', price: '0.1131', currency: 'EUR' }],
  })
  expect(await listed()).toBe(before)
  const done = await operator.post('/api/prices/import', { rows })
  expect(done.data).toEqual({ imported: 1, replaced: 0, invalid: [expect.anything()] })
  expect(await listed()).toBe(Number(before) + 1)
  const again = await operator.post('/api/prices/import', { rows, dry_run: true })
  expect(again.data).toMatchObject({ imported: 0, replaced: 1 })
})

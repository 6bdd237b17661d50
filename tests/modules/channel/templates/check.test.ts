import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { World } from '../../../support/world'

let world: World
let admin: Client

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
})

afterAll(() => world.stop())

const BODY = {
  type: 'BODY',
  text: 'Hello {{1}}, we have news for you today.',
  example: { body_text: [['Ann']] },
}
const check = async (more: Loose): Promise<Loose> => {
  const body = { category: 'UTILITY', components: [BODY], ...more }
  const { status, data } = await admin.post('/api/templates/validate', body)
  expect(status).toBe(200)
  return data
}
const pathsOf = (found: Loose): unknown[] => (found['errors'] as Loose[]).map(({ path }) => path)

test('says everything that WhatsApp would refuse at once, and stores nothing', async () => {
  expect(await check({})).toEqual({ valid: true, errors: [] })
  const wrong = await check({
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'x'.repeat(61) },
      { type: 'BODY', text: '{{1}} bye' },
      { type: 'FOOTER', text: 'By {{1}}' },
    ],
  })
  expect(wrong['valid']).toBe(false)
  expect(pathsOf(wrong)).toEqual([
    'body.components.0.text',
    'body.components.1.text',
    'body.components.1.example',
    'body.components.2.text',
  ])
  expect((await admin.get('/api/templates')).data['total']).toBe(0)
})

test('knows that a picture needs a sample, and that a name is taken in a language', async () => {
  const image = { type: 'HEADER', format: 'IMAGE' }
  expect(pathsOf(await check({ components: [image, BODY] }))).toEqual(['body.header_media_id'])
  const naming = { account_id: world.tenant.accountId, name: 'Order news', language: 'en' }
  expect(await check(naming)).toMatchObject({ valid: true })
  const made = await admin.post('/api/templates', {
    ...naming,
    category: 'UTILITY',
    components: [BODY],
  })
  expect(made.status).toBe(201)
  expect(pathsOf(await check(naming))).toEqual(['body.name'])
  expect(await check({ ...naming, language: 'de' })).toMatchObject({ valid: true })
  expect(await check({ ...naming, template_id: made.data['id'] })).toMatchObject({ valid: true })
})

test('lists rejected templates first if asked to, and the languages of a name', async () => {
  const make = async (name: string, language: string): Promise<Loose> => {
    const { data } = await admin.post('/api/templates', {
      ...{ account_id: world.tenant.accountId, name, language },
      ...{ category: 'UTILITY', components: [BODY] },
    })
    return (await admin.post(`/api/templates/${String(data['id'])}/publish`)).data
  }
  const first = await make('first', 'en')
  const others = [await make('second', 'en'), await make('second', 'de')]
  await world.simulator.review(String(first['platform_id']), {
    event: 'REJECTED',
    reason: 'SCAM',
  })
  await world.settle()
  const names = async (query: string): Promise<unknown[]> =>
    ((await admin.get(`/api/templates?${query}`)).data['items'] as Loose[]).map(({ id }) => id)
  expect((await names('rejected_first=true'))[0]).toBe(first['id'])
  expect((await names(''))[0]).toBe(others[1]?.['id'])
  expect(new Set(await names('name=second'))).toEqual(new Set(others.map(({ id }) => id)))
})

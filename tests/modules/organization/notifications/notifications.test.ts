import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { newcomer, type Newcomer } from '../../../support/newcomers'
import { World } from '../../../support/world'

let world: World
let person: Newcomer

beforeAll(async () => {
  world = await World.create({ isConnected: false })
  person = await newcomer(world)
  const admin = await world.as('admin')
  for (let count = 0; count < 3; count += 1) {
    world.clock.advance({ seconds: 1 })
    await admin.put(`/api/users/${person.id}`, { password: `new password ${count}` })
  }
  await admin.put(`/api/users/${person.id}`, { password: 'correct horse battery' })
  person.client = await world.signIn(person.email)
})

afterAll(() => world.stop())

const items = async (client: Client, query = ''): Promise<Loose[]> =>
  (await client.get(`/api/me/notifications${query}`)).data['items'] as Loose[]

test('are listed newest first, paged, and only for their recipient', async () => {
  const all = await items(person.client)
  expect(all.length).toBe(4)
  expect(Object.keys(all[0] ?? {}).toSorted()).toEqual([
    'body',
    'created_at',
    'id',
    'kind',
    'link',
    'read_at',
    'severity',
    'text',
    'title',
  ])
  expect(all[0]).toMatchObject({
    title: 'Your password was changed',
    text: { code: 'credentials_changed', values: { what: 'password', by: 'Acme admin' } },
  })
  const times = all.map((item) => item['created_at'] as string)
  expect(times).toEqual(times.toSorted().toReversed())
  const { data } = await person.client.get('/api/me/notifications?limit=3&page=2')
  expect(data).toMatchObject({
    total: 4,
    page: 2,
    limit: 3,
    total_pages: 2,
    items: [{ id: all[3]?.['id'] }],
  })
  expect(await items(await world.as('agent'))).toEqual([])
})

test('are marked as read one by one or all at once, without those of others', async () => {
  const [newest] = await items(person.client)
  const read = await person.client.post('/api/me/notifications/read', { ids: [newest?.['id']] })
  expect(read.data).toEqual({ message: expect.any(String), unread_count: 3 })
  expect((await items(person.client, '?unread=true')).length).toBe(3)
  expect(await items(person.client, '?unread=false')).toMatchObject([
    { id: newest?.['id'], read_at: expect.any(String) },
  ])
  const [{ read_at: readAt } = {}] = await items(person.client, '?unread=false')
  const others = await (await world.as('agent')).post('/api/me/notifications/read')
  expect(others.data['unread_count']).toBe(0)
  expect((await items(person.client, '?unread=true')).length).toBe(3)
  world.clock.advance({ seconds: 7 })
  expect((await person.client.post('/api/me/notifications/read')).data['unread_count']).toBe(0)
  const times = (await items(person.client)).map(({ read_at }) => Date.parse(String(read_at)))
  expect(times.map((time) => time - Date.parse(String(readAt)))).toEqual([0, 7_000, 7_000, 7_000])
})

test.each(['?unread=maybe', '?limit=101', '?page=0'])('reject %s', async (query) => {
  expect((await person.client.get(`/api/me/notifications${query}`)).status).toBe(400)
})

test('reject invalid IDs', async () => {
  for (const ids of [['x'], 'x', []])
    expect((await person.client.post('/api/me/notifications/read', { ids })).status).toBe(400)
})

test('are deleted after 90 days', async () => {
  world.clock.advance({ hours: 24 * 89 })
  await world.settle()
  person.client = await world.signIn(person.email)
  expect((await items(person.client)).length).toBe(4)
  world.clock.advance({ hours: 25 })
  await world.settle()
  person.client = await world.signIn(person.email)
  expect(await items(person.client)).toEqual([])
})

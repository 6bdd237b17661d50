import { expect, test } from 'bun:test'

import { combine } from '../../../../src/simulator/payloads'
import { platformJson } from '../../../../src/simulator/signing'
import type { Loose } from '../../../support/client'
import { deliver, lineOf, statusTo, STRANGE_LINE, textTo } from '../../../support/lines'
import { World } from '../../../support/world'

const eventsOf = async (
  world: World,
  query = '',
  person: 'admin' | 'super' = 'admin',
): Promise<Loose> => (await (await world.as(person)).get(`/api/inbound/events${query}`)).data

const EVENT_FIELDS = [
  'id',
  'received_at',
  'field',
  'account_id',
  'phone_number_id',
  'business_id',
  'state',
  'attempts',
  'items',
  'last_error',
  'processed_at',
  'digest',
]

test('shows the content, time, phone number and result of an event', async () => {
  await using world = await World.create()
  const body = textTo(world, 'Hi')
  world.clock.advance({ seconds: 7 })
  await deliver(world, body)
  const [event] = (await eventsOf(world))['items'] as Loose[]
  for (const field of EVENT_FIELDS) expect(Object.keys(event ?? {})).toContain(field)
  expect(event).toMatchObject({
    received_at: '2026-11-21T09:30:07.000Z',
    processed_at: '2026-11-21T09:30:07.000Z',
    field: 'messages',
    account_id: world.tenant.accountId,
    phone_number_id: world.tenant.phoneId,
    business_id: world.tenant.wabaId,
    state: 'done',
    attempts: 1,
    items: { messages: 1, statuses: 0, errors: 0, other: 0 },
    last_error: null,
    digest: new Bun.CryptoHasher('sha256').update(platformJson(body)).digest('hex'),
  })
})

test('events are listed newest first, a page or a cursor at a time, by state, field, account and time', async () => {
  await using world = await World.create()
  world.stays('the journal of webhooks')
  const start = world.clock.nowMs()
  for (let nth = 0; nth < 5; nth += 1) {
    await deliver(world, textTo(world, `Text ${nth}`))
    world.clock.advance({ minutes: 1 })
  }
  await deliver(world, statusTo(world, 'wamid.none', 'read'))
  const other = textTo(world, 'x')
  Object.assign(other.entry[0]?.changes[0] ?? {}, { field: 'experiments' })
  await deliver(world, other)

  const first = await eventsOf(world, '?limit=4')
  expect(first).toMatchObject({ total: 7, page: 1, limit: 4, total_pages: 2 })
  const second = await eventsOf(world, `?limit=4&cursor=${first['next_cursor']}`)
  expect(second).toMatchObject({ total: null, page: null, total_pages: null, next_cursor: null })
  const both = [...(first['items'] as Loose[]), ...(second['items'] as Loose[])]
  expect(new Set(both.map(({ id }) => id as string)).size).toBe(7)
  const times = both.map((event) => String(event['received_at']))
  expect(times).toEqual(times.toSorted().toReversed())
  expect(
    ((await eventsOf(world, '?limit=4&page=2'))['items'] as Loose[]).map(({ id }) => id as string),
  ).toEqual((second['items'] as Loose[]).map(({ id }) => id as string))

  const totalOf = async (query: string): Promise<unknown> => (await eventsOf(world, query))['total']
  expect(await totalOf('?state=done')).toBe(6)
  expect(await totalOf('?state=ignored')).toBe(1)
  expect(await totalOf('?field=experiments')).toBe(1)
  expect(await totalOf(`?account_id=${world.tenant.accountId}`)).toBe(7)
  expect(await totalOf(`?account_id=${world.other.accountId}`)).toBe(0)
  const minute = (nth: number): string => new Date(start + nth * 60_000).toISOString()
  expect(await totalOf(`?from=${minute(1)}&to=${minute(3)}`)).toBe(3)
})

test.each([
  '?state=odd',
  '?limit=101',
  '?limit=0',
  '?page=0',
  '?account_id=none',
  '?cursor=odd',
  '?from=yesterday',
])('%s is 400', async (query) => {
  await using world = await World.create({ isConnected: false })
  expect((await (await world.as('admin')).get(`/api/inbound/events${query}`)).status).toBe(400)
})

test('lets managers read but not replay; hides the journal from agents', async () => {
  await using world = await World.create()
  world.stays('the journal of webhooks')
  await world.contactOf()
  const [event] = (await eventsOf(world))['items'] as Loose[]
  for (const [person, expected] of [
    ['manager', [200, 200, 403]],
    ['agent', [403, 403, 403]],
  ] as const) {
    const client = await world.as(person)
    const answers = [
      await client.get('/api/inbound/events'),
      await client.get(`/api/inbound/events/${event?.['id']}`),
      await client.post(`/api/inbound/events/${event?.['id']}/replay`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([...expected])
  }
})

test('never processes a change without a valid signature, even on replay', async () => {
  await using world = await World.create()
  world.stays('the journal of webhooks')
  await (
    await world.as('admin')
  ).put(`/api/accounts/${world.tenant.accountId}`, { app_secret: 'the-secret-of-acme' })
  const body = combine(
    textTo(world, 'Mine'),
    textTo(world, 'Forged', { line: lineOf(world.other) }),
  )
  expect((await world.simulator.post(body, { secret: 'the-secret-of-acme' })).status).toBe(200)
  await world.settle()
  const [event] = (await eventsOf(world, '?state=ignored', 'super'))['items'] as Loose[]
  const boss = await world.as('super')
  expect(await boss.post(`/api/inbound/events/${event?.['id']}/replay`)).toMatchObject({
    status: 409,
    body: { code: 'not_signed_for' },
  })
  expect((await boss.post('/api/inbound/replay', {})).data).toEqual({ queued: 1 })
  await world.settle()
  expect(world.rows('select content from messages')).toEqual([{ content: '{"text":"Mine"}' }])
})

test('shows the raw change to super admins only', async () => {
  await using world = await World.create()
  world.stays('the journal of webhooks')
  const body = textTo(world, 'Hi')
  await deliver(world, body)
  const [event] = (await eventsOf(world))['items'] as Loose[]
  const path = `/api/inbound/events/${event?.['id']}`
  const admin = await world.as('admin')
  expect((await admin.get(path)).data['raw']).toBeNull()
  expect(await admin.get(`${path}?include=raw`)).toMatchObject({
    status: 403,
    body: { code: 'super_admin_required' },
  })
  expect((await (await world.as('super')).get(`${path}?include=raw`)).data['raw']).toEqual(
    body.entry[0]?.changes[0]?.value,
  )
})

test('replays without duplicating messages, unread counts or events', async () => {
  await using world = await World.create()
  await deliver(world, textTo(world, 'Hi'))
  const socket = await world.socket('manager')
  const [event] = (await eventsOf(world))['items'] as Loose[]
  const admin = await world.as('admin')
  const path = `/api/inbound/events/${event?.['id']}`
  const replay = await admin.post(`${path}/replay`)
  expect(replay).toMatchObject({ status: 202, data: { id: event?.['id'], state: 'pending' } })
  expect(await admin.post(`${path}/replay`)).toMatchObject({
    status: 409,
    body: { code: 'in_progress' },
  })
  await world.settle()
  expect((await admin.get(path)).data).toMatchObject({
    state: 'done',
    attempts: 2,
    items: { messages: 1 },
    outcomes: [{ outcome: 'duplicate' }],
  })
  expect((await admin.get('/api/contacts')).data['items']).toMatchObject([{ unread_count: 1 }])
  expect(await socket.caughtUp()).toEqual([])
})

test('restores a lost message on replay', async () => {
  await using world = await World.create()
  await deliver(world, textTo(world, 'Lost'))
  world.program.http.db.sqlite.run('update conversations set last_message_id = null')
  world.program.http.db.sqlite.run('delete from messages')
  const [event] = (await eventsOf(world))['items'] as Loose[]
  await (await world.as('admin')).post(`/api/inbound/events/${event?.['id']}/replay`)
  await world.settle()
  expect(world.rows('select content from messages')).toEqual([{ content: '{"text":"Lost"}' }])
})

test('answers an unknown event with 404 and a malformed ID with 400', async () => {
  await using world = await World.create({ isConnected: false })
  const admin = await world.as('admin')
  const unknown = '/api/inbound/events/01900000-0000-7000-8000-ffffffffffff'
  expect([
    (await admin.get(unknown)).status,
    (await admin.post(`${unknown}/replay`)).status,
  ]).toEqual([404, 404])
  expect((await admin.get('/api/inbound/events/odd')).status).toBe(400)
})

test('shows super admins the events of all organizations and unrouted ones', async () => {
  await using world = await World.create()
  for (const line of [...world.tenants.map(lineOf), STRANGE_LINE])
    await deliver(world, textTo(world, 'Hi', { line }))
  expect((await eventsOf(world, '', 'super'))['total']).toBe(3)
  expect((await eventsOf(world))['total']).toBe(1)
})

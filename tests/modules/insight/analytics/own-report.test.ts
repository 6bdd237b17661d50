import { afterAll, beforeAll, expect, test } from 'bun:test'

import { Client, type Loose } from '../../../support/client'
import { Desk, pathOf } from '../../../support/transfers'
import { World } from '../../../support/world'

let world: World

beforeAll(async () => {
  world = await World.create()
})

afterAll(() => world.stop())

const today = (): string => new Date(world.clock.nowMs()).toISOString().slice(0, 10)

test('reports sent messages, response times and breaks', async () => {
  const contact = await world.contactOf()
  const manager = await world.as('manager')
  const path = `/api/contacts/${contact['id']}/messages`
  world.clock.advance({ seconds: 40 })
  await manager.post(path, { type: 'text', text: 'Good morning' })
  await manager.post(path, { type: 'text', text: 'How can we help?' }) // nobody waits any more
  await world.settle()
  world.clock.advance({ seconds: 5 })
  await world.simulator
    .customer({ phone: world.tenant.phoneId, waId: contact['wa_id'] as string })
    .says('With a lamp')
  await world.settle()
  world.clock.advance({ seconds: 20 })
  await manager.post(path, { type: 'text', text: 'Gladly' })
  await (await world.as('admin')).post(path, { type: 'text', text: 'Somebody else' })
  await world.settle()
  await manager.put('/api/me/availability', { is_available: false })
  world.clock.advance({ minutes: 10 })
  await manager.put('/api/me/availability', { is_available: true })

  const { status, data } = await manager.get('/api/me/report')
  expect(status).toBe(200)
  const agent = data['agent'] as Loose
  expect(agent).toMatchObject({
    user_id: world.tenant.userIds.manager,
    full_name: 'Acme manager',
    is_available: true,
    messages_sent: 3,
    away_seconds: 600,
    breaks: 1,
    active_transfers: 0,
  })
  expect(agent['avg_first_response_seconds']).toBeCloseTo(30, 0)
  expect(agent['median_first_response_seconds']).toBeCloseTo(30, 0)
  const timeline = data['timeline'] as Loose[]
  expect(timeline).toHaveLength(30)
  expect(timeline.at(-1)).toMatchObject({
    date: today(),
    messages_sent: 3,
    away_seconds: 600,
    breaks: 1,
  })
  expect(timeline[0]).toMatchObject({
    messages_sent: 0,
    avg_first_response_seconds: 0,
    available_seconds: 0,
  })
  expect(data['range']).toMatchObject({ end_date: today(), timezone: 'UTC', granularity: 'day' })
})

test('uses days of the organization, all of them across daylight saving time', async () => {
  const admin = await world.as('admin', world.other)
  await admin.put('/api/organizations/settings', { timezone: 'Europe/Berlin' })
  const { data } = await admin.get('/api/me/report?start_date=2026-03-28&end_date=2026-03-30')
  expect((data['timeline'] as Loose[]).map(({ date }) => date)).toEqual([
    '2026-03-28',
    '2026-03-29',
    '2026-03-30',
  ])
  const autumn = await admin.get('/api/me/report?start_date=2026-10-24&end_date=2026-10-26')
  expect((autumn.data['timeline'] as Loose[]).map(({ date }) => date)).toEqual([
    '2026-10-24',
    '2026-10-25',
    '2026-10-26',
  ])
})

for (const [query, path] of [
  ['start_date=yesterday', 'query.start_date'],
  ['end_date=2026-02-30', 'query.end_date'],
  ['start_date=2026-06-02&end_date=2026-06-01', 'query.end_date'],
  ['start_date=2999-01-01', 'query.start_date'],
  ['start_date=2024-01-01&end_date=2025-06-01', 'query.start_date'],
] as const)
  test(`refuses ${query}`, async () => {
    const { status, body } = await (await world.as('agent')).get(`/api/me/report?${query}`)
    expect([status, body.errors?.map((problem) => problem.path)]).toEqual([400, [path]])
  })

test('rejects API keys', async () => {
  const admin = await world.as('admin')
  const { data } = await admin.post('/api/api-keys', {
    name: 'reader',
    permissions: ['contacts:read'],
  })
  const { status, body } = await new Client(world.url, { 'x-api-key': String(data['key']) }).get(
    '/api/me/report',
  )
  expect([status, body.code]).toEqual([403, 'session_required'])
})

test('reports the transfers that ended while the user had them', async () => {
  await using desk = await Desk.create(3)
  await desk.settings({ sla_enabled: true, sla_resolution_minutes: 2, sla_response_minutes: 60 })
  const agent = await desk.agent()
  const handled = [await desk.transfer(0), await desk.transfer(1)]
  desk.world.clock.advance({ seconds: 30 })
  for (const transfer of handled) await agent.client.post(pathOf(transfer, 'pickup'))
  desk.world.clock.advance({ seconds: 60 })
  await agent.client.put(pathOf(handled[0] as Loose, 'resume'))
  desk.world.clock.advance({ seconds: 60 })
  await agent.client.put(pathOf(handled[1] as Loose, 'resume'))
  await desk.transfer(2, { agent_id: agent.userId })
  const { data } = await agent.client.get('/api/me/report')
  expect(data['agent']).toMatchObject({
    active_transfers: 1,
    transfers_handled: 2,
    avg_queue_seconds: 30,
    avg_resolution_seconds: 120,
    sla_breached: 1,
  })
  expect((data['timeline'] as Loose[]).map(({ transfers_handled }) => transfers_handled)).toEqual([
    ...Array.from({ length: 29 }, () => 0),
    2,
  ])
})

import { expect, test } from 'bun:test'

import { platformJson } from '../../../../src/simulator/signing'
import type { Loose } from '../../../support/client'
import { deliver, lineOf, STRANGE_LINE, textTo, valueOf } from '../../../support/lines'
import { World } from '../../../support/world'

const statsOf = async (
  world: World,
  query = '',
  person: 'admin' | 'super' = 'admin',
  tenant = world.tenant,
): Promise<Loose> => (await (await world.as(person, tenant)).get(`/api/inbound/stats${query}`)).data

test('counts received, duplicate, unrouted and failed changes by hour', async () => {
  await using world = await World.create()
  world.stays('the journal of webhooks')
  const body = platformJson(textTo(world, 'Three times'))
  for (let nth = 0; nth < 3; nth += 1) await world.simulator.post(body)
  await deliver(world, textTo(world, 'Nobody is here', { line: STRANGE_LINE }))
  const senderless = textTo(world, 'From whom?')
  delete valueOf(senderless)['contacts']
  Object.assign(valueOf(senderless)['messages'][0], { from: 'nobody', from_user_id: undefined })
  await deliver(world, senderless)
  world.clock.advance({ hours: 1 })
  await deliver(world, textTo(world, 'An hour later'))
  await deliver(world, textTo(world, 'To another', { line: lineOf(world.other) }))

  const own = await statsOf(world)
  expect(own).toMatchObject({
    received: 5,
    duplicates: 2,
    unrouted: 0,
    failed: 1,
    oldest_pending_age_ms: 0,
  })
  expect(own['hours']).toMatchObject([
    { hour: '2026-11-21T09:00:00.000Z', received: 4, duplicates: 2, unrouted: 0, failed: 1 },
    { hour: '2026-11-21T10:00:00.000Z', received: 1, duplicates: 0, unrouted: 0, failed: 0 },
  ])
  expect(await statsOf(world, '', 'admin', world.other)).toMatchObject({
    received: 1,
    duplicates: 0,
    unrouted: 0,
    failed: 0,
  })
  expect(await statsOf(world, '', 'super')).toMatchObject({
    received: 7,
    duplicates: 2,
    unrouted: 1,
    failed: 1,
  })
  expect(await statsOf(world, '?from=2026-11-21T10:00:00Z')).toMatchObject({
    received: 1,
    failed: 0,
  })
  expect(await statsOf(world, '?to=2026-11-21T10:00:00Z')).toMatchObject({ received: 4, failed: 1 })
})

test('reports response times, including those of the latest deliveries', async () => {
  await using world = await World.create()
  expect(await statsOf(world)).toMatchObject({ ack_p50_ms: null, ack_p99_ms: null, hours: [] })
  await deliver(world, textTo(world, 'One'))
  const [first] = (await statsOf(world))['hours'] as Loose[]
  expect(first?.['ack_p50_ms']).toBeGreaterThan(0)
  for (const text of ['Two', 'Three']) await deliver(world, textTo(world, text))
  const saved = world.rows<{ acknowledgements: string }>(
    'select acknowledgements from inbound_hourly_stats where organization_id = ?',
    world.tenant.id,
  )
  const counted = Object.values(
    JSON.parse(saved[0]?.acknowledgements ?? '{}') as Record<string, number>,
  )
  expect(counted.reduce((sum, answers) => sum + answers, 0)).toBe(2)
  const stats = await statsOf(world)
  expect(Number(stats['ack_p99_ms'])).toBeGreaterThanOrEqual(Number(stats['ack_p50_ms']))
})

test('reports the age of the oldest pending change to its organization only', async () => {
  await using world = await World.create()
  expect((await world.simulator.post(textTo(world, 'Waits'))).status).toBe(200)
  world.clock.advance({ seconds: 90 })
  expect((await statsOf(world))['oldest_pending_age_ms']).toBe(90_000)
  expect((await statsOf(world, '', 'super'))['oldest_pending_age_ms']).toBe(90_000)
  expect((await statsOf(world, '', 'admin', world.other))['oldest_pending_age_ms']).toBe(0)
  await world.settle()
  expect((await statsOf(world))['oldest_pending_age_ms']).toBe(0)
})

test('does not count replays', async () => {
  await using world = await World.create()
  await deliver(world, textTo(world, 'Nobody', { line: STRANGE_LINE }))
  const boss = await world.as('super')
  await boss.post('/api/inbound/replay', {})
  await world.settle()
  expect(await statsOf(world, '', 'super')).toMatchObject({ received: 1, unrouted: 1 })
})

test.each([
  '?from=yesterday',
  '?to=never',
  '?from=2026-11-21T10:00:00Z&to=2026-11-21T09:00:00Z',
  '?from=2026-01-01&to=2026-11-01',
])('%s is 400', async (query) => {
  await using world = await World.create({ isConnected: false })
  const answer = await (await world.as('admin')).get(`/api/inbound/stats${query}`)
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
})

test('hides statistics from agents', async () => {
  await using world = await World.create({ isConnected: false })
  const answers = await Promise.all(
    (['manager', 'agent'] as const).map(async (person) =>
      (await world.as(person)).get('/api/inbound/stats'),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 403])
})

test('keeps counters for 90 days', async () => {
  await using world = await World.create()
  await deliver(world, textTo(world, 'Old'))
  world.clock.advance({ hours: 91 * 24 })
  await world.settle()
  expect(world.rows('select * from inbound_hourly_stats')).toEqual([])
})

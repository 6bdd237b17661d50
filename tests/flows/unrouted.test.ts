import { expect, test } from 'bun:test'

import type { Loose } from '../support/client'
import { deliver, lineOf, STRANGE_LINE, textTo } from '../support/lines'
import { World } from '../support/world'

const unrouted = async (world: World): Promise<Loose[]> =>
  (await (await world.as('super')).get('/api/inbound/events?state=unrouted')).data[
    'items'
  ] as Loose[]

test('deliveries for a number nobody connected are visible only to super admins and write no tenant row', async () => {
  await using world = await World.create()
  const socket = await world.socket('manager')
  await deliver(world, textTo(world, 'Is anybody there?', { line: STRANGE_LINE }))
  expect(await unrouted(world)).toMatchObject([
    {
      phone_number_id: STRANGE_LINE.phoneNumberId,
      business_id: STRANGE_LINE.wabaId,
      account_id: null,
    },
  ])
  for (const tenant of world.tenants) {
    const admin = await world.as('admin', tenant)
    expect((await admin.get('/api/inbound/events')).data['total']).toBe(0)
    expect((await admin.get('/api/contacts')).data['total']).toBe(0)
    const [event] = await unrouted(world)
    expect((await admin.get(`/api/inbound/events/${event?.['id']}`)).status).toBe(404)
    expect((await admin.post(`/api/inbound/events/${event?.['id']}/replay`)).status).toBe(404)
  }
  expect(await socket.caughtUp()).toEqual([])
  expect(world.rows('select id from messages')).toEqual([])
})

test('connecting a number processes its deliveries of the last day once and in order', async () => {
  await using world = await World.create({ isConnected: false })
  const line = lineOf(world.tenant)
  for (const [nth, text] of ['One', 'Two', 'Three'].entries()) {
    await deliver(world, textTo(world, text, { line }))
    world.clock.advance({ seconds: nth + 1 })
  }
  expect((await unrouted(world)).length).toBe(3)
  world.clock.advance({ hours: 23 })
  await world.connect(world.tenant)
  await world.settle()
  const manager = await world.as('manager')
  const [contact] = (await manager.get('/api/contacts')).data['items'] as Loose[]
  const messages = (await manager.get(`/api/contacts/${contact?.['id']}/messages`)).data[
    'items'
  ] as Loose[]
  expect(messages.map((message) => message['content'])).toEqual([
    { text: 'One' },
    { text: 'Two' },
    { text: 'Three' },
  ])
  expect(contact?.['unread_count']).toBe(3)
  expect(await unrouted(world)).toEqual([])
  const events = (await (await world.as('admin')).get('/api/inbound/events')).data[
    'items'
  ] as Loose[]
  expect(events.map((event) => event['state'])).toEqual(['done', 'done', 'done'])
})

test('the backfill of old deliveries does not delay new ones', async () => {
  await using world = await World.create({ isConnected: false })
  await deliver(world, textTo(world, 'Early', { line: lineOf(world.tenant) }))
  world.clock.advance({ hours: 20 })
  await world.connect(world.tenant)
  world.program.relay.drain()
  await world.program.worker.runUntilIdle(() => world.program.ingest.step())
  const [event] = (await (await world.as('super')).get('/api/inbound/events?state=done')).data[
    'items'
  ] as Loose[]
  await (await world.as('super')).post(`/api/inbound/events/${event?.['id']}/replay`)
  world.clock.advance({ seconds: 2 })
  expect((await world.simulator.post(textTo(world, 'Now'))).status).toBe(200)
  await world.settle()
  expect((await (await world.as('manager')).get('/api/contacts')).data['items']).toMatchObject([
    { unread_count: 2 },
  ])
})

test('deliveries older than a day stay unrouted until a super admin replays them', async () => {
  await using world = await World.create({ isConnected: false })
  await deliver(world, textTo(world, 'Long ago'))
  world.clock.advance({ hours: 24, seconds: 1 })
  await world.connect(world.tenant)
  await world.settle()
  const manager = await world.as('manager')
  expect((await manager.get('/api/contacts')).data['total']).toBe(0)
  const [event] = await unrouted(world)
  const boss = await world.as('super')
  const replay = await boss.post(`/api/inbound/events/${event?.['id']}/replay`)
  expect([replay.status, replay.data['state']]).toEqual([202, 'pending'])
  await world.settle()
  const [contact] = (await manager.get('/api/contacts')).data['items'] as Loose[]
  expect(contact).toMatchObject({ last_message_preview: 'Long ago', unread_count: 1 })
})

test('connecting a number processes no deliveries of other numbers', async () => {
  await using world = await World.create({ isConnected: false })
  await deliver(world, textTo(world, 'For Acme', { line: lineOf(world.tenant) }))
  await world.connect(world.other)
  await world.settle()
  expect((await unrouted(world)).length).toBe(1)
  expect((await (await world.as('manager', world.other)).get('/api/contacts')).data['total']).toBe(
    0,
  )
})

test('deliveries for a disconnected number belong to no organization, and its history stays', async () => {
  await using world = await World.create()
  const contact = await world.contactOf()
  const admin = await world.as('admin')
  await admin.delete(`/api/accounts/${world.tenant.accountId}`)
  await deliver(world, textTo(world, 'Too late'))
  expect((await unrouted(world)).length).toBe(1)
  expect((await admin.get(`/api/contacts/${contact['id']}/messages`)).data['total']).toBe(1)
})

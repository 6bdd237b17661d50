import { expect, test } from 'bun:test'

import type { Loose } from '../support/client'
import { deliver, secondsIn, statusTo, textTo, valueOf } from '../support/lines'
import { permutations } from '../support/permutations'
import { Receiver } from '../support/receiver'
import { World } from '../support/world'

const UNDELIVERABLE = {
  code: 131026,
  title: 'Message undeliverable',
  details: 'The recipient cannot be reached.',
}

/**
 * Sends a text that the platform takes and says nothing more of; returns it as the manager sees it.
 */
async function sentInSilence(world: World, contactId: string, text = 'Hi'): Promise<Loose> {
  world.simulator.swallowStatuses()
  const manager = await world.as('manager')
  const { data } = await manager.post(`/api/contacts/${contactId}/messages`, { type: 'text', text })
  await world.settle()
  return (await manager.get(`/api/messages/${data['id']}`)).data
}

const messageIn = async (world: World, id: unknown): Promise<Loose> =>
  (await (await world.as('manager')).get(`/api/messages/${String(id)}`)).data

test('sent, delivered, read and failed give the same row in all 24 orders, once or repeated', async () => {
  await using world = await World.create()
  const contact = await world.contactOf()
  const start = secondsIn(world)
  const times: Record<string, number> = {
    sent: start + 1,
    delivered: start + 2,
    read: start + 3,
    failed: start + 4,
  }
  const rows: Loose[] = []
  for (const order of permutations(['sent', 'delivered', 'read', 'failed'])) {
    const message = await sentInSilence(world, String(contact['id']))
    for (const status of [...order, ...order.toReversed()])
      await deliver(
        world,
        statusTo(world, String(message['wa_message_id']), status, {
          timestamp: times[status] ?? 0,
          facts: status === 'failed' ? { error: UNDELIVERABLE } : {},
        }),
      )
    const { id: _id, wa_message_id: _waMessageId, ...rest } = await messageIn(world, message['id'])
    rows.push(rest)
  }
  expect(rows.length).toBe(24)
  const iso = (seconds: number): string => new Date(seconds * 1_000).toISOString()
  expect(rows[0]).toMatchObject({
    status: 'read',
    sent_at: iso(start + 1),
    delivered_at: iso(start + 2),
    read_at: iso(start + 3),
    failed_at: iso(start + 4),
    error: { platform_code: 131026 },
  })
  for (const row of rows) expect(row).toEqual(rows[0] as Loose)
}, 30_000)

test.each([
  [['read', 'sent'], 'read', false],
  [['delivered', 'sent'], 'delivered', false],
  [['failed', 'sent'], 'failed', true],
  [['sent', 'failed'], 'failed', true],
  [['failed', 'delivered'], 'delivered', true],
  [['delivered', 'failed'], 'delivered', true],
  [['failed', 'read'], 'read', true],
  [['played'], 'read', false],
  [['sent', 'something_new'], 'sent', false],
])('%p results in %p', async (order, status, hasError) => {
  await using world = await World.create()
  const contact = await world.contactOf()
  const message = await sentInSilence(world, String(contact['id']))
  for (const told of order)
    await deliver(
      world,
      statusTo(world, String(message['wa_message_id']), told, {
        facts: told === 'failed' ? { error: UNDELIVERABLE } : {},
      }),
    )
  const after = await messageIn(world, message['id'])
  expect({ status: after['status'], hasError: after['error'] !== null }).toEqual({
    status,
    hasError,
  })
})

test('each step forward is published once, and no step back', async () => {
  await using world = await World.create()
  const contact = await world.contactOf()
  const socket = await world.socket('manager')
  const message = await sentInSilence(world, String(contact['id']))
  for (const status of ['delivered', 'sent', 'delivered', 'read', 'delivered', 'failed'])
    await deliver(
      world,
      statusTo(world, String(message['wa_message_id']), status, {
        facts: status === 'failed' ? { error: UNDELIVERABLE } : {},
      }),
    )
  await socket.caughtUp()
  const heard = socket
    .events('message:status')
    .map(({ payload }) => [payload['previous_status'], payload['status']])
  expect(heard).toEqual([
    ['pending', 'sent'],
    ['sent', 'delivered'],
    ['delivered', 'read'],
  ])
})

test('each step is told with its own time, not with another one or that of its arrival', async () => {
  await using receiver = new Receiver()
  await using world = await World.create({ env: { EGRESS_ALLOW: new URL(receiver.url).host } })
  const contact = await world.contactOf()
  await (
    await world.as('admin')
  ).post('/api/webhooks', { name: 'CRM', url: receiver.url, events: ['message.status'] })
  const socket = await world.socket('manager')
  const message = await sentInSilence(world, String(contact['id']))
  const accepted = await messageIn(world, message['id'])
  const times: unknown[] = [accepted['sent_at']]
  for (const status of ['delivered', 'read', 'sent']) {
    // Each is told a minute after it happened.
    world.clock.advance({ minutes: 5 })
    const timestamp = secondsIn(world) - 60
    times.push(new Date(timestamp * 1_000).toISOString())
    await deliver(world, statusTo(world, String(message['wa_message_id']), status, { timestamp }))
  }
  const expected = ['sent', 'delivered', 'read'].map((status, nth) => [status, times[nth]])
  await socket.caughtUp()
  const told = (data: Loose): unknown[] => [data['status'], data['timestamp']]
  expect(socket.events('message:status').map(({ payload }) => told(payload))).toEqual(expected)
  expect(receiver.received.map(({ body }) => told(body.data))).toEqual(expected)
})

test('the earliest time of repeated statuses counts', async () => {
  await using world = await World.create()
  const contact = await world.contactOf()
  const message = await sentInSilence(world, String(contact['id']))
  const at = secondsIn(world)
  for (const timestamp of [at + 5, at + 2, at + 9])
    await deliver(
      world,
      statusTo(world, String(message['wa_message_id']), 'delivered', { timestamp }),
    )
  expect((await messageIn(world, message['id']))['delivered_at']).toBe(
    new Date((at + 2) * 1_000).toISOString(),
  )
})

test('a delivery reported before the response is applied, and the message is published first', async () => {
  await using world = await World.create()
  const contact = await world.contactOf()
  const socket = await world.socket('manager')
  world.simulator.statusBeforeAnswer(['delivered'])
  world.simulator.followWith([])
  const manager = await world.as('manager')
  const { data } = await manager.post(`/api/contacts/${contact['id']}/messages`, {
    type: 'text',
    text: 'Hi',
  })
  await world.settle()
  const after = await messageIn(world, data['id'])
  expect(after).toMatchObject({ status: 'delivered', error: null })
  expect(after['wa_message_id']).toBe(world.simulator.messages[0]?.wamid)
  await socket.caughtUp()
  const heard = socket.events().map(({ payload }) => payload['status'])
  expect([
    ['pending', 'delivered'],
    ['pending', 'sent', 'delivered'],
  ]).toContainEqual(heard)
})

test('a status of an unknown message is stored and applied once the message is known', async () => {
  await using world = await World.create()
  const contact = await world.contactOf()
  world.simulator.swallowStatuses()
  world.simulator.loseAnswer()
  const manager = await world.as('manager')
  const { data } = await manager.post(`/api/contacts/${contact['id']}/messages`, {
    type: 'text',
    text: 'Hi',
  })
  await world.settle()
  const wamid = String(world.simulator.messages[0]?.wamid)
  await deliver(world, statusTo(world, wamid, 'read'))
  expect(await messageIn(world, data['id'])).toMatchObject({
    status: 'pending',
    wa_message_id: null,
  })
  const [event] = (await (await world.as('admin')).get('/api/inbound/events?limit=1')).data[
    'items'
  ] as Loose[]
  const details = (await (await world.as('admin')).get(`/api/inbound/events/${event?.['id']}`)).data
  expect(details).toMatchObject({
    state: 'done',
    items: { statuses: 1 },
    outcomes: [{ kind: 'status', index: 0, outcome: 'parked' }],
  })

  await deliver(
    world,
    statusTo(world, wamid, 'sent', { facts: { callbackData: String(data['id']) } }),
  )
  expect(await messageIn(world, data['id'])).toMatchObject({ status: 'read', wa_message_id: wamid })
})

test('a status for a message that was never sent changes nothing', async () => {
  await using world = await World.create()
  await world.contactOf()
  const socket = await world.socket('manager')
  await deliver(
    world,
    statusTo(world, 'wamid.never', 'delivered', { facts: { callbackData: 'not an id' } }),
  )
  await deliver(
    world,
    statusTo(world, 'wamid.never2', 'delivered', {
      facts: { callbackData: '01900000-0000-7000-8000-ffffffffffff' },
    }),
  )
  expect(await socket.caughtUp()).toEqual([])
  expect(world.rows('select id from messages').length).toBe(1)
})

test('a status never changes an incoming message', async () => {
  await using world = await World.create()
  await deliver(world, textTo(world, 'Hello', { id: 'wamid.theirs' }))
  await deliver(world, statusTo(world, 'wamid.theirs', 'read'))
  expect(world.rows('select status from messages')).toEqual([{ status: 'delivered' }])
})

test('the newest reported price is stored', async () => {
  await using world = await World.create()
  const contact = await world.contactOf()
  const message = await sentInSilence(world, String(contact['id']))
  const at = secondsIn(world)
  const tell = (status: string, timestamp: number, category: string) =>
    deliver(
      world,
      statusTo(world, String(message['wa_message_id']), status, {
        timestamp,
        facts: { pricing: { billable: true, category, type: 'regular' } },
      }),
    )
  await tell('delivered', at + 2, 'marketing')
  await tell('sent', at + 1, 'utility')
  expect((await messageIn(world, message['id']))['pricing']).toEqual({
    category: 'marketing',
    type: 'regular',
    billable: true,
  })
})

test.each([
  [131026, 'recipient_unreachable'],
  [131047, 'window_closed'],
  [131049, 'marketing_limited'],
  [999_999, 'platform_rejected'],
])(
  "a failure with code %p becomes %p with a message and the platform's details",
  async (code, word) => {
    await using world = await World.create()
    const contact = await world.contactOf()
    const message = await sentInSilence(world, String(contact['id']))
    await deliver(
      world,
      statusTo(world, String(message['wa_message_id']), 'failed', {
        facts: { error: { code, title: 'Title', details: 'Details of it' } },
      }),
    )
    const { error, status } = await messageIn(world, message['id'])
    expect(status).toBe('failed')
    expect(error).toMatchObject({ code: word, platform_code: code, details: 'Details of it' })
    expect((error as Loose)['message']).toMatch(/^[A-Z].{20,}\.$/)
  },
)

test('a group message has the status of its slowest member', async () => {
  await using world = await World.create()
  const contact = await world.contactOf()
  const message = await sentInSilence(world, String(contact['id']))
  const start = secondsIn(world)
  const tell = async (participant: string, status: string, timestamp: number): Promise<Loose> => {
    const webhook = statusTo(world, String(message['wa_message_id']), status, { timestamp })
    valueOf(webhook)['statuses'][0].recipient_participant_id = participant
    await deliver(world, webhook)
    return await messageIn(world, message['id'])
  }
  const iso = (seconds: number): string => new Date(seconds * 1_000).toISOString()
  expect(await tell('15550000001', 'read', start + 3)).toMatchObject({ status: 'read' })
  expect(await tell('15550000002', 'sent', start + 1)).toMatchObject({
    status: 'sent',
    read_at: null,
  })
  expect(await tell('15550000002', 'delivered', start + 2)).toMatchObject({
    status: 'delivered',
    delivered_at: iso(start + 3),
    read_at: null,
  })
  expect(await tell('15550000002', 'played', start + 5)).toMatchObject({
    status: 'read',
    read_at: iso(start + 5),
    played_at: null,
  })
})

test('a failed status with a closed window closes it until the customer writes, in any order', async () => {
  await using world = await World.create()
  const contact = await world.contactOf()
  const manager = await world.as('manager')
  world.clock.advance({ minutes: 30 })
  const message = await sentInSilence(world, String(contact['id']))
  world.clock.advance({ minutes: 1 })
  const told = async (code: number, timestamp: number): Promise<void> =>
    deliver(
      world,
      statusTo(world, String(message['wa_message_id']), 'failed', {
        timestamp,
        facts: { error: { code, title: 'No', details: 'No' } },
      }),
    )
  const shown = async (): Promise<unknown[]> => [
    (await manager.get(`/api/contacts/${contact['id']}`)).data['window_expires_at'],
    ...((await manager.get('/api/conversations')).data['items'] as Loose[]).flatMap((row) => [
      row['window_expires_at'],
      row['window_open'],
    ]),
    (await manager.get('/api/conversations?window=open')).data['total'],
    (await manager.get('/api/conversations?window=closed')).data['total'],
  ]
  const socket = await world.socket('manager')
  await told(131047, secondsIn(world))
  const closedAt = message['created_at']
  expect(await shown()).toEqual([closedAt, closedAt, false, 0, 1])
  const frame = (await socket.caughtUp()).find(({ type }) => type === 'conversation:updated')
  expect(frame?.payload).toMatchObject({
    window_expires_at: closedAt,
    changed: ['window_expires_at'],
  })
  const refused = await manager.post(`/api/contacts/${contact['id']}/messages`, {
    type: 'text',
    text: 'Anybody there?',
  })
  expect([refused.status, refused.body.code]).toEqual([400, 'window_closed'])
  // What was said before the message changes nothing; what is said after it does.
  await deliver(
    world,
    textTo(world, 'Late', {
      person: { waId: String(contact['wa_id']) },
      timestamp: secondsIn(world) - 1_200,
    }),
  )
  expect((await shown())[2]).toBe(false)
  await deliver(world, textTo(world, 'Here', { person: { waId: String(contact['wa_id']) } }))
  const endsAt = new Date(secondsIn(world) * 1_000 + 86_400_000).toISOString()
  expect(await shown()).toEqual([endsAt, endsAt, true, 1, 0])
})

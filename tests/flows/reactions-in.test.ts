import { expect, test } from 'bun:test'

import { reaction, type About } from '../../src/simulator/payloads'
import { echo } from '../../src/simulator/coexistence'
import type { Loose } from '../support/client'
import { deliver, lineOf, personOf, secondsIn, textTo, valueOf } from '../support/lines'
import { World } from '../support/world'

const ANA = personOf(1, 'Ana')

const aboutIn = (world: World, more: About = {}): About => ({
  line: lineOf(world.tenant),
  person: ANA,
  timestamp: secondsIn(world),
  ...more,
})

/** A message of ours that Ana has: its id and the platform's. */
async function sentTo(
  world: World,
): Promise<{ id: string; waMessageId: string; contactId: string }> {
  await deliver(world, textTo(world, 'Hello', { person: ANA }))
  const manager = await world.as('manager')
  const [contact] = (await manager.get('/api/contacts')).data['items'] as Loose[]
  const { data } = await manager.post(`/api/contacts/${contact?.['id']}/messages`, {
    type: 'text',
    text: 'How are you?',
  })
  await world.settle()
  const { data: sent } = await manager.get(`/api/messages/${data['id']}`)
  return {
    id: String(sent['id']),
    waMessageId: String(sent['wa_message_id']),
    contactId: String(contact?.['id']),
  }
}

const reactionsOn = async (world: World, id: string): Promise<Loose[]> =>
  (await (await world.as('manager')).get(`/api/messages/${id}`)).data['reactions'] as Loose[]

const newestOutcomes = async (world: World): Promise<Loose[]> => {
  const boss = await world.as('super')
  const [event] = (await boss.get('/api/inbound/events?limit=1')).data['items'] as Loose[]
  return (await boss.get(`/api/inbound/events/${event?.['id']}`)).data['outcomes'] as Loose[]
}

test("a customer's reaction is shown and published without counting as unread", async () => {
  await using world = await World.create()
  const { id, waMessageId, contactId } = await sentTo(world)
  const manager = await world.as('manager')
  await manager.post(`/api/contacts/${contactId}/mark-read`, {})
  const socket = await world.socket('manager')
  await deliver(world, reaction(waMessageId, '👍', aboutIn(world)))
  expect(await reactionsOn(world, id)).toEqual([
    {
      emoji: '👍',
      by: 'contact',
      user_id: null,
      user_name: null,
      contact_id: contactId,
      at: '2026-11-21T09:30:00.000Z',
    },
  ])
  await socket.caughtUp()
  expect(socket.events('message:reaction').map(({ payload }) => payload)).toMatchObject([
    { message_id: id, contact_id: contactId, by: 'contact', emoji: '👍' },
  ])
  expect(socket.events('message:new')).toEqual([])
  expect((await manager.get(`/api/contacts/${contactId}`)).data).toMatchObject({
    unread_count: 0,
    last_message_preview: 'How are you?',
  })
})

test("a customer's reaction opens the window", async () => {
  await using world = await World.create()
  const { waMessageId, contactId } = await sentTo(world)
  world.clock.advance({ hours: 30 })
  const manager = await world.as('manager')
  expect(
    (await manager.post(`/api/contacts/${contactId}/messages`, { type: 'text', text: 'Late' })).body
      .code,
  ).toBe('window_closed')
  await deliver(world, reaction(waMessageId, '❤️', aboutIn(world)))
  expect((await manager.get(`/api/contacts/${contactId}`)).data['window_expires_at']).toBe(
    '2026-11-23T15:30:00.000Z',
  )
  const [conversation] = (await manager.get('/api/conversations')).data['items'] as Loose[]
  expect(conversation).toMatchObject({
    window_open: true,
    window_expires_at: '2026-11-23T15:30:00.000Z',
  })
  expect(
    (await manager.post(`/api/contacts/${contactId}/messages`, { type: 'text', text: 'In time' }))
      .status,
  ).toBe(201)
})

test.each<[string, [string | null, number][], string | null]>([
  [
    'a later one replaces the earlier one',
    [
      ['👍', 10],
      ['🎉', 20],
    ],
    '🎉',
  ],
  [
    'an older one that comes late is ignored',
    [
      ['🎉', 20],
      ['👍', 10],
    ],
    '🎉',
  ],
  [
    'one without an emoji removes it',
    [
      ['👍', 10],
      [null, 20],
    ],
    null,
  ],
  [
    'a removed one stays removed when it arrives late',
    [
      [null, 20],
      ['👍', 10],
    ],
    null,
  ],
  [
    'one set again after that is kept',
    [
      ['👍', 10],
      [null, 20],
      ['🙏', 30],
    ],
    '🙏',
  ],
])('with several reactions of one customer, %s', async (_, told, stands) => {
  await using world = await World.create()
  const { id, waMessageId } = await sentTo(world)
  const start = secondsIn(world)
  for (const [emoji, at] of told)
    await deliver(world, reaction(waMessageId, emoji, aboutIn(world, { timestamp: start + at })))
  expect((await reactionsOn(world, id)).map(({ emoji }) => emoji as string)).toEqual(
    stands === null ? [] : [stands],
  )
})

test('a repeated reaction changes nothing and is not published', async () => {
  await using world = await World.create()
  const { id, waMessageId } = await sentTo(world)
  const webhook = reaction(waMessageId, '👍', aboutIn(world))
  await deliver(world, webhook)
  const socket = await world.socket('manager')
  await deliver(world, { ...webhook, entry: webhook.entry.map((entry) => ({ ...entry, time: 7 })) })
  expect(await newestOutcomes(world)).toMatchObject([{ kind: 'message', outcome: 'duplicate' }])
  expect((await reactionsOn(world, id)).length).toBe(1)
  expect(await socket.caughtUp()).toEqual([])
})

test('a reaction that arrives before its message is published after it', async () => {
  await using world = await World.create()
  const start = secondsIn(world)
  await deliver(world, reaction('wamid.target', '👀', aboutIn(world, { timestamp: start + 5 })))
  expect(await newestOutcomes(world)).toMatchObject([{ outcome: 'parked' }])
  expect(world.rows('select message_id from message_reactions')).toEqual([{ message_id: null }])
  const socket = await world.socket('manager')
  await deliver(
    world,
    textTo(world, 'Target', { person: ANA, id: 'wamid.target', timestamp: start }),
  )
  const frames = (await socket.caughtUp())
    .map(({ type }) => type)
    .filter((type) => type.startsWith('message:'))
  expect(frames).toEqual(['message:new', 'message:reaction'])
  const [row] = world.rows<{ message_id: string }>('select message_id from message_reactions')
  expect(
    (await reactionsOn(world, String(row?.message_id))).map(({ emoji }) => emoji as string),
  ).toEqual(['👀'])
})

test('a reaction whose message never arrives is stored without error', async () => {
  await using world = await World.create()
  await deliver(world, reaction('wamid.never', '👀', aboutIn(world)))
  world.clock.advance({ hours: 25 })
  await world.settle()
  expect(world.rows('select emoji, message_id from message_reactions')).toEqual([
    { emoji: '👀', message_id: null },
  ])
  const boss = await world.as('super')
  expect((await boss.get('/api/jobs?state=discarded')).data['total']).toBe(0)
  const states = ((await boss.get('/api/inbound/events')).data['items'] as Loose[]).map(
    ({ state }) => state as string,
  )
  expect(states).toEqual(['done'])
  expect(await newestOutcomes(world)).toMatchObject([{ kind: 'message', outcome: 'orphan' }])
})

test('a reaction is applied once the platform ID of its message is known', async () => {
  await using world = await World.create()
  await deliver(world, textTo(world, 'Hello', { person: ANA }))
  const manager = await world.as('manager')
  const [contact] = (await manager.get('/api/contacts')).data['items'] as Loose[]
  world.simulator.loseAnswer()
  world.simulator.hold()
  const { data } = await manager.post(`/api/contacts/${contact?.['id']}/messages`, {
    type: 'text',
    text: 'Lost?',
  })
  await world.settle()
  const waMessageId = String(world.simulator.messages[0]?.wamid)
  expect((await world.simulator.post(reaction(waMessageId, '👍', aboutIn(world)))).status).toBe(200)
  await world.settle()
  expect(await reactionsOn(world, String(data['id']))).toEqual([])
  world.simulator.release()
  await world.settle()
  expect(
    (await reactionsOn(world, String(data['id']))).map(({ emoji }) => emoji as string),
  ).toEqual(['👍'])
})

test("a reaction never applies to another phone number's message with the same ID", async () => {
  await using world = await World.create()
  await deliver(
    world,
    textTo(world, 'Of Bolt', { line: lineOf(world.other), id: 'wamid.same', person: ANA }),
  )
  await deliver(world, reaction('wamid.same', '👍', aboutIn(world)))
  expect(world.rows('select message_id from message_reactions')).toEqual([{ message_id: null }])
  const bolt = await world.as('manager', world.other)
  const [contact] = (await bolt.get('/api/contacts')).data['items'] as Loose[]
  const [message] = (await bolt.get(`/api/contacts/${contact?.['id']}/messages`)).data[
    'items'
  ] as Loose[]
  expect(message?.['reactions']).toEqual([])
})

test('a reaction without a message ID is stored as an unsupported message', async () => {
  await using world = await World.create()
  const webhook = reaction('x', '👍', aboutIn(world))
  const value = valueOf(webhook)
  delete value['messages'][0]['reaction']['message_id']
  await deliver(world, webhook)
  const [row] = world.rows<{ type: string; content: string }>('select type, content from messages')
  expect(row?.type).toBe('unsupported')
  expect(JSON.parse(row?.content ?? '{}')).toMatchObject({
    platform_type: 'reaction',
    raw: { reaction: { emoji: '👍' } },
  })
})

test('an agent receives only reactions of visible contacts', async () => {
  await using world = await World.create()
  const { waMessageId, contactId } = await sentTo(world)
  const socket = await world.socket('agent')
  await deliver(world, reaction(waMessageId, '👍', aboutIn(world)))
  expect((await socket.caughtUp()).filter(({ type }) => type === 'message:reaction')).toEqual([])
  await (
    await world.as('manager')
  ).put(`/api/contacts/${contactId}/assign`, { user_id: world.tenant.userIds.agent })
  await world.settle()
  world.clock.advance({ seconds: 1 })
  await deliver(world, reaction(waMessageId, '🎉', aboutIn(world)))
  await socket.caughtUp()
  expect(
    socket.events('message:reaction').map(({ payload }) => payload['emoji'] as string),
  ).toEqual(['🎉'])
})

test('a reaction from the phone app is ours and opens no window', async () => {
  await using world = await World.create()
  await deliver(world, textTo(world, 'Hello', { person: ANA, id: 'wamid.hello' }))
  const before = world.rows('select last_inbound_at_ms from conversations')
  world.clock.advance({ minutes: 5 })
  await deliver(
    world,
    echo(
      { type: 'reaction', reaction: { message_id: 'wamid.hello', emoji: '🙏' } },
      aboutIn(world),
    ),
  )
  const [row] = world.rows<{ id: string }>('select id from messages')
  expect(await reactionsOn(world, String(row?.id))).toMatchObject([
    { emoji: '🙏', by: 'user', user_id: null, user_name: null, contact_id: null },
  ])
  expect(world.rows('select last_inbound_at_ms from conversations')).toEqual(before)
})

import { expect, test } from 'bun:test'

import { batch, reaction, valueErrors } from '../../src/simulator/payloads'
import type { Loose } from '../support/client'
import { deliver, lineOf, statusTo, takenBodies, textTo, valueOf } from '../support/lines'
import { World } from '../support/world'

const texts = (world: World): string[] =>
  world
    .rows<{ content: string }>('select content from messages order by timestamp_ms, id')
    .map(({ content }) => String((JSON.parse(content) as Loose)['text']))

const newestEvent = async (world: World): Promise<Loose> => {
  const boss = await world.as('super')
  const [event] = (await boss.get('/api/inbound/events?limit=1')).data['items'] as Loose[]
  return (await boss.get(`/api/inbound/events/${event?.['id']}`)).data
}

test.each([
  ['emoji and joiners', '👩🏽‍🚀 café 🍕'],
  ['Arabic', 'مرحبا بالعالم، كيف الحال؟'],
  ['slashes and quotes', 'a/b\\c "d" \n\t<e> & \u2028 end'],
  ['a surrogate pair at the end', 'x😀'],
  ['four thousand characters', '漢'.repeat(4_000)],
  ['only spaces', '   '],
])('a text of %s arrives unchanged over REST and sockets', async (_, text) => {
  await using world = await World.create()
  const socket = await world.socket('manager')
  await deliver(world, textTo(world, text))
  const manager = await world.as('manager')
  const [contact] = (await manager.get('/api/contacts')).data['items'] as Loose[]
  const [message] = (await manager.get(`/api/contacts/${contact?.['id']}/messages`)).data[
    'items'
  ] as Loose[]
  expect(message?.['content']).toEqual({ text })
  await socket.caughtUp()
  const heard = socket
    .events('message:new')
    .map(({ payload }) => (payload['content'] as Loose)['text'] as string)
  expect(heard.length).toBe(1)
  // Frames are small: a long text is cut, at a whole character.
  expect(text).toStartWith(heard[0] ?? '?')
  if (text.length < 1_000) expect(heard).toEqual([text])
})

test('UTF-8 and escape sequences give the same text', async () => {
  await using world = await World.create()
  const plain = JSON.stringify(textTo(world, 'café 🍕 / مرحبا', { id: 'wamid.plain' }))
  const escaped = plain
    .replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('/', '\\/')
    .replace('wamid.plain', 'wamid.escaped')
  for (const body of [plain, escaped]) expect((await world.simulator.post(body)).status).toBe(200)
  await world.settle()
  expect(texts(world)).toEqual(['café 🍕 / مرحبا', 'café 🍕 / مرحبا'])
})

test('removes NUL and replaces a lone surrogate, but changes nothing else in a text', async () => {
  await using world = await World.create()
  const body = JSON.stringify(textTo(world, 'TEXT')).replace('"TEXT"', '"a\\u0000b \\ud83d c"')
  expect((await world.simulator.post(body)).status).toBe(200)
  await world.settle()
  expect(texts(world)).toEqual(['ab \ufffd c'])
})

test('stores the other messages of a change beside a number and a message without an ID', async () => {
  await using world = await World.create()
  const webhook = batch(6, { line: lineOf(world.tenant) })
  const messages = valueOf(webhook)['messages'] as unknown[]
  messages[3] = 42
  delete (messages[4] as Loose)['id']
  await deliver(world, webhook)
  expect(texts(world)).toEqual(['Text 1', 'Text 2', 'Text 3', 'Text 5', 'Text 6'])
  const event = await newestEvent(world)
  expect(event).toMatchObject({
    state: 'partial',
    items: { messages: 6 },
    last_error: 'not_an_object',
  })
  expect(event['outcomes']).toEqual([
    { kind: 'message', index: 3, outcome: 'failed', reason: 'not_an_object' },
  ])
  const manager = await world.as('manager')
  const [contact] = (await manager.get('/api/contacts?search=15550200004')).data['items'] as Loose[]
  const [nameless] = (await manager.get(`/api/contacts/${contact?.['id']}/messages`)).data[
    'items'
  ] as Loose[]
  expect(nameless).toMatchObject({ content: { text: 'Text 5' }, wa_message_id: null })

  await world.simulator.post({ ...webhook, again: true })
  await world.settle()
  expect(texts(world).length).toBe(5)
})

test('sends an answer to a message without an ID without the quote and warns', async () => {
  await using world = await World.create()
  const webhook = textTo(world, 'Nameless')
  delete valueOf(webhook)['messages'][0]['id']
  await deliver(world, webhook)
  const manager = await world.as('manager')
  const [contact] = (await manager.get('/api/contacts')).data['items'] as Loose[]
  const url = `/api/contacts/${contact?.['id']}/messages`
  const [nameless] = (await manager.get(url)).data['items'] as Loose[]
  const sent = await manager.post(url, {
    type: 'text',
    text: 'Quoting you',
    reply_to: nameless?.['id'],
  })
  expect(sent.status).toBe(201)
  await world.settle()
  expect(takenBodies(world)[0]).not.toHaveProperty('context')
  expect((await manager.get(`/api/messages/${sent.data['id']}`)).data).toMatchObject({
    status: 'delivered',
    warnings: ['quote_not_sent'],
  })
})

test.each<[string, (message: Loose) => void, Loose]>([
  [
    'a text without body',
    (message) => delete message['text'],
    { type: 'text', content: { text: '' } },
  ],
  ['no type', (message) => delete message['type'], { type: 'text', content: { text: 'Odd' } }],
  [
    'a type nobody knows',
    (message) => Object.assign(message, { type: 'hologram', hologram: { a: 1 } }),
    { type: 'unsupported' },
  ],
  [
    'a timestamp that is a number',
    (message) => (message['timestamp'] = Number(message['timestamp'])),
    { type: 'text', timestamp: '2026-11-21T09:30:00.000Z' },
  ],
  [
    'no timestamp',
    (message) => delete message['timestamp'],
    { type: 'text', timestamp: '2026-11-21T09:30:00.000Z' },
  ],
  [
    'a timestamp of next year',
    (message) => (message['timestamp'] = '1830000000'),
    { type: 'text', timestamp: '2026-11-21T09:30:00.000Z' },
  ],
  [
    'a sender that is a number',
    (message) => (message['from'] = Number(message['from'])),
    { type: 'text' },
  ],
])('%s is read leniently', async (_, bend, expected) => {
  await using world = await World.create()
  const webhook = textTo(world, 'Odd')
  bend(valueOf(webhook)['messages'][0])
  await deliver(world, webhook)
  const manager = await world.as('manager')
  const [contact] = (await manager.get('/api/contacts')).data['items'] as Loose[]
  const { data } = await manager.get(`/api/contacts/${contact?.['id']}/messages`)
  expect(data['items']).toMatchObject([expected])
})

test('stores a message without a sender as failed, with the reason in the journal', async () => {
  await using world = await World.create()
  const webhook = textTo(world, 'Who am I?')
  const value = valueOf(webhook)
  delete value['contacts']
  Object.assign(value['messages'][0], { from: 'nobody', from_user_id: undefined })
  await deliver(world, webhook)
  expect(await newestEvent(world)).toMatchObject({ state: 'failed', last_error: 'no_sender' })
  expect(world.rows('select id from contacts')).toEqual([])
})

test('a reaction never takes the ID of a message', async () => {
  await using world = await World.create()
  await deliver(
    world,
    reaction('wamid.some', '👍', { line: lineOf(world.tenant), id: 'wamid.twice' }),
  )
  await deliver(world, textTo(world, 'With the same id', { id: 'wamid.twice' }))
  expect(texts(world)).toEqual(['With the same id'])
})

test("an error of the number itself becomes the account's last error, not a message", async () => {
  await using world = await World.create()
  await deliver(world, valueErrors(130_429, 'Rate limit hit', { line: lineOf(world.tenant) }))
  const { data } = await (await world.as('admin')).get(`/api/accounts/${world.tenant.accountId}`)
  expect(data['last_error']).toMatchObject({ code: 'sending_too_fast' })
  expect(texts(world)).toEqual([])
  const [number] = (await (await world.as('admin')).get('/api/outbox/stats')).data[
    'accounts'
  ] as Loose[]
  expect(number).toMatchObject({ rate_now: 40 })
})

test('reads a change without a field as messages if it contains messages', async () => {
  await using world = await World.create()
  const webhook = textTo(world, 'Fieldless')
  delete (webhook.entry[0]?.changes[0] as Loose | undefined)?.['field']
  await deliver(world, webhook)
  expect(texts(world)).toEqual(['Fieldless'])
})

test('reports one invalid item among a thousand', async () => {
  await using world = await World.create()
  const webhook = statusTo(world, 'wamid.unknown', 'delivered')
  const [status] = valueOf(webhook)['statuses'] as Loose[]
  valueOf(webhook)['statuses'] = Array.from({ length: 1_000 }, (_, nth) =>
    nth === 500 ? 7 : { ...status, id: `wamid.unknown-${nth}` },
  )
  await deliver(world, webhook)
  const event = await newestEvent(world)
  expect(event).toMatchObject({
    state: 'partial',
    items: { statuses: 1_000 },
    last_error: 'not_an_object',
  })
  expect(event['outcomes']).toContainEqual({
    kind: 'status',
    index: 500,
    outcome: 'failed',
    reason: 'not_an_object',
  })
  valueOf(webhook)['statuses'] = Array.from({ length: 1_000 }, () => 7)
  await deliver(world, webhook)
  expect(await newestEvent(world)).toMatchObject({ state: 'failed', items: { statuses: 1_000 } })
})

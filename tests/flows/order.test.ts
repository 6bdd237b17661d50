import { expect, test } from 'bun:test'

import {
  batch,
  systemNumberChanged,
  systemUserIdChanged,
  textMessage,
  type Webhook,
} from '../../src/simulator/payloads'
import type { Loose } from '../support/client'
import { deliver, lineOf, personOf, secondsIn, textTo, valueOf } from '../support/lines'
import { World } from '../support/world'
import { changeRows } from '../support/sql'

const texts = (world: World, number: string): string[] =>
  world
    .rows<{ content: string }>(
      "select m.content from messages m join contacts c on c.id = m.contact_id where c.phone_number = ? and m.type = 'text' order by m.id",
      number,
    )
    .map(({ content }) => String((JSON.parse(content) as Loose)['text']))

/**
 * Makes every attempt to store a message with this id fail, as something broken of our own would.
 */
const breakOn = (world: World, waMessageId: string): void =>
  void changeRows(
    world.program.http.db.sqlite,
    `create trigger stuck before insert on messages when new.wa_message_id = '${waMessageId}' begin select raise(abort, 'broken'); end`,
  )

test('processes the messages of a customer in one delivery in the order they were written', async () => {
  await using world = await World.create()
  const person = personOf(3)
  const webhooks = [30, 10, 20].map((at) =>
    textTo(world, `At ${at}`, {
      person,
      timestamp: secondsIn(world) + at,
      line: lineOf(world.tenant),
    }),
  )
  const [first] = webhooks
  const value = valueOf(first as Webhook)
  value['messages'] = webhooks.flatMap((webhook) => valueOf(webhook)['messages'] as Loose[])
  await deliver(world, first as Webhook)
  expect(texts(world, String(person.waId))).toEqual(['At 10', 'At 20', 'At 30'])
})

test('a delivery waits for an earlier unfinished one of the same customer only', async () => {
  await using world = await World.create()
  const long = batch(100, { line: lineOf(world.tenant), timestamp: secondsIn(world) })
  const contacts = valueOf(long)['contacts'] as Loose[]
  const [behind, other] = [String(contacts[90]?.['wa_id']), '15550399901']
  const after = (waId: string, text: string) =>
    textTo(world, text, {
      person: { waId },
      timestamp: secondsIn(world) - 60,
      line: lineOf(world.tenant),
    })
  for (const webhook of [
    long,
    after(behind, 'After the long one'),
    after(other, 'Nothing to wait for'),
  ])
    expect((await world.simulator.post(webhook)).status).toBe(200)
  await world.settle()
  expect(texts(world, behind)).toEqual(['Text 91', 'After the long one'])
  const order = world
    .rows<{ content: string }>('select content from messages order by id')
    .map(({ content }) => content)
  const place = (text: string): number => order.findIndex((content) => content.includes(text))
  expect(place('Nothing to wait for')).toBeLessThan(place('Text 91'))
  expect(world.rows('select state from inbound_events where state <> ?', 'done')).toEqual([])
})

test('marks a message that cannot be stored as failed, continues at once, and stores it on a replay', async () => {
  await using world = await World.create()
  const person = personOf(4)
  breakOn(world, 'wamid.stuck')
  await deliver(world, textTo(world, 'Stuck', { person, id: 'wamid.stuck' }))
  await deliver(world, textTo(world, 'The next one', { person }))
  await deliver(world, textTo(world, 'Of somebody else', { person: personOf(5) }))
  expect(world.rows('select state, last_error from inbound_events order by id')).toMatchObject([
    { state: 'failed' },
    { state: 'done', last_error: null },
    { state: 'done', last_error: null },
  ])
  expect(texts(world, String(person.waId))).toEqual(['The next one'])
  world.program.http.db.sqlite.run('drop trigger stuck')
  const admin = await world.as('admin')
  const [event] = (await admin.get('/api/inbound/events?state=failed')).data['items'] as Loose[]
  await admin.post(`/api/inbound/events/${event?.['id']}/replay`)
  await world.settle()
  expect(texts(world, String(person.waId)).toSorted()).toEqual(['Stuck', 'The next one'])
  expect((await admin.get('/api/inbound/events?state=failed')).data['total']).toBe(0)
})

test('an item that cannot be stored does not affect the others of its delivery', async () => {
  await using world = await World.create()
  const webhook = batch(5, { line: lineOf(world.tenant), timestamp: secondsIn(world) })
  const messages = valueOf(webhook)['messages'] as Loose[]
  breakOn(world, String(messages[2]?.['id']))
  await deliver(world, webhook)
  expect(world.rows('select count(*) as n from messages')).toEqual([{ n: 4 }])
  expect(world.rows('select state from inbound_events')).toEqual([{ state: 'partial' }])
})

test('the ordering keys of customers contain no phone number', async () => {
  await using world = await World.create()
  const webhook = textTo(world, 'Hi', { person: personOf(6) })
  webhook.entry.push(...textTo(world, 'Anybody?', { person: personOf(6) }).entry)
  expect((await world.simulator.post(webhook)).status).toBe(200)
  world.program.ingest.step()
  const jobs = world.rows<{ ordering_key: string }>(
    "select ordering_key, args from jobs where kind = 'inbound.process'",
  )
  expect(jobs.map(({ ordering_key }) => /^inbound:[0-9a-f]{32}$/.test(ordering_key))).toEqual([
    true,
    true,
  ])
  expect(JSON.stringify(jobs)).not.toContain(String(personOf(6).waId))
})

test('statuses and their replays have a queue of their own', async () => {
  await using world = await World.create()
  const status = {
    id: 'wamid.x',
    status: 'sent',
    timestamp: '1790000000',
    recipient_id: '15550300001',
  }
  const webhook = textMessage('x', { line: lineOf(world.tenant) })
  const value = valueOf(webhook)
  delete value['messages']
  value['statuses'] = [status]
  webhook.entry.push(...structuredClone(webhook.entry))
  expect((await world.simulator.post(webhook)).status).toBe(200)
  world.program.ingest.step()
  const queues = (): string[] =>
    world
      .rows<{ queue: string }>("select queue from jobs where kind like 'inbound.process%'")
      .map(({ queue }) => queue)
  expect(queues()).toEqual(['inbound-status', 'inbound-status'])
  await world.settle()
  const admin = await world.as('admin')
  const [event] = (await admin.get('/api/inbound/events')).data['items'] as Loose[]
  await admin.post(`/api/inbound/events/${event?.['id']}/replay`)
  expect(queues()).toEqual(['inbound-status'])
})

const ANA = personOf(1, 'Ana')
const NEW_NUMBER = '15550388888'
const NEWER_NUMBER = '15550377777'

const contactsOf = async (world: World): Promise<Loose[]> =>
  (await (await world.as('manager')).get('/api/contacts')).data['items'] as Loose[]

test('a customer with a new number stays one contact, found by both numbers for thirty days', async () => {
  await using world = await World.create()
  await deliver(world, textTo(world, 'Hi', { person: { waId: ANA.waId, name: 'Ana' } }))
  world.clock.advance({ minutes: 1 })
  await deliver(
    world,
    systemNumberChanged(NEW_NUMBER, {
      line: lineOf(world.tenant),
      person: ANA,
      timestamp: secondsIn(world),
      id: 'wamid.moved',
    }),
  )
  const [contact] = await contactsOf(world)
  expect(contact).toMatchObject({ phone_number: NEW_NUMBER, wa_id: NEW_NUMBER, unread_count: 1 })
  const { data } = await (
    await world.as('manager')
  ).get(`/api/contacts/${contact?.['id']}/messages`)
  expect(
    (data['items'] as Loose[]).map(({ type, content }) => [
      type,
      content['event'],
      content['old'],
      content['new'],
    ]),
  ).toEqual([
    ['text', undefined, undefined, undefined],
    ['system', 'number_changed', ANA.waId, NEW_NUMBER],
  ])
  await deliver(world, textTo(world, 'From the new number', { person: { waId: NEW_NUMBER } }))
  world.clock.advance({ hours: 29 * 24 })
  await deliver(world, textTo(world, 'From the old one', { person: { waId: String(ANA.waId) } }))
  expect((await contactsOf(world)).length).toBe(1)
  world.clock.advance({ hours: 2 * 24 })
  await deliver(world, textTo(world, 'Somebody new has it', { person: { waId: String(ANA.waId) } }))
  expect((await contactsOf(world)).length).toBe(2)
})

test('a new user id is added and the former one stays', async () => {
  await using world = await World.create()
  await deliver(world, textTo(world, 'Hi', { person: ANA }))
  const userId = 'US.94000000000000000001'
  await deliver(
    world,
    systemUserIdChanged(userId, {
      line: lineOf(world.tenant),
      person: ANA,
      timestamp: secondsIn(world),
    }),
  )
  for (const id of [ANA.userId, userId])
    await deliver(
      world,
      textTo(world, 'By id', { person: { ...(id ? { userId: id } : {}), name: 'Ana' } }),
    )
  const contacts = await contactsOf(world)
  expect(contacts.length).toBe(1)
  const { data } = await (await world.as('manager')).get(`/api/contacts/${contacts[0]?.['id']}`)
  expect((data['identities'] as Loose[]).map(({ kind, value }) => `${kind} ${value}`)).toContain(
    `user_id ${userId}`,
  )
  expect((data['identities'] as Loose[]).map(({ kind, value }) => `${kind} ${value}`)).toContain(
    `user_id ${ANA.userId}`,
  )
})

test('a customer who moves to the number it already has changes nothing', async () => {
  await using world = await World.create()
  await deliver(world, textTo(world, 'Hi', { person: ANA }))
  const move = (): Promise<void> =>
    deliver(
      world,
      systemNumberChanged(NEW_NUMBER, {
        line: lineOf(world.tenant),
        person: ANA,
        timestamp: secondsIn(world),
      }),
    )
  await move()
  const [before] = await contactsOf(world)
  expect(before).toMatchObject({ phone_number: NEW_NUMBER, wa_id: NEW_NUMBER })
  const socket = await world.socket('manager')
  world.clock.advance({ minutes: 1 })
  await move()
  const changed = (await socket.caughtUp())
    .filter(({ type }) => type === 'contact:updated')
    .flatMap(({ payload }) => payload['changed'] as string[])
  for (const field of ['phone_number', 'wa_id', 'country']) expect(changed).not.toContain(field)
  expect(await contactsOf(world)).toMatchObject([{ phone_number: NEW_NUMBER, wa_id: NEW_NUMBER }])
})

test('reports a changed security code without changing the contact', async () => {
  await using world = await World.create()
  await deliver(world, textTo(world, 'Hi', { person: ANA }))
  const [before] = await contactsOf(world)
  const webhook = systemNumberChanged('15550300001', {
    line: lineOf(world.tenant),
    person: ANA,
    timestamp: secondsIn(world),
  })
  const message = valueOf(webhook)['messages'][0] as Loose
  Object.assign(message, {
    identity: { acknowledged: true, created_timestamp: message['timestamp'], hash: 'Df2lS5v2W6x=' },
    system: { body: 'User identity changed', type: 'customer_identity_changed' },
  })
  await deliver(world, webhook)
  const [after] = await contactsOf(world)
  for (const field of ['phone_number', 'wa_id', 'user_id', 'unread_count', 'window_expires_at'])
    expect(after?.[field]).toEqual(before?.[field])
  const { data } = await (
    await world.as('manager')
  ).get(`/api/contacts/${after?.['id']}/messages?type=system`)
  expect(data['items']).toMatchObject([
    { content: { event: 'identity_changed', new: 'Df2lS5v2W6x=' } },
  ])
})

test.each<[string, number[]]>([
  ['in the order they happened', [0, 1, 2, 3]],
  ['backwards', [3, 2, 1, 0]],
  ['the newer move first', [0, 2, 1, 3]],
  ['an old message last', [1, 2, 3, 0]],
  ['a message from the newest number first', [3, 0, 1, 2]],
])(
  'two moves of a customer and messages around them, told %s, leave one contact with the newest number',
  async (_, order) => {
    await using world = await World.create()
    const start = secondsIn(world)
    const line = lineOf(world.tenant)
    const told = [
      textTo(world, 'From the first number', {
        person: { waId: String(ANA.waId), name: 'Ana' },
        timestamp: start,
      }),
      systemNumberChanged(NEW_NUMBER, {
        line,
        person: { waId: String(ANA.waId) },
        timestamp: start + 10,
      }),
      systemNumberChanged(NEWER_NUMBER, {
        line,
        person: { waId: NEW_NUMBER },
        timestamp: start + 20,
      }),
      textTo(world, 'From the newest', {
        person: { waId: NEWER_NUMBER, name: 'Ana' },
        timestamp: start + 30,
      }),
    ]
    for (const nth of order) await deliver(world, told[nth] as Webhook)
    const contacts = await contactsOf(world)
    expect(contacts).toMatchObject([
      {
        phone_number: NEWER_NUMBER,
        wa_id: NEWER_NUMBER,
        unread_count: 2,
        last_message_preview: 'From the newest',
      },
    ])
    expect((await (await world.as('manager')).get('/api/conversations')).data['total']).toBe(1)
  },
)

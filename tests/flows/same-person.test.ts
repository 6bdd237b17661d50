import { expect, test } from 'bun:test'

import type { Loose } from '../support/client'
import type { Person } from '../../src/simulator/payloads'
import { deliver, personOf, statusTo, textTo, valueOf } from '../support/lines'
import { World } from '../support/world'

const contactsOf = async (world: World): Promise<Loose[]> =>
  (await (await world.as('manager')).get('/api/contacts')).data['items'] as Loose[]

const identitiesOf = async (world: World, id: unknown): Promise<string[]> => {
  const { data } = await (await world.as('manager')).get(`/api/contacts/${String(id)}`)
  return (data['identities'] as Loose[]).map(({ kind, value }) => `${kind} ${value}`)
}

const USER = 'BR.90000000000000000077'

test.each<[string, Person[], string[]]>([
  [
    'a user id, then the same user id with a number',
    [
      { userId: USER, name: 'Bia' },
      { userId: USER, waId: '5511987654321', name: 'Bia' },
    ],
    ['phone 5511987654321', `user_id ${USER}`],
  ],
  [
    'a number, then the number with a user id',
    [
      { waId: '5511987654321', name: 'Bia' },
      { userId: USER, waId: '5511987654321', name: 'Bia' },
    ],
    ['phone 5511987654321', `user_id ${USER}`],
  ],
  [
    'a number with a user id, then the user id alone',
    [
      { userId: USER, waId: '5511987654321', name: 'Bia' },
      { userId: USER, name: 'Bia' },
    ],
    ['phone 5511987654321', `user_id ${USER}`],
  ],
  [
    'a Brazilian number without the ninth digit, then with it',
    [{ waId: '551187654321' }, { waId: '5511987654321' }],
    ['phone 551187654321', 'phone 5511987654321'],
  ],
  [
    'a Brazilian number with the ninth digit, then without it',
    [{ waId: '5511987654321' }, { waId: '551187654321' }],
    ['phone 551187654321', 'phone 5511987654321'],
  ],
  [
    'a Mexican number with the 1, then without it',
    [{ waId: '5215512345678' }, { waId: '525512345678' }],
    ['phone 5215512345678', 'phone 525512345678'],
  ],
  [
    'an Argentine number with the 9, then without it',
    [{ waId: '5491123456789' }, { waId: '541123456789' }],
    ['phone 541123456789', 'phone 5491123456789'],
  ],
])('%s is one contact with one conversation', async (_, people, identities) => {
  await using world = await World.create()
  for (const [nth, person] of people.entries())
    await deliver(world, textTo(world, `Text ${nth}`, { person }))
  const contacts = await contactsOf(world)
  expect(contacts.map((contact) => contact['unread_count'])).toEqual([people.length])
  expect(await identitiesOf(world, contacts[0]?.['id'])).toEqual(identities)
  const manager = await world.as('manager')
  expect((await manager.get('/api/conversations')).data['total']).toBe(1)
  expect((await manager.get(`/api/contacts/${contacts[0]?.['id']}/messages`)).data['total']).toBe(
    people.length,
  )
})

test.each([
  ['landline numbers of Brazil that differ by a 9', '551132345678', '5511932345678'],
  ['numbers of two people', '15550300001', '15550300002'],
])('%s stay two contacts', async (_, one, other) => {
  await using world = await World.create()
  for (const waId of [one, other]) await deliver(world, textTo(world, 'Hi', { person: { waId } }))
  expect((await contactsOf(world)).length).toBe(2)
})

test('a contact without a number is listed, receives replies by user ID and has the country of the ID', async () => {
  await using world = await World.create()
  await deliver(
    world,
    textTo(world, 'No number here', { person: { userId: USER, name: 'Bia', username: 'bia.s' } }),
  )
  const [contact] = await contactsOf(world)
  expect(contact).toMatchObject({
    phone_number: null,
    wa_id: null,
    user_id: USER,
    username: 'bia.s',
    country: 'BR',
    display_name: 'Bia',
  })
  const manager = await world.as('manager')
  await manager.post(`/api/contacts/${contact?.['id']}/messages`, { type: 'text', text: 'Hi Bia' })
  await world.settle()
  const body = world.simulator.messages[0]?.body as Loose
  expect([body['recipient'], body['to']]).toEqual([USER, undefined])
})

test('a user ID in place of the number is read as a user ID', async () => {
  await using world = await World.create()
  const webhook = textTo(world, 'Odd', { person: { waId: USER, name: 'Bia' } })
  valueOf(webhook)['messages'][0]['from'] = USER
  await deliver(world, webhook)
  expect(await contactsOf(world)).toMatchObject([
    { phone_number: null, user_id: USER, profile_name: 'Bia' },
  ])
})

test('two concurrent first messages of a sender create one contact, one conversation and two messages', async () => {
  await using world = await World.create()
  const socket = await world.socket('manager')
  const person = personOf(5)
  const posted = await Promise.all(
    ['One', 'Two'].map((text) => world.simulator.post(textTo(world, text, { person }))),
  )
  expect(posted.map(({ status }) => status)).toEqual([200, 200])
  await world.settle()
  expect((await contactsOf(world)).length).toBe(1)
  const counts = world.rows(
    'select (select count(*) from contacts) as contacts, (select count(*) from conversations) as conversations, (select count(*) from messages) as messages',
  )
  expect(counts).toEqual([{ contacts: 1, conversations: 1, messages: 2 }])
  expect((await socket.caughtUp()).map(({ type }) => type).toSorted()).toEqual([
    'contact:new',
    'conversation:updated',
    'message:new',
    'message:new',
  ])
})

test('a repeated old message restores neither an old name nor an unread mark', async () => {
  await using world = await World.create()
  const first = textTo(world, 'Hi', { person: personOf(1, 'Old name'), id: 'wamid.first' })
  await deliver(world, first)
  world.clock.advance({ minutes: 1 })
  await deliver(world, textTo(world, 'Hi again', { person: personOf(1, 'New name') }))
  const socket = await world.socket('manager')
  await deliver(world, { ...first, entry: first.entry.map((entry) => ({ ...entry, time: 1 })) })
  expect(await contactsOf(world)).toMatchObject([
    { profile_name: 'New name', unread_count: 2, last_message_preview: 'Hi again' },
  ])
  expect(await socket.caughtUp()).toEqual([])
})

test('a contact known by user ID that writes from another number gets it, and the former one still finds it', async () => {
  await using world = await World.create()
  const person = (waId: string): Person => ({ userId: USER, waId, name: 'Bia' })
  await deliver(world, textTo(world, 'One', { person: person('5511987654321') }))
  const late = textTo(world, 'Late', { person: person('5511987650000') })
  world.clock.advance({ minutes: 1 })
  const socket = await world.socket('manager')
  await deliver(world, textTo(world, 'Two', { person: person('4915112345678') }))
  const changed = (await socket.caughtUp()).find(({ type }) => type === 'contact:updated')
  expect(changed?.payload).toMatchObject({
    phone_number: '4915112345678',
    changed: expect.arrayContaining(['phone_number', 'wa_id', 'country']),
  })
  expect(await contactsOf(world)).toMatchObject([
    { phone_number: '4915112345678', wa_id: '4915112345678', country: 'DE', unread_count: 2 },
  ])
  // An older message from a former number changes nothing.
  await deliver(world, late)
  await deliver(world, textTo(world, 'From the old phone', { person: { waId: '5511987654321' } }))
  expect(await contactsOf(world)).toMatchObject([
    { phone_number: '4915112345678', unread_count: 4 },
  ])
  const expiring =
    "select value from contact_identities where kind = 'phone' and expires_at_ms is not null order by value"
  expect(world.rows(expiring)).toEqual([{ value: '5511987650000' }, { value: '5511987654321' }])
  expect(
    (await (await world.as('manager')).get('/api/contacts?search=+49 151 12345678')).data['total'],
  ).toBe(1)
})

test('the platform never overwrites a name set by a user', async () => {
  await using world = await World.create()
  const contact = await world.contactOf()
  world.program.http.db.sqlite.run("update contacts set name = 'Our Ana'")
  world.clock.advance({ minutes: 1 })
  await deliver(
    world,
    textTo(world, 'Hi', { person: { waId: String(contact['wa_id']), name: 'Somebody' } }),
  )
  expect(await contactsOf(world)).toMatchObject([
    { name: 'Our Ana', profile_name: 'Somebody', display_name: 'Our Ana' },
  ])
})

test("the number in the platform's response is stored and used for the next message", async () => {
  await using world = await World.create()
  const contact = await world.contactOf(world.tenant, 'Oi', '5511987654321')
  const manager = await world.as('manager')
  world.simulator.answerWaId('551187654321')
  world.simulator.swallowStatuses({ times: 2 })
  for (const text of ['One', 'Two']) {
    await manager.post(`/api/contacts/${contact['id']}/messages`, { type: 'text', text })
    await world.settle()
  }
  expect(world.simulator.messages.map(({ body }) => (body as Loose)['to'])).toEqual([
    '+5511987654321',
    '+551187654321',
  ])
  expect(await identitiesOf(world, contact['id'])).toEqual([
    'phone 551187654321',
    'phone 5511987654321',
    `user_id ${contact['user_id']}`,
  ])
  await deliver(world, textTo(world, 'Oi de novo', { person: { waId: '551187654321' } }))
  expect((await contactsOf(world)).length).toBe(1)
  await deliver(
    world,
    statusTo(world, String(world.simulator.messages[0]?.wamid), 'read', {
      facts: { recipientId: '551187654321' },
    }),
  )
  const items = (await manager.get(`/api/contacts/${contact['id']}/messages?direction=outgoing`))
    .data['items'] as Loose[]
  expect(items[0]?.['status']).toBe('read')
})

/** Returns every order of the given items. */
const ordersOf = <T>(things: T[]): T[][] =>
  things.length === 0
    ? [[]]
    : things.flatMap((first, at) =>
        ordersOf(things.filter((_, other) => other !== at)).map((rest) => [first, ...rest]),
      )

/**
 * Returns the messages of one person under several IDs, in processing order; `unlucky` is an item
 * that cannot be stored.
 */
const namesOf = (
  nth: number,
  isLinked: boolean,
): { person: Person; text: string; at: number }[] => {
  const line = `876543${String(nth).padStart(2, '0')}`
  const [short, long, userId] = [
    `5511${line}`,
    `55119${line}`,
    `BR.9000000000000000${String(nth).padStart(4, '0')}`,
  ]
  return [
    { person: { waId: short, name: 'Short' }, text: 'by a number', at: 1 },
    { person: { userId, name: 'Nameless' }, text: 'by an id', at: 2 },
    {
      person: { userId, waId: long, name: 'Both' },
      text: isLinked ? 'by both' : 'by both, unlucky',
      at: 3,
    },
    { person: { waId: long, name: 'Long' }, text: 'by the other spelling', at: 4 },
  ]
}

test('one person with several IDs becomes one contact in every order, in batches and beside invalid items', async () => {
  await using world = await World.create()
  const { db } = world.program.http
  db.sqlite.run(
    `create trigger broken before insert on message_words when exists (select 1 from messages where row = new.row and content like '%unlucky%') begin select raise(abort, 'broken'); end`,
  )
  const orders = ordersOf([0, 1, 2, 3])
  const now = Math.floor(world.clock.nowMs() / 1_000) - 60
  for (let step = 0; step < 4; step += 1)
    for (const [nth, order] of orders.entries())
      for (const isLinked of [true, false]) {
        const said = namesOf(isLinked ? nth : nth + 50, isLinked)[order[step] ?? 0]
        if (said)
          await world.simulator.post(
            textTo(world, said.text, { person: said.person, timestamp: now + said.at }),
          )
      }
  await world.settle()
  const people =
    world.rows(`select c.phone_number, c.wa_id, c.user_id is not null as has_id, c.profile_name, c.unread_count,
    (select preview from messages m where m.contact_id = c.id order by timestamp_ms desc limit 1) as last_message_preview,
    (select count(*) from conversations v where v.contact_id = c.id) as conversations, (select sum(unread_count) from conversations v where v.contact_id = c.id) as unread,
    (select count(*) from messages m where m.contact_id = c.id) as said, (select group_concat(kind, ' ') from (select kind from contact_identities i where i.contact_id = c.id order by kind, value)) as names
    from contacts c where c.deleted_at_ms is null order by has_id, c.phone_number`)
  const count = orders.length
  const withoutNumbers = people.map(({ phone_number: _number, wa_id: _wa, ...rest }) =>
    JSON.stringify(rest),
  )
  const linked = {
    has_id: 1,
    profile_name: 'Long',
    unread_count: 4,
    last_message_preview: 'by the other spelling',
    conversations: 1,
    unread: 4,
    said: 4,
    names: 'phone phone user_id',
  }
  const byNumber = {
    ...linked,
    has_id: 0,
    unread_count: 2,
    unread: 2,
    said: 2,
    names: 'phone phone',
  }
  const byId = {
    ...linked,
    profile_name: 'Nameless',
    unread_count: 1,
    last_message_preview: 'by an id',
    unread: 1,
    said: 1,
    names: 'user_id',
  }
  const wanted = [linked, byNumber, byId].flatMap((person) =>
    Array.from({ length: count }, () => JSON.stringify(person)),
  )
  expect(withoutNumbers.toSorted()).toEqual(wanted.toSorted())
  const numbers = people
    .filter(({ wa_id }) => wa_id !== null)
    .map(({ phone_number, wa_id }) => `${phone_number} ${wa_id}`)
  expect([numbers.length, numbers.filter((both) => !/^(55119876543\d\d) \1$/.test(both))]).toEqual([
    2 * count,
    [],
  ])
  const total =
    'select sum(total) as n from (select count(*) as total from contacts where deleted_at_ms is null)'
  expect(world.rows(total)).toEqual([{ n: 3 * count }])
  const heads = world.rows('select seq from event_heads where organization_id = ?', world.tenant.id)
  expect(
    world.rows('select count(*) as seq from events where organization_id = ?', world.tenant.id),
  ).toEqual(heads)
  const failed = world.rows<{ outcomes: string }>(
    "select outcomes from inbound_events where state = 'failed'",
  )
  expect([failed.length, world.rows("select id from jobs where state = 'discarded'")]).toEqual([
    count,
    [],
  ])
})

test('a contact merged later keeps the newest number whatever the order of arrival', async () => {
  await using world = await World.create()
  const now = Math.floor(world.clock.nowMs() / 1_000) - 60
  const numbersOf = (nth: number) => ({
    former: `1555036${nth}001`,
    newer: `1555036${nth}002`,
    userId: `US.9000000000000000${nth}007`,
  })
  for (const [nth, order] of ordersOf([0, 1, 2]).entries()) {
    const { former, newer, userId } = numbersOf(nth)
    const said = [
      { person: { waId: former, name: 'First' }, timestamp: now + 1 },
      { person: { waId: former, userId, name: 'Then' }, timestamp: now + 2 },
      { person: { waId: newer, userId, name: 'Last' }, timestamp: now + 3 },
    ]
    for (const step of order) await world.simulator.post(textTo(world, `Text ${step}`, said[step]))
  }
  await world.settle()
  const people = (await contactsOf(world)).map(
    ({ phone_number, wa_id, profile_name, unread_count }) =>
      `${phone_number} ${wa_id} ${profile_name} ${unread_count}`,
  )
  expect(people.toSorted()).toEqual(
    ordersOf([0, 1, 2]).map((_, nth) => `${numbersOf(nth).newer} ${numbersOf(nth).newer} Last 3`),
  )
  const given = world.rows<{ value: string }>(
    'select value from contact_identities where expires_at_ms is not null order by value',
  )
  expect(given.map(({ value }) => value)).toEqual(
    ordersOf([0, 1, 2]).map((_, nth) => numbersOf(nth).former),
  )
})

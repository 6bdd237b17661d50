import { describe, expect, test } from 'bun:test'

import { bookEntry, echo, echoText, history, historyFile } from '../../src/simulator/coexistence'
import { reaction, type About, type Webhook } from '../../src/simulator/payloads'
import type { Loose } from '../support/client'
import { deliver, lineOf, personOf, secondsIn, statusTo, textTo, valueOf } from '../support/lines'
import { World } from '../support/world'

const ANA = personOf(1, 'Ana')

const aboutIn = (world: World, more: About = {}): About => ({
  line: lineOf(world.tenant),
  person: ANA,
  timestamp: secondsIn(world),
  ...more,
})

const contactsOf = async (world: World): Promise<Loose[]> =>
  (await (await world.as('manager')).get('/api/contacts')).data['items'] as Loose[]

const messagesOf = async (world: World): Promise<Loose[]> => {
  const [contact] = await contactsOf(world)
  return (await (await world.as('manager')).get(`/api/contacts/${contact?.['id']}/messages`)).data[
    'items'
  ] as Loose[]
}

const conversationOf = async (world: World): Promise<Loose> =>
  (
    (await (await world.as('manager')).get('/api/conversations')).data['items'] as Loose[]
  )[0] as Loose

describe('a message from the phone app', () => {
  test('is stored as sent without a job, unread count or open window', async () => {
    await using world = await World.create()
    const socket = await world.socket('manager')
    await deliver(world, echoText('Written on the phone', aboutIn(world, { id: 'wamid.echo' })))
    expect(await messagesOf(world)).toMatchObject([
      {
        direction: 'outgoing',
        source: 'phone_app',
        status: 'sent',
        type: 'text',
        content: { text: 'Written on the phone' },
        wa_message_id: 'wamid.echo',
        sent_by: null,
        sent_at: '2026-11-21T09:30:00.000Z',
        delivered_at: null,
      },
    ])
    expect(await contactsOf(world)).toMatchObject([
      { unread_count: 0, window_expires_at: null, source: 'phone_app', wa_id: ANA.waId },
    ])
    expect(world.simulator.messages).toEqual([])
    await socket.caughtUp()
    expect(socket.events('message:new').map(({ payload }) => payload)).toMatchObject([
      { source: 'phone_app', direction: 'outgoing' },
    ])
    expect((await (await world.as('super')).get('/api/jobs?state=available')).data['total']).toBe(0)
  })

  test('counts as an answer and keeps assignee, state and unread count', async () => {
    await using world = await World.create()
    await deliver(world, textTo(world, 'Anybody there?', { person: ANA }))
    const manager = await world.as('manager')
    const [contact] = await contactsOf(world)
    await manager.put(`/api/contacts/${contact?.['id']}/assign`, {
      user_id: world.tenant.userIds.agent,
    })
    world.clock.advance({ minutes: 4 })
    await deliver(world, echoText('Yes', aboutIn(world)))
    expect(await conversationOf(world)).toMatchObject({
      assigned_to: world.tenant.userIds.agent,
      unread_count: 1,
      state: 'open',
      first_response_at: '2026-11-21T09:34:00.000Z',
    })
    expect(world.rows('select unanswered_since_ms from conversations')).toEqual([
      { unanswered_since_ms: null },
    ])
  })

  test('leaves other waiting conversations, but not those of history or blocked contacts', async () => {
    await using world = await World.create()
    const manager = await world.as('manager')
    const waitingSince = (): unknown =>
      world.rows('select unanswered_since_ms from conversations')[0]?.['unanswered_since_ms']
    await deliver(world, textTo(world, 'One', { person: ANA }))
    const [contact] = await contactsOf(world)
    await manager.post(`/api/contacts/${contact?.['id']}/block`, {})
    world.clock.advance({ minutes: 2 })
    const early = echoText('Answer', aboutIn(world))
    world.clock.advance({ minutes: 2 })
    await deliver(world, textTo(world, 'Blocked', { person: ANA }))
    await manager.delete(`/api/contacts/${contact?.['id']}/block`)
    // The answer is told after what came later: nothing that asks for one is left.
    await deliver(world, early)
    expect(waitingSince()).toBeNull()
    world.clock.advance({ minutes: 2 })
    await deliver(world, textTo(world, 'Two', { person: ANA }))
    expect(waitingSince()).toBe(world.clock.nowMs())
  })

  test('applies its statuses, including earlier ones', async () => {
    await using world = await World.create()
    await deliver(
      world,
      statusTo(world, 'wamid.echo', 'delivered', { person: ANA, timestamp: secondsIn(world) + 2 }),
    )
    const socket = await world.socket('manager')
    await deliver(world, echoText('Hi', aboutIn(world, { id: 'wamid.echo' })))
    expect(await messagesOf(world)).toMatchObject([
      { status: 'delivered', delivered_at: '2026-11-21T09:30:02.000Z' },
    ])
    await deliver(
      world,
      statusTo(world, 'wamid.echo', 'read', { person: ANA, timestamp: secondsIn(world) + 9 }),
    )
    expect(await messagesOf(world)).toMatchObject([
      { status: 'read', sent_at: '2026-11-21T09:30:00.000Z' },
    ])
    const told = (await socket.caughtUp()).map(
      ({ type, payload }) => `${type} ${payload['status'] as string}`,
    )
    expect(told.filter((line) => line.startsWith('message:'))).toEqual([
      'message:new delivered',
      'message:status delivered',
      'message:status read',
    ])
  })

  test('is stored once, however often and in whatever way it arrives', async () => {
    await using world = await World.create()
    const webhook = echoText('Once', aboutIn(world, { id: 'wamid.echo' }))
    await deliver(world, webhook)
    await deliver(world, {
      ...webhook,
      entry: webhook.entry.map((entry) => ({ ...entry, time: 5 })),
    })
    expect((await messagesOf(world)).length).toBe(1)
    const [contact] = await contactsOf(world)
    await deliver(world, textTo(world, 'Opens the window', { person: ANA }))
    await (
      await world.as('manager')
    ).post(`/api/contacts/${contact?.['id']}/messages`, { type: 'text', text: 'By us' })
    await world.settle()
    const own = String(world.simulator.messages[0]?.wamid)
    await deliver(world, echoText('By us', aboutIn(world, { id: own })))
    expect((await messagesOf(world)).length).toBe(3)
  })

  test('downloads its file', async () => {
    await using world = await World.create()
    const image = {
      id: '1003383421387256',
      mime_type: 'image/jpeg',
      sha256: 'x',
      caption: 'our menu',
    }
    await deliver(world, echo({ type: 'image', image }, aboutIn(world)))
    expect(world.rows('select origin, kind from media')).toEqual([
      { origin: 'phone_app', kind: 'image' },
    ])
    expect(await messagesOf(world)).toMatchObject([
      { type: 'image', content: { caption: 'our menu' }, media: { mime_type: 'image/jpeg' } },
    ])
  })

  test('without a recipient fails in the journal with a reason', async () => {
    await using world = await World.create()
    const webhook = echoText('To whom?', aboutIn(world, { person: {} }))
    await deliver(world, webhook)
    const [event] = (await (await world.as('admin')).get('/api/inbound/events')).data[
      'items'
    ] as Loose[]
    expect(event).toMatchObject({
      field: 'smb_message_echoes',
      state: 'failed',
      last_error: 'no_recipient',
      items: { messages: 1 },
    })
  })

  test('without a phone number belongs to no organization', async () => {
    await using world = await World.create()
    const webhook = echoText('Whose?', aboutIn(world))
    delete valueOf(webhook)['metadata']
    await deliver(world, webhook)
    expect(world.rows('select state, organization_id from inbound_events')).toEqual([
      { state: 'unrouted', organization_id: null },
    ])
  })
})

describe('imported history', () => {
  const PAST = [
    { id: 'wamid.past-1', timestamp: 1_780_000_000, body: 'Do you open on Sunday?' },
    {
      id: 'wamid.past-2',
      timestamp: 1_780_000_060,
      body: 'We do.',
      isOurs: true,
      status: 'DELIVERED',
    },
    { id: 'wamid.past-3', timestamp: 1_780_000_120, body: 'Thanks!' },
  ]

  test('is stored in order as read, without events or an open window', async () => {
    await using world = await World.create()
    const socket = await world.socket('manager')
    await deliver(world, history(ANA, PAST, { line: lineOf(world.tenant) }))
    expect(await messagesOf(world)).toMatchObject([
      {
        direction: 'incoming',
        content: { text: 'Do you open on Sunday?' },
        status: 'read',
        source: 'contact',
      },
      {
        direction: 'outgoing',
        content: { text: 'We do.' },
        status: 'delivered',
        source: 'phone_app',
      },
      { direction: 'incoming', content: { text: 'Thanks!' }, status: 'read' },
    ])
    expect(await contactsOf(world)).toMatchObject([
      {
        unread_count: 0,
        window_expires_at: null,
        last_inbound_at: null,
        last_message_preview: 'Thanks!',
      },
    ])
    const heard = (await socket.caughtUp())
      .map(({ type }) => type)
      .filter((type) => /^(message|conversation):/.test(type))
    expect(heard).toEqual([])
    expect(
      world.rows('select unanswered_since_ms, first_response_at_ms from conversations'),
    ).toEqual([{ unanswered_since_ms: null, first_response_at_ms: null }])
    const [event] = (await (await world.as('admin')).get('/api/inbound/events')).data[
      'items'
    ] as Loose[]
    expect(event).toMatchObject({ field: 'history', state: 'done', items: { messages: 3 } })
  })

  test('has the reactions that arrived before it, without events', async () => {
    await using world = await World.create()
    await deliver(world, reaction('wamid.past-1', '👀', aboutIn(world)))
    const socket = await world.socket('manager')
    await deliver(world, history(ANA, PAST, { line: lineOf(world.tenant) }))
    const heard = (await socket.caughtUp()).map(({ type }) => type)
    expect(heard.filter((type) => type.startsWith('message:'))).toEqual([])
    const [first] = (await messagesOf(world)).filter(
      ({ content }) => content['text'] === 'Do you open on Sunday?',
    )
    expect(first?.['reactions']).toMatchObject([{ emoji: '👀', by: 'contact' }])
  })

  test('changes nothing when repeated or already received live', async () => {
    await using world = await World.create()
    await deliver(world, textTo(world, 'Thanks!', { person: ANA, id: 'wamid.past-3' }))
    const past = history(ANA, PAST, { line: lineOf(world.tenant) })
    await deliver(world, past)
    await deliver(world, { ...past, entry: past.entry.map((entry) => ({ ...entry, time: 5 })) })
    expect((await messagesOf(world)).map(({ content }) => content['text'] as string)).toEqual([
      'Do you open on Sunday?',
      'We do.',
      'Thanks!',
    ])
    expect(await contactsOf(world)).toMatchObject([{ unread_count: 1 }])
  })

  test('does not move newer conversations back', async () => {
    await using world = await World.create()
    await deliver(world, textTo(world, 'Now', { person: ANA }))
    await deliver(world, history(ANA, PAST, { line: lineOf(world.tenant) }))
    expect(await conversationOf(world)).toMatchObject({
      last_message: { preview: 'Now' },
      unread_count: 1,
      window_open: true,
    })
  })

  test.each([
    ['after', [0, 1, 2]],
    ['before', [1, 2, 0]],
  ])('has the files that are told %s it, each once and without events', async (_, order) => {
    await using world = await World.create()
    const line = lineOf(world.tenant)
    const image = { id: '1003383421387256', mime_type: 'image/jpeg', sha256: 'x', caption: 'Cake?' }
    const document = { id: '1003383421387257', mime_type: 'application/pdf', filename: 'menu.pdf' }
    const webhooks = [
      history(
        ANA,
        [
          { id: 'wamid.file-1', timestamp: 1_780_000_000 },
          { id: 'wamid.file-2', timestamp: 1_780_000_060, isOurs: true },
        ],
        { line },
      ),
      historyFile(
        { type: 'image', image },
        { line, person: ANA, id: 'wamid.file-1', timestamp: 1_780_000_000 },
      ),
      historyFile(
        { type: 'document', document },
        { line, person: ANA, id: 'wamid.file-2', timestamp: 1_780_000_060, isOurs: true },
      ),
    ]
    const socket = await world.socket('manager')
    for (const index of order) await deliver(world, webhooks[index] as Webhook)
    for (const index of order) await deliver(world, webhooks[index] as Webhook)
    expect(await messagesOf(world)).toMatchObject([
      {
        ...{ direction: 'incoming', type: 'image', status: 'read', source: 'contact' },
        content: { caption: 'Cake?' },
        media: { mime_type: 'image/jpeg' },
      },
      {
        ...{ direction: 'outgoing', type: 'document', source: 'phone_app' },
        media: { mime_type: 'application/pdf' },
      },
    ])
    expect(await contactsOf(world)).toMatchObject([{ unread_count: 0, window_expires_at: null }])
    const heard = (await socket.caughtUp()).map(({ type }) => type)
    expect(heard.filter((type) => type === 'message:new')).toEqual([])
  })

  test('has a file that names no recipient in the journal, with the reason', async () => {
    await using world = await World.create()
    const image = { id: '1003383421387256', mime_type: 'image/jpeg', sha256: 'x' }
    const about = { line: lineOf(world.tenant), person: {}, isOurs: true }
    await deliver(world, historyFile({ type: 'image', image }, about))
    expect(world.rows('select state, last_error from inbound_events')).toEqual([
      { state: 'failed', last_error: 'no_recipient' },
    ])
  })

  test('stores an unreadable item without affecting the others', async () => {
    await using world = await World.create()
    const past = history(ANA, PAST, { line: lineOf(world.tenant) })
    const thread = valueOf(past)['history'][0]['threads'][0] as Loose
    thread['messages'].push(7)
    await deliver(world, past)
    expect((await messagesOf(world)).length).toBe(3)
    expect(world.rows('select state, last_error from inbound_events')).toEqual([
      { state: 'partial', last_error: 'not_an_object' },
    ])
  })
})

describe("the address book of the business's phone", () => {
  const entry = (world: World, name: string | null, at: number) =>
    bookEntry(ANA.waId ?? '', name, {
      line: lineOf(world.tenant),
      timestamp: secondsIn(world) + at,
    })

  test('names contacts without a name and creates missing contacts', async () => {
    await using world = await World.create()
    await deliver(world, entry(world, 'Ana Sol', 0))
    expect(await contactsOf(world)).toMatchObject([
      { name: 'Ana Sol', source: 'phone_app', wa_id: ANA.waId, unread_count: 0 },
    ])
    await deliver(world, textTo(world, 'Hi', { person: ANA }))
    expect(await contactsOf(world)).toMatchObject([
      { name: 'Ana Sol', profile_name: 'Ana', display_name: 'Ana Sol' },
    ])
  })

  test('never overwrites a name that people entered', async () => {
    await using world = await World.create()
    await deliver(world, textTo(world, 'Hi', { person: ANA }))
    const [contact] = await contactsOf(world)
    await (await world.as('manager')).put(`/api/contacts/${contact?.['id']}`, { name: 'Our Ana' })
    await deliver(world, entry(world, 'Ana Sol', 1))
    await deliver(world, entry(world, null, 2))
    expect(await contactsOf(world)).toMatchObject([{ name: 'Our Ana' }])
  })

  test('removes its own names, but never contacts', async () => {
    await using world = await World.create()
    const socket = await world.socket('manager')
    await deliver(world, entry(world, 'Ana Sol', 1))
    await deliver(world, entry(world, null, 2))
    expect(await contactsOf(world)).toMatchObject([{ name: null, wa_id: ANA.waId }])
    await socket.caughtUp()
    expect(
      socket.events('contact:updated').map(({ payload }) => [payload['name'], payload['changed']]),
    ).toEqual([
      ['Ana Sol', ['name']],
      [null, ['name']],
    ])
    expect(socket.events('contact:deleted')).toEqual([])
  })

  test.each<[string, [string | null, number][], string | null]>([
    [
      'a newer name',
      [
        ['Ana S.', 20],
        ['Ana', 10],
      ],
      'Ana S.',
    ],
    [
      'a removal',
      [
        [null, 20],
        ['Ana', 10],
      ],
      null,
    ],
    [
      'a name and then a removal',
      [
        ['Ana', 10],
        [null, 20],
        ['Ana', 10],
      ],
      null,
    ],
  ])('%s wins over older entries that arrive late', async (_, entries, name) => {
    await using world = await World.create()
    for (const [nth, [said, at]] of entries.entries()) {
      const webhook = entry(world, said, at)
      await deliver(world, {
        ...webhook,
        entry: webhook.entry.map((one) => ({ ...one, time: nth })),
      })
    }
    expect((await contactsOf(world)).map((contact) => contact['name'] as unknown)).toEqual([name])
  })
})

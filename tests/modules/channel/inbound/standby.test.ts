import { describe, expect, test } from 'bun:test'

import {
  edit,
  message,
  reaction,
  statusChange,
  type About,
  type Webhook,
} from '../../../../src/simulator/payloads'
import {
  asStandby,
  FROM_AGENT,
  handover,
  standbyEcho,
  TO_AGENT,
  TO_OTHER,
} from '../../../../src/simulator/standby'
import type { Client, Loose } from '../../../support/client'
import { entriesOf } from '../../../support/privacy-export'
import {
  deliver,
  lineOf,
  personOf,
  secondsIn,
  statusTo,
  textTo,
  valueOf,
} from '../../../support/lines'
import { World } from '../../../support/world'

const ANA = personOf(1, 'Ana')

/** Stands for the metadata of our own handovers. */
const OWN = 'ours'

/** Control passed by one app to another. */
const FROM_OTHER = { previous_owner_role: 'marketing', new_owner_role: 'utility' }

const about = (world: World, more: About = {}): About => ({
  line: lineOf(world.tenant),
  person: ANA,
  timestamp: secondsIn(world),
  ...more,
})

/** A text of the customer while somebody else owns the thread. */
const observedText = (world: World, body: string, more: About = {}): Webhook =>
  asStandby(textTo(world, body, about(world, more)))

async function later(world: World, ...webhooks: Webhook[]): Promise<void> {
  for (const webhook of webhooks) {
    await deliver(world, webhook)
    world.clock.advance({ seconds: 10 })
    await world.settle()
  }
}

const messagesOf = async (client: Client): Promise<Loose[]> => {
  const [contact] = (await client.get('/api/contacts')).data['items'] as Loose[]
  return (await client.get(`/api/contacts/${String(contact?.['id'])}/messages`)).data[
    'items'
  ] as Loose[]
}

const conversationOf = async (client: Client): Promise<Loose> => {
  const [first] = (await client.get('/api/conversations')).data['items'] as Loose[]
  if (!first) throw new Error('there is no conversation')
  return first
}

describe("a customer's message in standby", () => {
  test.each(['nested', 'flat'] as const)(
    'of an unknown contact is stored, searchable and observed (%s)',
    async (shape) => {
      await using world = await World.create()
      const socket = await world.socket('manager')
      await deliver(world, asStandby(textTo(world, 'Blue shoes', about(world)), shape))
      const manager = await world.as('manager')
      expect(await messagesOf(manager)).toMatchObject([
        {
          direction: 'incoming',
          source: 'contact',
          observed: true,
          content: { text: 'Blue shoes' },
        },
      ])
      const found = (await manager.get('/api/messages/search?q=shoes')).data['items'] as Loose[]
      expect(found).toHaveLength(1)
      await socket.caughtUp()
      expect(socket.events('message:new').map(({ payload }) => payload['observed'])).toEqual([true])
      expect(await conversationOf(manager)).toMatchObject({ thread_owner: 'unknown' })
    },
  )

  test('opens the window, and is neither unread nor assigned nor reopening nor answered by a receipt', async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    await admin.put(`/api/accounts/${world.tenant.accountId}`, { auto_read_receipt: true })
    const contact = await world.contactOf()
    await admin.put(`/api/contacts/${String(contact['id'])}/assign`, {
      user_id: world.tenant.userIds.agent,
    })
    const path = `/api/conversations/${String((await conversationOf(admin))['id'])}`
    await admin.post(`${path}/read`)
    await admin.put(path, { state: 'closed' })
    await world.settle()
    const receipts = world.simulator.callsOf({ route: 'read' }).length
    world.clock.advance({ hours: 23 })
    const person = { waId: String(contact['wa_id']) }
    await deliver(world, observedText(world, 'Still there?', { person }))
    await (await world.as('admin')).post(`${path}/read`)
    await world.settle()
    const after = (await (await world.as('admin')).get(path)).data
    expect(after).toMatchObject({ state: 'closed', unread_count: 0, window_open: true })
    expect(after['last_inbound_at']).toBe('2026-11-22T08:30:00.000Z')
    expect(world.simulator.callsOf({ route: 'read' })).toHaveLength(receipts)
  })

  test('does not assign the new conversation of an assigned contact', async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    const { data } = await admin.post('/api/contacts', {
      phone_number: ANA.waId,
      assigned_to: world.tenant.userIds.agent,
    })
    expect(data['assigned_to']).toBe(world.tenant.userIds.agent)
    await deliver(world, observedText(world, 'Hi'))
    expect(await conversationOf(admin)).toMatchObject({ assigned_to: null, unread_count: 0 })
  })

  test('counts opt-out words, without an answer, and no opt-in words', async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    await admin.put('/api/consent-settings', {
      opt_out_keywords: ['stop'],
      opt_in_keywords: ['start'],
      opt_out_reply: 'You are out.',
      opt_in_reply: 'You are in.',
    })
    const consent = async (): Promise<unknown> =>
      ((await admin.get('/api/contacts')).data['items'] as Loose[])[0]?.['marketing_consent']
    await later(world, observedText(world, 'STOP'))
    expect(await consent()).toBe('opted_out')
    await later(world, observedText(world, 'start'))
    expect(await consent()).toBe('opted_out')
    expect(world.simulator.messages).toEqual([])
    expect(world.logLines.filter((line) => line.includes('not_owner'))).toHaveLength(1)
    // the customer writes to us again
    await later(world, textTo(world, 'start', about(world)))
    expect(await consent()).toBe('opted_in')
    expect(world.simulator.messages.map(({ body }) => (body as Loose)['text'])).toMatchObject([
      { body: 'You are in.' },
    ])
  })

  test('becomes an unread message when the platform delivers it to us too, in either order', async () => {
    for (const isObservedFirst of [true, false]) {
      await using world = await World.create()
      await (await world.as('admin')).put('/api/consent-settings', { opt_in_reply: '' })
      const own = textTo(world, 'start', about(world, { id: 'wamid.both' }))
      const order = [own, asStandby(own)]
      for (const webhook of isObservedFirst ? order.toReversed() : order)
        await deliver(world, webhook)
      const manager = await world.as('manager')
      expect(await messagesOf(manager)).toMatchObject([{ observed: false, status: 'delivered' }])
      expect(await conversationOf(manager)).toMatchObject({ unread_count: 1, thread_owner: 'us' })
      expect(((await manager.get('/api/contacts')).data['items'] as Loose[])[0]).toMatchObject({
        unread_count: 1,
        marketing_consent: 'opted_in',
      })
    }
  })

  test('can be a reaction, an edit, or of an unknown kind', async () => {
    await using world = await World.create()
    const echo = standbyEcho('Hello!', about(world, { id: 'wamid.echo' }))
    await later(
      world,
      observedText(world, 'Hi', { id: 'wamid.hi' }),
      echo,
      asStandby(reaction('wamid.echo', '👍', about(world))),
      asStandby(edit('wamid.hi', 'Hi there', about(world))),
      asStandby(message({ type: 'hologram', hologram: {} }, about(world))),
    )
    expect(await messagesOf(await world.as('manager'))).toMatchObject([
      { content: { text: 'Hi there' }, observed: true },
      { source: 'platform_agent', reactions: [{ emoji: '👍', by: 'contact' }] },
      { type: 'unsupported', observed: true, status: 'read' },
    ])
    expect(await conversationOf(await world.as('manager'))).toMatchObject({ unread_count: 0 })
  })

  test('is kept when an edit of an unknown message becomes a message of its own', async () => {
    await using world = await World.create()
    await deliver(world, asStandby(edit('wamid.never', 'Edited', about(world))))
    world.clock.advance({ hours: 25 })
    await world.settle()
    const manager = await world.as('manager')
    expect(await messagesOf(manager)).toMatchObject([{ observed: true, status: 'read' }])
    expect(await conversationOf(manager)).toMatchObject({ unread_count: 0 })
  })
})

describe('an answer in standby', () => {
  test.each(['nested', 'flat'] as const)(
    'is an outgoing message of the platform agent with its statuses and price (%s)',
    async (shape) => {
      await using world = await World.create()
      const id = 'wamid.answer'
      const pricing = {
        billable: true,
        pricing_model: 'PMP',
        category: 'service',
        type: 'regular',
      }
      const status = (name: string): Webhook =>
        asStandby(statusChange(id, name, { pricing }, about(world)), shape)
      // a status can come first
      await later(
        world,
        status('delivered'),
        standbyEcho('We have it in blue.', about(world, { id, shape } as About)),
        status('read'),
      )
      expect(await messagesOf(await world.as('manager'))).toMatchObject([
        {
          direction: 'outgoing',
          source: 'platform_agent',
          observed: true,
          status: 'read',
          content: { text: 'We have it in blue.' },
          pricing: { category: 'service', type: 'regular', billable: true },
        },
      ])
      expect(world.simulator.messages).toEqual([])
      const health = await (
        await world.as('manager')
      ).get(`/api/accounts/${world.tenant.accountId}/health`)
      expect(health.data).toMatchObject({ queue_depth: 0, failed_rate_1h: 0 })
    },
  )

  test('does not answer for the team, and its failure holds nothing of ours back', async () => {
    await using world = await World.create()
    const contact = await world.contactOf()
    const person = { waId: String(contact['wa_id']) }
    await later(
      world,
      standbyEcho('Hello!', about(world, { person, id: 'wamid.answer' })),
      asStandby(
        statusTo(world, 'wamid.answer', 'failed', {
          person,
          facts: { error: { code: 131_031, title: 'Locked', details: 'Locked' } },
        }),
      ),
    )
    const manager = await world.as('manager')
    expect(await conversationOf(manager)).toMatchObject({ first_response_at: null })
    const [oldest] = (await manager.get('/api/conversations?sort=oldest_unanswered')).data[
      'items'
    ] as Loose[]
    expect(oldest?.['unread_count']).toBe(1)
    expect((await manager.get(`/api/accounts/${world.tenant.accountId}`)).data['status']).toBe(
      'active',
    )
    const [answer] = (await messagesOf(manager)).filter(({ source }) => source === 'platform_agent')
    expect(answer).toMatchObject({ status: 'failed' })
    expect((await manager.post(`/api/messages/${String(answer?.['id'])}/resend`)).status).toBe(409)
  })
})

describe('a handover', () => {
  test('names the number by its recipient and gives the thread to us, without a time', async () => {
    await using world = await World.create()
    await later(world, observedText(world, 'A person, please'))
    expect(await conversationOf(await world.as('manager'))).toMatchObject({
      thread_owner: 'unknown',
    })
    const socket = await world.socket('manager')
    await later(world, handover({ control: FROM_AGENT, isTimed: false }, about(world)))
    expect(await conversationOf(await world.as('manager'))).toMatchObject({
      thread_owner: 'us',
      owner_since: '2026-11-21T09:30:10.000Z',
    })
    await socket.caughtUp()
    expect(socket.events('conversation:updated').map(({ payload }) => payload)).toMatchObject([
      { thread_owner: 'us', changed: ['thread_owner', 'owner_since'] },
    ])
    expect(
      world.rows(
        "select json_extract(payload, '$.from') as f, json_extract(payload, '$.to') as t from events where type = 'conversation.handover' order by position",
      ),
    ).toEqual([{ f: 'unknown', t: 'us' }])
  })

  test('before the first message of an unknown contact counts for it', async () => {
    for (const isHandoverFirst of [true, false]) {
      await using world = await World.create()
      const times = about(world)
      const told = [
        handover({ control: TO_AGENT }, times),
        observedText(world, 'Hi', { timestamp: secondsIn(world) + 5 }),
      ]
      for (const webhook of isHandoverFirst ? told : told.toReversed())
        await deliver(world, webhook)
      expect(await conversationOf(await world.as('manager'))).toMatchObject({
        thread_owner: 'platform_agent',
        owner_since: '2026-11-21T09:30:00.000Z',
        unread_count: 0,
      })
    }
  })

  test.each<[string, Loose, 'control_passed' | 'control_taken', string]>([
    ['passed by the agent', FROM_AGENT, 'control_passed', 'us'],
    ['passed to the agent', TO_AGENT, 'control_passed', 'platform_agent'],
    ['taken by another app', TO_OTHER, 'control_taken', 'other_app'],
    [
      'taken by the agent',
      { new_owner_app_role: 'meta_business_agent' },
      'control_taken',
      'platform_agent',
    ],
    [
      'taken without roles',
      { metadata: '{"reason":"MARKETING_MESSAGE"}' },
      'control_taken',
      'unknown',
    ],
    ['passed without roles', {}, 'control_passed', 'unknown'],
    [
      'passed with an owner object',
      { previous_owner: { app_role: 'meta_business_agent' } },
      'control_passed',
      'us',
    ],
    [
      'taken by another server of this kind',
      { ...TO_OTHER, metadata: 'switchboard:x' },
      'control_taken',
      'other_app',
    ],
    ['taken by ourselves', { ...TO_OTHER, metadata: OWN }, 'control_taken', 'us'],
    ['passed by ourselves', { ...FROM_OTHER, metadata: OWN }, 'control_passed', 'other_app'],
    ['passed by another app', FROM_OTHER, 'control_passed', 'us'],
    [
      'passed by ourselves to the agent',
      { ...TO_AGENT, metadata: OWN },
      'control_passed',
      'platform_agent',
    ],
    ['passed by ourselves without roles', { metadata: OWN }, 'control_passed', 'us'],
  ])('%s leads to the right owner', async (_, control, type, owner) => {
    await using world = await World.create()
    await deliver(world, textTo(world, 'Hi', about(world)))
    world.clock.advance({ seconds: 5 })
    const manager = await world.as('manager')
    const { id } = await conversationOf(manager)
    const own = control['metadata'] === OWN ? { metadata: `switchboard:${String(id)}` } : {}
    await deliver(world, handover({ type, control: { ...control, ...own } }, about(world)))
    expect(await conversationOf(manager)).toMatchObject({
      thread_owner: owner,
      owner_role: control['new_owner_role'] ?? control['new_owner_app_role'] ?? null,
    })
  })

  test('names who gave the answers after it, also when it comes late', async () => {
    await using world = await World.create()
    const start = secondsIn(world)
    const at = (seconds: number, id?: string): About =>
      about(world, { timestamp: start + seconds, ...(id === undefined ? {} : { id }) })
    await later(
      world,
      standbyEcho('one', at(1, 'wamid.1')),
      standbyEcho('two', at(3, 'wamid.2')),
      standbyEcho('three', at(5, 'wamid.3')),
      handover({ control: TO_AGENT }, at(4)),
      handover({ type: 'control_taken', control: TO_OTHER }, at(2)),
    )
    expect((await messagesOf(await world.as('manager'))).map(({ source }) => source)).toEqual([
      'platform_agent',
      'other_app',
      'platform_agent',
    ])
  })

  test.each<[string, (value: Loose) => void, string, string | null]>([
    ['without a customer', (value) => delete value['sender'], 'failed', 'no_sender'],
    ['of an unknown kind', (value) => (value['type'] = 'app_roles'), 'done', null],
  ])('%s changes no owner', async (_, bend, state, lastError) => {
    await using world = await World.create()
    await deliver(world, textTo(world, 'Hi', about(world)))
    const webhook = handover({ control: TO_AGENT }, about(world))
    bend(webhook.entry[0]?.changes[0]?.value as Loose)
    await deliver(world, webhook)
    expect(await conversationOf(await world.as('manager'))).toMatchObject({ thread_owner: 'us' })
    expect(
      world.rows(
        "select state, last_error from inbound_events where field = 'messaging_handovers'",
      ),
    ).toEqual([{ state, last_error: lastError }])
  })

  test('never touches the number of another organization', async () => {
    await using world = await World.create()
    await deliver(world, textTo(world, 'Hi', about(world, { line: lineOf(world.other) })))
    await deliver(world, handover({ control: TO_AGENT }, about(world)))
    const bolt = await world.as('manager', world.other)
    expect(await conversationOf(bolt)).toMatchObject({ thread_owner: 'us', owner_since: null })
  })
})

describe('a list', () => {
  const ownersOf = async (world: World): Promise<unknown[]> => [
    (await conversationOf(await world.as('manager')))['thread_owner'],
    (await conversationOf(await world.as('manager', world.other)))['thread_owner'],
  ]

  test.each([false, true])(
    'of handovers reaches the thread of each number it names (with a number of its own: %p)',
    async (isNamed) => {
      await using world = await World.create()
      await deliver(world, textTo(world, 'Hi', about(world)))
      await deliver(world, textTo(world, 'Hi', about(world, { line: lineOf(world.other) })))
      const at = { timestamp: secondsIn(world) + 1 }
      const webhook = handover({ control: TO_AGENT }, about(world, at))
      const value = valueOf(webhook)
      const { messaging_product: _, ...own } = value
      const theirs = { ...own, recipient: { phone_number_id: world.other.phoneId } }
      for (const name of Object.keys(own)) delete value[name]
      if (isNamed) value['recipient'] = own['recipient']
      value['messaging_handovers'] = [theirs]
      await deliver(world, webhook)
      expect(await ownersOf(world)).toEqual(['us', 'platform_agent'])
      value['messaging_handovers'] = [theirs, own]
      await deliver(world, webhook)
      expect(await ownersOf(world)).toEqual(['platform_agent', 'platform_agent'])
    },
  )

  test('of standby parts is read if all are of one number, and kept unrouted otherwise', async () => {
    await using world = await World.create()
    const webhook = observedText(world, 'Hi')
    const value = valueOf(webhook)
    const part = { ...(value['standby'] as Loose), metadata: value['metadata'] }
    const theirs = { ...part, metadata: { phone_number_id: world.other.phoneId } }
    for (const parts of [[part, theirs], [theirs]]) {
      value['standby'] = parts
      await deliver(world, webhook)
    }
    expect(world.rows('select state from inbound_events')).toEqual([
      { state: 'unrouted' },
      { state: 'unrouted' },
    ])
    delete value['metadata']
    value['standby'] = [part]
    await deliver(world, webhook)
    expect(await messagesOf(await world.as('manager'))).toMatchObject([{ observed: true }])
  })
})

test('a handover of an erased person is replayed without effect', async () => {
  await using world = await World.create()
  world.stays('the journal of webhooks')
  await later(world, handover({ control: TO_AGENT }, about(world)))
  const admin = await world.as('admin')
  const [contact] = (await admin.get('/api/contacts')).data['items'] as Loose[]
  await admin.post(`/api/contacts/${String(contact?.['id'])}/erase`, { confirm: contact?.['id'] })
  await world.settle()
  await (await world.as('super')).post('/api/inbound/replay', {})
  await world.settle()
  expect(world.rows('select state, last_error from inbound_events')).toEqual([
    { state: 'done', last_error: null },
  ])
  expect(world.rows('select conversation_id from thread_facts')).toEqual([])
})

test('contacts that are merged and split again keep the owners of their threads', async () => {
  const BOB = personOf(2, 'Bob')
  for (const isBobKept of [false, true]) {
    await using world = await World.create()
    await later(world, observedText(world, 'Hi'), handover({ control: TO_AGENT }, about(world)))
    await later(world, textTo(world, 'Hello', about(world, { person: BOB })))
    const threads = (): unknown[] => [
      world.rows('select thread_owner, owner_since_ms from conversations order by owner_since_ms'),
      world.rows('select conversation_id, kind, at_ms from thread_facts order by at_ms, kind'),
    ]
    const before = threads()
    const manager = await world.as('manager')
    const listed = (await manager.get('/api/contacts')).data['items'] as Loose[]
    const idOf = ({ waId }: { waId?: string | undefined }): unknown =>
      listed.find((contact) => contact['wa_id'] === waId)?.['id']
    const [kept, merged] = isBobKept ? [BOB, ANA] : [ANA, BOB]
    const { data } = await manager.post(`/api/contacts/${String(idOf(kept))}/merge`, {
      source_id: idOf(merged),
    })
    expect(await conversationOf(manager)).toMatchObject({ thread_owner: 'us' })
    await manager.post(`/api/contacts/merges/${String(data['merge_id'])}/undo`)
    expect(threads()).toEqual(before)
  }
})

describe('the owner of a thread', () => {
  test("is us again after a customer's message to us and after an accepted send", async () => {
    await using world = await World.create()
    await later(world, handover({ control: TO_AGENT }, about(world)))
    await later(world, textTo(world, 'Hi', about(world)))
    expect(await conversationOf(await world.as('manager'))).toMatchObject({ thread_owner: 'us' })
    await later(world, observedText(world, 'And now?'))
    const manager = await world.as('manager')
    const conversation = await conversationOf(manager)
    expect(conversation['thread_owner']).toBe('unknown')
    await manager.post(`/api/conversations/${String(conversation['id'])}/messages`, {
      type: 'text',
      text: 'We are here.',
    })
    await world.settle()
    expect(await conversationOf(manager)).toMatchObject({ thread_owner: 'us' })
  })

  test('is idle after a day without the customer, on shared numbers only', async () => {
    await using world = await World.create()
    await deliver(world, textTo(world, 'Hi', about(world, { person: personOf(2) })))
    world.clock.advance({ hours: 25 })
    expect(await conversationOf(await world.as('manager'))).toMatchObject({ thread_owner: 'us' })
    await deliver(world, observedText(world, 'Hi'))
    const ownersNow = async (): Promise<unknown[]> =>
      ((await (await world.as('manager')).get('/api/conversations')).data['items'] as Loose[]).map(
        ({ thread_owner, owner_since }) => [thread_owner, owner_since],
      )
    expect(await ownersNow()).toEqual([
      ['unknown', '2026-11-22T10:30:00.000Z'],
      ['idle', '2026-11-22T09:30:00.000Z'],
    ])
    world.clock.advance({ hours: 24 })
    expect(await ownersNow()).toEqual([
      ['idle', '2026-11-23T10:30:00.000Z'],
      ['idle', '2026-11-22T09:30:00.000Z'],
    ])
  })

  test('of a new conversation is unknown on a number that has ever been shared', async () => {
    await using world = await World.create()
    const manager = await world.as('manager')
    const open = async (phone_number: string): Promise<unknown> => {
      const { data } = await manager.post('/api/contacts', { phone_number })
      const opened = await manager.post('/api/conversations', { contact_id: data['id'] })
      return opened.data['thread_owner']
    }
    expect(await open('15550700001')).toBe('us')
    await deliver(world, handover({ control: FROM_AGENT }, about(world)))
    expect(await open('15550700002')).toBe('unknown')
  })
})

test('journaled standby changes and handovers from before are replayed as messages without unread', async () => {
  await using world = await World.create()
  await later(
    world,
    observedText(world, 'Lost before'),
    standbyEcho('Answered by the agent', about(world)),
    handover({ control: TO_AGENT }, about(world)),
  )
  // as a version stored them that did not know the fields
  const { sqlite } = world.program.http.db
  sqlite.run('pragma foreign_keys = off')
  for (const table of ['message_words', 'message_statuses', 'thread_facts'])
    sqlite.run(`delete from ${table}`)
  sqlite.run('update conversations set last_message_id = null')
  for (const table of ['messages', 'conversations', 'contact_identities', 'contacts'])
    sqlite.run(`delete from ${table}`)
  sqlite.run('pragma foreign_keys = on')
  sqlite.run('update accounts set shared_at_ms = null, last_standby_at_ms = null')
  sqlite.run(
    "update inbound_events set state = 'ignored', reason = 'field_not_handled', messages = 0, other = 0, phone_number_id = iif(field = 'standby', phone_number_id, null)",
  )
  world.clock.advance({ hours: 2 })
  const root = await world.as('super')
  expect((await root.post('/api/inbound/replay', { state: 'ignored' })).data).toEqual({ queued: 3 })
  await world.settle()
  const manager = await world.as('manager')
  expect(await messagesOf(manager)).toMatchObject([
    { content: { text: 'Lost before' }, observed: true },
    { source: 'platform_agent' },
  ])
  expect(await conversationOf(manager)).toMatchObject({
    unread_count: 0,
    thread_owner: 'platform_agent',
  })
  expect(world.rows("select state from inbound_events where state <> 'done'")).toEqual([])
  // what happened long ago is told to nobody outside
  expect(world.rows("select seq from events where type = 'conversation.handover'")).toHaveLength(1)
})

test('the routing of a number says who answers its customers', async () => {
  await using world = await World.create()
  const path = `/api/accounts/${world.tenant.accountId}/routing`
  const routing = async (): Promise<Loose> => {
    const { shared, last_standby_at, counts_24h } = (await (await world.as('agent')).get(path)).data
    return { shared, last_standby_at, counts_24h }
  }
  expect(await routing()).toEqual({
    shared: false,
    last_standby_at: null,
    counts_24h: { ours: 0, platform_agent: 0, other_app: 0 },
  })
  const contact = await world.contactOf()
  await (
    await world.as('manager')
  ).post(`/api/contacts/${String(contact['id'])}/messages`, {
    type: 'text',
    text: 'From us',
  })
  await later(world, standbyEcho('one', about(world)), standbyEcho('two', about(world)))
  await later(world, handover({ type: 'control_taken', control: TO_OTHER }, about(world)))
  world.clock.advance({ minutes: 1 })
  await later(world, standbyEcho('three', about(world)), observedText(world, 'Hi'))
  expect(await routing()).toEqual({
    shared: true,
    last_standby_at: '2026-11-21T09:31:30.000Z',
    counts_24h: { ours: 1, platform_agent: 2, other_app: 1 },
  })
  world.clock.advance({ hours: 25 })
  expect(await routing()).toMatchObject({
    shared: true,
    counts_24h: { ours: 0, platform_agent: 0, other_app: 0 },
  })
  const bolt = await world.as('agent', world.other)
  expect((await bolt.get(path)).status).toBe(404)
})

test('the first standby change of a number notifies once', async () => {
  await using world = await World.create()
  await later(world, handover({}, about(world)), observedText(world, 'a'), observedText(world, 'b'))
  world.clock.advance({ hours: 1 })
  await later(world, observedText(world, 'c'))
  const listed = (await (await world.as('manager')).get('/api/me/notifications')).data['items']
  expect((listed as Loose[]).map(({ title }) => String(title))).toEqual([
    expect.stringContaining('Phone number is shared') as unknown as string,
  ])
})

test('an export of a person holds who answered them', async () => {
  await using world = await World.create()
  await later(world, observedText(world, 'Hi'), handover({ control: TO_AGENT }, about(world)))
  const admin = await world.as('admin')
  const [contact] = (await admin.get('/api/contacts')).data['items'] as Loose[]
  const asked = await admin.post(`/api/contacts/${String(contact?.['id'])}/privacy-export`)
  await world.settle()
  const files = await entriesOf(world, admin, String(asked.data['id']))
  expect(JSON.parse(files.get('thread_facts.json') ?? '')).toMatchObject([
    { kind: 'platform_agent', at: '2026-11-21T09:30:00.000Z' },
    { kind: 'standby', at: '2026-11-21T09:30:00.000Z' },
  ])
})

test('an erased person is removed from journaled standby changes and handovers', async () => {
  await using world = await World.create()
  await later(
    world,
    observedText(world, 'Secret'),
    standbyEcho('Answer', about(world)),
    handover({ control: TO_AGENT }, about(world)),
  )
  const admin = await world.as('admin')
  const [contact] = (await admin.get('/api/contacts')).data['items'] as Loose[]
  const id = String(contact?.['id'])
  const erasure = await admin.post(`/api/contacts/${id}/erase`, { confirm: id })
  await world.settle()
  const receipt = await admin.get(`/api/privacy/requests/${String(erasure.data['id'])}`)
  expect(receipt.data['receipt']).toMatchObject({ counts: { thread_facts: 2 } })
  const root = await world.as('super')
  await root.post('/api/inbound/replay', {})
  await world.settle()
  expect(world.rows('select id from messages')).toEqual([])
  expect(world.rows('select at_ms from thread_facts')).toEqual([])
  expect(world.rows('select value from contact_identities')).toEqual([])
})

test('two conversations that are joined keep the newest owner of both threads', async () => {
  await using world = await World.create()
  const [first, second] = [personOf(1), personOf(2)]
  await later(world, textTo(world, 'Hi', about(world, { person: first })))
  await later(world, handover({ control: TO_AGENT }, about(world, { person: second })))
  await later(world, textTo(world, 'Hi', about(world, { person: first })))
  await later(world, observedText(world, 'Hi', { person: second }))
  const manager = await world.as('manager')
  const contacts = (await manager.get('/api/contacts')).data['items'] as Loose[]
  const idOf = (waId: unknown): unknown => contacts.find(({ wa_id }) => wa_id === waId)?.['id']
  await manager.post(`/api/contacts/${String(idOf(first.waId))}/merge`, {
    source_id: idOf(second.waId),
  })
  await world.settle()
  expect((await manager.get('/api/conversations')).data['items']).toMatchObject([
    { thread_owner: 'unknown', owner_since: '2026-11-21T09:30:30.000Z' },
  ])
})

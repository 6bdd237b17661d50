import { describe, expect, test } from 'bun:test'

import {
  contacts,
  edit,
  location,
  message,
  order,
  reaction,
  textMessage,
  unsupported,
  type Webhook,
} from '../../src/simulator/payloads'
import type { Loose } from '../support/client'
import {
  deliver,
  lineOf,
  personOf,
  secondsIn,
  takenBodies,
  textTo,
  valueOf,
} from '../support/lines'
import { World } from '../support/world'
import { changeRows } from '../support/sql'

const ANA = personOf(1, 'Ana')

const contactOf = async (world: World): Promise<Loose> =>
  ((await (await world.as('manager')).get('/api/contacts')).data['items'] as Loose[])[0] as Loose
const messagesOf = async (world: World): Promise<Loose[]> =>
  (
    await (
      await world.as('manager')
    ).get(`/api/contacts/${(await contactOf(world))['id']}/messages`)
  ).data['items'] as Loose[]
const say = (world: World, text: string, at = 0): Webhook =>
  textTo(world, text, { person: ANA, timestamp: secondsIn(world) + at })

describe('an opt-out keyword', () => {
  test('is recorded before anything else reacts, and answered if configured', async () => {
    await using world = await World.create()
    await (
      await world.as('admin')
    ).put('/api/consent-settings', {
      opt_out_keywords: ['STOP', 'BAJA'],
      opt_out_reply: 'You are out.',
    })
    await deliver(world, say(world, ' Bája '))
    expect(await contactOf(world)).toMatchObject({
      marketing_consent: 'opted_out',
      unread_count: 1,
    })
    const [entry] = (
      await (
        await world.as('manager')
      ).get(`/api/contacts/${(await contactOf(world))['id']}/consents`)
    ).data['items'] as Loose[]
    const [said, answer] = await messagesOf(world)
    expect(entry).toMatchObject({ state: 'opted_out', source: 'keyword', message_id: said?.['id'] })
    expect(answer).toMatchObject({
      direction: 'outgoing',
      source: 'system',
      sent_by: null,
      content: { text: 'You are out.' },
    })
    expect(takenBodies(world).map((body) => body['text']['body'] as string)).toEqual([
      'You are out.',
    ])
    const order = world.rows<{ type: string }>(
      "select type from events where type in ('contact.changed', 'message.received') order by position",
    )
    expect(order.map(({ type }) => type)).toEqual(['contact.changed', 'message.received'])
  })

  test('counts by platform time in any order, and a repeat gets no answer', async () => {
    await using world = await World.create()
    await (
      await world.as('admin')
    ).put('/api/consent-settings', { opt_out_reply: 'You are out.', opt_in_reply: 'Welcome back.' })
    const [back, out] = [say(world, 'START', 20), say(world, 'STOP', 10)]
    for (const webhook of [back, out, { ...out, again: true }]) await deliver(world, webhook)
    expect((await contactOf(world))['marketing_consent']).toBe('opted_in')
    expect(takenBodies(world).map((body) => body['text']['body'] as string)).toEqual([
      'Welcome back.',
    ])
  })

  test.each([
    ['STOP', 'START'],
    ['START', 'STOP'],
  ])(
    '%s before %s in the same second: the opt-out wins and is listed as the newest',
    async (first, second) => {
      await using world = await World.create()
      await (
        await world.as('admin')
      ).put('/api/consent-settings', {
        opt_out_reply: 'You are out.',
        opt_in_reply: 'Welcome back.',
      })
      for (const word of [first, second]) await deliver(world, say(world, word, 10))
      const contact = await contactOf(world)
      expect(contact['marketing_consent']).toBe('opted_out')
      const ledger = (
        await (await world.as('manager')).get(`/api/contacts/${contact['id']}/consents`)
      ).data['items'] as Loose[]
      expect(ledger.map(({ state }) => state as string)).toEqual(['opted_out', 'opted_in'])
      expect(takenBodies(world).at(-1)?.['text']['body']).toBe('You are out.')
    },
  )

  test('is recorded but not answered when processed late', async () => {
    await using world = await World.create({ isConnected: false })
    await deliver(world, say(world, 'STOP'))
    world.clock.advance({ hours: 3 })
    await world.connect(world.tenant)
    await (await world.as('admin')).put('/api/consent-settings', { opt_out_reply: 'You are out.' })
    await world.settle()
    expect((await contactOf(world))['marketing_consent']).toBe('opted_out')
    expect(world.simulator.messages).toEqual([])
  })

  test('gets no answer inside other text or from a blocked contact', async () => {
    await using world = await World.create()
    await (await world.as('admin')).put('/api/consent-settings', { opt_out_reply: 'You are out.' })
    await deliver(world, say(world, 'Please do not stop'))
    expect((await contactOf(world))['marketing_consent']).toBe('unknown')
    await (await world.as('manager')).post(`/api/contacts/${(await contactOf(world))['id']}/block`)
    await deliver(world, say(world, 'STOP', 5))
    expect((await contactOf(world))['marketing_consent']).toBe('opted_out')
    expect(world.simulator.messages).toEqual([])
  })
})

test('messages of a blocked contact are stored as read without reopening or assigning', async () => {
  await using world = await World.create()
  await deliver(world, say(world, 'Hello'))
  const manager = await world.as('manager')
  const contact = await contactOf(world)
  const [conversation] = (await manager.get('/api/conversations')).data['items'] as Loose[]
  await manager.post(`/api/conversations/${conversation?.['id']}/read`, {})
  await manager.post(`/api/contacts/${contact['id']}/block`)
  await manager.put(`/api/conversations/${conversation?.['id']}`, { state: 'closed' })
  await deliver(world, say(world, 'Let me in', 5))
  expect(await messagesOf(world)).toMatchObject([
    { status: 'read' },
    { status: 'read', content: { text: 'Let me in' } },
  ])
  expect((await manager.get(`/api/conversations/${conversation?.['id']}`)).data).toMatchObject({
    state: 'closed',
    unread_count: 0,
  })
  expect((await contactOf(world))['unread_count']).toBe(0)
})

test('a group message belongs to its sender and names the group', async () => {
  await using world = await World.create()
  const about = {
    line: lineOf(world.tenant),
    person: ANA,
    groupId: 'Y2FwaV9ncm91cDox',
    timestamp: secondsIn(world),
  }
  await deliver(world, textMessage('Hello group', about))
  await deliver(
    world,
    textMessage('Again', {
      ...about,
      context: { from: '15550100001', id: 'wamid.somewhere' },
      timestamp: secondsIn(world) + 1,
    }),
  )
  expect(
    (await messagesOf(world)).map(({ context }) => [context['group_id'], context['wa_message_id']]),
  ).toEqual([
    ['Y2FwaV9ncm91cDox', null],
    ['Y2FwaV9ncm91cDox', 'wamid.somewhere'],
  ])
})

describe('a group message', () => {
  const group = (world: World, at = 0) => ({
    line: lineOf(world.tenant),
    person: ANA,
    groupId: 'Y2FwaV9ncm91cDox',
    timestamp: secondsIn(world) + at,
  })
  const send = async (world: World, body: object) =>
    await (await world.as('manager')).post('/api/messages', body)

  test('does not open the window of the private chat, nor does a group reaction', async () => {
    await using world = await World.create()
    await (await world.as('admin')).put('/api/consent-settings', { opt_out_reply: 'You are out.' })
    await deliver(world, textMessage('STOP', { ...group(world), id: 'wamid.group' }))
    await deliver(world, reaction('wamid.group', '👍', group(world, 1)))
    const contact = await contactOf(world)
    expect(contact).toMatchObject({
      window_expires_at: null,
      last_inbound_at: null,
      unread_count: 1,
      marketing_consent: 'opted_out',
    })
    const refused = await send(world, { contact_id: contact['id'], type: 'text', text: 'Hello' })
    expect([refused.status, refused.body.code]).toEqual([400, 'window_closed'])
    expect(world.simulator.messages).toEqual([])
  })

  test('leaves an open window unchanged', async () => {
    await using world = await World.create()
    await deliver(world, say(world, 'Hello'))
    const before = (await contactOf(world))['window_expires_at'] as string
    await deliver(world, textMessage('Hello group', group(world, 60)))
    expect(await contactOf(world)).toMatchObject({
      window_expires_at: before,
      last_message_preview: 'Hello group',
    })
  })

  test('causes a warning on private answers to it only', async () => {
    await using world = await World.create()
    await deliver(world, say(world, 'Hello'))
    await deliver(world, textMessage('Hello group', group(world, 60)))
    const [hello, inGroup] = await messagesOf(world)
    const body = { contact_id: (await contactOf(world))['id'], type: 'text', text: 'Hello' }
    world.clock.advance({ minutes: 2 })
    const preview = await (
      await world.as('manager')
    ).post('/api/messages/preview', { ...body, reply_to: inGroup?.['id'] })
    expect(preview.data['warnings']).toEqual(['group_message'])
    const warnings: unknown[] = []
    for (const asked of [{}, {}, { reply_to: inGroup?.['id'] }, { reply_to: hello?.['id'] }]) {
      warnings.push((await send(world, { ...body, ...asked })).data['warnings'])
      world.clock.advance({ seconds: 10 })
    }
    // Only the first one follows the message of the group.
    expect(warnings).toEqual([['group_message'], [], ['group_message'], []])
  })

  test('causes the warning also when only its edit arrived', async () => {
    await using world = await World.create()
    await deliver(world, edit('wamid.never-came', 'Hello group, mended', group(world)))
    world.clock.advance({ hours: 24, minutes: 5 })
    await world.settle()
    const [alone] = await messagesOf(world)
    expect(alone).toMatchObject({
      content: { text: 'Hello group, mended' },
      context: { group_id: 'Y2FwaV9ncm91cDox' },
    })
    await deliver(world, say(world, 'Hello'))
    const body = {
      contact_id: (await contactOf(world))['id'],
      type: 'text',
      text: 'Hello',
      reply_to: alone?.['id'],
    }
    expect((await send(world, body)).data['warnings']).toEqual(['group_message'])
  })

  test('opens no window after an undone merge', async () => {
    await using world = await World.create()
    const other = personOf(2, 'Ana again')
    await deliver(world, textMessage('Hello group', group(world)))
    await deliver(world, textTo(world, 'Hello', { person: other, timestamp: secondsIn(world) }))
    const manager = await world.as('admin')
    const [one, two] = (
      (await manager.get('/api/contacts?sort=name&order=asc')).data['items'] as Loose[]
    ).map(({ id }) => id as string)
    const merged = await manager.post(`/api/contacts/${two}/merge`, { source_id: one })
    expect(merged.status).toBe(200)
    const undone = await manager.post(`/api/contacts/merges/${merged.data['merge_id']}/undo`)
    expect(undone.status).toBe(200)
    await world.settle()
    expect((await manager.get(`/api/contacts/${one}`)).data).toMatchObject({
      window_expires_at: null,
    })
    const conversations = (await manager.get('/api/conversations')).data['items'] as Loose[]
    const windows = conversations.map((each) => [
      (each['contact'] as Loose)['id'] as string,
      each['window_expires_at'] as unknown,
    ])
    expect(new Map(windows as [string, unknown][])).toEqual(
      new Map<string, unknown>([
        [String(one), null],
        [String(two), '2026-11-22T09:30:00.000Z'],
      ]),
    )
  })
})

test('ad referrals are stored on messages and, first and last, on the conversation, in any order', async () => {
  await using world = await World.create()
  for (const [ad, at] of [
    ['second', 20],
    ['first', 10],
    ['third', 30],
  ] as const) {
    const webhook = say(world, `From ${ad}`, at)
    valueOf(webhook)['messages'][0]['referral'] = {
      source_type: 'ad',
      source_id: ad,
      headline: 'Chat with us',
      image_url: 'https://a.example/x.jpg',
    }
    await deliver(world, webhook)
  }
  expect((await messagesOf(world)).map(({ referral }) => referral['source_id'] as string)).toEqual([
    'first',
    'second',
    'third',
  ])
  expect((await messagesOf(world))[0]?.['referral']).toMatchObject({
    source_type: 'ad',
    headline: 'Chat with us',
    media_url: 'https://a.example/x.jpg',
  })
  const [row] = world.rows<{ first_referral: string; last_referral: string }>(
    'select first_referral, last_referral from conversations',
  )
  expect(
    [row?.first_referral, row?.last_referral].map(
      (kept) => (JSON.parse(kept ?? '{}') as Loose)['referral']['source_id'],
    ),
  ).toEqual(['first', 'third'])
})

test('an order has its items and their total', async () => {
  await using world = await World.create()
  const items = [
    { product_retailer_id: 'sku-1', quantity: 3, item_price: 0.1, currency: 'EUR' },
    { product_retailer_id: 'sku-2', quantity: '2', item_price: '10', currency: 'EUR' },
  ]
  await deliver(
    world,
    order(items, { line: lineOf(world.tenant), person: ANA, timestamp: secondsIn(world) }),
  )
  expect(await messagesOf(world)).toMatchObject([
    { type: 'order', content: { total: 20.3, currency: 'EUR', text: null }, preview: 'Order (2)' },
  ])
})

test.each([
  [
    'without a price',
    [{ product_retailer_id: 'sku-1', quantity: 3, currency: 'EUR' }],
    [{ quantity: 3, item_price: null }],
  ],
  [
    'without a quantity beside a complete item',
    [
      { product_retailer_id: 'sku-1', item_price: 2, currency: 'EUR' },
      { product_retailer_id: 'sku-2', quantity: 1, item_price: 5, currency: 'EUR' },
    ],
    [
      { quantity: null, item_price: 2 },
      { quantity: 1, item_price: 5 },
    ],
  ],
  [
    'with words for numbers',
    [{ quantity: 'two', item_price: [], currency: 'EUR' }],
    [{ quantity: null, item_price: null }],
  ],
])('an order %s shows null for it and for the total', async (_how, sent, shown) => {
  await using world = await World.create()
  await deliver(
    world,
    order(sent, { line: lineOf(world.tenant), person: ANA, timestamp: secondsIn(world) }),
  )
  expect(await messagesOf(world)).toMatchObject([
    { type: 'order', content: { items: shown, total: null, currency: 'EUR' } },
  ])
})

test('a shared contact keeps its vCard and is named and found by it', async () => {
  await using world = await World.create()
  const vcard = 'BEGIN:VCARD\r\nVERSION:3.0\r\nN:Gómez;Lucía;;;\r\nFN:Lucía\r\n  Gómez\r\nEND:VCARD'
  const card = {
    phones: [{ phone: '+1 (983) 555-2319', wa_id: '19835552319' }],
    origin: 'other',
    vcard,
  }
  await deliver(
    world,
    contacts([card], { line: lineOf(world.tenant), person: ANA, timestamp: secondsIn(world) }),
  )
  const shown = {
    name: { formatted_name: 'Lucía Gómez' },
    phones: [{ wa_id: '19835552319' }],
    vcard,
  }
  expect(await messagesOf(world)).toMatchObject([
    { type: 'contacts', content: { contacts: [shown] }, preview: 'Lucía Gómez' },
  ])
  const found = await (await world.as('manager')).get('/api/messages/search?q=gomez')
  expect(found.data['items']).toHaveLength(1)
})

test.each([
  ['words', { latitude: 'north', longitude: 'west', name: 'Philz' }, 'Philz'],
  ['nothing', {}, 'Location'],
])('a location with %s for coordinates stays a location', async (_what, place, preview) => {
  await using world = await World.create()
  await deliver(
    world,
    location(place, { line: lineOf(world.tenant), person: ANA, timestamp: secondsIn(world) }),
  )
  expect(await messagesOf(world)).toMatchObject([
    { type: 'location', content: { latitude: null, longitude: null }, preview },
  ])
})

test('a message that the platform does not deliver names its type', async () => {
  await using world = await World.create()
  await deliver(
    world,
    unsupported('poll', { line: lineOf(world.tenant), person: ANA, timestamp: secondsIn(world) }),
  )
  expect(await messagesOf(world)).toMatchObject([
    {
      type: 'unsupported',
      content: { platform_type: 'poll', errors: [{ code: 131051 }] },
      preview: 'Unsupported message: poll',
    },
  ])
  expect(await contactOf(world)).toMatchObject({
    last_message_preview: 'Unsupported message: poll',
  })
})

test.each([
  [{ type: 'text', text: { body: 'Hello' } }, { text: 'Hello' }],
  [
    { type: 'image', image: { id: '1003383421387299', mime_type: 'image/jpeg' } },
    { mime_type: 'image/jpeg' },
  ],
])('errors reported beside %j are shown but not searchable', async (part, content) => {
  await using world = await World.create()
  const errors = [
    {
      code: 131052,
      title: 'Media file size too big',
      error_data: { details: 'Call 15550109999' },
    },
  ]
  await deliver(
    world,
    message(
      { ...part, errors },
      { line: lineOf(world.tenant), person: ANA, timestamp: secondsIn(world) },
    ),
  )
  const [shown] = await messagesOf(world)
  expect(shown).toMatchObject({
    type: part.type,
    content: {
      ...content,
      errors: [{ code: 131052, title: 'Media file size too big', details: 'Call 15550109999' }],
    },
  })
  expect(
    (await (await world.as('manager')).get('/api/messages/search?q=size')).data['items'],
  ).toEqual([])
})

test.each(['request_welcome', 'ephemeral', 'unknown', 'poll'])(
  '%s is shown as unsupported, counts as unread and opens the window',
  async (type) => {
    await using world = await World.create()
    const errors = [{ code: 131051, title: 'Message type unknown' }]
    await deliver(
      world,
      message(
        { type, [type]: { a: 1 }, errors },
        { line: lineOf(world.tenant), person: ANA, timestamp: secondsIn(world) },
      ),
    )
    const [shown] = await messagesOf(world)
    expect(shown).toMatchObject({
      type: 'unsupported',
      content: { platform_type: type, errors: [{ code: 131051 }], raw: { [type]: { a: 1 } } },
    })
    expect(await contactOf(world)).toMatchObject({
      unread_count: 1,
      window_expires_at: '2026-11-22T09:30:00.000Z',
    })
  },
)

test('a contact that writes is reachable again', async () => {
  await using world = await World.create()
  await deliver(world, say(world, 'Hello'))
  changeRows(world.program.http.db.sqlite, 'update contacts set undeliverable_since_ms = ?', [
    world.clock.nowMs(),
  ])
  await deliver(world, say(world, 'Still here', 10))
  expect(world.rows('select undeliverable_since_ms from contacts')).toEqual([
    { undeliverable_since_ms: null },
  ])
})

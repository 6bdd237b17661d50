import { describe, expect, test } from 'bun:test'

import type { About, Webhook } from '../../../../src/simulator/payloads'
import { handover, summaryOf, TO_AGENT } from '../../../../src/simulator/standby'
import type { Client, Loose } from '../../../support/client'
import { deliver, lineOf, personOf, secondsIn, textTo, valueOf } from '../../../support/lines'
import { personWith } from '../../../support/people'
import { entriesOf } from '../../../support/privacy-export'
import { World } from '../../../support/world'

const ANA = personOf(1, 'Ana')
const BOB = personOf(2, 'Bob')
const WORDS = 'Ana wants to return the *blue* shoes of order 4711.'

const about = (world: World, more: About = {}): About => ({
  line: lineOf(world.tenant),
  person: ANA,
  timestamp: secondsIn(world),
  ...more,
})

/** The thread is passed to us, with what the platform's agent says about it. */
const passedWith = (world: World, summary: unknown, more: About = {}): Webhook =>
  handover(
    {
      control: {
        previous_owner_role: 'ai_agent',
        new_owner_role: 'customer_service',
        conversation_context: summary,
      },
    },
    about(world, more),
  )

/** A message of the customer in the field `messages`, with the same words beside it. */
function textWith(world: World, body: string, summary: unknown, more: About = {}): Webhook {
  const webhook = textTo(world, body, about(world, more))
  valueOf(webhook)['conversation_context'] = summary
  return webhook
}

const threadsOf = async (client: Client): Promise<Loose[]> => {
  const listed = (await client.get('/api/conversations')).data['items'] as Loose[]
  return await Promise.all(
    listed.map(
      async ({ id }) => (await client.get(`/api/conversations/${String(id)}/messages`)).data,
    ),
  )
}

/** The items of the only thread, from old to new. */
async function itemsOf(client: Client): Promise<Loose[]> {
  const threads = await threadsOf(client)
  expect(threads).toHaveLength(1)
  const items = threads.flatMap((thread) => thread['items'] as Loose[])
  return items.toSorted((a, b) =>
    `${String(a['timestamp'])} ${String(a['id'])}` < `${String(b['timestamp'])} ${String(b['id'])}`
      ? -1
      : 1,
  )
}

const NOTE = {
  type: 'system',
  direction: 'incoming',
  observed: false,
  preview: WORDS,
  content: { event: 'handover', text: WORDS, old: 'ai_agent', new: 'customer_service' },
}

describe('what the former owner of a thread says', () => {
  test('with a handover is a note of the thread, at its time, that needs no answer', async () => {
    await using world = await World.create()
    const socket = await world.socket('manager')
    await deliver(world, textTo(world, 'Hi', about(world)))
    const manager = await world.as('manager')
    const [conversation] = (await manager.get('/api/conversations')).data['items'] as Loose[]
    const path = `/api/conversations/${String(conversation?.['id'])}`
    await manager.post(`${path}/read`)
    await manager.put(path, { state: 'closed' })
    const until = (await manager.get(path)).data['window_expires_at']
    world.clock.advance({ minutes: 5 })
    await deliver(world, passedWith(world, summaryOf(WORDS)))
    await world.settle()
    expect(await itemsOf(manager)).toMatchObject([
      { type: 'text' },
      { ...NOTE, timestamp: '2026-11-21T09:35:00.000Z', wa_message_id: null },
    ])
    expect((await manager.get(path)).data).toMatchObject({
      state: 'closed',
      unread_count: 0,
      window_expires_at: until,
      thread_owner: 'us',
      owner_role: 'customer_service',
      last_message: { type: 'system', preview: WORDS },
    })
    expect(world.simulator.messages).toEqual([])
    await socket.caughtUp()
    expect(socket.events('message:new').at(-1)?.payload).toMatchObject({
      type: 'system',
      content: NOTE.content,
    })
    expect(socket.events('conversation:updated').at(-1)?.payload).toMatchObject({
      owner_role: 'customer_service',
    })
  })

  test('with a handover that comes first opens the thread of an unknown customer', async () => {
    await using world = await World.create()
    await deliver(world, passedWith(world, summaryOf(WORDS)))
    expect(await itemsOf(await world.as('manager'))).toMatchObject([NOTE])
    expect(await threadsOf(await world.as('manager', world.other))).toEqual([])
  })

  test('beside a message stands before it, with no roles', async () => {
    await using world = await World.create()
    await deliver(world, textWith(world, 'And the laces?', summaryOf(WORDS)))
    expect(await itemsOf(await world.as('manager'))).toMatchObject([
      { ...NOTE, content: { event: 'handover', text: WORDS, old: null, new: null } },
      { type: 'text', content: { text: 'And the laces?' } },
    ])
  })

  test('is kept once, however often and in how many fields it comes within a day', async () => {
    await using world = await World.create()
    const webhook = passedWith(world, summaryOf(WORDS))
    await deliver(world, webhook)
    await deliver(world, webhook)
    world.clock.advance({ hours: 2 })
    await deliver(world, textWith(world, 'Still there?', summaryOf(WORDS)))
    const notes = async (): Promise<unknown[]> =>
      (await itemsOf(await world.as('manager'))).filter(({ type }) => type === 'system')
    expect(await notes()).toHaveLength(1)
    await deliver(world, textWith(world, 'Hello?', summaryOf('Ana is getting impatient.')))
    expect(await notes()).toHaveLength(2)
    world.clock.advance({ hours: 23 })
    await deliver(world, passedWith(world, summaryOf(WORDS)))
    expect(await notes()).toHaveLength(3)
  })

  test('to two customers in the same words is a note of each', async () => {
    await using world = await World.create()
    await deliver(world, passedWith(world, summaryOf(WORDS)))
    await deliver(world, passedWith(world, summaryOf(WORDS), { person: BOB }))
    const threads = await threadsOf(await world.as('manager'))
    expect(threads.map(({ items }) => (items as Loose[]).length)).toEqual([1, 1])
  })

  test.each<[string, unknown]>([
    ['no text', { type: 'summary', summary: {} }],
    ['a blank text', summaryOf('  ')],
    ['an object for a text', { type: 'summary', summary: { text: {} } }],
    ['a list', [summaryOf(WORDS)]],
    ['nothing', null],
  ])('with %s is no note, and the rest counts', async (_, summary) => {
    await using world = await World.create()
    await deliver(world, passedWith(world, summary))
    world.clock.advance({ seconds: 1 })
    await deliver(world, textWith(world, 'Hi', summary))
    expect(await itemsOf(await world.as('manager'))).toMatchObject([{ type: 'text' }])
    expect(world.rows("select 1 from inbound_events where state <> 'done'")).toEqual([])
  })

  test('is given to nobody if the messages beside it are of several people', async () => {
    await using world = await World.create()
    const webhook = textWith(world, 'Hi', summaryOf(WORDS))
    const others = valueOf(textTo(world, 'Hello', about(world, { person: BOB })))['messages']
    ;(valueOf(webhook)['messages'] as unknown[]).push(...(others as unknown[]))
    await deliver(world, webhook)
    const threads = await threadsOf(await world.as('manager'))
    expect(threads.map(({ items }) => (items as Loose[]).map(({ type }) => type))).toEqual([
      ['text'],
      ['text'],
    ])
  })

  test('hides phone numbers from people who may not see them', async () => {
    await using world = await World.create()
    await deliver(world, passedWith(world, summaryOf('Call Ana back at +1 555 030 0001.')))
    await (await world.as('admin')).put('/api/organizations/settings', { mask_phone_numbers: true })
    const { client } = await personWith(world, [
      'messages:read',
      'contacts:read',
      'contacts:read_all',
    ])
    const [note] = await itemsOf(client)
    expect(JSON.stringify(note)).not.toContain('555 030')
    expect(note).toMatchObject({
      content: { text: expect.stringMatching(/^Call Ana back at .*0001\.$/) },
    })
  })

  test('is in the export of the person, and is erased with them everywhere', async () => {
    await using world = await World.create()
    await deliver(world, passedWith(world, summaryOf(WORDS)))
    world.clock.advance({ seconds: 1 })
    await deliver(world, textWith(world, 'Hi', summaryOf('Ana is in a hurry about 4711.')))
    const admin = await world.as('admin')
    const [contact] = (await admin.get('/api/contacts')).data['items'] as Loose[]
    const id = String(contact?.['id'])
    const asked = await admin.post(`/api/contacts/${id}/privacy-export`)
    await world.settle()
    const files = await entriesOf(world, admin, String(asked.data['id']))
    const written = [...files.entries()].filter(([, text]) => text.includes('4711'))
    expect(written.map(([name]) => name).toSorted()).toEqual(['deliveries.jsonl', 'messages.jsonl'])
    for (const [, text] of written) expect(text).toContain('in a hurry')
    await admin.post(`/api/contacts/${id}/erase`, { confirm: id })
    await world.settle()
    const root = (await world.as('super')).with({ 'x-organization-id': world.tenant.id })
    const events = (await root.get('/api/inbound/events')).data['items'] as Loose[]
    expect(events).toHaveLength(2)
    for (const event of events) {
      const { data } = await root.get(`/api/inbound/events/${String(event['id'])}?include=raw`)
      expect(data['raw']).toBeDefined()
      expect(JSON.stringify(data)).not.toContain('4711')
    }
    expect(world.rows('select content from messages')).toEqual([])
    await root.post('/api/inbound/replay', {})
    await world.settle()
    expect(world.rows('select id from messages')).toEqual([])
  })
})

describe('the role of the owner', () => {
  const shown = async (world: World): Promise<Loose> => {
    const client = await world.as('manager')
    const [first] = (await client.get('/api/conversations')).data['items'] as Loose[]
    const { thread_owner, owner_role } = first ?? {}
    return { thread_owner, owner_role }
  }
  const passed = (world: World, role: string): Webhook =>
    handover({ control: { previous_owner_role: 'ai_agent', new_owner_role: role } }, about(world))

  test('is kept while the owner has the thread, and gone with the next owner', async () => {
    await using world = await World.create()
    const later = async (webhook: Webhook): Promise<Loose> => {
      await deliver(world, webhook)
      world.clock.advance({ seconds: 10 })
      return await shown(world)
    }
    expect(await later(textTo(world, 'Hi', about(world)))).toEqual({
      thread_owner: 'us',
      owner_role: null,
    })
    expect(await later(passed(world, 'marketing'))).toEqual({
      thread_owner: 'us',
      owner_role: 'marketing',
    })
    expect(await later(textTo(world, 'Hello', about(world)))).toEqual({
      thread_owner: 'us',
      owner_role: 'marketing',
    })
    expect(await later(passed(world, 'concierge'))).toEqual({
      thread_owner: 'us',
      owner_role: 'concierge',
    })
    expect(await later(handover({ control: TO_AGENT }, about(world)))).toEqual({
      thread_owner: 'platform_agent',
      owner_role: 'ai_agent',
    })
    expect(await later(textTo(world, 'Hey', about(world)))).toEqual({
      thread_owner: 'us',
      owner_role: null,
    })
    world.clock.advance({ hours: 25 })
    expect(await shown(world)).toEqual({ thread_owner: 'idle', owner_role: null })
  })

  test.each([[[0, 1, 2]], [[2, 1, 0]], [[1, 0, 2]], [[2, 0, 1]]])(
    'is the same in any order of arrival (%p)',
    async (order) => {
      await using world = await World.create()
      const at = (seconds: number): About => about(world, { timestamp: secondsIn(world) + seconds })
      const webhooks = [
        textTo(world, 'Hi', { ...at(0), id: 'wamid.first' }),
        handover({ control: { new_owner_role: 'ctwa', previous_owner_role: 'ai_agent' } }, at(0)),
        textTo(world, 'Hello', { ...at(5), id: 'wamid.second' }),
      ]
      for (const nth of order) if (webhooks[nth]) await deliver(world, webhooks[nth])
      expect(await shown(world)).toEqual({ thread_owner: 'us', owner_role: 'ctwa' })
    },
  )
})

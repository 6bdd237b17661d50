import { describe, expect, test } from 'bun:test'

import {
  callConnect,
  callFile,
  callStatus,
  callTerminate,
} from '../../../../src/simulator/call-payloads'
import type { Client, Loose } from '../../../support/client'
import { deliver, lineOf, personOf, secondsIn, valueOf } from '../../../support/lines'
import { permutations } from '../../../support/permutations'
import { personWith } from '../../../support/people'
import { World } from '../../../support/world'

const callsOf = async (client: Client, query = ''): Promise<Loose[]> =>
  (await client.get(`/api/calls${query}`)).data['items'] as Loose[]
const conversationsOf = async (client: Client): Promise<Loose[]> =>
  (await client.get('/api/conversations')).data['items'] as Loose[]
/** ID of the contact of a conversation. */
const contactIn = (conversation: Loose | undefined): string =>
  String(((conversation ?? {})['contact'] as Loose)['id'])
const threadOf = async (client: Client, contactId: unknown, query = ''): Promise<Loose[]> =>
  (await client.get(`/api/contacts/${String(contactId)}/messages${query}`)).data['items'] as Loose[]

async function called() {
  const world = await World.create()
  const manager = await world.as('manager')
  const customer = world.simulator.customer({ phone: world.tenant.phoneId })
  return { world, manager, customer, [Symbol.asyncDispose]: () => world.stop() }
}

describe("a customer's call", () => {
  test('opens the window, creates the contact and the conversation, and permits a reply', async () => {
    await using at = await called()
    await at.customer.calls()
    await at.world.settle()
    const [conversation] = await conversationsOf(at.manager)
    expect(conversation).toMatchObject({
      window_open: true,
      window_expires_at: '2026-11-22T09:30:00.000Z',
      unread_count: 0,
      state: 'open',
      contact: { display_name: 'Ana Sol', phone_number: at.customer.waId },
      last_message: { type: 'call', preview: 'Incoming call', direction: 'incoming' },
    })
    const sent = await at.manager.post(`/api/conversations/${conversation?.['id']}/messages`, {
      type: 'text',
      text: 'You called?',
    })
    expect(sent.status).toBe(201)
    await at.world.settle()
    expect(at.customer.received()).toHaveLength(1)
  })

  test('reopens a closed conversation', async () => {
    await using at = await called()
    await at.customer.says('Hello')
    await at.world.settle()
    const [before] = await conversationsOf(at.manager)
    await at.manager.put(`/api/conversations/${before?.['id']}`, { state: 'closed' })
    await at.customer.calls()
    await at.world.settle()
    expect((await conversationsOf(at.manager))[0]?.['state']).toBe('open')
  })

  test('that is not answered is missed, and unread until a member reads it', async () => {
    await using at = await called()
    const call = await at.customer.calls()
    at.world.clock.advance({ seconds: 30 })
    await call.ends(0)
    await at.world.settle()
    const [conversation] = await conversationsOf(at.manager)
    expect(conversation).toMatchObject({
      unread_count: 1,
      last_message: { type: 'call', preview: 'Missed call', status: 'delivered' },
    })
    const contactId = contactIn(conversation)
    expect((await at.manager.get(`/api/contacts/${contactId}`)).data).toMatchObject({
      unread_count: 1,
      last_message_preview: 'Missed call',
    })
    const [shown] = await callsOf(at.manager)
    expect(shown).toMatchObject({
      wa_call_id: call.id,
      contact_id: contactId,
      conversation_id: conversation?.['id'],
      direction: 'incoming',
      state: 'missed',
      unread: true,
      timestamp: '2026-11-21T09:30:00.000Z',
      answered_at: null,
      ended_at: '2026-11-21T09:30:30.000Z',
      duration_seconds: null,
    })
    const read = await at.manager.post(`/api/conversations/${conversation?.['id']}/read`)
    expect(read.data).toEqual({ unread_count: 0 })
    expect((await callsOf(at.manager))[0]?.['unread']).toBe(false)
    const unread = await at.manager.post(`/api/conversations/${conversation?.['id']}/unread`)
    expect(unread.data).toEqual({ unread_count: 1 })
    expect((await callsOf(at.manager))[0]?.['unread']).toBe(true)
  })

  test('that was answered has its duration and is not unread', async () => {
    await using at = await called()
    const call = await at.customer.calls()
    at.world.clock.advance({ seconds: 95 })
    await call.ends(90)
    await at.world.settle()
    expect((await callsOf(at.manager))[0]).toMatchObject({
      state: 'ended',
      duration_seconds: 90,
      answered_at: '2026-11-21T09:30:05.000Z',
      ended_at: '2026-11-21T09:31:35.000Z',
      unread: false,
    })
    expect((await conversationsOf(at.manager))[0]?.['unread_count']).toBe(0)
  })

  test('of a blocked contact is stored without unread and without reopening', async () => {
    await using at = await called()
    await at.customer.says('Hello')
    await at.world.settle()
    const [before] = await conversationsOf(at.manager)
    await at.manager.post(`/api/contacts/${contactIn(before)}/block`)
    await at.manager.post(`/api/conversations/${before?.['id']}/read`)
    await at.manager.put(`/api/conversations/${before?.['id']}`, { state: 'closed' })
    const call = await at.customer.calls()
    await call.ends(0)
    await at.world.settle()
    expect((await conversationsOf(at.manager))[0]).toMatchObject({
      unread_count: 0,
      state: 'closed',
    })
    expect((await callsOf(at.manager))[0]).toMatchObject({ state: 'missed', unread: false })
  })

  test('is not a message: searches, message counts and campaigns ignore it', async () => {
    await using at = await called()
    const call = await at.customer.calls()
    await call.ends(0)
    await at.world.settle()
    expect(at.world.rows('select id from messages')).toEqual([])
    const { data } = await at.manager.get('/api/messages/search?q=missed')
    expect(data['items']).toEqual([])
    const [shown] = await callsOf(at.manager)
    expect((await at.manager.get(`/api/messages/${shown?.['id']}`)).status).toBe(404)
  })
})

describe('the same reports of a call', () => {
  const line = (world: World) => lineOf(world.tenant)

  /** What the API shows of the call and its conversation after reports in this order. */
  async function shownAfter(order: (world: World) => ReturnType<typeof callConnect>[]) {
    await using at = await called()
    for (const webhook of order(at.world)) await deliver(at.world, webhook)
    const [call] = await callsOf(at.manager)
    const [conversation] = await conversationsOf(at.manager)
    const pick = (row: Loose | undefined, names: string[]): unknown[] =>
      names.map((name) => row?.[name])
    return {
      call: pick(call, [
        'state',
        'timestamp',
        'answered_at',
        'ended_at',
        'duration_seconds',
        'unread',
      ]),
      conversation: pick(conversation, ['unread_count', 'window_expires_at', 'last_inbound_at']),
      last: pick(conversation?.['last_message'] as Loose, ['preview', 'timestamp', 'status']),
    }
  }

  test('give the same call in any order and repetition', async () => {
    const missed = (world: World) => {
      const about = { id: 'wacid.1', line: line(world), person: personOf(1) }
      const atS = secondsIn(world) - 100
      return [
        callConnect({ ...about, timestamp: atS }),
        callTerminate({ ...about, timestamp: atS + 30 }, { status: 'FAILED' }),
        callConnect({ ...about, timestamp: atS }),
      ]
    }
    const answered = (world: World) => {
      const about = { id: 'wacid.2', line: line(world), person: personOf(2), isOurs: true }
      const atS = secondsIn(world) - 100
      return [
        callConnect({ ...about, timestamp: atS }),
        callStatus({ ...about, timestamp: atS + 2 }, 'RINGING'),
        callStatus({ ...about, timestamp: atS + 9 }, 'ACCEPTED'),
        callTerminate(
          { ...about, timestamp: atS + 60 },
          { startedAtS: atS + 9, durationSeconds: 51 },
        ),
      ]
    }
    for (const [reports, state] of [
      [missed, 'missed'],
      [answered, 'ended'],
    ] as const) {
      const expected = await shownAfter(reports)
      expect(expected.call[0]).toBe(state)
      const count = permutations([...Array(state === 'missed' ? 3 : 4).keys()])
      for (const order of count) {
        const shown = await shownAfter((world) => {
          const all = reports(world)
          return order.flatMap((nth) => all[nth] ?? [])
        })
        expect({ order, ...shown }).toEqual({ order, ...expected })
      }
    }
  }, 60_000)
})

describe('a call to a customer', () => {
  test('opens no window, and its states never touch messages', async () => {
    await using at = await called()
    const call = await at.customer.isCalled()
    await at.world.settle()
    expect((await conversationsOf(at.manager))[0]).toMatchObject({
      window_open: false,
      unread_count: 0,
      last_message: { preview: 'Outgoing call', direction: 'outgoing' },
    })
    await call.answered()
    await at.world.settle()
    expect((await callsOf(at.manager))[0]).toMatchObject({
      direction: 'outgoing',
      state: 'accepted',
    })
    await call.ends(12)
    await at.world.settle()
    expect((await callsOf(at.manager))[0]).toMatchObject({ state: 'ended', duration_seconds: 12 })
    expect(at.world.rows('select * from message_statuses')).toEqual([])
  })

  test('that the customer declines or does not answer differs from a failed one', async () => {
    await using at = await called()
    const declined = await at.customer.isCalled()
    await declined.declined()
    await declined.ends(0)
    const unanswered = await at.customer.isCalled()
    await unanswered.ends(0)
    const failed = await at.customer.isCalled()
    await failed.ends(0, { status: 'FAILED', errors: [{ code: 138_001, message: 'Not callable' }] })
    await at.world.settle()
    const byId = new Map((await callsOf(at.manager)).map((row) => [row['wa_call_id'], row]))
    expect(byId.get(declined.id)).toMatchObject({ state: 'rejected', unread: false })
    expect(byId.get(unanswered.id)).toMatchObject({ state: 'missed', unread: false })
    expect(byId.get(failed.id)).toMatchObject({
      state: 'failed',
      error: { code: 138_001, message: 'Not callable' },
    })
  })
})

test('a call to a customer opens no window if the report of its recording comes first', async () => {
  const about = (world: World) => ({
    id: 'wacid.1',
    line: lineOf(world.tenant),
    person: personOf(1),
    timestamp: secondsIn(world),
    isOurs: true,
  })
  const reports = [
    (world: World) => callConnect(about(world)),
    (world: World) => callTerminate(about(world), { durationSeconds: 17 }),
    (world: World) => callFile(about(world), { id: '990000000000001', sha256: 'x' }),
  ]
  for (const order of permutations(reports)) {
    await using at = await called()
    for (const report of order) await deliver(at.world, report(at.world))
    expect(await callsOf(at.manager)).toMatchObject([{ direction: 'outgoing', state: 'ended' }])
    expect(await conversationsOf(at.manager)).toMatchObject([
      { window_open: false, last_message: { direction: 'outgoing' } },
    ])
  }
})

describe('an end with impossible figures', () => {
  test.each<[string, Loose, Loose]>([
    [
      'a duration no number can hold',
      { duration: 1e300 },
      { state: 'ended', duration_seconds: null },
    ],
    ['a duration of centuries', { duration: 1e12 }, { state: 'ended', duration_seconds: null }],
    [
      'a start in the far future',
      { start_time: 8e9 },
      { state: 'ended', answered_at: '2026-11-21T09:30:00.000Z' },
    ],
    [
      'a start in a year of five digits',
      { start_time: 8e12 },
      { state: 'ended', answered_at: null },
    ],
  ])('is stored without %s, and the list of calls stays readable', async (_, bent, shown) => {
    await using at = await called()
    const about = { id: 'wacid.1', line: lineOf(at.world.tenant), person: personOf(1) }
    const end = callTerminate(
      { ...about, timestamp: secondsIn(at.world) },
      { startedAtS: secondsIn(at.world) - 5, durationSeconds: 5 },
    )
    Object.assign((valueOf(end)['calls'] as Loose[])[0] as Loose, bent)
    await deliver(at.world, end)
    expect(await callsOf(at.manager)).toMatchObject([shown])
  })
})

describe('a thread with calls', () => {
  test('shows messages and calls in the order of their times, page by page', async () => {
    await using at = await called()
    const { world, customer } = at
    for (const step of ['one', 'call', 'two', 'call', 'three']) {
      world.clock.advance({ minutes: 1 })
      if (step === 'call') await (await customer.calls()).ends(5)
      else await customer.says(step)
    }
    await world.settle()
    const [conversation] = await conversationsOf(at.manager)
    const contactId = contactIn(conversation)
    const textOf = ({ type, content }: Loose): unknown =>
      type === 'call' ? 'call' : (content as Loose)['text']
    const all = await threadOf(at.manager, contactId)
    expect(all.map(textOf)).toEqual(['one', 'call', 'two', 'call', 'three'])
    expect(all[1]).toMatchObject({
      type: 'call',
      direction: 'incoming',
      content: {
        direction: 'incoming',
        state: 'ended',
        duration_seconds: 5,
        recording_media_id: null,
      },
      conversation_id: conversation?.['id'],
    })
    const { data } = await at.manager.get(`/api/contacts/${contactId}/messages?limit=2`)
    expect((data['items'] as Loose[]).map(textOf)).toEqual(['call', 'three'])
    expect([data['total'], data['has_more']]).toEqual([5, true])
    const pageTwo = await at.manager.get(`/api/contacts/${contactId}/messages?limit=2&page=2`)
    expect((pageTwo.data['items'] as Loose[]).map(textOf)).toEqual(['call', 'two'])
    const next = await at.manager.get(
      `/api/contacts/${contactId}/messages?limit=2&cursor=${data['next_cursor']}`,
    )
    expect((next.data['items'] as Loose[]).map(textOf)).toEqual(['call', 'two'])
    const before = await threadOf(at.manager, contactId, `?before=${all[3]?.['id']}`)
    expect(before.map(textOf)).toEqual(['one', 'call', 'two'])
    const after = await threadOf(at.manager, contactId, `?after=${all[1]?.['id']}&limit=2`)
    expect(after.map(textOf)).toEqual(['two', 'call'])
    expect((await threadOf(at.manager, contactId, '?type=call')).map(textOf)).toEqual([
      'call',
      'call',
    ])
    expect((await threadOf(at.manager, contactId, '?type=text')).map(textOf)).toEqual([
      'one',
      'two',
      'three',
    ])
    const own = await at.manager.get(`/api/conversations/${conversation?.['id']}/messages`)
    expect((own.data['items'] as Loose[]).map(textOf)).toEqual(all.map(textOf))
  })

  test('is marked as read up to a call', async () => {
    await using at = await called()
    await at.customer.says('one')
    at.world.clock.advance({ minutes: 1 })
    await (await at.customer.calls()).ends(0)
    at.world.clock.advance({ minutes: 1 })
    await at.customer.says('two')
    await at.world.settle()
    const [conversation] = await conversationsOf(at.manager)
    expect(conversation?.['unread_count']).toBe(3)
    const [call] = await callsOf(at.manager)
    const path = `/api/conversations/${conversation?.['id']}`
    expect((await at.manager.post(`${path}/read`, { up_to: call?.['id'] })).data).toEqual({
      unread_count: 1,
    })
    const [message] = (await threadOf(at.manager, call?.['contact_id'])).slice(0, 1)
    expect((await at.manager.post(`${path}/unread`)).data).toEqual({ unread_count: 1 })
    expect(message?.['status']).toBe('read')
  })
})

describe('GET /api/calls', () => {
  test('filters by contact, number, direction, state and time, and pages', async () => {
    await using at = await called()
    const other = at.world.simulator.customer({ phone: at.world.tenant.phoneId })
    await (await at.customer.calls()).ends(0)
    await at.world.settle()
    at.world.clock.advance({ minutes: 10 })
    await (await other.calls()).ends(7)
    await at.world.settle()
    at.world.clock.advance({ minutes: 10 })
    await other.isCalled()
    await at.world.settle()
    const statesOf = async (query: string) =>
      (await callsOf(at.manager, query)).map(({ state }) => state)
    expect(await statesOf('')).toEqual(['ringing', 'ended', 'missed'])
    expect(await statesOf('?direction=incoming')).toEqual(['ended', 'missed'])
    expect(await statesOf('?state=missed')).toEqual(['missed'])
    expect(await statesOf('?from=2026-11-21T09:40:00Z&to=2026-11-21T09:50:00Z')).toEqual(['ended'])
    const [newest] = await callsOf(at.manager)
    expect(await statesOf(`?contact_id=${newest?.['contact_id']}`)).toEqual(['ringing', 'ended'])
    expect(await statesOf(`?account_id=${at.world.tenant.accountId}`)).toHaveLength(3)
    const first = (await at.manager.get('/api/calls?limit=2')).data
    expect([first['total'], (first['items'] as Loose[]).length]).toEqual([3, 2])
    expect(await statesOf(`?limit=2&cursor=${first['next_cursor']}`)).toEqual(['missed'])
    expect((await at.manager.get('/api/calls?state=lost')).status).toBe(400)
  })

  test('shows a caller only calls of contacts it can see', async () => {
    await using at = await called()
    await (await at.customer.calls()).ends(0)
    await at.world.settle()
    const agent = await at.world.as('agent')
    expect(await callsOf(agent)).toEqual([])
    const [call] = await callsOf(at.manager)
    await at.manager.put(`/api/contacts/${call?.['contact_id']}/assign`, {
      user_id: at.world.tenant.userIds.agent,
    })
    expect(await callsOf(agent)).toHaveLength(1)
    const stranger = await at.world.as('manager', at.world.other)
    expect(await callsOf(stranger)).toEqual([])
    const without = await personWith(at.world, ['contacts:read', 'contacts:read_all'])
    expect((await without.client.get('/api/calls')).status).toBe(403)
  })
})

describe('call:updated', () => {
  test('is published for each stage of a call to those who see the contact', async () => {
    await using at = await called()
    const socket = await at.world.socket('manager')
    const agentSocket = await at.world.socket('agent')
    const call = await at.customer.calls()
    await at.world.settle()
    at.world.clock.advance({ seconds: 30 })
    await call.ends(0)
    await at.world.settle()
    const frames = (await socket.caughtUp()).filter(({ type }) => type === 'call:updated')
    expect(frames.map(({ payload }) => [payload['state'], payload['changed']])).toEqual([
      ['ringing', ['state', 'timestamp']],
      ['missed', ['state', 'ended_at']],
    ])
    expect(frames[1]?.payload).toMatchObject({
      wa_call_id: call.id,
      unread: true,
      contact: { phone_number: at.customer.waId },
    })
    const names = at.world
      .rows<{ type: string }>("select type from events where type like 'call.%' order by position")
      .map(({ type }) => type)
    expect(names).toEqual(['call.received', 'call.missed'])
    const updates = (await socket.caughtUp()).filter(({ type }) => type === 'conversation:updated')
    expect(updates.at(-1)?.payload).toMatchObject({
      unread_count: 1,
      last_message_preview: 'Missed call',
    })
    expect((await agentSocket.caughtUp()).map(({ type }) => type)).toEqual([])
  })
})

describe('a recording', () => {
  test('is fetched like media and seen by those who see the contact', async () => {
    await using at = await called()
    const call = await at.customer.calls()
    await call.ends(30)
    await at.world.settle()
    const socket = await at.world.socket('manager')
    await call.isRecorded()
    await call.isTranscribed('{"transcript":{"text":"Hello"}}')
    await at.world.settle()
    const [shown] = await callsOf(at.manager)
    const mediaId = String(shown?.['recording_media_id'])
    expect((await at.manager.get(`/api/media/${mediaId}`)).status).toBe(200)
    expect((await at.manager.get(`/api/media/${mediaId}/info`)).data).toMatchObject({
      kind: 'audio',
      state: 'ready',
    })
    const transcript = await at.manager.get(`/api/media/${shown?.['transcript_media_id']}/info`)
    expect(transcript.data).toMatchObject({ kind: 'document', state: 'ready' })
    const agent = await at.world.as('agent')
    expect((await agent.get(`/api/media/${mediaId}`)).status).toBe(404)
    await at.manager.put(`/api/contacts/${shown?.['contact_id']}/assign`, {
      user_id: at.world.tenant.userIds.agent,
    })
    expect((await agent.get(`/api/media/${mediaId}`)).status).toBe(200)
    const changed = (await socket.caughtUp())
      .filter(({ type }) => type === 'call:updated')
      .flatMap(({ payload }) => payload['changed'] as string[])
    const [recorded, transcribed] = ['recording_media_id', 'transcript_media_id']
    expect(changed.slice(0, 2)).toEqual([String(recorded), String(transcribed)])
    expect(changed.slice(2).toSorted()).toEqual([String(recorded), String(transcribed)])
    const [item] = await threadOf(at.manager, shown?.['contact_id'])
    expect(item).toMatchObject({
      content: { recording_media_id: mediaId },
      media: { id: mediaId, state: 'ready' },
    })
  })
})

describe('calls of a contact', () => {
  test('move with it when contacts are merged, and back when that is undone', async () => {
    await using at = await called()
    const { world } = at
    const callsBy = (nth: number, id: string) =>
      callTerminate({
        id,
        line: lineOf(world.tenant),
        person: personOf(nth),
        timestamp: secondsIn(world),
      })
    await deliver(world, callsBy(1, 'wacid.a'))
    world.clock.advance({ minutes: 1 })
    await deliver(world, callsBy(2, 'wacid.b'))
    const [second, first] = await callsOf(at.manager)
    const merged = await at.manager.post(`/api/contacts/${first?.['contact_id']}/merge`, {
      source_id: second?.['contact_id'],
    })
    const owners = async () => (await callsOf(at.manager)).map(({ contact_id }) => contact_id)
    expect(await owners()).toEqual([first?.['contact_id'], first?.['contact_id']])
    expect((await conversationsOf(at.manager)).map(({ unread_count }) => unread_count)).toEqual([2])
    await at.manager.post(`/api/contacts/merges/${merged.data['merge_id']}/undo`)
    expect(await owners()).toEqual([second?.['contact_id'], first?.['contact_id']])
    expect((await conversationsOf(at.manager)).map(({ unread_count }) => unread_count)).toEqual([
      1, 1,
    ])
  })
})

test('a list of more than 10,000 calls has no total', async () => {
  await using world = await World.create()
  await world.contactOf()
  world.program.http.db.sqlite.run(
    `with recursive nth(n) as (select 1 union all select n + 1 from nth where n < 10001)
     insert into calls (organization_id, id, contact_id, account_id, wa_call_id, direction, state, timestamp_ms, created_at_ms, updated_at_ms)
     select organization_id, unhex(printf('%032x', n)), id, account_id, 'call-' || n, 'incoming', 'ended', n, n, n from contacts, nth`,
  )
  const admin = await world.as('admin')
  expect((await admin.get('/api/calls?limit=5')).data).toMatchObject({ total: null, page: 1 })
  expect((await admin.get('/api/calls?limit=5&state=missed')).data).toMatchObject({ total: 0 })
})

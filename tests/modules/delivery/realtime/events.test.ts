import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import type { Customer } from '../../../../src/simulator/customers'
import { personWith } from '../../../support/people'
import { TestSocket, type Frame } from '../../../support/socket'
import { World } from '../../../support/world'
import { changeRows } from '../../../support/sql'

let world: World

beforeEach(async () => {
  world = await World.create()
})
afterEach(() => world.stop())

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const only = (frames: Frame[], type: string): Frame => {
  const found = frames.filter((frame) => frame.type === type)
  expect(found.map((frame) => frame.type)).toEqual([type])
  return found[0] as Frame
}

const assign = async (contactId: string, userId: string | null): Promise<void> => {
  const { status } = await (
    await world.as('admin')
  ).put(`/api/contacts/${contactId}/assign`, { user_id: userId })
  expect(status).toBe(200)
}

describe('the payload of a frame', () => {
  test('has type, payload, seq and at, in this order', async () => {
    const socket = await world.socket('manager')
    await world.contactOf()
    for (const frame of await socket.caughtUp()) {
      expect(Object.keys(frame)).toEqual(['type', 'payload', 'seq', 'at'])
      expect(frame.at).toMatch(ISO)
    }
  })

  test('of message:new begins with the six specified fields, followed by the others', async () => {
    const socket = await world.socket('manager')
    const contact = await world.contactOf(world.tenant, 'Hello! café 🍕')
    const { payload } = only(await socket.caughtUp(), 'message:new')
    expect(Object.keys(payload)).toEqual([
      ...['id', 'contact_id', 'direction', 'type', 'content', 'timestamp'],
      ...[
        'account_id',
        'conversation_id',
        'status',
        'wa_message_id',
        'source',
        'observed',
        'ai_generated',
        'direct',
        'sent_by',
        'reply_to',
        'media',
        'client_ref',
        'repeat_of',
        'contact',
        'conversation',
      ],
    ])
    expect(payload).toEqual({
      id: expect.stringMatching(UUID),
      contact_id: contact['id'],
      direction: 'incoming',
      type: 'text',
      content: { text: 'Hello! café 🍕' },
      timestamp: expect.stringMatching(ISO),
      account_id: world.tenant.accountId,
      conversation_id: expect.stringMatching(UUID),
      status: 'delivered',
      wa_message_id: expect.stringMatching(/^wamid\./),
      source: 'contact',
      observed: false,
      ai_generated: false,
      direct: false,
      sent_by: null,
      reply_to: null,
      media: null,
      client_ref: null,
      repeat_of: null,
      contact: {
        id: contact['id'],
        name: 'Ana Sol',
        phone_number: contact['phone_number'],
        assigned_to: null,
      },
      conversation: {
        state: 'open',
        assigned_to: null,
        team_id: null,
        unread_count: 1,
        last_message_at: payload['timestamp'],
        window_expires_at: expect.stringMatching(ISO),
        bot_active: false,
      },
    })
    const stored = await (await world.as('manager')).get(`/api/messages/${payload['id']}`)
    expect(stored.data).toMatchObject({
      content: payload['content'],
      timestamp: payload['timestamp'],
      status: payload['status'],
    })
  })

  test('of message:new for a reply names its author and the quoted message', async () => {
    const contact = await world.contactOf()
    const manager = await world.as('manager')
    const { data } = await manager.get(`/api/contacts/${contact['id']}/messages`)
    const quoted = (data['items'] as Loose[])[0] as Loose
    const socket = await world.socket('manager')
    await manager.post(`/api/contacts/${contact['id']}/messages`, {
      type: 'text',
      text: 'Yes.',
      reply_to: quoted['id'],
      client_ref: 'my-ref',
    })
    const { payload } = only(await socket.caughtUp(), 'message:new')
    expect(payload).toMatchObject({
      direction: 'outgoing',
      content: { text: 'Yes.' },
      status: 'pending',
      wa_message_id: null,
      source: 'agent',
      sent_by: { id: world.tenant.userIds.manager, name: 'Acme manager' },
      reply_to: { id: quoted['id'], type: 'text', preview: 'Hello!' },
      client_ref: 'my-ref',
    })
  })

  test('of message:status reports each step once, after message:new', async () => {
    const contact = await world.contactOf()
    const socket = await world.socket('manager')
    const sent = await (
      await world.as('manager')
    ).post(`/api/contacts/${contact['id']}/messages`, { type: 'text', text: 'Yes.' })
    await world.settle()
    const frames = (await socket.caughtUp()).filter(({ type }) => type.startsWith('message:'))
    expect(frames.map(({ type }) => type)).toEqual([
      'message:new',
      'message:status',
      'message:status',
    ])
    const steps = frames.slice(1).map(({ payload }) => payload)
    expect(steps.map((step) => [step['previous_status'], step['status']])).toEqual([
      ['pending', 'sent'],
      ['sent', 'delivered'],
    ])
    const keys = [
      'id',
      'message_id',
      'contact_id',
      'status',
      'previous_status',
      'timestamp',
      'account_id',
      'wa_message_id',
      'error',
    ]
    for (const step of steps) {
      expect(Object.keys(step)).toEqual(keys)
      expect(step).toMatchObject({
        id: sent.data['id'],
        message_id: sent.data['id'],
        contact_id: contact['id'],
        timestamp: expect.stringMatching(ISO),
        account_id: world.tenant.accountId,
        wa_message_id: expect.stringMatching(/^wamid\./),
        error: null,
      })
    }
  })

  test('of message:status for a failure has the reason', async () => {
    const contact = await world.contactOf()
    const socket = await world.socket('manager')
    world.simulator.fail({ code: 131_026 })
    await (
      await world.as('manager')
    ).post(`/api/contacts/${contact['id']}/messages`, { type: 'text', text: 'Yes.' })
    await world.settle()
    const { payload } = only(await socket.caughtUp(), 'message:status')
    expect(payload).toMatchObject({ status: 'failed', previous_status: 'pending' })
    expect(Object.keys(payload['error'] as Loose)).toEqual(['code', 'message', 'retryable'])
    expect(payload['error']).toMatchObject({
      code: expect.any(String),
      message: expect.any(String),
      retryable: false,
    })
  })

  test('of contact:new and contact:updated is the contact as in the API', async () => {
    const socket = await world.socket('manager')
    const contact = await world.contactOf()
    const manager = await world.as('manager')
    const created = only(await socket.caughtUp(), 'contact:new').payload
    const whole = (await manager.get(`/api/contacts/${contact['id']}`)).data
    expect(Object.keys(created)).toEqual(Object.keys(whole))
    expect(created).toMatchObject({
      id: contact['id'],
      source: whole['source'],
      identities: whole['identities'],
    })

    await assign(contact['id'] as string, world.tenant.userIds.agent)
    const updated = only(await socket.caughtUp(), 'contact:updated').payload
    expect(updated).toEqual({
      ...(await manager.get(`/api/contacts/${contact['id']}`)).data,
      changed: ['assigned_to'],
      visible: true,
    })
    expect(Object.keys(updated).slice(-2)).toEqual(['changed', 'visible'])
  })

  test('is published for a new profile name, but not for the same one again', async () => {
    const customer = world.simulator.customer({ phone: world.tenant.phoneId, name: 'Ana' })
    await customer.says('one')
    await world.settle()
    const socket = await world.socket('manager')
    await customer.says('two')
    const renamed = world.simulator.customer({
      phone: world.tenant.phoneId,
      waId: customer.waId ?? '',
      userId: customer.userId ?? '',
      name: 'Ana Sol',
    })
    await renamed.says('three')
    await world.settle()
    expect(
      only(
        (await socket.caughtUp()).filter(({ type }) => type.startsWith('contact:')),
        'contact:updated',
      ).payload,
    ).toMatchObject({
      profile_name: 'Ana Sol',
      changed: ['profile_name'],
    })
  })

  test('of account:updated has the state of a number', async () => {
    const socket = await world.socket('manager')
    const admin = await world.as('admin')
    await admin.put(`/api/accounts/${world.tenant.accountId}`, { name: 'Front desk' })
    const { payload } = only(await socket.caughtUp(), 'account:updated')
    const fields = [
      'status',
      'status_reason',
      'quality_rating',
      'messaging_limit_tier',
      'throughput_level',
      'token_state',
      'changed',
    ]
    expect(Object.keys(payload)).toEqual(['id', 'name', ...fields])
    expect(payload).toMatchObject({
      id: world.tenant.accountId,
      name: 'Front desk',
      status: 'active',
      token_state: 'valid',
      changed: ['name'],
    })
    expect(JSON.stringify(payload)).not.toContain(world.tenant.token)

    await admin.delete(`/api/accounts/${world.tenant.accountId}`)
    expect((await socket.caughtUp()).at(-1)).toMatchObject({
      type: 'account:updated',
      payload: { status: 'deleted' },
    })
  })

  test('truncates a long text at a whole character and marks it; the API has all of it', async () => {
    const socket = await world.socket('manager')
    const text = '🍕'.repeat(4_096)
    await world.contactOf(world.tenant, text)
    const { payload } = only(await socket.caughtUp(), 'message:new')
    const size = Buffer.byteLength(JSON.stringify(payload))
    expect(size).toBeLessThanOrEqual(8 * 1024)
    expect(size).toBeGreaterThan(7 * 1024)
    expect(payload['truncated']).toBe(true)
    expect((payload['content'] as Loose)['text']).toMatch(/^(🍕){1000,4095}$/u)
    expect(
      (await (await world.as('manager')).get(`/api/messages/${payload['id']}`)).data,
    ).toMatchObject({ content: { text } })
  })

  test('neither truncates nor marks a text that fits', async () => {
    const socket = await world.socket('manager')
    await world.contactOf(world.tenant, 'a'.repeat(4_096))
    const { payload } = only(await socket.caughtUp(), 'message:new')
    expect(payload).toMatchObject({ content: { text: 'a'.repeat(4_096) } })
    expect(payload).not.toHaveProperty('truncated')
  })
})

describe('masked phone numbers', () => {
  const NUMBER = '15550108765'
  const mask = (): void => {
    changeRows(
      world.program.http.db.sqlite,
      'update organizations set mask_phone_numbers = 1 where id = ?',
      [world.tenant.id],
    )
  }

  const bothViews = async (
    act: (contactId: string) => Promise<unknown>,
  ): Promise<{ clear: Frame[]; masked: Frame[] }> => {
    mask()
    const contact = await world.contactOf(world.tenant, 'Hello!', NUMBER)
    await assign(contact['id'] as string, world.tenant.userIds.agent)
    const [manager, agent] = [await world.socket('manager'), await world.socket('agent')]
    await act(contact['id'] as string)
    await world.settle()
    return { clear: await manager.caughtUp(), masked: await agent.caughtUp() }
  }

  test('show the number to some and the last digits to others in the same event', async () => {
    const { clear, masked } = await bothViews(async () => {
      await world.simulator
        .customer({ phone: world.tenant.phoneId, waId: NUMBER })
        .says(`Call me: ${NUMBER}`)
    })
    const [shown, hidden] = [only(clear, 'message:new'), only(masked, 'message:new')]
    expect(hidden.seq).toBe(shown.seq)
    expect((shown.payload['contact'] as Loose)['phone_number']).toBe(NUMBER)
    expect((hidden.payload['contact'] as Loose)['phone_number']).toMatch(/8765$/)
    expect((hidden.payload['contact'] as Loose)['phone_number']).not.toContain('555010')
    expect(hidden.payload['content']).toEqual({ text: `Call me: ${NUMBER}` })
  })

  test('are masked in every field of contact frames', async () => {
    const { clear, masked } = await bothViews(async () => {
      await world.simulator
        .customer({ phone: world.tenant.phoneId, waId: NUMBER, name: '+1 555-010-8765' })
        .says('It is me.')
    })
    expect(JSON.stringify(only(clear, 'contact:updated').payload)).toContain(NUMBER)
    expect((only(clear, 'message:new').payload['contact'] as Loose)['name']).toBe('+1 555-010-8765')
    const summary = only(masked, 'message:new').payload['contact'] as Loose
    expect(String(summary['name']).replaceAll(/\D/g, '')).not.toContain('555010')
    const hidden = only(masked, 'contact:updated').payload
    expect(JSON.stringify(hidden).replaceAll(/[^\d"]/g, '')).not.toContain('5550108765')
    const answered = (await (await world.as('agent')).get(`/api/contacts/${hidden['id']}`)).data
    for (const field of ['phone_number', 'wa_id', 'profile_name', 'display_name', 'identities'])
      expect({ field, value: hidden[field] }).toEqual({ field, value: answered[field] })
  })

  test('are masked in a replay too, and hello says so', async () => {
    await bothViews(() => Promise.resolve())
    for (const [person, isMasked] of [
      ['manager', false],
      ['agent', true],
    ] as const) {
      const socket = await world.socket(person, world.tenant, '&since=0')
      expect(JSON.stringify(await socket.caughtUp()).includes(NUMBER)).toBe(!isMasked)
      expect((await socket.ask({ type: 'hello' })).payload['masked']).toBe(isMasked)
    }
  })

  test('are masked on open sockets from the next recheck after masking is enabled', async () => {
    const contact = await world.contactOf(world.tenant, 'Hello!', NUMBER)
    await assign(contact['id'] as string, world.tenant.userIds.agent)
    const agent = await world.socket('agent')
    mask()
    world.program.realtime.sockets.sweep()
    await world.contactOf(world.tenant, 'Again', NUMBER)
    expect(JSON.stringify(await agent.caughtUp())).not.toContain(NUMBER)
    expect(agent.events('message:new')).toHaveLength(1)
  })
})

describe('event visibility', () => {
  let customers: Map<string, Customer>
  beforeEach(() => {
    customers = new Map()
  })

  const says = async (phone: string, text: string): Promise<void> => {
    const customer =
      customers.get(phone) ?? world.simulator.customer({ phone: world.tenant.phoneId, waId: phone })
    customers.set(phone, customer)
    await customer.says(text)
    await world.settle()
  }
  const contactWho = async (phone: string, text: string): Promise<Loose> => {
    await says(phone, text)
    const { data } = await (await world.as('admin')).get(`/api/contacts?search=${phone}`)
    return (data['items'] as Loose[])[0] as Loose
  }
  const textsOf = (socket: TestSocket): unknown[] =>
    socket.events('message:new').map(({ payload }) => (payload['content'] as Loose)['text'])

  test('agents receive events of contacts assigned to them; managers and admins receive all', async () => {
    const mine = await contactWho('15550100101', 'mine')
    await contactWho('15550100102', 'not mine')
    await assign(mine['id'] as string, world.tenant.userIds.agent)
    const [agent, manager, admin] = [
      await world.socket('agent'),
      await world.socket('manager'),
      await world.socket('admin'),
    ]
    await says('15550100101', 'for the agent')
    await says('15550100102', 'for others')
    await says('15550100103', 'from nobody known')
    for (const socket of [agent, manager, admin]) await socket.caughtUp()
    expect(textsOf(agent)).toEqual(['for the agent'])
    expect(agent.events().map(({ type }) => type)).toEqual(['message:new'])
    const everything = ['for the agent', 'for others', 'from nobody known']
    expect(textsOf(manager)).toEqual(everything)
    expect(textsOf(admin)).toEqual(everything)
  })

  test('after a reassignment the former agent learns only that; the new agent learns it before the next message', async () => {
    const second = await colleague()
    const contact = await contactWho('15550100101', 'first')
    await assign(contact['id'] as string, world.tenant.userIds.agent)
    const [before, after] = [await world.socket('agent'), second.socket]
    await says('15550100101', 'to the first agent')
    await assign(contact['id'] as string, second.userId)
    await says('15550100101', 'to the second agent')
    await before.caughtUp()
    await after.caughtUp()
    expect(before.events().map(({ type, payload }) => [type, payload['visible'] ?? null])).toEqual([
      ['message:new', null],
      ['contact:updated', false],
    ])
    expect(before.events('contact:updated')[0]?.payload).toEqual({
      id: contact['id'],
      changed: ['assigned_to'],
      visible: false,
    })
    expect(after.events().map(({ type, payload }) => [type, payload['visible'] ?? null])).toEqual([
      ['contact:updated', true],
      ['message:new', null],
    ])
    expect(textsOf(after)).toEqual(['to the second agent'])
  })

  test('a contact taken and given back before any event keeps its agent, who receives each event once', async () => {
    const second = await colleague()
    const contact = await contactWho('15550100101', 'first')
    await assign(contact['id'] as string, world.tenant.userIds.agent)
    const agent = await world.socket('agent')
    await assign(contact['id'] as string, second.userId)
    await assign(contact['id'] as string, world.tenant.userIds.agent)
    const frames = await agent.caughtUp()
    expect(frames.map(({ payload }) => payload['visible'])).toEqual([true, true])
    expect(new Set(frames.map(({ seq }) => seq)).size).toBe(2)
  })

  test('a manager who gives a contact away still sees it and is told once', async () => {
    const contact = await world.contactOf()
    await assign(contact['id'] as string, world.tenant.userIds.manager)
    const manager = await world.socket('manager')
    await assign(contact['id'] as string, world.tenant.userIds.agent)
    expect((await manager.caughtUp()).map(({ payload }) => payload['visible'])).toEqual([true])
  })

  test('a replay gives an agent what is visible now and what was lost', async () => {
    using _stay = world.stays('the event log')
    const contact = await contactWho('15550100101', 'first')
    await contactWho('15550100102', 'somebody else')
    await assign(contact['id'] as string, world.tenant.userIds.agent)
    await assign(contact['id'] as string, null)
    const socket = await world.socket('agent', world.tenant, '&since=0')
    await socket.caughtUp()
    const frames = socket.events().filter(({ type }) => type !== 'account:updated')
    expect(frames.map(({ type, payload }) => [type, payload])).toEqual([
      ['contact:updated', { id: contact['id'], changed: ['assigned_to'], visible: false }],
    ])
  })

  test('account events reach only holders of accounts:read', async () => {
    const blind = await personWith(world, ['messages:read', 'contacts:read'])
    const sighted = await personWith(world, ['accounts:read'])
    const sockets = await Promise.all(
      [blind, sighted].map(({ client }) =>
        TestSocket.open(`${world.url.replace('http', 'ws')}/ws?token=${client.token}`),
      ),
    )
    await (
      await world.as('admin')
    ).put(`/api/accounts/${world.tenant.accountId}`, { name: 'Front desk' })
    const heard = await Promise.all(
      sockets.map(async (socket) => (await socket.caughtUp()).map(({ type }) => type)),
    )
    expect(heard).toEqual([[], ['account:updated']])
    await Promise.all(sockets.map((socket) => socket.close()))
  })

  test('two organizations receive nothing of each other, live or in a replay', async () => {
    const [own, other] = [await world.socket('admin'), await world.socket('admin', world.other)]
    await world.contactOf(world.tenant, 'to Acme')
    await world.contactOf(world.other, 'to Bolt')
    await own.caughtUp()
    await other.caughtUp()
    expect(textsOf(own)).toEqual(['to Acme'])
    expect(textsOf(other)).toEqual(['to Bolt'])
    const replayed = await world.socket('admin', world.other, '&since=0')
    expect(JSON.stringify(await replayed.caughtUp())).not.toContain('to Acme')
    expect(textsOf(replayed)).toEqual(['to Bolt'])
  })

  /** A second agent with an open socket. */
  async function colleague(): Promise<{ userId: string; socket: TestSocket }> {
    const { client, userId } = await personWith(world, ['contacts:read', 'messages:read'])
    const socket = await TestSocket.open(
      `${world.url.replace('http', 'ws')}/ws?token=${client.token}`,
    )
    return { userId, socket }
  }
})

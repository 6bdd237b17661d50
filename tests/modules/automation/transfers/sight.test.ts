import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { keyOf } from '../../../support/keys'
import type { OwnRole } from '../../../support/people'
import type { TestSocket, Frame } from '../../../support/socket'
import { Desk, openSocket, pathOf } from '../../../support/transfers'

/** What a socket heard of transfers and contacts: type, and reason or visibility. */
const heardBy = async (socket: TestSocket): Promise<[string, unknown][]> =>
  (await socket.caughtUp())
    .filter(({ type }) => type.startsWith('transfer:') || type === 'contact:updated')
    .map(({ type, payload }): [string, unknown] => [
      type,
      payload['reason'] ?? payload['visible'] ?? null,
    ])

const transferFrames = async (socket: TestSocket): Promise<Frame[]> =>
  (await socket.caughtUp()).filter(({ type }) => type.startsWith('transfer:'))

describe('a contact that waits in the general queue', () => {
  test('is visible to holders of transfers:pickup until somebody takes it', async () => {
    await using desk = await Desk.create()
    const [agent, other] = [await desk.agent(), await desk.agent()]
    const path = await desk.inbox.contactPath(0)
    const seenBy = async ({ client }: OwnRole) => [
      (await client.get(path)).status,
      (await client.get(`${path}/messages`)).status,
      ((await client.get('/api/contacts')).data['items'] as Loose[]).length,
      ((await client.get('/api/conversations')).data['items'] as Loose[]).length,
    ]
    expect(await seenBy(agent)).toEqual([404, 404, 0, 0])
    const transfer = await desk.transfer()
    for (const person of [agent, other]) expect(await seenBy(person)).toEqual([200, 200, 1, 1])
    other.may('contacts:read', 'messages:read', 'transfers:read')
    expect(await seenBy(other)).toEqual([404, 404, 0, 0])
    other.may('contacts:read', 'messages:read', 'transfers:read', 'transfers:pickup')
    await agent.client.post(pathOf(transfer, 'pickup'))
    expect(await seenBy(agent)).toEqual([200, 200, 1, 1])
    expect(await seenBy(other)).toEqual([404, 404, 0, 0])
    await agent.client.put(pathOf(transfer, 'resume'))
    expect(await seenBy(agent)).toEqual([404, 404, 0, 0])
  })

  test('is told to their sockets, and so is that it is gone', async () => {
    await using desk = await Desk.create()
    const [agent, other, stranger] = [await desk.agent(), await desk.agent(), await desk.agent()]
    stranger.may('contacts:read', 'messages:read', 'transfers:read')
    const sockets = [
      await openSocket(desk, agent),
      await openSocket(desk, other),
      await openSocket(desk, stranger),
    ] as const
    const transfer = await desk.transfer()
    await desk.inbox.says(0, 'Hello?')
    await agent.client.post(pathOf(transfer, 'pickup'))
    await desk.inbox.says(0, 'Anybody there?')
    const [ofAgent, ofOther, ofStranger] = [
      await heardBy(sockets[0]),
      await heardBy(sockets[1]),
      await heardBy(sockets[2]),
    ]
    expect(ofAgent).toEqual([
      ['contact:updated', true],
      ['transfer:new', null],
      ['contact:updated', true],
      ['transfer:updated', 'picked_up'],
    ])
    expect(ofOther).toEqual([
      ['contact:updated', true],
      ['transfer:new', null],
      ['contact:updated', false],
      ['transfer:updated', 'picked_up'],
    ])
    expect(ofStranger).toEqual([])
    const messagesOf = (socket: TestSocket) =>
      socket.events('message:new').map(({ payload }) => payload['content'].text)
    expect(sockets.map(messagesOf)).toEqual([['Hello?', 'Anybody there?'], ['Hello?'], []])
    const [, seen] = await transferFrames(sockets[0])
    const [, lost] = await transferFrames(sockets[1])
    expect(seen?.payload).toMatchObject({
      ...(await viewOf(desk, transfer)),
      changed: ['agent_id'],
      reason: 'picked_up',
    })
    expect(lost?.payload).toEqual({
      id: transfer['id'],
      status: 'active',
      agent_id: agent.userId,
      reason: 'picked_up',
    })
    for (const socket of sockets) await socket.close()
  })
})

/** Returns a transfer without its history. */
async function viewOf(desk: Desk, transfer: Loose): Promise<Loose> {
  const { history: _history, ...view } = await desk.of(transfer)
  return view
}

describe('a contact that waits in the queue of a team', () => {
  test('is visible to its members only, who hear of it', async () => {
    await using desk = await Desk.create()
    const [member, stranger] = [await desk.agent(), await desk.agent()]
    const team = await desk.team([member], { assignment_strategy: 'manual' })
    const sockets = [await openSocket(desk, member), await openSocket(desk, stranger)] as const
    const transfer = await desk.transfer(0, { team_id: team })
    const path = await desk.inbox.contactPath(0)
    expect([
      (await member.client.get(path)).status,
      (await stranger.client.get(path)).status,
    ]).toEqual([200, 404])
    expect(await heardBy(sockets[0])).toEqual([
      ['contact:updated', true],
      ['transfer:new', null],
    ])
    expect(await heardBy(sockets[1])).toEqual([])
    await desk.manager.put(pathOf(transfer, 'assign'), { team_id: 'general' })
    const [, moved] = await transferFrames(sockets[0])
    expect(moved?.payload).toMatchObject({ team_id: null, reason: 'returned' })
    expect((await heardBy(sockets[1])).at(-1)).toEqual(['transfer:updated', 'returned'])
    for (const socket of sockets) await socket.close()
  })
})

describe('the agent of a transfer', () => {
  test('sees the contact at once, and learns that it is gone', async () => {
    await using desk = await Desk.create()
    const agent = await desk.agent()
    const socket = await openSocket(desk, agent)
    const transfer = await desk.transfer(0, { agent_id: agent.userId })
    await socket.caughtUp() // frames show transfers as they are when they are sent
    await desk.manager.put(pathOf(transfer), { priority: 2 })
    await socket.caughtUp()
    await desk.manager.put(pathOf(transfer, 'resume'))
    const frames = await transferFrames(socket)
    expect(frames.map(({ type, payload }) => [type, payload['reason'], payload['notes']])).toEqual([
      ['transfer:new', undefined, null],
      ['transfer:updated', 'edited', null],
      ['transfer:updated', 'resumed', undefined],
    ])
    expect((await heardBy(socket)).filter(([type]) => type === 'contact:updated')).toEqual([
      ['contact:updated', true],
      ['contact:updated', false],
    ])
    await socket.close()
  })

  test('hears the same when the socket resumes', async () => {
    await using desk = await Desk.create()
    desk.world.stays('the event log')
    const [agent, other] = [await desk.agent(), await desk.agent()]
    const transfer = await desk.transfer()
    await agent.client.post(pathOf(transfer, 'pickup'))
    const sockets = [
      await openSocket(desk, agent, '&since=0'),
      await openSocket(desk, other, '&since=0'),
    ] as const
    for (const socket of sockets) await socket.next('resumed', ({ type }) => type === 'resumed')
    const formsOf = async (socket: TestSocket) =>
      (await transferFrames(socket)).map(({ type, payload }) => [type, 'contact_id' in payload])
    expect(await formsOf(sockets[0])).toEqual([
      ['transfer:new', true],
      ['transfer:updated', true],
    ])
    expect(await formsOf(sockets[1])).toEqual([['transfer:updated', false]])
    for (const socket of sockets) await socket.close()
  })

  test('gets masked numbers where the organization masks', async () => {
    await using desk = await Desk.create()
    const admin = await desk.world.as('admin')
    await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
    const agent = await desk.agent()
    const socket = await openSocket(desk, agent)
    await desk.transfer(0, { agent_id: agent.userId })
    const [frame] = await transferFrames(socket)
    expect(frame?.payload['phone_number']).toMatch(/^\*+\d{4}$/)
    await socket.close()
  })
})

test('keys cannot pick up or claim, but may assign', async () => {
  await using desk = await Desk.create()
  const transfer = await desk.transfer()
  const { client } = await keyOf(desk.world)
  for (const path of [
    '/api/chatbot/transfers/pickup',
    pathOf(transfer, 'pickup'),
    `${await desk.inbox.path(0)}/claim`,
  ]) {
    const answer = await client.post(path)
    expect([answer.status, answer.body.code]).toEqual([403, 'session_required'])
  }
  const agentId = desk.world.tenant.userIds.agent
  const answer = await client.put(pathOf(transfer, 'assign'), { agent_id: agentId })
  expect([answer.status, (answer.data['transfer'] as Loose)['agent_id']]).toEqual([200, agentId])
})

test('a key that may only pick up cannot assign a transfer to its owner', async () => {
  await using desk = await Desk.create()
  const transfer = await desk.transfer()
  const permissions = ['transfers:read', 'transfers:pickup', 'contacts:read', 'contacts:read_all']
  const { client } = await keyOf(desk.world, { permissions })
  const agentId = desk.world.tenant.userIds.admin
  const answer = await client.put(pathOf(transfer, 'assign'), { agent_id: agentId })
  expect([answer.status, answer.body.code]).toEqual([403, 'session_required'])
  expect((await desk.of(transfer))['agent_id']).toBeNull()
})

test('transfers of invisible contacts cannot be assigned, and their numbers stay unknown', async () => {
  await using desk = await Desk.create(2)
  const [agent, lead] = [await desk.agent(), await desk.agent()]
  lead.may('contacts:read', 'transfers:read', 'transfers:assign')
  const waiting = await desk.transfer(0)
  const held = await desk.transfer(1, { agent_id: agent.userId })
  const assign = (transfer: Loose) =>
    lead.client.put(pathOf(transfer, 'assign'), { agent_id: desk.world.tenant.userIds.agent })
  expect((await assign(held)).status).toBe(404)
  expect((await assign(waiting)).status).toBe(404)
  expect((await desk.of(held))['agent_id']).toBe(agent.userId)
  lead.may('contacts:read', 'contacts:read_all', 'transfers:read', 'transfers:assign')
  expect((await assign(held)).status).toBe(200)
})

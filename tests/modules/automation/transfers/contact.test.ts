import { describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { changeRows } from '../../../support/sql'
import { Desk, openSocket, pathOf } from '../../../support/transfers'

/** Returns a transfer as the database has it, also of a contact that is gone. */
const stored = (desk: Desk, transfer: Loose): Loose =>
  desk.world.rows('select * from transfers where id = ?', String(transfer['id']))[0] ?? {}

describe('the end of a contact', () => {
  test('blocking ends its transfer without a message, and prevents another one', async () => {
    await using desk = await Desk.create()
    await desk.settings({ sla_auto_close_message: 'Goodbye' })
    const transfer = await desk.transfer()
    await desk.manager.post(`${await desk.inbox.contactPath(0)}/block`)
    expect(await desk.of(transfer)).toMatchObject({
      status: 'resumed',
      history: [{ kind: 'created' }, { kind: 'resumed', details: { reason: 'blocked' } }],
    })
    expect(await desk.inbox.of(0)).toMatchObject({
      state: 'closed',
      last_message: { direction: 'incoming' },
    })
    const again = await desk.tryTransfer()
    expect([again.status, again.body.code]).toEqual([400, 'contact_blocked'])
    await desk.manager.delete(`${await desk.inbox.contactPath(0)}/block`)
    expect((await desk.tryTransfer()).status).toBe(201)
  })

  test('deleting it ends its transfer, which nobody finds any more', async () => {
    await using desk = await Desk.create()
    const transfer = await desk.transfer()
    await (await desk.world.as('admin')).delete(await desk.inbox.contactPath(0))
    expect(stored(desk, transfer)).toMatchObject({ status: 'resumed', end_reason: 'deleted' })
    expect((await desk.manager.get(pathOf(transfer))).status).toBe(404)
    expect((await desk.manager.get('/api/chatbot/transfers')).data['total']).toBe(0)
  })

  test('erasing it erases its transfers and their history', async () => {
    await using desk = await Desk.create()
    await desk.transfer(0, { notes: 'Very private' })
    const admin = await desk.world.as('admin')
    const id = await desk.contactId()
    const { data } = await admin.post(`/api/contacts/${id}/erase`, { confirm: id })
    await desk.world.settle()
    expect(desk.world.rows('select id from transfers')).toEqual([])
    expect(desk.world.rows('select id from transfer_changes')).toEqual([])
    const { data: receipt } = await admin.get(`/api/privacy/requests/${data['id']}`)
    expect(((receipt['receipt'] as Loose)['counts'] as Loose)['transfers']).toBe(1)
  })
})

describe('merging contacts', () => {
  test('keeps the transfer with an agent, which takes over the notes of the other', async () => {
    await using desk = await Desk.create(2)
    const agent = await desk.agent()
    const waiting = await desk.transfer(0, { notes: 'First' })
    const held = await desk.transfer(1, { agent_id: agent.userId, notes: 'Second' })
    const [target, source] = [await desk.contactId(0), await desk.contactId(1)]
    const admin = await desk.world.as('admin')
    await admin.post(`/api/contacts/${target}/merge`, { source_id: source })
    expect(await desk.of(held)).toMatchObject({
      contact_id: target,
      status: 'active',
      agent_id: agent.userId,
      notes: 'Second\nFirst',
    })
    expect(await desk.of(waiting)).toMatchObject({
      contact_id: target,
      status: 'resumed',
      history: [{ kind: 'created' }, { kind: 'resumed', details: { reason: 'merged' } }],
    })
    expect(await desk.inbox.of(0)).toMatchObject({
      state: 'open',
      assigned_to: agent.userId,
      transfer: { id: held['id'] },
    })
  })

  test('keeps the older one of two that wait', async () => {
    await using desk = await Desk.create(2)
    const older = await desk.transfer(1)
    desk.world.clock.advance({ minutes: 1 })
    const newer = await desk.transfer(0)
    const [target, source] = [await desk.contactId(0), await desk.contactId(1)]
    const admin = await desk.world.as('admin')
    await admin.post(`/api/contacts/${target}/merge`, { source_id: source })
    expect((await desk.of(older))['status']).toBe('active')
    expect((await desk.of(newer))['status']).toBe('resumed')
  })
})

test('disconnecting its number ends a transfer, and tells its agent', async () => {
  await using desk = await Desk.create(2)
  const { world } = desk
  await desk.settings({ sla_enabled: true })
  const agent = await desk.agent()
  const held = await desk.transfer(0, { agent_id: agent.userId })
  const waiting = await desk.transfer(1)
  const admin = await world.as('admin')
  await admin.delete(`/api/accounts/${world.tenant.accountId}`)
  await world.settle()
  const { data } = await agent.client.get('/api/me/notifications')
  const told = (data['items'] as Loose[]).map(({ kind }) => kind)
  expect(told.filter((kind) => kind === 'account_notice')).toHaveLength(1)
  await desk.inbox.passes({ hours: 2 })
  for (const transfer of [held, waiting])
    expect(await desk.of(transfer)).toMatchObject({
      status: 'resumed',
      sla_breached: false,
      escalation_level: 0,
      history: expect.arrayContaining([
        expect.objectContaining({ kind: 'resumed', details: { reason: 'account_deleted' } }),
      ]),
    })
  expect(world.rows('select distinct state from conversations')).toEqual([{ state: 'closed' }])
})

test('the history before a transfer is hidden from its agent if the settings say so', async () => {
  await using desk = await Desk.create()
  const { world } = desk
  const agent = await desk.agent()
  const path = await desk.inbox.contactPath(0)
  const { data: before } = await desk.manager.get(`${path}/messages`)
  const [old] = before['items'] as Loose[]
  world.clock.advance({ minutes: 1 })
  await desk.transfer(0, { agent_id: agent.userId })
  world.clock.advance({ minutes: 1 })
  await desk.inbox.says(0, 'Since then')
  const textsOf = async (): Promise<unknown[]> =>
    (((await agent.client.get(`${path}/messages`)).data['items'] as Loose[]) ?? []).map(
      ({ content }) => (content as Loose)['text'],
    )
  expect(await textsOf()).toEqual(['Text 0', 'Since then'])
  changeRows(
    world.program.http.db.sqlite,
    `insert into bot_sessions (organization_id, id, contact_id, account_id, status, started_at_ms, last_activity_ms, ended_at_ms)
     select organization_id, id, contact_id, account_id, 'transferred', transferred_at_ms - 1, 0, 0 from transfers`,
    [],
  )
  agent.may('contacts:read', 'messages:read', 'transfers:read', 'chatbot:read')
  const sessionsSeen = async (client = agent.client) => {
    const [session] = (await client.get('/api/chatbot/sessions')).data['items'] as Loose[]
    return session ? (await client.get(`/api/chatbot/sessions/${session['id']}`)).status : 'none'
  }
  expect(await sessionsSeen()).toBe(200)
  await desk.settings({ agent_current_conversation_only: true })
  expect(await sessionsSeen()).toBe('none')
  const admin = await world.as('admin')
  expect(await sessionsSeen(admin)).toBe(200)
  expect(await textsOf()).toEqual(['Since then'])
  expect((await agent.client.get(`${path}/messages`)).data['total']).toBe(1)
  expect((await agent.client.get(`/api/messages/${old?.['id']}`)).status).toBe(404)
  const found = await agent.client.get('/api/messages/search?q=Text')
  expect(found.data['items']).toEqual([])
  expect((await desk.manager.get(`/api/messages/${old?.['id']}`)).status).toBe(200)
  // The contact's own assignee knows it anyway.
  await desk.manager.put(`${path}/assign`, { user_id: agent.userId })
  expect(await textsOf()).toEqual(['Text 0', 'Since then'])
})

test('neither lists nor frames show its agent how the hidden history ends', async () => {
  await using desk = await Desk.create()
  const { world } = desk
  const agent = await desk.agent()
  await desk.settings({ agent_current_conversation_only: true })
  world.clock.advance({ minutes: 1 })
  const sockets = [await openSocket(desk, agent), await world.socket('manager')]
  await desk.transfer(0, { agent_id: agent.userId })
  const { id } = await desk.inbox.of(0)
  const contact = await desk.inbox.contactPath(0)
  const previewsFor = async (client: Client): Promise<unknown[]> => {
    const firstOf = async (path: string): Promise<Loose> =>
      ((await client.get(path)).data['items'] as Loose[])[0] ?? {}
    const previewIn = (shown: Loose): unknown =>
      (shown['last_message'] as Loose | null)?.['preview'] ?? null
    return [
      previewIn(await firstOf('/api/conversations')),
      previewIn((await client.get(`/api/conversations/${id}`)).data),
      (await firstOf('/api/contacts'))['last_message_preview'],
      (await client.get(contact)).data['last_message_preview'],
    ]
  }
  expect(await previewsFor(desk.manager)).toEqual(Array(4).fill('Text 0'))
  expect(await previewsFor(agent.client)).toEqual(Array(4).fill(null))
  for (const socket of sockets) {
    const types = (await socket.caughtUp()).map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['contact:updated', 'conversation:updated']))
    expect(JSON.stringify(socket.frames)).not.toContain('Text 0')
  }
  await desk.inbox.says(0, 'Since then')
  await desk.manager.put(`/api/conversations/${id}`, { priority: 'high' })
  await desk.inbox.passes({ seconds: 1 }) // frames of one conversation wait for each other
  expect(await previewsFor(agent.client)).toEqual(Array(4).fill('Since then'))
  for (const socket of sockets) {
    await socket.caughtUp()
    const { payload } = socket.events('conversation:updated').at(-1) ?? {}
    expect(payload?.['last_message_preview']).toBe('Since then')
  }
})

test('ended transfers are kept as long as messages, active ones longer', async () => {
  await using desk = await Desk.create(2)
  await desk.settings({ sla_auto_close_hours: null })
  const [ended, active] = [await desk.transfer(0), await desk.transfer(1)]
  await desk.manager.put(pathOf(ended, 'resume'))
  const admin = await desk.world.as('admin')
  await admin.put('/api/retention', { messages_days: 30 })
  await desk.inbox.passes({ hours: 29 * 24 })
  expect(stored(desk, ended)['status']).toBe('resumed')
  await desk.inbox.passes({ hours: 3 * 24 })
  expect([stored(desk, ended)['status'], stored(desk, active)['status']]).toEqual([
    undefined,
    'active',
  ])
})

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { Inbox, SEES_ALL, SEES_OWN } from '../../../support/inbox'
import type { Frame, TestSocket } from '../../../support/socket'

let inbox: Inbox
let conversationId: string
let manager: TestSocket
let admin: TestSocket

beforeEach(async () => {
  inbox = await Inbox.create(1)
  conversationId = String((await inbox.of(0))['id'])
  manager = await inbox.world.socket('manager')
  admin = await inbox.world.socket('admin')
})
afterEach(() => inbox.world.stop())

const sweep = (): void => inbox.world.program.realtime.sockets.sweep()
const doing = (what: string, id = conversationId) => ({
  type: 'presence',
  payload: { conversation_id: id, doing: what },
})

/** Sends a frame that has no answer, and waits until it was processed. */
async function say(socket: TestSocket, frame: unknown): Promise<void> {
  socket.say(frame)
  await socket.ask({ type: 'ping' })
}

/** Who is in the conversation, as each frame that a socket received says. */
async function heard(socket: TestSocket): Promise<unknown[]> {
  await socket.ask({ type: 'ping' })
  return socket.frames
    .filter(({ type }) => type === 'conversation:presence')
    .map(({ payload }) => (payload['users'] as Loose[]).map((user) => [user['id'], user['doing']]))
}
const errorsOf = (socket: TestSocket): string[] =>
  socket.frames.filter(({ type }) => type === 'error').map(({ payload }) => String(payload['code']))

describe('presence', () => {
  test('tells others who views and who types, without numbers in the log', async () => {
    const me = inbox.world.tenant.userIds.manager
    await say(manager, doing('viewing'))
    inbox.world.clock.advance({ seconds: 1 })
    await say(manager, doing('typing'))
    expect(await heard(admin)).toEqual([[[me, 'viewing']], [[me, 'typing']]])
    const frame = admin.frames.find(({ type }) => type === 'conversation:presence') as Frame
    expect(frame).toEqual({
      type: 'conversation:presence',
      payload: {
        conversation_id: conversationId,
        contact_id: (await inbox.contactPath(0)).split('/').at(-1),
        users: [{ id: me, full_name: 'Acme manager', doing: 'viewing' }],
      },
      seq: null,
      at: expect.any(String),
    })
    expect(inbox.world.simulator.messages).toEqual([])
  })

  test('is told at most once a second, the last word always', async () => {
    const me = inbox.world.tenant.userIds.manager
    for (const what of ['viewing', 'typing', 'viewing', 'typing']) await say(manager, doing(what))
    expect(await heard(admin)).toEqual([[[me, 'viewing']]])
    inbox.world.clock.advance({ seconds: 1 })
    sweep()
    expect(await heard(admin)).toEqual([[[me, 'viewing']], [[me, 'typing']]])
    sweep()
    expect(await heard(admin)).toHaveLength(2)
  })

  test('ends with `gone`, after 30 seconds and with the socket', async () => {
    const me = inbox.world.tenant.userIds.manager
    const pass = (seconds: number): void => {
      inbox.world.clock.advance({ seconds })
      sweep()
    }
    await say(manager, doing('viewing'))
    pass(1)
    await say(manager, doing('gone'))
    expect(await heard(admin)).toEqual([[[me, 'viewing']], []])
    pass(1)
    await say(manager, doing('typing'))
    pass(29)
    expect(await heard(admin)).toHaveLength(3)
    pass(1)
    expect((await heard(admin)).at(-1)).toEqual([])
    pass(1)
    await say(manager, doing('viewing'))
    pass(1)
    await manager.close()
    await inbox.world.eventually(
      () => (admin.frames.at(-1)?.payload['users'] as Loose[] | undefined)?.length === 0,
    )
  })

  test('counts a user with two windows once, typing before viewing', async () => {
    const second = await inbox.world.socket('manager')
    await say(second, doing('typing'))
    inbox.world.clock.advance({ seconds: 1 })
    await say(manager, doing('viewing'))
    const { data } = await inbox.manager.get('/api/conversations/presence')
    expect(data['items']).toMatchObject([
      { conversation_id: conversationId, users: [{ doing: 'typing' }] },
    ])
  })

  test('reaches and shows only those who see the contact', async () => {
    const own = await inbox.colleague(...SEES_OWN)
    const foreign = await inbox.world.socket('admin', inbox.world.other)
    await say(manager, doing('viewing'))
    expect([await heard(own.socket), await heard(foreign)]).toEqual([[], []])
    expect((await own.client.get('/api/conversations/presence')).data).toEqual({ items: [] })
    const ready = async (): Promise<unknown> =>
      (await own.socket.ask({ type: 'hello' })).payload['presence']
    expect(await ready()).toEqual([])
    await inbox.manager.put(`${await inbox.contactPath(0)}/assign`, { user_id: own.userId })
    inbox.world.clock.advance({ seconds: 1 })
    await say(manager, doing('typing'))
    expect(await heard(own.socket)).toHaveLength(1)
    const { items } = (await own.client.get('/api/conversations/presence')).data
    expect(items).toHaveLength(1)
    expect(await ready()).toEqual(items)
    expect(
      (await (await inbox.world.as('admin', inbox.world.other)).get('/api/conversations/presence'))
        .data,
    ).toEqual({ items: [] })
    await own.socket.close()
  })

  test('is refused for unknown conversations, bad words, too many frames and without the right', async () => {
    const own = await inbox.colleague(...SEES_OWN)
    const reader = await inbox.colleague(...SEES_ALL.filter((pair) => pair !== 'messages:create'))
    await say(manager, doing('viewing', crypto.randomUUID()))
    await say(own.socket, doing('viewing'))
    await say(reader.socket, doing('viewing'))
    await say(admin, doing('dancing'))
    await say(admin, doing('viewing', 'x'))
    expect([manager, own.socket, reader.socket, admin].map(errorsOf)).toEqual([
      ['not_found'],
      ['not_found'],
      ['forbidden'],
      ['bad_request', 'bad_request'],
    ])
    for (let nth = 0; nth < 4; nth += 1) await say(manager, doing('viewing'))
    expect(errorsOf(manager)).toEqual(['not_found', 'rate_limited'])
    inbox.world.clock.advance({ seconds: 1 })
    await say(manager, doing('viewing'))
    expect(errorsOf(manager)).toHaveLength(2)
    for (const { socket } of [own, reader]) await socket.close()
  })
})

describe('a read frame', () => {
  const newest = async (): Promise<string> => String((await inbox.of(0))['last_message']['id'])
  const read = (up_to: string, id = conversationId) => ({
    type: 'read',
    payload: { conversation_id: id, up_to },
  })

  test('marks the conversation as read, without an answer', async () => {
    await say(manager, read(await newest()))
    expect(await inbox.of(0)).toMatchObject({ unread_count: 0 })
    expect(manager.frames.filter(({ type }) => type === 'error')).toEqual([])
    await admin.caughtUp()
    expect(admin.events('conversation:updated').at(-1)?.payload).toMatchObject({
      unread_count: 0,
      changed: ['unread_count'],
    })
  })

  test('is refused like its route', async () => {
    const reader = await inbox.colleague(...SEES_ALL.filter((pair) => pair !== 'messages:create'))
    await say(reader.socket, read(await newest()))
    await say(manager, read(await newest(), crypto.randomUUID()))
    await say(manager, read(crypto.randomUUID()))
    await say(manager, { type: 'read', payload: {} })
    expect([reader.socket, manager].map(errorsOf)).toEqual([
      ['forbidden'],
      ['not_found', 'bad_request', 'bad_request'],
    ])
    expect(await inbox.of(0)).toMatchObject({ unread_count: 1 })
    await reader.socket.close()
  })

  test('is judged by the rights of this moment', async () => {
    const colleague = await inbox.colleague(...SEES_ALL)
    colleague.may('messages:read', 'contacts:read', 'contacts:read_all')
    await say(colleague.socket, read(await newest()))
    expect(errorsOf(colleague.socket)).toEqual(['forbidden'])
    await colleague.socket.close()
  })

  test('of an API key is forbidden', async () => {
    const owner = await inbox.world.as('admin')
    const { data } = await owner.post('/api/api-keys', {
      name: 'Desk',
      permissions: ['messages:read', 'messages:create', 'contacts:read', 'contacts:read_all'],
    })
    const key = inbox.world.anyone.with({ 'x-api-key': String(data['key']) })
    const { ticket } = (await key.post('/api/auth/ws-ticket')).data
    const { TestSocket: Socket } = await import('../../../support/socket')
    const socket = await Socket.open(
      `${inbox.world.url.replace('http', 'ws')}/ws?ticket=${String(ticket)}`,
    )
    await say(socket, read(await newest()))
    await say(socket, doing('viewing'))
    expect(errorsOf(socket)).toEqual(['forbidden', 'forbidden'])
    await socket.close()
  })
})

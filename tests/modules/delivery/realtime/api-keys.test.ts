import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { keyOf, type KeyHolder } from '../../../support/keys'
import { personWith } from '../../../support/people'
import { RawSocket } from '../../../support/raw-socket'
import { TestSocket } from '../../../support/socket'
import { World } from '../../../support/world'
import { changeRows } from '../../../support/sql'

let world: World
let opened: TestSocket[]

beforeEach(async () => {
  world = await World.create()
  opened = []
})
afterEach(async () => {
  await Promise.all(opened.map((socket) => socket.close()))
  await world.stop()
})

const READER = ['contacts:read', 'contacts:read_all', 'messages:read']
const sweep = (): void => {
  world.program.realtime.sockets.sweep()
  world.program.realtime.sockets.sweep()
}
const ticketOf = async ({ client }: KeyHolder): Promise<string> =>
  String((await client.post('/api/auth/ws-ticket')).data['ticket'])

async function connect(holder: KeyHolder, query = ''): Promise<TestSocket> {
  const socket = await TestSocket.open(
    `${world.url.replace('http', 'ws')}/ws?ticket=${await ticketOf(holder)}${query}`,
  )
  opened.push(socket)
  return socket
}

const closing = async (socket: TestSocket): Promise<number | undefined> => {
  await socket.until('the close', () => socket.closed !== null)
  return socket.closed?.code
}
const typesOf = async (socket: TestSocket): Promise<string[]> =>
  (await socket.caughtUp()).map(({ type }) => type)
const refusedTicket = async (ticket: string) => {
  const { status, body } = await world.anyone.get(`/ws?ticket=${ticket}`)
  return [status, body.code]
}

describe('an API key', () => {
  test('opens a socket with a ticket and receives what it may read', async () => {
    const holder = await keyOf(world, { permissions: READER })
    const socket = await connect(holder)
    await world.contactOf(world.tenant, 'for the bot')
    await world.contactOf(world.other, 'not for the bot')
    expect(await typesOf(socket)).toEqual(['contact:new', 'message:new', 'conversation:updated'])
    expect(socket.events('message:new')[0]?.payload).toMatchObject({
      content: { text: 'for the bot' },
    })
    expect((await socket.ask({ type: 'hello' })).payload).toMatchObject({
      user_id: world.tenant.userIds.admin,
      api_key_id: holder.id,
      organization_id: world.tenant.id,
      expires_at: null,
      visibility: 'all',
    })
  })

  test('appears as null on the socket of a person', async () => {
    const socket = await world.socket('admin')
    expect((await socket.ask({ type: 'hello' })).payload['api_key_id']).toBeNull()
  })

  test('receives events of its own permissions only', async () => {
    const socket = await connect(
      await keyOf(world, { permissions: ['contacts:read', 'contacts:read_all'] }),
    )
    await world.contactOf()
    expect(await typesOf(socket)).toEqual(['contact:new'])
  })

  test('without contacts:read_all receives only events of contacts assigned to its owner', async () => {
    const socket = await connect(
      await keyOf(world, { permissions: ['contacts:read', 'messages:read'] }),
    )
    const contact = await world.contactOf()
    expect(await typesOf(socket)).toEqual([])
    await (
      await world.as('admin')
    ).put(`/api/contacts/${contact['id']}/assign`, { user_id: world.tenant.userIds.admin })
    expect(
      new Set(
        (await socket.caughtUp()).map(({ payload }) => payload['contact_id'] ?? payload['id']),
      ),
    ).toEqual(new Set([contact['id']]))
    expect((await socket.ask({ type: 'hello' })).payload['visibility']).toBe('assigned')
  })

  test('catches up on missed events', async () => {
    const holder = await keyOf(world, { permissions: READER })
    await world.contactOf(world.tenant, 'while it was away')
    const socket = await connect(holder, '&since=0')
    await socket.until('the end of the replay', () =>
      socket.frames.some(({ type }) => type === 'resumed' || type === 'resync'),
    )
    expect(
      socket.events('message:new').map(({ payload, replayed }) => [payload['content'], replayed]),
    ).toEqual([[{ text: 'while it was away' }, true]])
  })

  test('subscribes to a visible contact', async () => {
    const socket = await connect(await keyOf(world, { permissions: READER }))
    const topic = `contact:${(await world.contactOf())['id']}`
    expect((await socket.ask({ type: 'subscribe', payload: { topics: [topic] } })).payload).toEqual(
      { topics: [topic] },
    )
  })

  test('receives nothing addressed to its owner, live or in a replay', async () => {
    const owner = await personWith(world, ['api_keys:create', 'contacts:read'])
    const admin = await world.as('admin')
    const holder = await keyOf(world, { permissions: ['contacts:read'] }, owner.client)
    const socket = await connect(holder)
    const human = await TestSocket.open(
      `${world.url.replace('http', 'ws')}/ws?token=${owner.client.token}`,
    )
    opened.push(human)
    await admin.put(`/api/users/${owner.userId}`, { full_name: 'Renamed Owner' })
    await admin.post(`/api/users/${owner.userId}/reset-password`)
    await world.settle()
    await owner.client.put('/api/me/availability', { is_available: false })
    expect((await human.caughtUp()).map(({ type }) => type)).toContain('member:updated')
    expect(await typesOf(socket)).toEqual([])
    const later = await connect(holder, '&since=0')
    await later.until('the end of the replay', () =>
      later.frames.some(({ type }) => type === 'resumed' || type === 'resync'),
    )
    expect(later.events().map(({ type }) => type)).toEqual([])
  })

  test('is told that its permissions have changed, and the reason', async () => {
    const holder = await keyOf(world, { permissions: READER })
    const other = await connect(await keyOf(world, { permissions: READER }))
    const human = await world.socket('admin')
    const socket = await connect(holder)
    await (
      await world.as('admin')
    ).put(`/api/api-keys/${holder.id}`, { permissions: ['contacts:read'] })
    const [frame] = (await socket.caughtUp()).filter(({ type }) => type === 'permissions:updated')
    expect(frame?.payload).toMatchObject({
      permissions: ['contacts:read'],
      visibility: 'assigned',
      reason: 'key_edited',
      role_name: 'admin',
    })
    expect(await typesOf(other)).toEqual([])
    expect(await typesOf(human)).toEqual([])
    await world.contactOf()
    expect(socket.events('message:new')).toEqual([])
  })

  test('is told that its owner has fewer permissions', async () => {
    const admin = await world.as('admin')
    const role = (
      await admin.post('/api/roles', { name: 'Maker', permissions: ['api_keys:create', ...READER] })
    ).data
    const { userId, email } = await personWith(world, [])
    await admin.put(`/api/users/${userId}`, { role_id: role['id'] })
    const socket = await connect(
      await keyOf(world, { permissions: READER }, await world.signIn(email)),
    )
    await admin.put(`/api/roles/${role['id']}`, {
      permissions: ['api_keys:create', 'contacts:read'],
    })
    expect(
      (await socket.caughtUp()).find(({ type }) => type === 'permissions:updated')?.payload,
    ).toMatchObject({
      permissions: ['contacts:read'],
      visibility: 'assigned',
      reason: 'role_edited',
    })
  })

  test('uses the visibility of its new owner after a takeover', async () => {
    const owner = await personWith(world, ['api_keys:create', ...READER])
    const holder = await keyOf(world, { permissions: READER }, owner.client)
    const socket = await connect(holder)
    await (await world.as('admin')).post(`/api/api-keys/${holder.id}/take-over`)
    expect((await socket.caughtUp()).map(({ type }) => type)).toEqual(['permissions:updated'])
    sweep()
    expect((await socket.ask({ type: 'hello' })).payload['user_id']).toBe(
      world.tenant.userIds.admin,
    )
  })

  test('accepts no token on its socket', async () => {
    const socket = await connect(await keyOf(world, { permissions: READER }))
    const { token } = await world.as('admin')
    expect((await socket.ask({ type: 'auth', payload: { token } })).payload['code']).toBe(
      'forbidden',
    )
  })

  test("has five sockets apart from its owner's", async () => {
    await using small = await World.create({ isConnected: false, env: { WS_PER_USER: '1' } })
    const holder = await keyOf(small, { permissions: READER })
    const upgrade = async (): Promise<TestSocket> =>
      TestSocket.open(`${small.url.replace('http', 'ws')}/ws?ticket=${await ticketOf(holder)}`)
    const sockets = [await small.socket('admin')]
    for (let n = 0; n < 5; n += 1) sockets.push(await upgrade())
    const { answer } = await RawSocket.ask(small.url, `/ws?ticket=${await ticketOf(holder)}`)
    expect([answer.status, answer.body?.code]).toEqual([429, 'too_many_sockets'])
    await Promise.all(sockets.map((socket) => socket.close()))
  })
})

describe('the socket of an API key closes with 4403', () => {
  const endings: [what: string, end: (holder: KeyHolder) => unknown][] = [
    ['it is revoked', async ({ id }) => (await world.as('admin')).delete(`/api/api-keys/${id}`)],
    [
      'it is switched off',
      async ({ id }) => (await world.as('admin')).put(`/api/api-keys/${id}`, { is_active: false }),
    ],
    ['it expires', () => world.clock.advance({ minutes: 30 })],
    [
      'its owner is suspended',
      () =>
        changeRows(
          world.program.http.db.sqlite,
          'update memberships set is_active = 0 where user_id = ?',
          [world.tenant.userIds.manager],
        ),
    ],
  ]
  test.each(endings)('when %s, and its unused tickets become invalid', async (_, end) => {
    const expires_at = new Date(world.clock.nowMs() + 30 * 60_000).toISOString()
    const made = await keyOf(world, { permissions: READER, expires_at })
    changeRows(
      world.program.http.db.sqlite,
      `update api_keys set owner_user_id = ?1, owner_membership_id = (select id from memberships where user_id = ?1) where id = ?2`,
      [world.tenant.userIds.manager, made.id],
    )
    const socket = await connect(made)
    expect((await socket.ask({ type: 'hello' })).payload['expires_at']).toBe(expires_at)
    const ticket = await ticketOf(made)
    await end(made)
    sweep()
    expect(await closing(socket)).toBe(4403)
    expect((await refusedTicket(ticket))[0]).toBe(401)
  })
})

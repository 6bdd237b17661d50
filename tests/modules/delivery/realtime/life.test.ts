import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { emit } from '../../../../src/infra/outbox/events'
import { systemCtx } from '../../../../src/infra/ctx'
import { transact } from '../../../../src/infra/db/transact'
import { MessageReceived } from '../../../../src/modules/inbox/messages/events'
import { personWith } from '../../../support/people'
import { RawSocket } from '../../../support/raw-socket'
import { TestSocket } from '../../../support/socket'
import { World } from '../../../support/world'
import { changeRows } from '../../../support/sql'

let world: World

beforeEach(async () => {
  world = await World.create()
})
afterEach(() => world.stop())

const sweep = (): void => world.program.realtime.sockets.sweep()
const run = (sql: string, ...values: string[]): void => {
  changeRows(world.program.http.db.sqlite, sql, values)
}
const closing = async (socket: TestSocket): Promise<number | undefined> => {
  await socket.until('the close', () => socket.closed !== null)
  return socket.closed?.code
}
const isAlive = async (socket: TestSocket): Promise<boolean> =>
  (await socket.ask({ type: 'ping' })).type === 'pong'

describe('a socket closes', () => {
  test('with 4401 when the token expires, not earlier', async () => {
    const socket = await world.socket('agent')
    world.clock.advance({ minutes: 59, seconds: 59 })
    sweep()
    expect(await isAlive(socket)).toBe(true)
    world.clock.advance({ seconds: 1 })
    sweep()
    expect(await closing(socket)).toBe(4401)
  })

  test('with 4401 when its session ends, while sockets of other sessions stay', async () => {
    const socket = await world.socket('agent')
    const other = await world.signIn(world.emailOf('agent', world.tenant))
    const stays = await TestSocket.open(
      `${world.url.replace('http', 'ws')}/ws?token=${other.token}`,
    )
    await (await world.as('agent')).post('/api/auth/logout')
    sweep()
    expect(await closing(socket)).toBe(4401)
    expect(await isAlive(stays)).toBe(true)
    await stays.close()
  })

  const endings: [what: string, sql: string][] = [
    ['its membership is suspended', 'update memberships set is_active = 0 where user_id = ?'],
    ['its membership is removed', 'delete from memberships where user_id = ?'],
    ['its user is disabled', 'update users set is_disabled = 1 where id = ?'],
  ]
  test.each(endings)('%s: with 4403, while others stay', async (_, sql) => {
    const socket = await world.socket('agent')
    const stays = await world.socket('manager')
    run(sql, world.tenant.userIds.agent)
    sweep()
    expect(await closing(socket)).toBe(4403)
    expect(await isAlive(stays)).toBe(true)
  })

  test('within two rechecks if there are many', async () => {
    await using crowd = await World.create({ isConnected: false, env: { WS_PER_USER: '400' } })
    const sockets = await Promise.all(Array.from({ length: 210 }, () => crowd.socket('agent')))
    crowd.clock.advance({ minutes: 61 })
    crowd.program.realtime.sockets.sweep()
    crowd.program.realtime.sockets.sweep()
    expect(new Set(await Promise.all(sockets.map(closing)))).toEqual(new Set([4401]))
  })
})

describe('permission changes on an open socket', () => {
  test('more visibility: it receives events of every contact from the next recheck', async () => {
    const person = await personWith(world, ['contacts:read', 'messages:read'])
    const socket = await TestSocket.open(
      `${world.url.replace('http', 'ws')}/ws?token=${person.client.token}`,
    )
    await world.contactOf(world.tenant, 'unseen')
    expect(await socket.caughtUp()).toEqual([])
    person.may('contacts:read', 'contacts:read_all', 'messages:read')
    sweep()
    await world.contactOf(world.tenant, 'seen')
    expect((await socket.caughtUp()).map(({ type }) => type)).toEqual([
      'contact:new',
      'message:new',
      'conversation:updated',
    ])
    expect((await socket.ask({ type: 'hello' })).payload['visibility']).toBe('all')
    await socket.close()
  })

  test('an edited role applies from the next event to all sockets of the organization', async () => {
    await using crowd = await World.create({ env: { WS_PER_USER: '400' } })
    const admin = await crowd.as('admin')
    const role = await admin.post('/api/roles', {
      name: 'Reader',
      permissions: ['contacts:read', 'messages:read'],
    })
    const { userId, email } = await personWith(crowd, [])
    await admin.put(`/api/users/${userId}`, { role_id: role.data['id'] })
    const { token } = await crowd.signIn(email)
    const sockets = await Promise.all(
      Array.from({ length: 100 }, () =>
        TestSocket.open(`${crowd.url.replace('http', 'ws')}/ws?token=${token}`),
      ),
    )
    const news = async (): Promise<Set<number>> => {
      await crowd.contactOf()
      return new Set(
        await Promise.all(
          sockets.map(
            async (socket) => (await socket.caughtUp()) && socket.events('message:new').length,
          ),
        ),
      )
    }
    expect(await news()).toEqual(new Set([0]))
    await admin.put(`/api/roles/${role.data['id']}`, {
      permissions: ['contacts:read', 'contacts:read_all', 'messages:read'],
    })
    expect(await news()).toEqual(new Set([1]))
    await admin.put(`/api/roles/${role.data['id']}`, {
      permissions: ['contacts:read', 'contacts:read_all'],
    })
    expect(await news()).toEqual(new Set([1]))
    await Promise.all(sockets.map((socket) => socket.close()))
  }, 60_000)

  test('fewer permissions: message events stop, others continue', async () => {
    const person = await personWith(world, ['contacts:read', 'contacts:read_all', 'messages:read'])
    const socket = await TestSocket.open(
      `${world.url.replace('http', 'ws')}/ws?token=${person.client.token}`,
    )
    person.may('contacts:read', 'contacts:read_all')
    sweep()
    await world.contactOf()
    expect((await socket.caughtUp()).map(({ type }) => type)).toEqual(['contact:new'])
    await socket.close()
  })

  test('another role applies to the socket', async () => {
    const socket = await world.socket('manager')
    run(
      'update memberships set role_id = ? where user_id = ?',
      world.tenant.roleIds.agent,
      world.tenant.userIds.manager,
    )
    sweep()
    await world.contactOf()
    expect(await socket.caughtUp()).toEqual([])
    expect((await socket.ask({ type: 'hello' })).payload['visibility']).toBe('assigned')
  })

  test('a recheck without changes sends each event once', async () => {
    const socket = await world.socket('manager')
    for (let nth = 0; nth < 5; nth += 1) sweep()
    await world.contactOf()
    expect((await socket.caughtUp()).map(({ type }) => type)).toEqual([
      'contact:new',
      'message:new',
      'conversation:updated',
    ])
  })
})

describe('many writes', () => {
  test('400 at once arrive in order, each once', async () => {
    const [manager, admin] = [await world.socket('manager'), await world.socket('admin')]
    const customers = Array.from({ length: 20 }, () =>
      world.simulator.customer({ phone: world.tenant.phoneId }),
    )
    const said = customers.flatMap((customer) =>
      Array.from({ length: 20 }, (_, nth) => customer.says(`text ${nth}`)),
    )
    await Promise.all([Promise.all(said), world.settle()])
    await world.settle()
    const logged = world.rows<{ seq: number }>(
      "select seq from events where organization_id = ? and type <> 'account.changed' order by position",
      world.tenant.id,
    )
    for (const socket of [manager, admin]) {
      await socket.caughtUp()
      expect(socket.events('message:new')).toHaveLength(400)
      expect(socket.events().map(({ seq }) => seq)).toEqual(logged.map(({ seq }) => seq))
    }
  }, 60_000)
})

describe('a slow consumer', () => {
  /** Announces a message so many times again. */
  const announce = (at: World, messageId: string, contactId: string, times: number): void => {
    const ctx = systemCtx(at.program.http, at.tenant.id)
    transact(ctx.db, (tx) => {
      for (let nth = 0; nth < times; nth += 1)
        emit(tx, ctx, MessageReceived, { contactId, payload: { messageId, contactId } })
    })
  }
  const longMessage = async (at: World): Promise<{ messageId: string; contactId: string }> => {
    const contact = await at.contactOf(at.tenant, '🍕'.repeat(4_096))
    const [row] = at.rows<{ id: string }>('select id from messages')
    return { messageId: row?.id ?? '', contactId: contact['id'] as string }
  }

  test('is closed if it never reads, while others receive everything', async () => {
    const { messageId, contactId } = await longMessage(world)
    const fast = await world.socket('manager')
    const { socket: slow } = await RawSocket.ask(
      world.url,
      `/ws?token=${(await world.as('admin')).token}`,
    )
    slow.pause()
    for (let round = 0; round < 100; round += 1) {
      announce(world, messageId, contactId, 20)
      world.clock.advance({ ms: 100 })
      await fast.caughtUp()
    }
    expect(fast.events('message:new')).toHaveLength(2_000)
    const seqs = fast.events().map(({ seq }) => seq ?? 0)
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
    await slow.drainUntilClosed()
    expect(slow.isClosed).toBe(true)
  }, 60_000)

  test('receives everything if it pauses during its replay and continues', async () => {
    const { messageId, contactId } = await longMessage(world)
    announce(world, messageId, contactId, 2_000)
    world.program.relay.drain()
    const { socket } = await RawSocket.ask(
      world.url,
      `/ws?token=${(await world.as('admin')).token}&since=0`,
    )
    socket.pause()
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    world.clock.advance({ seconds: 4 })
    expect(await socket.readUntil('"type":"resumed"')).toBeGreaterThan(8 * 1024 * 1024)
    socket.end()
  }, 60_000)

  test('is closed after five seconds without reading during its replay and frees its slot', async () => {
    await using narrow = await World.create({ env: { WS_PER_USER: '1' } })
    const { messageId, contactId } = await longMessage(narrow)
    announce(narrow, messageId, contactId, 2_000)
    narrow.program.relay.drain()
    const admin = await narrow.as('admin')
    const ask = (query: string) => RawSocket.ask(narrow.url, `/ws?token=${admin.token}${query}`)
    const { socket: slow } = await ask('&since=0')
    slow.pause()
    const statuses = new Set<number>()
    for (let nth = 0; nth < 10_000 && !statuses.has(101); nth += 1) {
      narrow.clock.advance({ ms: 100 })
      const { socket, answer } = await ask('')
      statuses.add(answer.status)
      socket.end()
    }
    expect([...statuses]).toEqual([429, 101])
    await slow.drainUntilClosed()
    expect(slow.isClosed).toBe(true)
  }, 60_000)
})

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { systemCtx } from '../../../../src/infra/ctx'
import { transact } from '../../../../src/infra/db/transact'
import { emit } from '../../../../src/infra/outbox/events'
import { AccountChanged } from '../../../../src/modules/channel/accounts/events'
import { ContactChanged } from '../../../../src/modules/inbox/contacts/events'
import type { TestSocket } from '../../../support/socket'
import { World } from '../../../support/world'

let world: World

beforeEach(async () => {
  world = await World.create()
})
afterEach(() => world.stop())

/** Events of the cheapest kind, through the real log. */
const happen = (count: number, tenant = world.tenant): void => {
  const ctx = systemCtx(world.program.http, tenant.id)
  transact(ctx.db, (tx) => {
    for (let nth = 0; nth < count; nth += 1)
      emit(tx, ctx, AccountChanged, {
        contactId: null,
        payload: { accountId: tenant.accountId ?? '', changed: ['name'], isConnected: false },
      })
  })
}
const head = (tenant = world.tenant): number =>
  world.rows<{ seq: number }>('select seq from event_heads where organization_id = ?', tenant.id)[0]
    ?.seq ?? 0
const resumed = (socket: TestSocket) => socket.next('resumed', ({ type }) => type === 'resumed')
const hasResumed = (socket: TestSocket): boolean =>
  socket.frames.some(({ type }) => type === 'resumed')

/**
 * Counts how often the identities of a contact are read, which each rendered frame about a contact
 * does once.
 */
async function readsDuring(work: () => Promise<unknown>): Promise<number> {
  const { sqlite, statements } = world.program.http.db
  statements.clear() // compiled statements are prepared again
  const query = sqlite.query.bind(sqlite)
  let reads = 0
  sqlite.query = ((text: string) => {
    const statement = query(text)
    if (!text.includes('from "contact_identities" where')) return statement
    const values = statement.values.bind(statement)
    statement.values = (...args) => {
      reads += 1
      return values(...args)
    }
    return statement
  }) as typeof query
  await work()
  sqlite.query = query
  return reads
}

/** Events about a contact. */
async function happenTo(count: number): Promise<void> {
  const ctx = systemCtx(world.program.http, world.tenant.id)
  const contactId = String((await world.contactOf())['id'])
  transact(ctx.db, (tx) => {
    for (let nth = 0; nth < count; nth += 1)
      emit(tx, ctx, ContactChanged, {
        contactId,
        payload: { contactId, changed: ['name'], lostBy: [] },
      })
  })
  world.program.relay.drain()
}

describe('sockets that reconnect together', () => {
  test('share the reading and rendering of events, wherever each continues', async () => {
    await happenTo(300)
    const since = head() - 300
    await world.as('manager')
    const sockets: TestSocket[] = []
    const reads = await readsDuring(async () => {
      const all = [0, 0, 0, 0, 100, 200].map((later) =>
        world.socket('manager', world.tenant, `&since=${since + later}`),
      )
      sockets.push(...(await Promise.all(all)))
      await Promise.all(sockets.map(resumed))
    })
    const counts = sockets.map((socket) => socket.events().length)
    expect(counts).toEqual([300, 300, 300, 300, 200, 100])
    for (const socket of sockets)
      expect(socket.events().map(({ seq }) => seq)).toEqual(
        socket.events().map((_, nth) => head() - socket.events().length + 1 + nth),
      )
    // Alone each socket would have read one for each of its events.
    expect(reads).toBeLessThan(1_500 / 2)
    expect(reads).toBeGreaterThanOrEqual(300)
  })

  test('receive the first events before any has all, while other requests are answered', async () => {
    happen(4_000)
    const since = head() - 4_000
    const other = await world.as('agent', world.other)
    const sockets = await Promise.all(
      Array.from({ length: 5 }, () => world.socket('manager', world.tenant, `&since=${since}`)),
    )
    const answered: boolean[] = []
    while (!sockets.every((socket) => socket.events().length > 0)) {
      expect((await other.get('/api/me')).status).toBe(200)
      answered.push(sockets.some(hasResumed))
    }
    expect(answered).not.toContain(true)
    for (const socket of sockets)
      expect((await resumed(socket)).payload).toMatchObject({ count: 4_000 })
  })

  test('of many organizations are all served, two at a time', async () => {
    happen(600)
    happen(600, world.other)
    const sockets = [
      ...(await Promise.all(
        (['admin', 'manager'] as const).map((role) => world.socket(role, world.tenant, '&since=0')),
      )),
      ...(await Promise.all(
        (['admin', 'manager'] as const).map((role) => world.socket(role, world.other, '&since=0')),
      )),
    ]
    const counts = await Promise.all(
      sockets.map(async (socket) => (await resumed(socket)).payload['count'] as number),
    )
    expect(counts).toEqual([head(), head(), head(world.other), head(world.other)])
  })

  test('are told at once to reload if they missed too much, without rendering', async () => {
    await happenTo(5_001)
    await world.as('manager')
    const sockets: TestSocket[] = []
    const reads = await readsDuring(async () => {
      const all = [0, 0, 0].map(() =>
        world.socket('manager', world.tenant, `&since=${head() - 5_001}`),
      )
      sockets.push(...(await Promise.all(all)))
      for (const socket of sockets)
        expect(
          (await socket.next('resync', ({ type }) => type === 'resync')).payload,
        ).toMatchObject({ reason: 'too_many', seq: head() })
    })
    expect([reads, ...sockets.map((socket) => socket.events().length)]).toEqual([0, 0, 0, 0])
  })
})

describe('the rate limits of sockets and pings', () => {
  test('allow three sockets for ten requests a minute, apart from other callers and requests', async () => {
    await using own = await World.create({ env: { RATE_STANDARD: '10' } })
    const { token } = await own.as('agent')
    const open = async (bearer: string): Promise<Response | null> => {
      const answer = await fetch(`${own.url}/ws?token=${bearer}`, { headers: UPGRADE })
      return answer.status === 101 ? null : answer
    }
    for (let nth = 0; nth < 3; nth += 1) await (await own.socket('agent')).close()
    const refused = await open(token)
    expect([refused?.status, await refused?.json()]).toMatchObject([429, { code: 'rate_limited' }])
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(50)
    await (await own.socket('manager')).close()
    expect((await (await own.as('agent')).get('/api/me')).status).toBe(200)
    own.clock.advance({ seconds: 61 })
    await (await own.socket('agent')).close()
  })

  test('count pings of the protocol as frames', async () => {
    const socket = await world.socket('manager')
    for (let nth = 0; nth < 43; nth += 1) (socket.socket as unknown as { ping: () => void }).ping()
    await socket.until('the close', () => socket.closed !== null)
    expect(socket.closed?.code).toBe(4429)
  })
})

const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

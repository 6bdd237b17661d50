import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { transact } from '../../../../src/infra/db/transact'
import { systemCtx } from '../../../../src/infra/ctx'
import { emit } from '../../../../src/infra/outbox/events'
import { pruneEvents } from '../../../../src/infra/outbox/relay'
import { AccountChanged } from '../../../../src/modules/channel/accounts/events'
import type { TestSocket } from '../../../support/socket'
import { World } from '../../../support/world'

let world: World

beforeEach(async () => {
  world = await World.create()
})
afterEach(() => world.stop())

/** Events of the cheapest kind, through the real log, in one transaction. */
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
const seqsOf = (socket: TestSocket): number[] => socket.events().map(({ seq }) => seq ?? 0)
const from = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, nth) => first + nth)

const control = (socket: TestSocket, type: 'resumed' | 'resync') =>
  socket.next(type, (frame) => frame.type === type)

test('a socket that is opened with the position of GET /api/me misses nothing since', async () => {
  happen(2)
  const { events } = (await (await world.as('manager')).get('/api/me')).data as {
    events: { log: string; seq: number }
  }
  expect(events.seq).toBe(head())
  happen(3)
  const query = `&since=${events.seq}&log=${events.log}`
  const socket = await world.socket('manager', world.tenant, query)
  await control(socket, 'resumed')
  expect(seqsOf(socket)).toEqual(from(events.seq + 1, events.seq + 3))
})

describe('a socket that reconnects', () => {
  test('with since in the query gets missed events, marked, then resumed, then live events', async () => {
    happen(5)
    const last = head()
    const socket = await world.socket('manager', world.tenant, `&since=${last - 3}`)
    const resumed = await control(socket, 'resumed')
    expect(resumed).toMatchObject({ seq: null, payload: { from: last - 3, to: last, count: 3 } })
    expect(seqsOf(socket)).toEqual(from(last - 2, last))
    expect(socket.events().map(({ replayed }) => replayed)).toEqual([true, true, true])
    expect(socket.frames.at(-1)).toBe(resumed)

    happen(2)
    await socket.caughtUp()
    expect(seqsOf(socket)).toEqual(from(last - 2, last + 2))
    expect(socket.events().map((frame) => 'replayed' in frame)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
  })

  test('with the newest sequence number has missed nothing', async () => {
    const socket = await world.socket('manager', world.tenant, `&since=${head()}`)
    expect((await control(socket, 'resumed'))?.payload).toEqual({
      from: head(),
      to: head(),
      count: 0,
    })
    expect(socket.events()).toEqual([])
  })

  test('with a resume frame gets the same, and the response names the frame', async () => {
    happen(4)
    const last = head()
    const socket = await world.socket('manager')
    const answer = await socket.ask({
      type: 'resume',
      payload: { since: last - 2, log: world.program.realtime.logId },
    })
    expect(answer).toMatchObject({
      type: 'resumed',
      payload: { from: last - 2, to: last, count: 2 },
    })
    expect(seqsOf(socket)).toEqual([last - 1, last])
  })

  test('with a resume frame after live events gets none of them twice', async () => {
    happen(4)
    const last = head()
    const socket = await world.socket('manager')
    happen(3)
    await socket.caughtUp()
    const answer = await socket.ask({ type: 'resume', payload: { since: last - 2 } })
    happen(2)
    await socket.caughtUp()
    expect(answer).toMatchObject({
      type: 'resumed',
      payload: { from: last - 2, to: last + 3, count: 2 },
    })
    expect(seqsOf(socket).toSorted((a, b) => a - b)).toEqual(from(last - 1, last + 5))
  })

  test.each(['with since in the query', 'without', 'with a frame'])(
    '%s is closed while nothing can be stored, without an error of its own in the log',
    async (how) => {
      const { sqlite } = world.program.http.db
      const open = await world.socket('manager')
      const before = head()
      happen(2)
      sqlite.run('pragma query_only = on')
      const since = how === 'with since in the query' ? `&since=${before}` : ''
      const socket =
        how === 'with a frame' ? open : await world.socket('manager', world.tenant, since)
      if (how === 'with a frame') socket.say({ type: 'resume', payload: { since: before } })
      await socket.until('the close', () => socket.closed !== null)
      sqlite.run('pragma query_only = off')
      expect(socket.closed?.code).toBe(1011)
      expect(world.logLines.filter((line) => line.includes('WebSocket connection failed'))).toEqual(
        [],
      )
      const again = await world.socket('manager', world.tenant, `&since=${before}`)
      expect((await control(again, 'resumed'))?.payload).toMatchObject({ count: 2 })
    },
  )

  test('gets more than one page, without invisible events counting', async () => {
    happen(600)
    const agentless = await world.socket('manager', world.tenant, '&since=0')
    expect((await control(agentless, 'resumed'))?.payload).toMatchObject({
      from: 0,
      to: head(),
      count: head(),
    })
    expect(seqsOf(agentless)).toEqual(from(1, head()))
    await world.contactOf()
    const agent = await world.socket('agent', world.tenant, `&since=${head() - 2}`)
    expect((await control(agent, 'resumed'))?.payload).toEqual({
      from: head() - 2,
      to: head(),
      count: 0,
    })
  })

  test('that asks for its position during the replay is told it afterwards', async () => {
    happen(1_500)
    const socket = await world.socket('manager', world.tenant, '&since=0')
    const [pong, ready] = [await socket.ask({ type: 'ping' }), await socket.ask({ type: 'hello' })]
    const order = socket.frames.map(({ type }) => type).filter((type) => type !== 'account:updated')
    expect(order).toEqual(['resumed', 'pong', 'ready'])
    expect(socket.frames.indexOf(pong)).toBe(head() + 1)
    expect([pong.payload['seq'], ready.payload['seq']]).toEqual([head(), head()])
  })

  test('misses and repeats nothing while 500 messages arrive', async () => {
    happen(510)
    const customers = Array.from({ length: 10 }, () =>
      world.simulator.customer({ phone: world.tenant.phoneId }),
    )
    const sockets: TestSocket[] = []
    for (let round = 0; round < 10; round += 1) {
      const said = Promise.all(
        customers.flatMap((customer) =>
          Array.from({ length: 5 }, (_, nth) => customer.says(`${round} ${nth}`)),
        ),
      )
      if (round % 2 === 0)
        sockets.push(await world.socket('manager', world.tenant, `&since=${round * 60}`))
      if (round % 2 === 1) {
        const socket = await world.socket('manager')
        socket.say({ type: 'resume', payload: { since: round * 60 } })
        sockets.push(socket)
      }
      await Promise.all([said, world.settle()])
    }
    await world.settle()
    expect(world.rows('select 1 from messages').length).toBe(500)
    for (const [nth, socket] of sockets.entries()) {
      await control(socket, 'resumed')
      await socket.caughtUp()
      const heard = seqsOf(socket)
      expect(heard.length).toBe(new Set(heard).size)
      expect(heard.toSorted((a, b) => a - b)).toEqual(from(nth * 60 + 1, head()))
      if (nth % 2 === 0) expect(heard).toEqual(heard.toSorted((a, b) => a - b))
    }
  }, 20_000)

  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  test.each([
    ['with since in the query', true, true],
    ['with since in the query', true, false],
    ['with a frame', false, true],
    ['with a frame', false, false],
  ])(
    '%s, and events in every turn of the replay, receives them in order and once',
    async (_, isInQuery, isRelayed) => {
      happen(1_500)
      const replayed = head()
      const socket = await world.socket('manager', world.tenant, isInQuery ? '&since=0' : '')
      if (!isInQuery) socket.say({ type: 'resume', payload: { since: 0 } })
      while (!socket.frames.some(({ type }) => type === 'resumed')) {
        happen(1)
        if (isRelayed) world.program.relay.drain()
        await turn()
      }
      happen(3)
      await socket.caughtUp()
      expect(head()).toBeGreaterThan(replayed + 3)
      expect(seqsOf(socket).toSorted((a, b) => a - b)).toEqual(from(1, head()))
      const inOrder = seqsOf(socket).slice(seqsOf(socket).indexOf(1))
      expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b))
    },
  )

  test('continues exactly where its connection was cut', async () => {
    const socket = await world.socket('manager')
    happen(3)
    await socket.caughtUp()
    const cursor = Math.max(...seqsOf(socket))
    const { logId } = world.program.realtime
    await socket.close()
    happen(4)
    const again = await world.socket('manager', world.tenant, `&since=${cursor}&log=${logId}`)
    await control(again, 'resumed')
    expect(seqsOf(again)).toEqual(from(cursor + 1, head()))
  })
})

describe('a log that cannot continue a socket', () => {
  const expectResync = async (socket: TestSocket, reason: string): Promise<void> => {
    const frame = await control(socket, 'resync')
    expect(frame?.payload).toEqual({
      reason,
      seq: head(),
      oldest_seq: world.rows<{ oldest_seq: number }>(
        'select oldest_seq from event_heads where organization_id = ?',
        world.tenant.id,
      )[0]?.oldest_seq,
      log: world.program.realtime.logId,
    })
    expect(socket.events()).toEqual([])
    const before = head()
    happen(2)
    await socket.caughtUp()
    expect(seqsOf(socket)).toEqual([before + 1, before + 2])
  }
  const prune = (): void => {
    world.program.relay.drain()
    world.clock.advance({ hours: 25 })
    while (pruneEvents(world.program.http) > 0);
  }

  test('ahead: the number is above the newest one', async () => {
    await expectResync(await world.socket('manager', world.tenant, `&since=${head() + 1}`), 'ahead')
  })

  test('log_changed: the number is of another log', async () => {
    happen(3)
    await expectResync(
      await world.socket('manager', world.tenant, `&since=1&log=${crypto.randomUUID()}`),
      'log_changed',
    )
  })

  test('too_old: events after the number are no longer kept', async () => {
    happen(5)
    const pruned = head()
    prune()
    happen(3)
    await expectResync(
      await world.socket('manager', world.tenant, `&since=${pruned - 1}`),
      'too_old',
    )
  })

  test('too_old: missed events are deleted while they are read', async () => {
    const since = head()
    happen(4_000)
    world.program.relay.drain()
    world.clock.advance({ hours: 25 })
    const { sockets } = world.program.realtime
    await world.as('manager')
    const coming = world.socket('manager', world.tenant, `&since=${since}`)
    while (sockets.count().all === 0) await new Promise((resolve) => setImmediate(resolve))
    while (pruneEvents(world.program.http) > 0);
    await expectResync(await coming, 'too_old')
  })

  test('continues from the oldest event kept', async () => {
    happen(5)
    const pruned = head()
    prune()
    happen(3)
    const socket = await world.socket('manager', world.tenant, `&since=${pruned}`)
    expect((await control(socket, 'resumed'))?.payload).toEqual({
      from: pruned,
      to: pruned + 3,
      count: 3,
    })
  })

  test('too_many: more than 5,000 visible events', async () => {
    happen(5_001)
    await expectResync(
      await world.socket('manager', world.tenant, `&since=${head() - 5_001}`),
      'too_many',
    )
  })

  test('replays exactly 5,000 events, among others that are not visible', async () => {
    await world.contactOf()
    happen(5_000)
    const socket = await world.socket('agent', world.tenant, `&since=${head() - 5_002}`)
    expect((await control(socket, 'resumed'))?.payload).toMatchObject({ count: 5_000 })
  })

  test('gives the reasons to the frame too, and live events continue', async () => {
    const socket = await world.socket('manager')
    const answer = await socket.ask({ type: 'resume', payload: { since: head() + 1 } })
    expect(answer).toMatchObject({ type: 'resync', payload: { reason: 'ahead' } })
    happen(1)
    await socket.caughtUp()
    expect(seqsOf(socket)).toEqual([head()])
  })
})

describe('an invalid resume frame', () => {
  test.each([
    ['no payload', undefined],
    ['no since', {}],
    ['a text', { since: '5' }],
    ['a negative number', { since: -1 }],
    ['a fraction', { since: 1.5 }],
    ['above 2^53', { since: 2 ** 53 }],
    ['a log that is no UUID', { since: 0, log: 'abc' }],
  ])('%s is rejected, and a valid one is still accepted', async (_, payload) => {
    const socket = await world.socket('manager')
    const refusal = await socket.ask({ type: 'resume', payload })
    expect(refusal).toMatchObject({
      type: 'error',
      payload: { code: 'bad_request', type: 'resume' },
    })
    expect((await socket.ask({ type: 'resume', payload: { since: head() } })).type).toBe('resumed')
  })

  test.each([
    ['after a frame', ''],
    ['after since in the query', '&since=0'],
  ])('a second resume is rejected %s', async (_, query) => {
    const socket = await world.socket('manager', world.tenant, query)
    if (query === '') await socket.ask({ type: 'resume', payload: { since: 0 } })
    const refusal = await socket.ask({ type: 'resume', payload: { since: 0 } })
    expect(refusal).toMatchObject({
      type: 'error',
      payload: { code: 'already_resumed', type: 'resume' },
    })
  })
})

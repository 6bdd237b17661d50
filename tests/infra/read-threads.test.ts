import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openDb } from '../../src/infra/db/connection'
import { LaneThreads, type ReadThread, type ThreadOrder } from '../../src/infra/read/lane'
import { errorData, errorOf } from '../../src/infra/read/read-error'
import type { ReadOrder } from '../../src/infra/read/reader'
import * as errors from '../../src/lib/errors'
import { migrate } from '../../src/infra/db/migrate'
import { readInThreads } from '../../src/read-threads'
import { approvedTemplate } from '../support/campaigns'
import type { Client, Loose } from '../support/client'
import { changeRows } from '../support/sql'
import { World } from '../support/world'

describe('reads in threads', () => {
  let world: World
  let admin: Client
  let folder: string
  /** The reads that threads were told, in order. */
  const asked: string[] = []

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-read-'))
    const path = join(folder, 'db.sqlite')
    const db = openDb(path, { synchronous: 'normal', cacheMib: 8 })
    migrate(db.sqlite, { clock: { nowMs: () => Date.UTC(2026, 10, 20) } })
    world = await World.create({ db })
    readInThreads(world.program.http, path)
    world.program.http.reads.useThreads(path, () => {
      const thread = new Worker(new URL('../../src/read-worker.ts', import.meta.url).href)
      const post = thread.postMessage.bind(thread)
      thread.postMessage = (order: ThreadOrder) => {
        if (typeof order === 'object' && 'order' in order) asked.push(order.order.name)
        post(order)
      }
      return thread
    })
    admin = await world.as('admin')
  })
  afterAll(async () => {
    await world.stop()
    rmSync(folder, { recursive: true })
  })

  const create = (name: string, number: number) =>
    admin.post('/api/contacts', {
      phone_number: `+4915100${String(number).padStart(6, '0')}`,
      name,
    })

  test('see what was answered before they began', async () => {
    for (let nth = 0; nth < 50; nth += 1) {
      const { data } = await create(`Fresh${nth}`, nth)
      const found = (await admin.get(`/api/contacts?search=fresh${nth}&limit=100`)).data
      expect((found['items'] as Loose[]).map(({ id }) => id)).toContain(data['id'])
    }
  })

  test('answer with the errors of the program', async () => {
    const bad = await admin.get('/api/contacts?cursor=abc')
    expect([bad.status, bad.body['code']]).toEqual([400, 'invalid_input'])
    const nobody = '01900000-0000-7000-8000-000000000001'
    expect((await admin.get(`/api/segments/${nobody}/contacts`)).status).toBe(404)
    expect((await admin.get(`/api/analytics/messages?account_id=${nobody}`)).status).toBe(404)
    expect((await admin.get(`/api/accounts/${nobody}/health`)).status).toBe(404)
  })

  test('serve what grows with the data of an organization', async () => {
    const { accountId } = world.tenant
    const root = await world.as('super')
    const { data: endpoint } = await admin.post('/api/webhooks', {
      ...{ name: 'Shop', url: 'https://hooks.example.com/in', events: ['message.received'] },
    })
    const templateId = await approvedTemplate(world)
    const { data: campaign } = await admin.post('/api/campaigns', {
      ...{ name: 'Offer', account_id: accountId, template_id: templateId },
      variable_mapping: { '1': { field: 'name', default: 'there' } },
    })
    const { sqlite } = world.program.http.db
    changeRows(
      sqlite,
      "update campaigns set status = 'completed', started_at_ms = created_at_ms, completed_at_ms = created_at_ms",
    )
    for (const [status, reader, ask] of [
      [200, 'accounts.health', () => admin.get(`/api/accounts/${accountId}/health`)],
      [200, 'accounts.routing', () => admin.get(`/api/accounts/${accountId}/routing`)],
      [
        ...([400, 'campaigns.count-retried'] as const), // nothing to retry
        () => admin.post(`/api/campaigns/${campaign['id']}/retry-failed`, {}),
      ],
      [200, 'campaigns.funnel', () => admin.get(`/api/campaigns/${campaign['id']}/funnel`)],
      [
        ...([200, 'chatbot-settings.stats'] as const),
        () => admin.get(`/api/chatbot/settings?account_id=${accountId}`),
      ],
      [
        200,
        'chatbot-settings.stats',
        () => admin.put('/api/chatbot/settings', { ai_enabled: false }),
      ],
      [202, 'inbound.count-chosen', () => root.post('/api/inbound/replay', { state: 'done' })],
      [200, 'retention.preview', () => admin.post('/api/retention/preview', { notes_days: 90 })],
      [200, 'templates.stats', () => admin.get(`/api/templates/${templateId}/stats`)],
      [200, 'webhooks.endpoint', () => admin.get(`/api/webhooks/${endpoint['id']}`)],
    ] as const) {
      asked.length = 0
      const answer = await ask()
      expect([answer.status, asked]).toEqual([status, [reader]])
    }
  })

  test('go on while others wait for a long one to be over', async () => {
    const { reads } = world.program.http
    const { promise, resolve } = Promise.withResolvers<void>()
    const paused = reads.whilePaused(() => promise)
    expect((await admin.get('/api/contacts')).status).toBe(200)
    const report = admin.get('/api/analytics/messages')
    expect(
      await Promise.race([report.then(() => 'read'), admin.get('/api/me').then(() => 'me')]),
    ).toBe('me')
    resolve()
    await paused
    expect((await report).status).toBe(200)
  })

  test('compare the counters of campaigns at night', async () => {
    asked.length = 0
    world.clock.advance({ hours: 24 })
    await world.settle()
    expect(asked).toContain('campaigns.compare-counts')
    admin = await world.as('admin')
  })

  test('let the log be emptied while many of them run', async () => {
    let isOver = false
    const storm = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (!isOver)
          expect((await admin.get('/api/contacts?search=fresh&limit=50')).status).toBe(200)
      }),
    )
    const emptied: boolean[] = []
    for (let nth = 0; nth < 20; nth += 1) {
      await create('More', 1_000 + nth)
      emptied.push(await world.program.http.db.checkpoints.empty())
    }
    isOver = true
    await storm
    expect(emptied).toEqual(emptied.map(() => true))
  })
})

test('an error that crosses between threads is of its own class', () => {
  const all = [
    new errors.InvalidError('bad', { errors: [{ path: 'body.x', message: 'is wrong' }] }),
    new errors.UnauthorizedError(),
    new errors.ForbiddenError('no', { code: 'permission_denied' }),
    new errors.NotFoundError('Contact'),
    new errors.ConflictError('taken', { details: { id: 1 } }),
    new errors.TooLargeError(1_024),
    new errors.UnsupportedMediaTypeError(),
    new errors.RateLimitedError('slow', 3),
    new errors.UnavailableError('later', 7),
  ]
  for (const error of all) {
    const data = errorData(error)
    if (!data) throw new Error('no data')
    const crossed = errorOf(structuredClone(data))
    expect(crossed).toBeInstanceOf(error.constructor as typeof errors.AppError)
    const factsOf = ({
      message,
      httpStatus,
      code,
      details,
      errors: fields,
      headers,
    }: errors.AppError) => ({ message, httpStatus, code, details, fields, headers })
    expect(factsOf(crossed)).toEqual(factsOf(error))
  }
  expect(errorData(new TypeError('a fault'))).toBeNull()
})

/** A thread whose answers the test gives. */
class FakeThread implements ReadThread {
  onmessage: ReadThread['onmessage'] = null
  onerror: ReadThread['onerror'] = null
  readonly orders: { id: number; order: ReadOrder }[] = []
  state: 'open' | 'ending' | 'terminated' = 'open'

  postMessage(order: ThreadOrder): void {
    if (order === 'end') this.state = 'ending'
    else if ('id' in order) this.orders.push(order)
  }

  terminate(): void {
    this.state = 'terminated'
  }

  get reading(): string | undefined {
    return this.orders.at(-1)?.order.name
  }

  answer(text: string): void {
    const id = this.orders.at(-1)?.id ?? 0
    this.onmessage?.(new MessageEvent('message', { data: { id, text } }))
  }

  opened(): void {
    this.onmessage?.(new MessageEvent('message', { data: 'open' }))
  }

  closed(): void {
    this.onmessage?.(new MessageEvent('message', { data: 'ended' }))
  }
}

function laneOf(
  limits: { threads?: number; maxRunMs?: number; maxWaitMs?: number } = {},
  opens = true,
) {
  const threads: FakeThread[] = []
  const open = (): FakeThread => {
    const thread = new FakeThread()
    threads.push(thread)
    if (opens) queueMicrotask(() => thread.opened())
    return thread
  }
  const lane = new LaneThreads({ threads: 2, maxRunMs: 60_000, maxWaitMs: 60_000, ...limits }, open)
  const order = (organizationId: string, name: string): ReadOrder => ({
    ...{ organizationId, name, nowMs: 0, query: null },
    actor: { type: 'system' } as ReadOrder['actor'],
  })
  return {
    ...{ lane, threads },
    read: (organizationId: string, name: string) => lane.read(order(organizationId, name)),
  }
}

const codeOf = (read: Promise<string>): Promise<unknown> =>
  read.then(
    () => 'answered',
    (error: unknown) => (error instanceof errors.AppError ? error.code : String(error)),
  )

describe('the threads of a lane', () => {
  test('start when they are needed, and are used again', async () => {
    const { read, threads } = laneOf()
    const first = read('a', 'one')
    threads[0]?.answer('1')
    expect(await first).toBe('1')
    const second = read('a', 'two')
    threads[0]?.answer('2')
    expect([await second, threads.length]).toEqual(['2', 1])
  })

  test('serve organizations in turn, each with one thread while others wait', async () => {
    const { read, threads } = laneOf()
    const reads = [
      ...['a1', 'a2', 'a3', 'a4'].map((name) => read('a', name)),
      ...['b1', 'b2'].map((name) => read('b', name)),
      read('c', 'c1'),
    ]
    const served = ['a1', 'a2']
    expect(threads.map(({ reading }) => reading)).toEqual(served)
    for (let nth = 0; served.length < reads.length; nth += 1) {
      const thread = threads[nth % 2]
      thread?.answer('x')
      served.push(String(thread?.reading))
    }
    expect(served).toEqual(['a1', 'a2', 'b1', 'a3', 'c1', 'b2', 'a4'])
    for (const thread of threads) thread.answer('x')
    expect(await Promise.all(reads)).toHaveLength(7)
  })

  test('count the time of a read from when its thread has opened the database', async () => {
    const { read, threads } = laneOf({ threads: 1, maxRunMs: 5 }, false)
    const first = codeOf(read('a', 'first'))
    expect(await codeOf(laneOf({ maxRunMs: 5 }).read('a', 'slow'))).toBe('took_too_long')
    threads[0]?.answer('1')
    expect(await first).toBe('answered')
    const second = codeOf(read('a', 'second'))
    threads[0]?.opened()
    expect(await second).toBe('took_too_long')
  })

  test('refuse what takes too long, and replace the thread, which ends when it comes back', async () => {
    const { read, threads } = laneOf({ threads: 1, maxRunMs: 5 })
    expect(await codeOf(read('a', 'slow'))).toBe('took_too_long')
    const next = read('a', 'next')
    expect(threads.map(({ reading }) => reading)).toEqual(['slow', 'next'])
    threads[1]?.answer('2')
    expect(await next).toBe('2')
    threads[0]?.answer('late')
    expect(threads.map(({ state }) => state)).toEqual(['ending', 'open'])
    threads[0]?.closed()
    expect(threads[0]?.state).toBe('terminated')
  })

  test('start no more than one for those that are late', async () => {
    const { read, threads } = laneOf({ threads: 1, maxRunMs: 5, maxWaitMs: 5 })
    expect(await codeOf(read('a', 'slow'))).toBe('took_too_long')
    expect(await codeOf(read('a', 'slow too'))).toBe('took_too_long')
    expect(await codeOf(read('a', 'waits'))).toBe('unavailable')
    expect(threads).toHaveLength(2)
    const next = read('a', 'next')
    threads[0]?.answer('late')
    expect(threads.at(-1)?.reading).toBe('next')
    threads.at(-1)?.answer('3')
    expect(await next).toBe('3')
  })

  test('refuse more than 200 that wait', async () => {
    const { read, threads } = laneOf({ threads: 1 })
    const reads = Array.from({ length: 201 }, (_, nth) => read('a', String(nth)))
    expect(() => read('b', 'more')).toThrow('busy')
    for (const _ of reads) threads[0]?.answer('x')
    expect(await Promise.all(reads)).toHaveLength(201)
  })

  test('wait while work runs that needs the database alone', async () => {
    const { lane, read, threads } = laneOf()
    const first = read('a', 'first')
    const events: string[] = []
    const paused = lane.pause().then(() => events.push('idle'))
    const second = read('b', 'second')
    expect(threads).toHaveLength(1)
    threads[0]?.answer('1')
    await first
    await paused
    expect([events, threads[0]?.reading]).toEqual([['idle'], 'first'])
    lane.resume()
    expect(threads[0]?.reading).toBe('second')
    threads[0]?.answer('2')
    expect(await second).toBe('2')
  })

  test('keep nobody waiting for one that never comes back', async () => {
    const { lane, read, threads } = laneOf({ threads: 1, maxRunMs: 5 })
    const stuck = codeOf(read('a', 'stuck'))
    await lane.pause() // after the time that a read may take
    lane.resume()
    expect(await stuck).toBe('took_too_long')
    const next = read('a', 'next')
    const waits = codeOf(read('a', 'waits'))
    const end = lane.end()
    expect(await waits).toBe('unavailable')
    threads[1]?.answer('2')
    expect(await next).toBe('2')
    await end
    expect(threads.map(({ state }) => state)).toEqual(['ending', 'ending'])
  })

  test('are replaced if one fails', async () => {
    const { read, threads } = laneOf({ threads: 1 })
    const lost = codeOf(read('a', 'lost'))
    const next = read('a', 'next')
    threads[0]?.onerror?.(new ErrorEvent('error', { message: 'out of memory' }))
    expect(await lost).toContain('out of memory')
    threads[1]?.answer('2')
    expect(await next).toBe('2')
  })

  test('end when their databases are closed', async () => {
    const { lane, read, threads } = laneOf()
    const first = read('a', 'one')
    threads[0]?.answer('1')
    await first
    let isOver = false
    const end = lane.end().then(() => (isOver = true))
    expect([threads[0]?.state, isOver]).toEqual(['ending', false])
    threads[0]?.closed()
    await end
    expect(threads[0]?.state).toBe('terminated')
  })
})

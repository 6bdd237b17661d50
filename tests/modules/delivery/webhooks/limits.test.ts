import { describe, expect, test } from 'bun:test'

import { changeRows } from '../../../support/sql'
import type { Loose } from '../../../support/client'
import { Receiver } from '../../../support/receiver'
import { World } from '../../../support/world'

async function withEndpoint(input: Loose = {}) {
  const receiver = new Receiver()
  const world = await World.create({ env: { EGRESS_ALLOW: new URL(receiver.url).host } })
  const admin = await world.as('admin')
  const { status, data } = await admin.post('/api/webhooks', {
    name: 'CRM',
    url: receiver.url,
    events: ['message.received'],
    ...input,
  })
  expect(status).toBe(201)
  const id = String(data['id'])
  const list = async (query = ''): Promise<Loose[]> =>
    (await (await world.as('admin')).get(`/api/webhooks/${id}/deliveries${query}`)).data[
      'items'
    ] as Loose[]
  return {
    receiver,
    world,
    admin,
    id,
    list,
    run: (statement: string) => changeRows(world.program.http.db.sqlite, statement),
    endpoint: async (): Promise<Loose> =>
      (await (await world.as('admin')).get(`/api/webhooks/${id}`)).data,
    async [Symbol.asyncDispose]() {
      await world.stop()
      await receiver[Symbol.asyncDispose]()
    },
  }
}

/** Counts the requests that are answered at the same time. */
function crowd(receiver: Receiver) {
  let now = 0
  const most = { all: 0 }
  receiver.reply = async () => {
    now += 1
    most.all = Math.max(most.all, now)
    await Bun.sleep(20)
    now -= 1
    return new Response('')
  }
  return most
}

describe('the concurrency of an endpoint', () => {
  test('is never exceeded, by live deliveries and a replay together either', async () => {
    await using at = await withEndpoint({ concurrency: 4 })
    await at.admin.post(`/api/webhooks/${at.id}/disable`)
    for (let nth = 0; nth < 24; nth += 1)
      await at.world.contactOf(at.world.tenant, 'Missed', `1555000${3000 + nth}`)
    await at.admin.post(`/api/webhooks/${at.id}/enable`)
    const most = crowd(at.receiver)
    const from = new Date(at.world.clock.nowMs() - 3_600_000).toISOString()
    at.world.clock.advance({ seconds: 1 })
    const replay = await at.admin.post(`/api/webhooks/${at.id}/replay`, { from })
    expect(replay.data['count']).toBe(24)
    for (let nth = 0; nth < 24; nth += 1)
      await at.world.simulator
        .customer({ phone: at.world.tenant.phoneId, waId: `1555000${3000 + nth}` })
        .says('Live')
    await at.world.settle()
    expect(at.receiver.received).toHaveLength(48)
    expect(most.all).toBeLessThanOrEqual(4)
    expect(most.all).toBeGreaterThan(2)
  })

  test('is used by a replay at most by half', async () => {
    await using at = await withEndpoint({ concurrency: 8 })
    await at.admin.post(`/api/webhooks/${at.id}/disable`)
    for (let nth = 0; nth < 24; nth += 1)
      await at.world.contactOf(at.world.tenant, 'Missed', `1555000${3000 + nth}`)
    await at.admin.post(`/api/webhooks/${at.id}/enable`)
    const most = crowd(at.receiver)
    const from = new Date(at.world.clock.nowMs() - 3_600_000).toISOString()
    at.world.clock.advance({ seconds: 1 })
    await at.admin.post(`/api/webhooks/${at.id}/replay`, { from })
    await at.world.settle()
    expect(at.receiver.received).toHaveLength(24)
    expect(most.all).toBe(4)
  })
})

test('an endpoint that has too much to do gets fewer requests at once, and more after successes', async () => {
  await using at = await withEndpoint({ concurrency: 8 })
  at.receiver.reply = () => new Response('', { status: 429 })
  for (let nth = 0; nth < 4; nth += 1)
    await at.world.contactOf(at.world.tenant, 'First', `1555000${3000 + nth}`)
  const most = crowd(at.receiver)
  for (let nth = 0; nth < 12; nth += 1)
    await at.world.simulator
      .customer({ phone: at.world.tenant.phoneId, waId: `1555000${4000 + nth}` })
      .says('Live')
  await at.world.settle()
  // Halved to one; each of twelve successes gives back a quarter.
  expect(at.receiver.received).toHaveLength(16)
  expect(most.all).toBeGreaterThan(1)
  expect(most.all).toBeLessThanOrEqual(4)
})

test('an endpoint that only replays keep busy is probed as well', async () => {
  await using at = await withEndpoint()
  await at.admin.post(`/api/webhooks/${at.id}/disable`)
  for (let nth = 0; nth < 12; nth += 1)
    await at.world.contactOf(at.world.tenant, 'Missed', `1555000${3000 + nth}`)
  await at.admin.post(`/api/webhooks/${at.id}/enable`)
  at.receiver.reply = () => new Response('', { status: 502 })
  const from = new Date(at.world.clock.nowMs() - 3_600_000).toISOString()
  at.world.clock.advance({ seconds: 1 })
  await at.admin.post(`/api/webhooks/${at.id}/replay`, { from })
  await at.world.settle()
  expect((await at.endpoint())['state']).toBe('down')
  at.receiver.reply = () => new Response('')
  at.world.clock.advance({ seconds: 31 })
  await at.world.settle()
  expect(await at.endpoint()).toMatchObject({ state: 'healthy', stats: { pending: 0 } })
})

describe('Retry-After', () => {
  test.each([
    [429, 600],
    [503, 600],
    [500, 5],
    [302, 5],
  ])('of an answer %d leads to a pause of about %d seconds', async (status, seconds) => {
    await using at = await withEndpoint()
    at.receiver.reply = () => new Response('', { status, headers: { 'retry-after': '600' } })
    await at.world.contactOf()
    const [delivery] = await at.list()
    const pauseMs = Date.parse(String(delivery?.['next_attempt_at'])) - at.world.clock.nowMs()
    expect(pauseMs).toBeGreaterThanOrEqual(seconds * 1_000)
    expect(pauseMs).toBeLessThanOrEqual(seconds * 1_100)
  })
})

test('the oldest deliveries beyond 100,000 are given up, at a healthy endpoint too', async () => {
  await using at = await withEndpoint({ rate_per_second: 1 })
  await at.world.contactOf()
  const columns =
    'organization_id, endpoint_id, payload_id, event, seq, contact_id, created_at_ms, next_attempt_at_ms'
  const floods = async (rows: number): Promise<void> => {
    at.run(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
       insert into webhook_deliveries (id, state, ${columns})
       select randomblob(16), 'pending', ${columns} from (select * from webhook_deliveries limit 1), n`,
    )
    at.world.clock.advance({ seconds: 61 })
    await at.world.settle()
  }
  await floods(100_150)
  await floods(100)
  expect(await at.list('?state=exhausted&limit=1')).toMatchObject([{ last_error: 'backlog' }])
  expect(await at.endpoint()).toMatchObject({
    state: 'healthy',
    stats: { pending: 100_000, failed: 250 },
  })
  // One notice a day, although more are given up every minute.
  const told = (await (await at.world.as('admin')).get('/api/me/notifications')).data['items']
  expect((told as Loose[]).filter(({ kind }) => kind === 'webhook_failing')).toHaveLength(1)
  at.run(`update webhook_deliveries set state = 'exhausted' where state = 'pending'`)
  const from = new Date(at.world.clock.nowMs() - 3_600_000).toISOString()
  const refused = await (await at.world.as('admin')).post(`/api/webhooks/${at.id}/replay`, { from })
  expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([400, 'body.from'])
}, 120_000)

test('cleaning up after a million delivered rows leaves those that can still be sent', async () => {
  await using at = await withEndpoint()
  at.receiver.reply = () => new Response('', { status: 400 })
  await at.world.contactOf()
  at.run('update webhook_hours set delivered = 1000001')
  at.run(
    `insert into webhook_hours (organization_id, endpoint_id, hour_ms, delivered, failed)
     select organization_id, id, created_at_ms + 3600000, 1000001, 0 from webhook_endpoints`,
  )
  at.world.clock.advance({ hours: 25 })
  await at.world.settle()
  expect(await at.list()).toMatchObject([{ state: 'pending' }])
})

describe('an address', () => {
  const create = async (env: Record<string, string>, url: string) => {
    await using world = await World.create({ env })
    const admin = await world.as('admin')
    return await admin.post('/api/webhooks', { name: 'CRM', url, events: ['*'] })
  }

  test('without https is refused by default', async () => {
    const { status, body } = await create({}, 'http://example.com/hook')
    expect([status, body.code]).toEqual([400, 'url_refused'])
  })

  test('of another host gets no stored header values', async () => {
    await using world = await World.create()
    const admin = await world.as('admin')
    const headers = { 'X-Key': 'sesame' }
    const url = 'https://example.com/a'
    const { data } = await admin.post('/api/webhooks', { name: 'CRM', url, events: ['*'], headers })
    const put = async (change: Record<string, unknown>) =>
      (await admin.put(`/api/webhooks/${String(data['id'])}`, change)).body.errors?.[0]?.path ??
      'ok'
    const [near, away] = ['https://EXAMPLE.com:443/b', 'https://elsewhere.example/a']
    const kept = { 'X-Key': '***' }
    expect([
      await put({ url: away }),
      await put({ url: away, headers: kept }),
      await put({ url: near, headers: kept }),
      await put({ url: near }),
      await put({ url: away, headers: { 'X-Key': 'new' } }),
    ]).toEqual(['body.headers', 'body.headers.X-Key', 'ok', 'ok', 'ok'])
  })

  test('without https is accepted with ALLOW_HTTP_WEBHOOKS, to public addresses only', async () => {
    const env = { ALLOW_HTTP_WEBHOOKS: 'true' }
    expect((await create(env, 'http://example.com/hook')).status).toBe(201)
    expect((await create(env, 'http://127.0.0.1/hook')).body.code).toBe('url_refused')
    expect((await create(env, 'ftp://example.com/hook')).body.code).toBe('url_refused')
  })
})

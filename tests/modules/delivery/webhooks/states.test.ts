import { expect, test } from 'bun:test'

import { isoTime } from '../../../../src/lib/clock'
import type { Loose } from '../../../support/client'
import { Receiver } from '../../../support/receiver'
import { changeRows } from '../../../support/sql'
import { World } from '../../../support/world'

/** A world with an endpoint that is told of new contacts. */
async function withEndpoint(input: Loose = {}) {
  const receiver = new Receiver()
  const world = await World.create({ env: { EGRESS_ALLOW: new URL(receiver.url).host } })
  const { status, data } = await (
    await world.as('admin')
  ).post('/api/webhooks', {
    name: 'CRM',
    url: receiver.url,
    events: ['contact.created'],
    ...input,
  })
  expect(status).toBe(201)
  const path = `/api/webhooks/${data['id']}`
  let number = 6_000_000
  const get = async (more: string): Promise<Loose> =>
    (await (await world.as('admin')).get(`${path}${more}`)).data
  return {
    receiver,
    world,
    endpoint: () => get(''),
    list: async (query = ''): Promise<Loose[]> =>
      (await get(`/deliveries${query}`))['items'] as Loose[],
    path,
    get,
    act: async (verb: string, body?: Loose) =>
      await (await world.as('admin')).post(`${path}/${verb}`, body),
    run: (statement: string) => changeRows(world.program.http.db.sqlite, statement),
    remove: async () => await (await world.as('admin')).delete(path),
    happens: async (times = 1): Promise<void> => {
      const admin = await world.as('admin')
      for (let nth = 0; nth < times; nth += 1)
        await admin.post('/api/contacts', { phone_number: `+1555${(number += 1)}` })
    },
    async [Symbol.asyncDispose]() {
      await world.stop()
      await receiver[Symbol.asyncDispose]()
    },
  }
}

const failing = (): Response => new Response('no', { status: 500 })

/** Lets two deliveries fail once. The next try of the first one is answered by the returned function. */
async function twoDue(at: Awaited<ReturnType<typeof withEndpoint>>) {
  at.receiver.reply = failing
  await at.happens(2)
  await at.world.settle()
  const answer = Promise.withResolvers<Response>()
  at.receiver.reply = () => answer.promise
  at.world.clock.advance({ seconds: 6 })
  const settled = at.world.settle()
  await at.world.eventually(() => at.receiver.received.length === 3)
  return async (response: Response): Promise<void> => {
    answer.resolve(response)
    await settled
  }
}

test('a delivery is shown as sending while its request is under way', async () => {
  await using at = await withEndpoint({ concurrency: 1 })
  const answer = await twoDue(at)
  const states = async (query: string): Promise<unknown[]> =>
    (await at.list(query)).map(({ state }) => state as unknown)
  expect(await states('')).toEqual(['pending', 'sending'])
  expect(await states('?state=sending')).toEqual(['sending'])
  expect(await states('?state=pending')).toEqual(['pending'])
  await answer(new Response(''))
  expect(await states('')).toEqual(['delivered', 'delivered'])
  expect(await states('?state=sending')).toEqual([])
})

test('disabling ends what waits as missed, also a request that fails afterwards', async () => {
  await using at = await withEndpoint({ concurrency: 1 })
  const answer = await twoDue(at)
  await at.act('disable')
  await answer(failing())
  expect(await at.list()).toMatchObject([
    { state: 'missed', attempt_count: 1, next_attempt_at: null },
    { state: 'missed', attempt_count: 2, next_attempt_at: null },
  ])
  await at.act('enable')
  at.world.clock.advance({ hours: 1 })
  await at.world.settle()
  expect(at.receiver.received).toHaveLength(3)
  expect(at.world.rows(`select id from jobs where kind = 'webhook.deliver'`)).toEqual([])
})

test('deleting ends what waits as cancelled', async () => {
  await using at = await withEndpoint()
  at.receiver.reply = failing
  await at.happens()
  await at.world.settle()
  await at.remove()
  await at.world.settle()
  expect(at.world.rows('select state, attempts from webhook_deliveries')).toEqual([
    { state: 'cancelled', attempts: 1 },
  ])
  expect(at.world.rows(`select id from jobs where kind = 'webhook.deliver'`)).toEqual([])
})

test('the history of a deleted endpoint can be read until it is pruned, and nothing else of it', async () => {
  await using at = await withEndpoint({ headers: { 'X-Key': 'secret' } })
  await at.happens()
  await at.world.settle()
  at.receiver.reply = failing
  await at.happens()
  await at.world.settle()
  const before = await at.list()
  await at.remove()
  await at.world.settle()
  const admin = await at.world.as('admin')
  expect((await admin.get(at.path)).status).toBe(404)
  expect((await at.list()).map(({ id, state }) => [id, state])).toEqual([
    [before[0]?.['id'], 'cancelled'],
    [before[1]?.['id'], 'delivered'],
  ])
  expect(await at.list('?state=cancelled')).toHaveLength(1)
  const path = `/api/webhooks/deliveries/${before[0]?.['id']}`
  expect((await admin.get(path)).data).toMatchObject({
    last_error: 'The endpoint was deleted.',
    payload: { type: 'contact.created' },
    attempts: [{ status_code: 500 }],
  })
  expect((await admin.post(`${path}/resend`)).status).toBe(404)
  expect((await at.act('replay', { from: '2026-11-20T00:00:00Z' })).status).toBe(404)
  const stranger = await at.world.as('admin', at.world.tenants[1])
  expect((await stranger.get(`${at.path}/deliveries`)).status).toBe(404)
  expect((await stranger.get(path)).status).toBe(404)
  at.world.clock.advance({ hours: 31 * 24 })
  await at.world.settle()
  const later = await at.world.as('admin')
  expect((await later.get(`${at.path}/deliveries`)).status).toBe(404)
})

test('figures count each failed request, of an endpoint that is down also its probes', async () => {
  await using at = await withEndpoint()
  await at.happens()
  await at.world.settle()
  at.receiver.reply = failing
  await at.happens()
  await at.world.settle()
  expect((await at.endpoint())['stats']).toMatchObject({
    ...{ delivered: 1, failed: 1, pending: 1, success_rate: 50 },
  })
  at.world.clock.advance({ seconds: 6 })
  await at.world.settle()
  expect((await at.endpoint())['stats']).toMatchObject({ failed: 2, success_rate: 33.3 })
  await at.happens(12)
  await at.world.settle()
  expect((await at.endpoint())['state']).toBe('down')
  at.world.clock.advance({ seconds: 31 })
  await at.world.settle()
  const failed = at.receiver.received.length - 1
  expect(failed).toBeGreaterThan(10)
  expect((await at.endpoint())['stats']).toMatchObject({ delivered: 1, failed, pending: 13 })
})

test('a delivery that began late is tried ten times like any other', async () => {
  await using at = await withEndpoint()
  at.receiver.reply = failing
  await at.happens(12)
  await at.world.settle()
  const after = async (hours: number): Promise<void> => {
    at.world.clock.advance({ hours })
    await at.world.settle()
  }
  await after(70)
  const [last] = await at.list('?state=held')
  const isLast = ({ headers }: { headers: Headers }): boolean =>
    headers.get('webhook-id') === last?.['message_id']
  at.receiver.reply = (request) => new Response('', { status: isLast(request) ? 400 : 200 })
  for (let hour = 0; hour < 90; hour += 1) await after(1)
  const [delivery] = await at.list(`?state=exhausted`)
  expect(delivery).toMatchObject({ id: last?.['id'], last_status_code: 400, attempt_count: 10 })
})

test('410 is recorded in the audit log as the reason why the endpoint is disabled', async () => {
  await using at = await withEndpoint()
  at.receiver.reply = () => new Response('', { status: 410 })
  await at.happens()
  await at.world.settle()
  expect(await at.list()).toMatchObject([{ state: 'missed', attempt_count: 1 }])
  const audit = (await (await at.world.as('admin')).get('/api/audit-logs?action=updated')).data
  expect((audit['items'] as Loose[])[0]).toMatchObject({
    resource_name: 'CRM',
    changes: [
      { field: 'is_active', new_value: false },
      { field: 'disabled_reason', new_value: 'gone' },
    ],
  })
})

test('a refused probe leaves its place to the next delivery, and only a success ends an outage', async () => {
  await using at = await withEndpoint()
  at.receiver.reply = failing
  await at.happens(12)
  await at.world.settle()
  expect((await at.endpoint())['state']).toBe('down')
  const first = at.receiver.received[0]?.headers.get('webhook-id')
  const after = async (seconds: number): Promise<unknown[]> => {
    const start = at.receiver.received.length
    at.world.clock.advance({ seconds })
    await at.world.settle()
    return at.receiver.received.slice(start).map(({ headers }) => headers.get('webhook-id'))
  }
  // The next deployment, or a proxy in front of it, answers 404 to everything.
  at.receiver.reply = () => new Response('', { status: 404 })
  expect(await after(31)).toEqual([first])
  expect(await at.list('?status_code=404')).toMatchObject([{ state: 'held', attempt_count: 2 }])
  const [second] = await after(31)
  expect([first, undefined]).not.toContain(second as string)
  // It answers, but every answer is a refusal: the pauses grow as usual.
  expect([await after(31), (await after(31)).length, await after(61)]).toEqual([[], 1, []])
  expect(await at.endpoint()).toMatchObject({ state: 'down', stats: { pending: 12 } })
  const bad = new Set([first, second])
  at.receiver.reply = ({ headers }) =>
    new Response('', { status: bad.has(headers.get('webhook-id')) ? 400 : 200 })
  await after(61)
  expect(await at.list('?state=delivered')).toHaveLength(10)
  expect((await at.endpoint())['state']).not.toBe('down')
})

test('a stopped replay sends nothing more, and what was not sent is not counted as failed', async () => {
  await using at = await withEndpoint({ concurrency: 2 })
  await at.act('disable')
  await at.happens(30)
  await at.world.settle()
  await at.act('enable')
  const from = new Date(at.world.clock.nowMs() - 60_000).toISOString()
  at.world.clock.advance({ seconds: 1 })
  const answers = Promise.withResolvers<undefined>()
  at.receiver.reply = async () => {
    await answers.promise
    return new Response('')
  }
  const replay = await at.act('replay', { from })
  const settled = at.world.settle()
  await at.world.eventually(() => at.receiver.received.length === 1)
  const path = `/replays/${replay.data['replay_id']}`
  const admin = await at.world.as('admin')
  const stopped = await admin.delete(`${at.path}${path}`)
  expect(stopped.data).toMatchObject({ state: 'stopped', total: 30 })
  answers.resolve(undefined)
  await settled
  expect(at.receiver.received).toHaveLength(1)
  expect(await at.get(path)).toMatchObject({ state: 'stopped', delivered: 1, failed: 0 })
  expect(await at.list('?state=cancelled&limit=100')).toHaveLength(29)
})

test('a replay of an endpoint that is down can be stopped at once', async () => {
  await using at = await withEndpoint()
  at.receiver.reply = failing
  await at.happens(12)
  await at.world.settle()
  const from = new Date(at.world.clock.nowMs() - 60_000).toISOString()
  at.run(`update webhook_deliveries set state = 'exhausted' where attempts > 0`)
  at.world.clock.advance({ seconds: 1 })
  const replay = await at.act('replay', { from })
  expect(Number(replay.data['count'])).toBeGreaterThan(5)
  await at.world.settle()
  await (await at.world.as('admin')).delete(`${at.path}/replays/${replay.data['replay_id']}`)
  await at.world.settle()
  expect((await at.endpoint())['state']).toBe('down')
  expect(await at.list('?state=cancelled&limit=100')).toHaveLength(Number(replay.data['count']))
})

test('what waits longer than 75 hours is given up, and a disabled endpoint misses events for a week', async () => {
  await using at = await withEndpoint()
  at.receiver.reply = failing
  await at.happens(12)
  await at.world.settle()
  const after = async (hours: number): Promise<void> => {
    at.world.clock.advance({ hours })
    await at.world.settle()
  }
  await after(74)
  expect(await at.list('?state=held')).toHaveLength(12)
  await after(2)
  expect(await at.list('?state=exhausted')).toHaveLength(12)
  expect((await at.list())[0]).toMatchObject({ last_error: expect.stringContaining('75 hours') })
  await at.act('disable')
  await after(6 * 24)
  await at.happens()
  await at.world.settle()
  await after(25)
  await at.happens()
  await at.world.settle()
  expect(await at.list('?state=missed')).toHaveLength(1)
  expect(await at.list()).toHaveLength(13)
})

test('a success ends a failure at once, also soon after another success', async () => {
  await using at = await withEndpoint()
  await at.happens()
  await at.world.settle()
  at.receiver.reply = () => new Response('', { status: 400 })
  await at.happens()
  await at.world.settle()
  const failedAt = isoTime(at.world.clock.nowMs())
  expect(await at.endpoint()).toMatchObject({
    ...{ state: 'failing', failing_since: failedAt, last_delivery_at: failedAt },
  })
  at.receiver.reply = () => new Response('')
  at.world.clock.advance({ seconds: 6 })
  await at.world.settle()
  expect(await at.endpoint()).toMatchObject({ state: 'healthy', stats: { failing_since: null } })
  for (let day = 0; day < 6; day += 1) {
    at.world.clock.advance({ hours: 24 })
    await at.world.settle()
  }
  expect(await at.endpoint()).toMatchObject({ state: 'healthy', disabled_at: null })
})

test('an endpoint that is down is probed although the clock was set back', async () => {
  await using at = await withEndpoint()
  at.world.clock.advance({ hours: 72 })
  at.receiver.reply = failing
  await at.happens(12)
  await at.world.settle()
  expect((await at.endpoint())['state']).toBe('down')
  at.world.clock.advance({ hours: -72 })
  await at.world.settle()
  at.receiver.reply = () => new Response('')
  at.world.clock.advance({ minutes: 5 })
  await at.world.settle()
  expect(await at.endpoint()).toMatchObject({ state: 'healthy', stats: { pending: 0 } })
})

test('a receiver that always asks for a long pause gets no more tries than others get time for', async () => {
  await using at = await withEndpoint()
  const headers = { 'retry-after': '86400' }
  at.receiver.reply = () => new Response('', { status: 429, headers })
  await at.happens()
  await at.world.settle()
  for (let day = 0; day < 5; day += 1) {
    at.world.clock.advance({ hours: 24 })
    await at.world.settle()
  }
  expect(await at.list()).toMatchObject([{ state: 'exhausted', attempt_count: 5 }])
})

test('a replay sends what failed, also a second time, but nothing that was sent by hand', async () => {
  await using at = await withEndpoint({ events: ['contact.created', 'contact.updated'] })
  await at.happens()
  await at.world.settle()
  await at.act('disable')
  await at.happens(2)
  const admin = await at.world.as('admin')
  const [contact] = (await admin.get('/api/contacts?limit=1')).data['items'] as Loose[]
  await admin.put(`/api/contacts/${contact?.['id']}`, { name: 'Greta' })
  await at.world.settle()
  await at.act('enable')
  const ids = async (state: string): Promise<unknown[]> =>
    (await at.list(`?state=${state}`)).map((one) => one['message_id'])
  const [arrived, missed] = [await ids('delivered'), await ids('missed')]
  expect([arrived.length, missed.length]).toEqual([1, 3])
  const from = new Date(at.world.clock.nowMs() - 60_000).toISOString()
  const replay = async (more: Loose = {}) => {
    at.world.clock.advance({ seconds: 1 })
    const start = at.receiver.received.length
    const preview = await at.act('replay/preview', { from, ...more })
    const { data } = await at.act('replay', { from, ...more })
    expect(preview.data).toEqual({ count: Number(data['count']) })
    await at.world.settle()
    const sent = at.receiver.received.slice(start).map(({ headers }) => headers.get('webhook-id'))
    expect(data['count']).toBe(sent.length)
    return sent as unknown[]
  }
  await admin.post(
    `/api/webhooks/deliveries/${(await at.list('?state=delivered'))[0]?.['id']}/resend`,
  )
  await at.world.settle()
  expect(new Set(await replay())).toEqual(new Set(missed))
  expect(await replay({ events: ['contact.updated'] })).toHaveLength(1)
  const all = await replay({ only_failed: false })
  expect([all.length, new Set(all)]).toEqual([4, new Set([...arrived, ...missed])])
  // A replay that fails, too, leaves nothing more to send than there was before.
  at.receiver.reply = () => new Response('', { status: 410 })
  at.world.clock.advance({ seconds: 1 })
  await at.act('replay', { from })
  await at.world.settle()
  await at.act('enable')
  at.receiver.reply = () => new Response('')
  expect(new Set(await replay({ only_failed: true }))).toEqual(new Set(missed))
  expect(await at.list('?state=missed')).toHaveLength(6)
  // What is there later than the request is not part of it.
  const later = at.world.clock.nowMs() + 60_000
  at.run(
    `update webhook_deliveries set created_at_ms = ${later}
     where id in (select id from webhook_deliveries where state = 'missed' and is_manual = 0 limit 1)`,
  )
  expect(await replay({ to: new Date(later + 60_000).toISOString() })).toHaveLength(2)
})

test('a pause that a receiver asks for as a date is kept, and one that is over is none', async () => {
  await using at = await withEndpoint()
  const { clock } = at.world
  const second = (ms: number): number => ms - (ms % 1_000)
  let retryAfter = second(clock.nowMs() + 40 * 60_000)
  let status = 503
  at.receiver.reply = () =>
    new Response('', { status, headers: { 'retry-after': new Date(retryAfter).toUTCString() } })
  await at.happens()
  await at.world.settle()
  const next = async (): Promise<number> =>
    Date.parse(String((await at.list())[0]?.['next_attempt_at']))
  expect(await next()).toBe(retryAfter)
  clock.advance({ ms: retryAfter - clock.nowMs() - 1 })
  await at.world.settle()
  expect(at.receiver.received).toHaveLength(1)
  ;[status, retryAfter] = [429, second(clock.nowMs() + 4 * 24 * 60 * 60_000)]
  clock.advance({ ms: 1 })
  await at.world.settle()
  expect(at.receiver.received).toHaveLength(2)
  // No longer than a day, whatever the date.
  expect((await next()) - clock.nowMs()).toBe(24 * 60 * 60_000)
  retryAfter = second(clock.nowMs() - 60 * 60_000)
  clock.advance({ hours: 24 })
  await at.world.settle()
  expect(at.receiver.received).toHaveLength(3)
  const pauseMs = (await next()) - clock.nowMs()
  expect([pauseMs >= 30 * 60_000, pauseMs <= 33 * 60_000]).toEqual([true, true])
})

test('a second outage begins like the first one: failures, probes, notices and days count anew', async () => {
  await using at = await withEndpoint()
  const after = async (time: { hours?: number; seconds?: number }): Promise<number> => {
    const start = at.receiver.received.length
    at.world.clock.advance(time)
    await at.world.settle()
    return at.receiver.received.length - start
  }
  const notices = async (): Promise<unknown[]> =>
    (
      (await (await at.world.as('admin')).get('/api/me/notifications')).data['items'] as Loose[]
    ).flatMap(({ kind }) => (String(kind).startsWith('webhook') ? [kind] : []))
  const fails = async (times: number): Promise<void> => {
    at.receiver.reply = failing
    await at.happens(times)
    await at.world.settle()
  }
  const recovers = async (): Promise<void> => {
    at.receiver.reply = () => new Response('')
    await after({ seconds: 301 })
    expect(await at.endpoint()).toMatchObject({ state: 'healthy', stats: { pending: 0 } })
  }
  const probes = async (): Promise<number[]> => [
    await after({ seconds: 29 }),
    await after({ seconds: 2 }),
    await after({ seconds: 31 }),
    await after({ seconds: 30 }),
  ]
  await fails(12)
  expect((await at.endpoint())['state']).toBe('down')
  expect(await probes()).toEqual([0, 1, 0, 1])
  await after({ hours: 25 })
  expect(await notices()).toEqual(['webhook_failing'])
  await recovers()
  // Again it takes ten failures.
  await fails(9)
  expect((await at.endpoint())['state']).toBe('failing')
  await fails(1)
  expect((await at.endpoint())['state']).toBe('down')
  expect(await probes()).toEqual([0, 1, 0, 1])
  await after({ hours: 23 })
  expect(await notices()).toHaveLength(1)
  await after({ hours: 2 })
  expect(await notices()).toHaveLength(2)
  await recovers()
  // Its requests no longer wait for one another.
  const answers = Promise.withResolvers<undefined>()
  at.receiver.reply = async () => {
    await answers.promise
    return new Response('')
  }
  const start = at.receiver.received.length
  await at.happens(4)
  const settled = at.world.settle()
  await at.world.eventually(() => at.receiver.received.length === start + 4)
  answers.resolve(undefined)
  await settled
  // One delivery alone takes no endpoint down, and its days are counted from now.
  await fails(1)
  for (let nth = 1; nth < 10; nth += 1) {
    const [next] = await at.list('?state=pending')
    const pauseMs = Date.parse(String(next?.['next_attempt_at'])) - at.world.clock.nowMs()
    expect(await after({ seconds: pauseMs / 1_000 })).toBe(1)
  }
  expect(await at.endpoint()).toMatchObject({ state: 'failing', disabled_at: null })
  expect(await at.list('?state=exhausted')).toMatchObject([{ attempt_count: 10 }])
})

test('a delivery whose job an operator discards is given up', async () => {
  await using at = await withEndpoint()
  at.receiver.reply = failing
  await at.happens()
  await at.world.settle()
  const operator = await at.world.as('super')
  const [job] = at.world.rows<{ id: string }>(`select id from jobs where kind = 'webhook.deliver'`)
  expect((await operator.post(`/api/jobs/${job?.id}/discard`, {})).status).toBe(200)
  expect(await at.list()).toMatchObject([{ state: 'exhausted', next_attempt_at: null }])
})

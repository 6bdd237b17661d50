import { describe, expect, test } from 'bun:test'

import { isoTime } from '../../../../src/lib/clock'
import type { Loose } from '../../../support/client'
import { deliver, statusTo } from '../../../support/lines'
import { personWith } from '../../../support/people'
import { Receiver } from '../../../support/receiver'
import { TestSocket } from '../../../support/socket'
import { World } from '../../../support/world'

/** A world with a receiver and an endpoint that is sent to it. */
async function withEndpoint(input: Loose = {}) {
  const receiver = new Receiver()
  const world = await World.create({
    env: { EGRESS_ALLOW: new URL(receiver.url).host },
  })
  const admin = await world.as('admin')
  const created = await admin.post('/api/webhooks', {
    name: 'CRM',
    url: receiver.url,
    events: ['*'],
    ...input,
  })
  expect(created.status).toBe(201)
  const { id, secret } = created.data as { id: string; secret: string }
  const deliveries = async (query = ''): Promise<Loose[]> =>
    (await (await world.as('admin')).get(`/api/webhooks/${id}/deliveries${query}`)).data[
      'items'
    ] as Loose[]
  return {
    receiver,
    world,
    admin,
    id,
    secret,
    deliveries,
    endpoint: async (): Promise<Loose> =>
      (await (await world.as('admin')).get(`/api/webhooks/${id}`)).data,
    async [Symbol.asyncDispose]() {
      await world.stop()
      await receiver[Symbol.asyncDispose]()
    },
  }
}

describe('an endpoint', () => {
  test('receives what happens, signed, once', async () => {
    await using at = await withEndpoint()
    const { world, receiver, secret } = at
    const contact = await world.contactOf()
    await at.admin.post(`/api/contacts/${contact['id']}/messages`, { type: 'text', text: 'Hi' })
    await world.settle()
    expect(receiver.types.toSorted()).toEqual([
      'contact.created',
      'message.received',
      'message.sent',
      'message.status',
      'message.status',
    ])
    expect(receiver.received.every((request) => Receiver.isSigned(request, secret))).toBe(true)
    const received = receiver.received.find(({ body }) => body.type === 'message.received')
    expect(received?.body).toMatchObject({
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      organization_id: world.tenant.id,
      data: {
        contact_id: contact['id'],
        content: { text: 'Hello!' },
        contact: { id: contact['id'] },
      },
    })
    expect(new Set(receiver.received.map(({ headers }) => headers.get('webhook-id'))).size).toBe(5)
    expect(await at.deliveries()).toHaveLength(5)
    expect((await at.deliveries('?state=delivered')).length).toBe(5)
    expect(await at.endpoint()).toMatchObject({
      state: 'healthy',
      stats: { delivered: 5, failed: 0, pending: 0, success_rate: 100 },
    })
  })

  test('gets, as a browser does, each status of a message with the time at which it was reached', async () => {
    await using at = await withEndpoint({ events: ['message.status'] })
    const { world, receiver } = at
    const contact = await world.contactOf()
    const socket = await world.socket('manager')
    const begin = world.clock.nowMs()
    world.simulator.swallowStatuses()
    await at.admin.post(`/api/contacts/${contact['id']}/messages`, { type: 'text', text: 'Hi' })
    await world.settle()
    const wamid = world.simulator.messages.at(-1)?.wamid ?? ''
    // Reports come later than what they tell, and each minute something happens.
    for (const [minute, status] of ['delivered', 'read'].entries()) {
      world.clock.advance({ minutes: 10 })
      const timestamp = begin / 1_000 + (minute + 1) * 60
      await deliver(world, statusTo(world, wamid, status, { timestamp }))
    }
    const steps = ['sent', 'delivered', 'read'].map((status, minute) => ({
      ...{ status, timestamp: isoTime(begin + minute * 60_000) },
    }))
    const told = receiver.received.map(({ body }) => body.data)
    expect(told).toMatchObject(steps)
    await socket.caughtUp()
    expect(socket.events('message:status').map(({ payload }) => payload)).toMatchObject(steps)
  })

  test('gets nothing of another organization', async () => {
    await using at = await withEndpoint()
    const [, other] = at.world.tenants
    if (!other) throw new Error('the world has one tenant')
    await at.world.contactOf(other)
    expect(at.receiver.received).toEqual([])
  })

  test('gets only the events it has chosen', async () => {
    await using at = await withEndpoint({ events: ['contact.*', 'message.received'] })
    await at.world.contactOf()
    expect(at.receiver.types.toSorted()).toEqual(['contact.created', 'message.received'])
  })

  test('gets only events of the chosen phone numbers, and those without one', async () => {
    await using at = await withEndpoint()
    const changed = await at.admin.put(`/api/webhooks/${at.id}`, {
      account_ids: [at.world.tenant.accountId],
    })
    expect(changed.status).toBe(200)
    await at.world.contactOf()
    expect(at.receiver.types).toContain('message.received')
    expect(
      (await at.admin.put(`/api/webhooks/${at.id}`, { account_ids: [at.id] })).body,
    ).toMatchObject({ code: 'bad_reference' })
  })

  test('gets masked numbers if it is not to have them', async () => {
    await using at = await withEndpoint({ include_phone_numbers: false })
    const contact = await at.world.contactOf()
    const number = String(contact['phone_number'])
    expect(number).toMatch(/^\d+$/)
    expect(at.receiver.received.length).toBeGreaterThan(0)
    expect(at.receiver.received.filter(({ text }) => text.includes(number))).toEqual([])
  })
})

describe('a failed delivery', () => {
  test('is tried again after growing pauses with the same ID, until it is delivered', async () => {
    await using at = await withEndpoint({ events: ['message.received'] })
    at.receiver.reply = (_request, nth) => new Response('no', { status: nth < 3 ? 500 : 204 })
    await at.world.contactOf()
    expect(at.receiver.received).toHaveLength(1)
    for (const [index, seconds] of [6, 316, 1_891].entries()) {
      at.world.clock.advance({ seconds })
      await at.world.settle()
      expect(at.receiver.received).toHaveLength(index + 2)
    }
    expect(new Set(at.receiver.received.map(({ headers }) => headers.get('webhook-id'))).size).toBe(
      1,
    )
    expect(at.receiver.received.map(({ headers }) => headers.get('webhook-attempt'))).toEqual([
      '1',
      '2',
      '3',
      '4',
    ])
    const [delivery] = await at.deliveries()
    expect(delivery).toMatchObject({ state: 'delivered', attempt_count: 4, last_error: null })
    const details = (await at.admin.get(`/api/webhooks/deliveries/${delivery?.['id']}`)).data
    expect(details['attempts']).toMatchObject([
      { number: 1, status_code: 500, error_kind: 'status', response_excerpt: 'no' },
      { number: 2, status_code: 500 },
      { number: 3, status_code: 500 },
      { number: 4, status_code: 204, error_kind: null },
    ])
    expect(details['payload']).toMatchObject({ type: 'message.received' })
  })

  test('is tried ten times at the times of the contract, then it is exhausted', async () => {
    await using at = await withEndpoint({ events: ['message.received'] })
    at.receiver.reply = () => new Response('no', { status: 400 })
    await at.world.contactOf()
    const after = async (ms: number): Promise<number> => {
      at.world.clock.advance({ ms })
      await at.world.settle()
      return at.receiver.received.length
    }
    for (const [nth, minutes] of [5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440].entries()) {
      const [delivery] = await at.deliveries()
      const pauseMs = Date.parse(String(delivery?.['next_attempt_at'])) - at.world.clock.nowMs()
      expect(pauseMs).toBeGreaterThanOrEqual(minutes * 60_000)
      expect(pauseMs).toBeLessThanOrEqual(minutes * 66_000 + 1)
      expect([await after(pauseMs - 1), await after(1)]).toEqual([nth + 1, nth + 2])
    }
    expect(await at.deliveries()).toMatchObject([{ state: 'exhausted', attempt_count: 10 }])
    expect(await after(100 * 3_600_000)).toBe(10)
  })

  test.each([
    ['a redirect', () => Response.redirect('http://example.com/'), 'redirect'],
    ['410', () => new Response('', { status: 410 }), 'status'],
  ] as const)('can be %s', async (_, reply, kind) => {
    await using at = await withEndpoint({ events: ['message.received'] })
    at.receiver.reply = () => reply()
    await at.world.contactOf()
    const [delivery] = await at.deliveries()
    const details = (await at.admin.get(`/api/webhooks/deliveries/${delivery?.['id']}`)).data
    expect(details['attempts']).toMatchObject([{ error_kind: kind }])
  })

  test('410 disables the endpoint, and its later events are missed until they are replayed', async () => {
    await using at = await withEndpoint({ events: ['message.received'] })
    at.receiver.reply = () => new Response('', { status: 410 })
    await at.world.contactOf()
    expect(await at.endpoint()).toMatchObject({ state: 'disabled', disabled_reason: 'gone' })
    await at.world.contactOf(at.world.tenant, 'Second', '15550009999')
    at.world.clock.advance({ minutes: 1 })
    await at.world.settle()
    expect(at.receiver.received).toHaveLength(1)
    expect((await at.deliveries('?state=missed')).length).toBe(2)
    at.receiver.reply = () => new Response('')
    expect((await at.admin.post(`/api/webhooks/${at.id}/enable`)).status).toBe(200)
    const replay = await at.admin.post(`/api/webhooks/${at.id}/replay`, {
      from: new Date(at.world.clock.nowMs() - 3_600_000).toISOString(),
    })
    expect([replay.status, replay.data['count']]).toEqual([201, 2])
    await at.world.settle()
    expect(at.receiver.received).toHaveLength(3)
    expect(
      (await at.admin.get(`/api/webhooks/${at.id}/replays/${replay.data['replay_id']}`)).data,
    ).toMatchObject({ state: 'done', total: 2, delivered: 2, failed: 0 })
  })
})

describe('an endpoint that is down', () => {
  test('is probed, and gets everything in order soon after it is back', async () => {
    await using at = await withEndpoint({ events: ['message.received'], ordering: 'per_contact' })
    const customer = at.world.simulator.customer({ phone: at.world.tenant.phoneId })
    at.receiver.reply = () => new Response('', { status: 503 })
    for (let nth = 0; nth < 40; nth += 1) await customer.says(`No ${nth}`)
    const others = Array.from({ length: 12 }, (_, nth) =>
      at.world.simulator.customer({ phone: at.world.tenant.phoneId, waId: `1555001${1000 + nth}` }),
    )
    for (const other of others) await other.says('Hello')
    await at.world.settle()
    expect(await at.endpoint()).toMatchObject({ state: 'down' })
    const before = at.receiver.received.length
    for (let minutes = 0; minutes < 48 * 60; minutes += 30) {
      at.world.clock.advance({ minutes: 30 })
      await at.world.settle()
    }
    const probes = at.receiver.received.length - before
    expect(probes).toBeGreaterThan(50)
    expect(probes).toBeLessThan(700)
    expect((await at.deliveries('?state=held&limit=100')).length).toBe(52)
    at.receiver.reply = () => new Response('')
    const start = at.receiver.received.length
    at.world.clock.advance({ minutes: 5 })
    await at.world.settle()
    at.world.clock.advance({ minutes: 1 })
    await at.world.settle()
    expect(await at.endpoint()).toMatchObject({ state: 'healthy', stats: { pending: 0 } })
    const texts = at.receiver.received
      .slice(start)
      .map(({ body }) => (body.data['content'] as Loose)['text'])
    expect(texts.filter((text) => String(text).startsWith('No '))).toEqual(
      Array.from({ length: 40 }, (_, nth) => `No ${nth}`),
    )
    expect(texts).toHaveLength(52)
  })

  test('is disabled after five days, with notices before', async () => {
    await using at = await withEndpoint({ events: ['message.received'] })
    at.receiver.reply = () => new Response('', { status: 500 })
    await at.world.contactOf()
    for (let hours = 0; hours < 126; hours += 6) {
      at.world.clock.advance({ hours: 6 })
      await at.world.settle()
    }
    expect(await at.endpoint()).toMatchObject({
      state: 'disabled',
      disabled_reason: 'failing_5_days',
    })
    const kinds = (
      (await (await at.world.as('admin')).get('/api/me/notifications')).data['items'] as Loose[]
    )
      .map(({ kind }) => kind)
      .filter((kind) => String(kind).startsWith('webhook'))
    expect(kinds).toEqual(['webhook_disabled', 'webhook_failing', 'webhook_failing'])
  })
})

describe('secrets', () => {
  test('are shown once; both sign during a rotation', async () => {
    await using at = await withEndpoint({ events: ['message.received'] })
    expect(JSON.stringify(await at.endpoint())).not.toContain('whsec_')
    const rotated = await at.admin.post(`/api/webhooks/${at.id}/rotate-secret`, {})
    const secret = String(rotated.data['secret'])
    expect((await at.admin.post(`/api/webhooks/${at.id}/rotate-secret`, {})).body).toMatchObject({
      code: 'rotation_in_progress',
    })
    await at.world.contactOf()
    const [first] = at.receiver.received
    if (!first) throw new Error('nothing received')
    expect([Receiver.isSigned(first, at.secret), Receiver.isSigned(first, secret)]).toEqual([
      true,
      true,
    ])
    at.world.clock.advance({ hours: 25 })
    await at.world.contactOf(at.world.tenant, 'Later', '15550008888')
    const last = at.receiver.received.at(-1)
    if (!last) throw new Error('nothing received')
    expect([Receiver.isSigned(last, at.secret), Receiver.isSigned(last, secret)]).toEqual([
      false,
      true,
    ])
    expect((await at.endpoint())['has_previous_secret']).toBe(false)
  })
})

describe('by hand', () => {
  test('a test is sent once and its result is answered', async () => {
    await using at = await withEndpoint()
    at.world.stays('the memory of a process')
    const good = await at.admin.post(`/api/webhooks/${at.id}/test`, {})
    expect(good.data).toMatchObject({ success: true, status_code: 200, response_excerpt: 'thanks' })
    expect(at.receiver.types).toEqual(['webhook.test'])
    at.receiver.reply = () => new Response('broken', { status: 500 })
    const bad = await at.admin.post(`/api/webhooks/${at.id}/test`, {})
    expect([bad.status, bad.data['success'], bad.data['status_code']]).toEqual([200, false, 500])
    await at.world.settle()
    expect(at.receiver.received).toHaveLength(2)
    for (let nth = 0; nth < 8; nth += 1) await at.admin.post(`/api/webhooks/${at.id}/test`, {})
    expect((await at.admin.post(`/api/webhooks/${at.id}/test`, {})).status).toBe(429)
  })

  test('an organization can test its endpoints ten times a minute', async () => {
    await using at = await withEndpoint()
    at.world.stays('the memory of a process')
    const tried = async () => await at.admin.post(`/api/webhooks/${at.id}/test`, {})
    for (let nth = 0; nth < 10; nth += 1) expect((await tried()).status).toBe(200)
    const refused = await tried()
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
    expect(refused.headers.get('retry-after')).toBe('60')
    at.world.clock.advance({ minutes: -5 })
    expect((await tried()).status).toBe(200)
    expect(at.receiver.received).toHaveLength(11)
  })

  test('a delivery is sent again with the same ID', async () => {
    await using at = await withEndpoint({ events: ['message.received'] })
    await at.world.contactOf()
    const [delivery] = await at.deliveries()
    const again = await at.admin.post(`/api/webhooks/deliveries/${delivery?.['id']}/resend`)
    expect([again.status, again.data['manual']]).toEqual([201, true])
    await at.world.settle()
    const [first, second] = at.receiver.received
    expect(second?.headers.get('webhook-id')).toBe(first?.headers.get('webhook-id') ?? '')
    expect(second?.text).toBe(first?.text ?? '')
  })
})

describe('sockets that watch a delivery', () => {
  test('are told when its request begins and has ended, and nobody else', async () => {
    await using at = await withEndpoint({ events: ['message.received'] })
    const { world, receiver } = at
    await world.contactOf()
    await world.settle()
    const [first] = await at.deliveries()
    let answer: (given: Response) => void = () => undefined
    receiver.reply = () =>
      new Promise((resolve) => {
        answer = resolve
      })
    const again = await at.admin.post(`/api/webhooks/deliveries/${first?.['id']}/resend`)
    const { id } = again.data as { id: string }
    const watch = { type: 'subscribe', payload: { topics: [`delivery:${id}`] } }
    const socket = await world.socket('admin')
    const stranger = await world.socket('admin', world.other)
    for (const one of [socket, stranger])
      expect(await one.ask(watch)).toMatchObject({ type: 'subscribed' })
    const states: unknown[] = []
    const told = async (count: number): Promise<void> => {
      await world.eventually(
        () => socket.frames.filter(({ type }) => type === 'delivery:updated').length === count,
      )
      states.push((await at.admin.get(`/api/webhooks/deliveries/${id}`)).data['state'])
    }
    const settled = world.settle()
    await told(1)
    answer(new Response('ok'))
    await told(2)
    await settled
    expect(states).toEqual(['sending', 'delivered'])
    const frames = socket.frames.filter(({ type }) => type === 'delivery:updated')
    expect(frames.map(({ seq, payload }) => [seq, payload])).toEqual(
      Array.from({ length: 2 }, () => [null, { id, endpoint_id: at.id }]),
    )
    await stranger.caughtUp()
    expect(stranger.frames.some(({ type }) => type === 'delivery:updated')).toBe(false)
    const person = await personWith(world, ['contacts:read'])
    const other = await TestSocket.open(
      `${world.url.replace('http', 'ws')}/ws?token=${person.client.token}`,
    )
    expect(await other.ask(watch)).toMatchObject({ type: 'error', payload: { code: 'forbidden' } })
  })

  test('are told when it is given up without a request', async () => {
    await using at = await withEndpoint({ events: ['message.received'] })
    const { world, receiver } = at
    receiver.reply = () => new Response('later', { status: 503 })
    await world.contactOf()
    await world.settle()
    const [waiting] = await at.deliveries('?state=pending')
    const socket = await world.socket('admin')
    await socket.ask({ type: 'subscribe', payload: { topics: [`delivery:${waiting?.['id']}`] } })
    await at.admin.delete(`/api/webhooks/${at.id}`)
    await world.settle()
    await world.eventually(() => socket.frames.some(({ type }) => type === 'delivery:updated'))
  })
})

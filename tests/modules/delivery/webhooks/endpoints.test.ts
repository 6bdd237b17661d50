import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { personWith } from '../../../support/people'
import { Receiver } from '../../../support/receiver'
import { World } from '../../../support/world'

const OWN_SECRET = `whsec_${Buffer.alloc(24, 5).toString('base64')}`

let world: World
let receiver: Receiver
let admin: Client
let nth = 0

beforeAll(async () => {
  receiver = new Receiver()
  world = await World.create({
    env: { EGRESS_ALLOW: new URL(receiver.url).host, RATE_STANDARD: '0' },
  })
  admin = await world.as('admin')
})
afterAll(async () => {
  await world.stop()
  await receiver[Symbol.asyncDispose]()
})

const create = (more: Loose = {}, client = admin) => {
  nth += 1
  const input = { name: `No ${nth}`, url: receiver.url, events: ['contact.created'], ...more }
  return client.post('/api/webhooks', input)
}

/** Creates an endpoint for the time of a test. */
async function made(more: Loose = {}) {
  const { status, data } = await create(more)
  expect(status).toBe(201)
  const path = `/api/webhooks/${data['id']}`
  return {
    id: String(data['id']),
    secret: String(data['secret']),
    path,
    view: async (): Promise<Loose> => (await admin.get(path)).data,
    async [Symbol.asyncDispose]() {
      await admin.delete(path)
    },
  }
}

/** Creates a contact and returns the requests that its events caused. */
async function received(): Promise<Receiver['received']> {
  receiver.received.length = 0
  nth += 1
  await admin.post('/api/contacts', { phone_number: `+1555${7_000_000 + nth}` })
  await world.settle()
  return receiver.received
}

describe('bad input', () => {
  test.each([
    ['no name', { name: undefined }, 'body.name'],
    ['an empty name', { name: '  ' }, 'body.name'],
    ['no URL', { url: undefined }, 'body.url'],
    ['no events', { events: [] }, 'body.events'],
    ['an unknown event', { events: ['message.received', 'message.lost'] }, 'body.events[1]'],
    ['an unknown area', { events: ['mess.*'] }, 'body.events[0]'],
    ['a text as events', { events: '*' }, 'body.events'],
    ['51 events', { events: Array.from({ length: 51 }, () => '*') }, 'body.events'],
    ['a header with a line break', { headers: { 'X-A': 'a\r\nb' } }, 'body.headers.X-A'],
    ['a header of the body', { headers: { 'Content-Length': '1' } }, 'body.headers.Content-Length'],
    ['a header of the signature', { headers: { 'webhook-id': '1' } }, 'body.headers.webhook-id'],
    ['a hop-by-hop header', { headers: { Connection: 'close' } }, 'body.headers.Connection'],
    ['a header name with a space', { headers: { 'a b': '1' } }, 'body.headers.a b'],
    ['a long header', { headers: { a: 'x'.repeat(1_025) } }, 'body.headers.a'],
    ['a header twice', { headers: { a: '1', A: '2' } }, 'body.headers.A'],
    ['a header without stored value', { headers: { a: '***' } }, 'body.headers.a'],
    [
      '21 headers',
      { headers: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`h${at}`, '1'])) },
      'body.headers',
    ],
    ['a secret without prefix', { secret: OWN_SECRET.slice(6) }, 'body.secret'],
    ['a short secret', { secret: `whsec_${btoa('x'.repeat(23))}` }, 'body.secret'],
    ['a long secret', { secret: `whsec_${btoa('x'.repeat(65))}` }, 'body.secret'],
    ['concurrency 33', { concurrency: 33 }, 'body.concurrency'],
    ['rate 0', { rate_per_second: 0 }, 'body.rate_per_second'],
    ['an unknown order', { ordering: 'strict' }, 'body.ordering'],
    ['a number of nobody', { account_ids: [crypto.randomUUID()] }, 'body.account_ids[0]'],
  ])('%s is refused with its path', async (_, input, path) => {
    const { status, body } = await create(input)
    expect([status, body.errors?.map((one) => one.path)]).toEqual([400, [path]])
  })

  test.each([
    'http://example.com/',
    'ftp://example.com/',
    'https://user:pw@example.com/',
    'https:///example.com',
    'https:example.com',
    'https://example.com/#here',
    'https://127.1/',
    'https://0x7f000001/',
    'https://[::ffff:10.0.0.1]/',
    'https://2130706433/',
    'https://localhost/',
    'https://crm.internal/',
    'https://example.com:5432/',
    'no address',
  ])('the URL %s is refused', async (url) => {
    await using endpoint = await made()
    const answers = [await create({ url }), await admin.put(endpoint.path, { url })]
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [400, 'url_refused'],
      [400, 'url_refused'],
    ])
  })

  test('of replays, tests and resends is refused', async () => {
    await using endpoint = await made()
    const at = (days: number): string =>
      new Date(world.clock.nowMs() + days * 86_400_000).toISOString()
    const replay = async (input: Loose) => {
      const { status, body } = await admin.post(`${endpoint.path}/replay`, input)
      return [status, body.errors?.[0]?.path]
    }
    expect(await replay({})).toEqual([400, 'body.from'])
    expect(await replay({ from: 'yesterday' })).toEqual([400, 'body.from'])
    expect(await replay({ from: at(-1), to: at(-2) })).toEqual([400, 'body.from'])
    expect(await replay({ from: at(-6), to: at(2) })).toEqual([400, 'body.from'])
    expect(await replay({ from: at(-8), to: at(-7) })).toEqual([400, 'body.from'])
    expect(await replay({ from: at(-1), events: ['no.event'] })).toEqual([400, 'body.events[0]'])
    const tried = await admin.post(`${endpoint.path}/test`, { event: 'contact.*' })
    expect([tried.status, tried.body.errors?.[0]?.path]).toEqual([400, 'body.event'])
    const done = await admin.post(`${endpoint.path}/replay`, { from: at(-1) })
    await world.settle()
    const stop = await admin.delete(`${endpoint.path}/replays/${done.data['replay_id']}`)
    expect([stop.status, stop.body.code]).toEqual([409, 'wrong_state'])
  })

  test('the 21st endpoint and a name that is in use are refused', async () => {
    await using first = await made({ name: 'Café' })
    const ids: string[] = []
    expect((await create({ name: 'CAFÉ' })).body.code).toBe('name_taken')
    for (let count = 1; count < 20; count += 1) ids.push(String((await create()).data['id']))
    const { status, body } = await create()
    expect([status, body.code]).toEqual([409, 'limit_reached'])
    expect((await admin.put(`/api/webhooks/${ids[0]}`, { name: 'café' })).body.code).toBe(
      'name_taken',
    )
    await admin.delete(first.path)
    for (const id of ids) await admin.delete(`/api/webhooks/${id}`)
    await using again = await made({ name: 'Café' })
    expect((await again.view())['name']).toBe('Café')
  })
})

describe('a change', () => {
  test('of the host names the headers that must be sent again', async () => {
    await using endpoint = await made({ headers: { Authorization: 'Bearer abc' } })
    const { status, body } = await admin.put(endpoint.path, { url: 'https://elsewhere.example/' })
    const message = 'must be sent again, because `url` leads to another host'
    expect([status, body.message, body.errors]).toEqual([
      400,
      `\`headers\` ${message}.`,
      [{ path: 'body.headers', message }],
    ])
    // Without anything else about the endpoint.
    const stopped = await admin.put(endpoint.path, { is_active: false })
    expect([stopped.status, stopped.data['is_active']]).toEqual([200, false])
  })

  test('of the name leaves state, headers and secret as they are', async () => {
    await using endpoint = await made({ headers: { Authorization: 'Bearer abc', 'X-Team': 'a b' } })
    const view = await endpoint.view()
    expect(view['headers']).toEqual({ Authorization: '***', 'X-Team': '***' })
    const named = (await admin.put(endpoint.path, { name: 'Renamed' })).data
    expect(named).toMatchObject({ name: 'Renamed', is_active: true, headers: view['headers'] })
    await admin.put(endpoint.path, { headers: { Authorization: '***', 'X-Other': 'new' } })
    const [request] = await received()
    if (!request) throw new Error('nothing received')
    expect(request.headers.get('authorization')).toBe('Bearer abc')
    expect(request.headers.get('x-other')).toBe('new')
    expect(request.headers.get('x-team')).toBeNull()
    expect(request.headers.get('user-agent')).toMatch(/^Switchboard-Webhooks\/\S+$/)
    expect(request.headers.get('content-type')).toBe('application/json')
    expect(Receiver.isSigned(request, endpoint.secret)).toBe(true)
  })

  test('can disable and enable; what is missed meanwhile is not sent by itself', async () => {
    await using endpoint = await made({ is_active: false })
    expect(await endpoint.view()).toMatchObject({
      is_active: false,
      state: 'disabled',
      disabled_reason: 'manual',
    })
    expect(await received()).toHaveLength(0)
    const list = `${endpoint.path}/deliveries`
    const [missed] = (await admin.get(list)).data['items'] as Loose[]
    expect(missed).toMatchObject({ state: 'missed', attempt_count: 0, next_attempt_at: null })
    for (const [path, body] of [
      [`${endpoint.path}/test`, {}],
      [`${endpoint.path}/replay`, { from: new Date(world.clock.nowMs() - 1).toISOString() }],
      [`/api/webhooks/deliveries/${missed?.['id']}/resend`, undefined],
    ] as const)
      expect((await admin.post(path, body)).body.code).toBe('endpoint_disabled')
    expect((await admin.put(endpoint.path, { is_active: true })).data).toMatchObject({
      state: 'healthy',
      disabled_at: null,
      disabled_reason: null,
    })
    expect(await received()).toHaveLength(1)
    expect((await admin.get(`${list}?state=missed`)).data['items']).toHaveLength(1)
  })

  test('list and search show endpoints by name, by URL and by state', async () => {
    await using _one = await made({ name: 'Zeta', url: `${receiver.url}/Orders` })
    await using _two = await made({ name: 'alpha', is_active: false })
    const names = async (query: string): Promise<string[]> =>
      ((await admin.get(`/api/webhooks${query}`)).data['items'] as Loose[]).map(({ name }) => name)
    expect(await names('')).toEqual(['alpha', 'Zeta'])
    expect(await names('?search=ALPHA')).toEqual(['alpha'])
    expect(await names('?search=orders')).toEqual(['Zeta'])
    expect(await names('?state=disabled')).toEqual(['alpha'])
    expect(await names('?limit=1&page=2')).toEqual(['Zeta'])
  })
})

describe('secrets', () => {
  test('an own one signs; it can be rotated to another own one without overlap', async () => {
    await using endpoint = await made({ secret: OWN_SECRET })
    const [first] = await received()
    expect(first && Receiver.isSigned(first, OWN_SECRET)).toBe(true)
    const none = await admin.post(`${endpoint.path}/revoke-secret`, {})
    expect([none.status, none.body.code]).toEqual([409, 'wrong_state'])
    const secret = `whsec_${Buffer.alloc(64, 9).toString('base64')}`
    const rotated = await admin.post(`${endpoint.path}/rotate-secret`, { secret, overlap_hours: 0 })
    expect(rotated.data).toEqual({ secret, previous_expires_at: null })
    const [second] = await received()
    expect(second && [OWN_SECRET, secret].map((one) => Receiver.isSigned(second, one))).toEqual([
      false,
      true,
    ])
    const third = (await admin.post(`${endpoint.path}/rotate-secret`, { overlap_hours: 168 })).data
    expect((await endpoint.view())['previous_expires_at']).toBe(third['previous_expires_at'])
    await admin.post(`${endpoint.path}/revoke-secret`, {})
    expect(await endpoint.view()).toMatchObject({
      has_previous_secret: false,
      previous_expires_at: null,
    })
    const [last] = await received()
    expect(last?.headers.get('webhook-signature')?.split(' ')).toHaveLength(1)
    expect(last && Receiver.isSigned(last, String(third['secret']))).toBe(true)
  })

  test('and values of headers are in no answer, audit entry, log line or column', async () => {
    await using endpoint = await made({ headers: { Authorization: 'Bearer top-secret' } })
    const rotated = (await admin.post(`${endpoint.path}/rotate-secret`, {})).data
    await received()
    const [delivery] = (await admin.get(`${endpoint.path}/deliveries`)).data['items'] as Loose[]
    await admin.post(`/api/webhooks/deliveries/${delivery?.['id']}/resend`)
    await admin.post(`${endpoint.path}/disable`)
    await admin.post(`${endpoint.path}/enable`)
    const from = new Date(world.clock.nowMs() - 60_000).toISOString()
    await admin.post(`${endpoint.path}/replay`, { from, only_failed: false })
    await admin.put(endpoint.path, { headers: { Authorization: 'Bearer top-secret too' } })
    await admin.delete(endpoint.path)
    const about = `resource_id=${endpoint.id}&limit=100`
    const audit = (await admin.get(`/api/audit-logs?${about}`)).data['items'] as Loose[]
    const texts = JSON.stringify([
      (await admin.get('/api/webhooks')).data,
      (await admin.get(`${endpoint.path}/deliveries`)).body,
      audit,
      world.logLines,
      world.rows('select * from webhook_endpoints'),
    ])
    for (const secret of [endpoint.secret, rotated['secret'], 'top-secret'])
      expect(texts).not.toContain(String(secret))
    expect(audit.map(({ action }) => action as string).toReversed()).toEqual([
      'created',
      'updated', // the secret
      'updated', // disabled
      'updated', // enabled
      'replayed',
      'updated', // a header
      'deleted',
    ])
  })
})

describe('permissions', () => {
  const READS = ['webhooks:read', 'webhooks:create', 'webhooks:update']

  test.each([
    [[], ['contact.created'], 'contacts:read_all'],
    [['contacts:read_all', 'contacts:read'], ['message.*'], 'messages:read'],
    [['contacts:read_all'], ['contact.bulk'], 'contacts:read'],
    [['contacts:read_all', 'transfers:read'], ['transfer.created'], 'transfers:assign'],
    [['contacts:read_all'], ['chatbot.*'], 'chatbot:read'],
    [['contacts:read_all'], ['campaign.started'], 'campaigns:read'],
    [['contacts:read_all'], ['template.updated'], 'templates:read'],
    [['contacts:read_all'], ['flow.updated'], 'flows:read'],
    [['contacts:read_all'], ['account.updated'], 'accounts:read'],
  ])('with %p the events %p need %s', async (more, events, missing) => {
    await using endpoint = await made({ events })
    const person = await personWith(world, [...READS, ...more])
    const answers = [
      await create({ events }, person.client),
      await person.client.put(endpoint.path, { url: `${receiver.url}/mine` }),
      await person.client.put(endpoint.path, { events }),
      await person.client.post(`${endpoint.path}/enable`),
    ]
    for (const { status, body } of answers) {
      expect([status, body.code]).toEqual([403, 'escalation'])
      expect(body.message).toContain(missing)
    }
    expect((await person.client.put(endpoint.path, { concurrency: 2 })).status).toBe(200)
  })

  test('what was sent and answered is shown to those who may choose the event', async () => {
    await using endpoint = await made({ headers: { 'X-Key': 'k' } })
    await received()
    const [delivery] = (await admin.get(`${endpoint.path}/deliveries`)).data['items'] as Loose[]
    const path = `/api/webhooks/deliveries/${delivery?.['id']}`
    const full = (await admin.get(path)).data
    expect(full).toMatchObject({
      payload: { type: 'contact.created' },
      attempts: [
        {
          request_headers: { 'X-Key': '***', 'webhook-signature': '***', 'webhook-attempt': '1' },
          response_excerpt: 'thanks',
        },
      ],
    })
    const person = await personWith(world, ['webhooks:read', 'webhooks:update'])
    expect((await person.client.get(path)).data).toMatchObject({
      payload: null,
      attempts: [{ status_code: 200, request_headers: null, response_excerpt: null }],
    })
    const filtered = await person.client.get(
      `${endpoint.path}/deliveries?contact_id=${delivery?.['contact_id']}`,
    )
    expect(filtered.status).toBe(403)
    person.may('webhooks:read', 'contacts:read_all', 'contacts:read')
    expect((await person.client.get(path)).data).toMatchObject({
      payload: { type: 'contact.created' },
      attempts: [{ response_headers: null, response_excerpt: null }],
    })
  })

  test('whole numbers go out only with the permission to see them', async () => {
    await using endpoint = await made()
    const person = await personWith(world, [...READS, 'contacts:read_all', 'contacts:read'])
    await received()
    await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
    const [delivery] = (await admin.get(`${endpoint.path}/deliveries`)).data['items'] as Loose[]
    const path = `/api/webhooks/deliveries/${delivery?.['id']}`
    const number = String((await admin.get(path)).data['payload']['data']['phone_number'])
    expect(number).toMatch(/^\d+$/)
    expect(JSON.stringify((await person.client.get(path)).data)).not.toContain(number)
    const refused = [
      await create({ include_phone_numbers: true }, person.client),
      await person.client.put(endpoint.path, { include_phone_numbers: true }),
      // It sends whole numbers already, and would send them to a place of this person's choice.
      await person.client.put(endpoint.path, { url: `${receiver.url}/mine` }),
    ]
    for (const { status, body } of refused)
      expect([status, body.code, body.message]).toEqual([
        403,
        'escalation',
        expect.stringContaining('contacts:unmask'),
      ])
    const own = await create({}, person.client)
    expect(own.data['include_phone_numbers']).toBe(false)
    const moved = { url: `${receiver.url}/mine`, include_phone_numbers: false }
    expect((await person.client.put(endpoint.path, moved)).status).toBe(200)
    await admin.delete(`/api/webhooks/${own.data['id']}`)
    await admin.put('/api/organizations/settings', { mask_phone_numbers: false })
  })

  test('an endpoint outlives the rights of the person who created it', async () => {
    const all = [...READS, 'contacts:read_all', 'contacts:read']
    const person = await personWith(world, all)
    const { data } = await create({}, person.client)
    expect(data['created_by']).toBe(person.userId)
    person.may()
    expect(await received()).toHaveLength(1)
    await admin.delete(`/api/webhooks/${data['id']}`)
  })
})

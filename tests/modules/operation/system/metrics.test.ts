import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import alerts from '../../../../src/modules/operation/system/monitoring/alerts.yml'
import dashboard from '../../../../src/modules/operation/system/monitoring/dashboard.json'
import { listenForMetrics } from '../../../../src/metrics-listener'
import { textTo } from '../../../support/lines'
import { Receiver } from '../../../support/receiver'
import { World } from '../../../support/world'

const TOKEN = 'a-metrics-token-of-this-test'

/** Each metric with its type and its labels, as operators rely on them. */
const METRICS: Record<string, [type: string, ...labels: string[]]> = {
  http_requests_total: ['counter', 'method', 'route', 'status'],
  http_request_duration_seconds: ['histogram', 'method', 'route', 'status'],
  http_in_flight: ['gauge'],
  rate_limited_total: ['counter', 'bucket'],
  inbound_events_total: ['counter', 'kind'],
  inbound_ack_seconds: ['histogram'],
  inbound_rejected_total: ['counter', 'reason'],
  journal_pending: ['gauge'],
  journal_oldest_seconds: ['gauge'],
  messages_total: ['counter', 'direction', 'type', 'outcome'],
  message_send_seconds: ['histogram'],
  outbox_pending: ['gauge'],
  outbox_oldest_seconds: ['gauge'],
  ambiguous_sends_total: ['counter'],
  platform_requests_total: ['counter', 'operation', 'class'],
  platform_errors_total: ['counter', 'code'],
  jobs_total: ['counter', 'kind', 'outcome'],
  jobs_pending: ['gauge', 'kind'],
  jobs_oldest_seconds: ['gauge'],
  job_duration_seconds: ['histogram', 'kind'],
  jobs_discarded: ['gauge', 'kind'],
  webhook_deliveries_total: ['counter', 'outcome'],
  webhook_delivery_seconds: ['histogram'],
  webhook_pending: ['gauge'],
  webhook_endpoints_disabled: ['gauge'],
  ws_connections: ['gauge', 'class'],
  ws_frames_total: ['counter', 'type'],
  ws_closed_total: ['counter', 'code'],
  ws_replayed_total: ['counter'],
  chatbot_turns_total: ['counter', 'outcome'],
  ai_requests_total: ['counter', 'provider', 'outcome'],
  ai_tokens_total: ['counter', 'provider', 'direction'],
  transfers_waiting: ['gauge'],
  campaign_messages_total: ['counter', 'outcome'],
  db_size_bytes: ['gauge'],
  db_wal_bytes: ['gauge'],
  db_transaction_seconds: ['histogram'],
  db_busy_total: ['counter'],
  disk_free_bytes: ['gauge'],
  backup_last_success_timestamp_seconds: ['gauge'],
  backup_duration_seconds: ['gauge'],
  replica_age_seconds: ['gauge'],
  process_cpu_seconds_total: ['counter'],
  process_resident_memory_bytes: ['gauge'],
  event_loop_lag_seconds: ['gauge'],
  build_info: ['gauge', 'version', 'commit', 'committed_at'],
  start_time_seconds: ['gauge'],
}

let world: World

beforeAll(async () => {
  world = await World.create({ env: { METRICS_TOKEN: TOKEN } })
})

afterAll(() => world.stop())

interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

/** Every sample of the exposition; a line that is none fails the test. */
async function read(of: World = world): Promise<{ samples: Sample[]; types: Map<string, string> }> {
  const answer = await fetch(`${of.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ])
  const lines = (await answer.text()).split('\n').filter((line) => line !== '')
  const types = new Map(
    lines
      .filter((line) => line.startsWith('# TYPE '))
      .map((line) => line.slice('# TYPE '.length).split(' ') as [string, string]),
  )
  const samples = lines
    .filter((line) => !line.startsWith('#'))
    .map((line) => {
      const [, name = '', inner = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
      expect({ line, isSample: name !== '' && !Number.isNaN(Number(value)) }).toEqual({
        line,
        isSample: true,
      })
      const labels = Object.fromEntries(
        [...inner.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', of_ = '']) => [label, of_]),
      )
      return { name, labels, value: Number(value) }
    })
  return { samples, types }
}

const valueOf = (samples: Sample[], name: string, labels: Record<string, string> = {}): number =>
  samples
    .filter((sample) => sample.name === `switchboard_${name}`)
    .filter((sample) =>
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    )
    .reduce((sum, { value }) => sum + value, 0)

test('exposes every metric with its type', async () => {
  const { types } = await read()
  const named = [...types].map(([name, type]) => [name.replace('switchboard_', ''), type])
  expect(Object.fromEntries(named)).toEqual(
    Object.fromEntries(Object.entries(METRICS).map(([name, [type]]) => [name, type])),
  )
  expect([...types.keys()].filter((name) => !name.startsWith('switchboard_'))).toEqual([])
})

test('counts requests to customer endpoints, what waits for them and those that were disabled', async () => {
  await using receiver = new Receiver()
  await using of = await World.create({
    env: { METRICS_TOKEN: TOKEN, EGRESS_ALLOW: new URL(receiver.url).host },
  })
  const admin = await of.as('admin')
  for (const name of ['good', 'bad', 'gone'])
    await admin.post('/api/webhooks', {
      name,
      url: `${receiver.url}/${name}`,
      events: ['contact.created'],
      headers: { 'x-name': name },
    })
  const status: Record<string, number> = { good: 200, bad: 500, gone: 410 }
  receiver.reply = ({ headers }) =>
    new Response('', { status: status[headers.get('x-name') ?? ''] ?? 200 })
  await admin.post('/api/contacts', { phone_number: '+15556000009' })
  await of.settle()
  const { samples } = await read(of)
  expect(valueOf(samples, 'webhook_deliveries_total', { outcome: 'delivered' })).toBe(1)
  expect(valueOf(samples, 'webhook_deliveries_total', { outcome: 'status' })).toBe(2)
  expect(valueOf(samples, 'webhook_delivery_seconds_count')).toBe(3)
  expect(valueOf(samples, 'webhook_pending')).toBe(1)
  expect(valueOf(samples, 'webhook_endpoints_disabled')).toBe(1)
})

describe('metrics can be read', () => {
  test('with the token', async () => {
    expect((await fetch(`${world.url}/metrics`)).status).toBe(401)
    expect((await world.as('super')).get('/metrics')).resolves.toMatchObject({ status: 401 })
    for (const authorization of ['Bearer wrong', `Basic ${TOKEN}`, `Bearer ${TOKEN}x`])
      expect((await fetch(`${world.url}/metrics`, { headers: { authorization } })).status).toBe(401)
    expect(
      (
        await fetch(`${world.url}/metrics`, {
          method: 'POST',
          headers: { authorization: `Bearer ${TOKEN}` },
        })
      ).status,
    ).toBe(404)
  })

  test('by nobody on the API address if there is no token', async () => {
    await using closed = await World.create({ isConnected: false, tenants: 1 })
    const answer = await closed.anyone
      .with({ authorization: 'Bearer anything-at-all' })
      .get('/metrics')
    expect([answer.status, answer.body.code]).toEqual([403, 'metrics_elsewhere'])
  })
})

describe('metrics on an address of their own', () => {
  const ask = async (of: World, path: string, init: RequestInit = {}): Promise<Response> => {
    const server = listenForMetrics(of.program, { host: '127.0.0.1', port: 0 })
    try {
      const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, init)
      return new Response(await answer.text(), answer)
    } finally {
      await server.stop(true)
    }
  }

  test('are read without a token if none is set, and otherwise with it', async () => {
    await using open = await World.create({ isConnected: false, tenants: 1 })
    const answer = await ask(open, '/metrics')
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
    expect(await answer.text()).toContain('switchboard_build_info{version="')
    expect((await ask(world, '/metrics')).status).toBe(401)
    expect(
      (await ask(world, '/metrics', { headers: { authorization: `Bearer ${TOKEN}` } })).status,
    ).toBe(200)
  })

  test('are the only route there, with the usual headers and request ID', async () => {
    for (const [path, init, status] of [
      [
        '/metrics',
        { headers: { authorization: `Bearer ${TOKEN}`, 'x-request-id': 'scrape-0001' } },
        200,
      ],
      ['/metrics', {}, 401],
      ['/metrics', { method: 'POST' }, 404],
      ['/health', {}, 404],
    ] as [string, RequestInit, number][]) {
      const { headers, status: answered } = await ask(world, path, init)
      const told = [
        'x-content-type-options',
        'x-frame-options',
        'referrer-policy',
        'cache-control',
      ].map((name) => headers.get(name))
      expect({ path, status: answered, told }).toEqual({
        path,
        status,
        told: ['nosniff', 'DENY', 'no-referrer', 'no-store'],
      })
      expect(headers.get('permissions-policy')).toContain('microphone=()')
      expect(headers.get('x-request-id')).toMatch(
        status === 200 ? /^scrape-0001$/ : /^[0-9a-f-]{36}$/,
      )
    }
  })
})

test('metrics count events without naming people or organizations', async () => {
  const socket = await world.socket('admin')
  const contact = await world.contactOf(world.tenant, 'A text nobody may read', '4915112345678')
  const admin = await world.as('admin')
  await admin.post(`/api/contacts/${contact['id']}/messages`, {
    type: 'text',
    text: 'An answer nobody may read',
  })
  await world.settle()
  await admin.get(`/api/contacts/${contact['id']}`)
  await admin.get('/api/no/such/route-of-somebody')
  await world.anyone.post('/api/webhook', { object: 'whatsapp_business_account' })
  await world.anyone.request('BREW' as 'GET', '/health')

  const { samples } = await read()
  const of = (name: string, labels?: Record<string, string>): number =>
    valueOf(samples, name, labels)
  expect(of('inbound_events_total', { kind: 'message' })).toBe(1)
  expect(of('inbound_events_total', { kind: 'status' })).toBeGreaterThan(0)
  expect(of('inbound_ack_seconds_count')).toBe(of('inbound_events_total'))
  expect(of('inbound_rejected_total', { reason: 'signature_missing' })).toBe(1)
  expect(of('messages_total', { direction: 'incoming', type: 'text', outcome: 'received' })).toBe(1)
  expect(of('messages_total', { direction: 'outgoing', type: 'text', outcome: 'accepted' })).toBe(1)
  expect(of('message_send_seconds_count')).toBe(1)
  expect(of('platform_requests_total', { operation: 'sendMessage', class: 'ok' })).toBe(1)
  expect(of('jobs_total', { kind: 'message.send', outcome: 'completed' })).toBe(1)
  expect(of('job_duration_seconds_count', { kind: 'message.send' })).toBe(1)
  expect(
    of('http_requests_total', { method: 'GET', route: '/api/contacts/:id', status: '200' }),
  ).toBe(1)
  expect(of('http_requests_total', { route: 'none', status: '404' })).toBeGreaterThan(0)
  expect(of('http_request_duration_seconds_count')).toBe(of('http_requests_total'))
  expect(
    of('http_request_duration_seconds_bucket', { route: '/api/contacts/:id', le: '+Inf' }),
  ).toBe(1)
  expect(of('ws_connections', { class: 'all' })).toBe(1)
  expect(of('ws_frames_total', { type: 'message:new' })).toBeGreaterThan(0)
  expect(of('db_transaction_seconds_count')).toBeGreaterThan(10)
  expect(of('process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
  expect(of('start_time_seconds')).toBe(world.program.lifecycle.startedAtMs / 1_000)
  const { version } = world.program.http
  expect(of('build_info', { version, commit: 'unknown', committed_at: 'unknown' })).toBe(1)

  for (const { name, labels } of samples) {
    const [, ...allowed] =
      METRICS[name.replace('switchboard_', '').replace(/_(bucket|sum|count)$/, '')] ?? []
    expect({
      name,
      surplus: Object.keys(labels).filter((label) => label !== 'le' && !allowed.includes(label)),
    }).toEqual({
      name,
      surplus: [],
    })
    for (const value of Object.values(labels))
      expect({
        name,
        value,
        isWord:
          /^[A-Za-z0-9_.:/+-]{1,80}$/.test(value) &&
          !/[0-9a-f]{8}-|\d{7}|somebody|nobody/.test(value),
      }).toEqual({
        name,
        value,
        isWord: true,
      })
  }
  await socket.close()
  await world.eventually(() => world.program.realtime.sockets.count().all === 0)
  const { samples: later } = await read()
  expect(valueOf(later, 'ws_connections')).toBe(0)
  expect(valueOf(later, 'ws_closed_total')).toBe(1)
})

test('metrics count waiting work, per organization only if enabled', async () => {
  await using busy = await World.create({
    env: { METRICS_TOKEN: TOKEN, METRICS_PER_ORG: 'true', RATE_STANDARD: '40' },
    tenants: 1,
  })
  const contact = await busy.contactOf()
  const admin = await busy.as('admin')
  await admin.post(`/api/contacts/${contact['id']}/messages`, { type: 'text', text: 'waits' })
  await admin.post('/api/chatbot/transfers', { contact_id: contact['id'] })
  const both = textTo(busy, 'waits too')
  both.entry.push(...textTo(busy, 'and so does this').entry)
  await busy.simulator.post(both)
  busy.program.ingest.step()
  await busy.simulator.post(textTo(busy, 'not in the journal yet'))
  busy.clock.advance({ seconds: 90 })
  const { samples } = await read(busy)
  const of = (name: string, labels?: Record<string, string>): number =>
    valueOf(samples, name, labels)
  expect([of('journal_pending'), of('journal_oldest_seconds')]).toEqual([3, 90])
  expect([of('outbox_pending'), of('outbox_oldest_seconds')]).toEqual([1, 90])
  expect(of('transfers_waiting')).toBe(1)
  expect(of('jobs_pending', { kind: 'message.send', organization: busy.tenant.id })).toBe(1)
  expect(of('jobs_oldest_seconds')).toBe(90)
  for (let request = 0; request < 50; request += 1) await busy.anyone.get('/api/me')
  expect(
    valueOf((await read(busy)).samples, 'rate_limited_total', { bucket: 'standard' }),
  ).toBeGreaterThan(0)
})

describe('the dashboard and the alerts', () => {
  const namesIn = (text: string): string[] => [
    ...new Set(
      [...text.matchAll(/switchboard_(\w+)/g)].map(([, name = '']) =>
        name.replace(/_(bucket|sum|count)$/, ''),
      ),
    ),
  ]

  test('use existing metrics', () => {
    const asked = namesIn(JSON.stringify([dashboard, alerts]))
    expect(asked.length).toBeGreaterThan(25)
    expect(asked.filter((name) => !(name in METRICS))).toEqual([])
  })

  test('aggregate by existing labels', () => {
    const labels = new Set([
      'le',
      'instance',
      ...Object.values(METRICS).flatMap(([, ...own]) => own),
    ])
    const grouped = [...JSON.stringify([dashboard, alerts]).matchAll(/by \(([^)]*)\)/g)].flatMap(
      ([, list = '']) => list.split(/, */),
    )
    expect(grouped.filter((label) => !labels.has(label))).toEqual([])
  })

  test('have a severity and an instruction for each alert', () => {
    const rules = (
      alerts as {
        groups: { rules: { labels: { severity: string }; annotations: Record<string, string> }[] }[]
      }
    ).groups.flatMap(({ rules: of }) => of)
    expect(rules.length).toBeGreaterThan(10)
    for (const { labels, annotations } of rules) {
      expect(['page', 'ticket']).toContain(labels.severity)
      expect(annotations['description']?.length).toBeGreaterThan(10)
    }
  })
})

test('metrics count what another responder of a number has to do, by code', async () => {
  await using shared = await World.create({ env: { METRICS_TOKEN: TOKEN }, tenants: 1 })
  shared.simulator.shareNumber({ phone: shared.tenant.phoneId, roles: ['marketing'] })
  const contact = await shared.contactOf()
  const admin = await shared.as('admin')
  const [conversation] = (await admin.get('/api/conversations')).data['items'] as { id: string }[]
  await admin.post(`/api/conversations/${conversation?.id}/thread`, { action: 'take' })
  await admin.get(`/api/contacts/${String(contact['id'])}/call-permission`)
  const { samples } = await read(shared)
  for (const [operation, code] of [
    ['controlThread', '2494191'],
    ['getCallPermission', '138038'],
  ] as const) {
    expect(valueOf(samples, 'platform_requests_total', { operation, class: 'routing' })).toBe(1)
    expect(valueOf(samples, 'platform_errors_total', { code })).toBe(1)
  }
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Loose } from '../support/client'
import { routesOf } from '../support/routes'
import { World } from '../support/world'

/** Everything a page could ask a browser for. */
const ALL_OFF =
  'accelerometer=(), autoplay=(), camera=(), clipboard-read=(), clipboard-write=(), display-capture=(), encrypted-media=(), fullscreen=(), geolocation=(), gyroscope=(), hid=(), idle-detection=(), magnetometer=(), microphone=(), midi=(), payment=(), picture-in-picture=(), publickey-credentials-get=(), screen-wake-lock=(), serial=(), usb=(), xr-spatial-tracking=()'

let world: World

beforeAll(async () => {
  world = await World.create({ isConnected: false })
})

afterAll(() => world.stop())

const STEADY = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'permissions-policy': ALL_OFF,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/**
 * Lines of the log. A request is logged just after its answer has left: one more request is enough
 * to have it there.
 */
async function linesOf(isMeant: (line: Loose) => boolean): Promise<Loose[]> {
  await world.anyone.get('/health')
  return world.logLines.map((line) => JSON.parse(line) as Loose).filter(isMeant)
}

describe('the request id', () => {
  const idOf = async (offered: string): Promise<string | null> =>
    (await world.anyone.with({ 'x-request-id': offered }).get('/health')).headers.get(
      'x-request-id',
    )

  test('is taken from the caller if it is 8 to 64 plain characters', async () => {
    for (const offered of ['12345678', 'a'.repeat(64), 'trace-1.2_3:4'])
      expect(await idOf(offered)).toBe(offered)
  })

  test('is generated otherwise', async () => {
    for (const offered of [
      '1234567',
      'a'.repeat(65),
      'with space',
      'quote"quote"',
      'ümlaut-123',
      '<script>alert</script>',
    ])
      expect(await idOf(offered)).toMatch(/^[0-9a-f-]{36}$/)
    const [one, two] = [await world.anyone.get('/health'), await world.anyone.get('/health')]
    expect(one.headers.get('x-request-id')).not.toBe(two.headers.get('x-request-id'))
  })

  test('is in every response and in its log line', async () => {
    const admin = await world.as('admin')
    const id = 'my-own-request-id'
    for (const path of [
      '/api/me',
      '/api/no/such/route',
      '/nothing/here',
      '/docs',
      '/openapi.json',
      '/api/contacts?limit=0',
    ])
      expect((await admin.with({ 'x-request-id': id }).get(path)).headers.get('x-request-id')).toBe(
        id,
      )
    const lines = await linesOf((line) => line['request_id'] === id)
    expect(lines.map(({ msg, status }) => [msg, status])).toEqual([
      ['request', 200],
      ['request', 404],
      ['request', 404],
      ['request', 200],
      ['request', 200],
      ['request', 400],
    ])
    expect(lines[0]).toMatchObject({
      level: 'info',
      method: 'GET',
      route: '/api/me',
      organization_id: world.tenant.id,
      user_id: world.tenant.userIds.admin,
    })
  })
})

test('logs one line per request, and health checks only at debug level', async () => {
  const client = world.anyone.with({ 'x-request-id': 'log-of-this-test' })
  await client.get('/health')
  await client.get('/api/me?token=secret-token&x=1')
  const lines = await linesOf((line) => line['request_id'] === 'log-of-this-test')
  expect(lines.map(({ level, path }) => [level, path])).toEqual([
    ['debug', '/health'],
    ['info', '/api/me'],
  ])
  expect(Object.keys(lines[1] ?? {}).toSorted()).toEqual(
    [
      'address',
      'code',
      'duration_ms',
      'level',
      'method',
      'msg',
      'organization_id',
      'path',
      'request_id',
      'route',
      'status',
      'time',
      'user_id',
    ].toSorted(),
  )
  expect(lines[1]?.['time']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  expect(world.logLines.join('')).not.toContain('secret-token')
})

describe('response headers', () => {
  test('protect every response', async () => {
    const admin = await world.as('admin')
    for (const path of [
      '/api/me',
      '/api/nothing',
      '/nothing',
      '/health',
      '/docs',
      '/docs/swagger-ui.css',
      '/openapi.json',
      '/ws',
      '/api/webhook',
    ]) {
      const { headers } = await admin.get(path)
      const seen = Object.fromEntries(Object.keys(STEADY).map((name) => [name, headers.get(name)]))
      const copying = {
        'permissions-policy': ALL_OFF.replace(/(clipboard-write=)\(\)/, '$1(self)'),
      }
      expect({ path, ...seen }).toEqual({ path, ...STEADY, ...(path === '/docs' ? copying : {}) })
      expect([headers.get('server'), headers.get('x-powered-by')]).toEqual([null, null])
    }
  })

  test('forbid caching under /api', async () => {
    const admin = await world.as('admin')
    for (const path of ['/api/me', '/api/nothing', '/api/webhook', '/api'])
      expect((await admin.get(path)).headers.get('cache-control')).toBe('no-store')
  })

  test('require HTTPS if the base URL uses it', async () => {
    expect((await world.anyone.get('/health')).headers.get('strict-transport-security')).toBeNull()
    await using secure = await World.create({
      isConnected: false,
      tenants: 1,
      env: { BASE_URL: 'https://chat.example.com/' },
    })
    expect((await secure.anyone.get('/health')).headers.get('strict-transport-security')).toContain(
      'max-age=31536000',
    )
  })
})

describe('other origins', () => {
  const ORIGIN = 'https://app.example.com'
  let open: World

  beforeAll(async () => {
    open = await World.create({
      isConnected: false,
      tenants: 1,
      env: { CORS_ORIGINS: `${ORIGIN}, http://localhost:3000` },
    })
  })

  afterAll(() => open.stop())

  const preflight = (
    on: World,
    origin: string,
    more: Record<string, string> = {},
  ): Promise<Response> =>
    fetch(`${on.url}/api/contacts`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'GET', ...more },
    })

  test('are allowed nothing by default', async () => {
    const answer = await preflight(world, ORIGIN)
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([404, null])
    await answer.body?.cancel()
  })

  test('that are listed may send preflight requests', async () => {
    const { status, headers } = await preflight(open, ORIGIN, {
      'access-control-request-headers': 'authorization',
    })
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe(ORIGIN)
    expect(headers.get('vary')).toBe('Origin')
    expect(headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, DELETE')
    expect(headers.get('access-control-allow-headers')).toBe(
      'Authorization, Content-Type, X-API-Key, X-Organization-ID, Idempotency-Key',
    )
    expect(headers.get('access-control-max-age')).toBe('600')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('that are listed may read every response and its relevant headers', async () => {
    const admin = (await open.as('admin')).with({ origin: ORIGIN })
    for (const path of ['/api/me', '/api/nothing', '/api/contacts?limit=0']) {
      const { headers } = await admin.get(path)
      expect([
        headers.get('access-control-allow-origin'),
        headers.get('vary')?.split(', ')[0],
      ]).toEqual([ORIGIN, 'Origin'])
      expect(headers.get('access-control-expose-headers')).toBe(
        'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Request-Id, Idempotent-Replay',
      )
      expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    }
    const refused = await open.anyone.with({ origin: ORIGIN }).get('/api/me')
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([
      401,
      ORIGIN,
    ])
  })

  test('that only resemble a listed one are allowed nothing', async () => {
    for (const origin of [
      'https://app.example.com.evil.test',
      'http://app.example.com',
      'https://APP.example.com',
      'null',
      `${ORIGIN}/`,
      'https://example.com',
    ]) {
      const answer = await preflight(open, origin)
      expect({ origin, allowed: answer.headers.get('access-control-allow-origin') }).toEqual({
        origin,
        allowed: null,
      })
      await answer.body?.cancel()
    }
  })
})

describe('behind a proxy', () => {
  const addressAt = async (trusted: string, forwardedFor: string): Promise<string> => {
    await using proxied = await World.create({
      isConnected: false,
      tenants: 1,
      env: { TRUSTED_PROXIES: trusted },
    })
    await proxied.anyone.with({ 'x-forwarded-for': forwardedFor }).post('/api/auth/login', {
      email: proxied.emailOf('agent', proxied.tenant),
      password: 'correct horse battery',
    })
    return (
      proxied.rows<{ ip_address: string }>('select ip_address from sessions')[0]?.ip_address ?? ''
    )
  }

  const cases: [what: string, trusted: string, forwardedFor: string, address: string][] = [
    ['nobody is trusted by default', '', '203.0.113.7', '127.0.0.1'],
    ['who is not trusted is not believed', '10.0.0.0/8', '203.0.113.7', '127.0.0.1'],
    ['the entry of the trusted proxy counts', '127.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['what the client wrote itself does not', '127.0.0.0/8', '1.2.3.4, 203.0.113.7', '203.0.113.7'],
    [
      'a chain of trusted proxies is walked through',
      '127.0.0.1, 10.0.0.0/8',
      '1.2.3.4, 203.0.113.7, 10.1.2.3',
      '203.0.113.7',
    ],
    ['IPv6 counts as well', '127.0.0.1', '2001:db8::7', '2001:db8::7'],
    ['text that is no address ends the walk', '127.0.0.1', '203.0.113.7, unknown', '127.0.0.1'],
  ]
  for (const [what, trusted, forwardedFor, address] of cases)
    test(what, async () => {
      expect(await addressAt(trusted, forwardedFor)).toBe(address)
    })
})

describe('an internal error', () => {
  test('is 500 with the request ID and no details', async () => {
    await using broken = await World.create({ isConnected: false, tenants: 1 })
    const admin = await broken.as('admin')
    broken.program.http.db.sqlite.run('pragma foreign_keys = off')
    broken.program.http.db.sqlite.run('drop table contacts')
    const { status, body, headers } = await admin
      .with({ 'x-request-id': 'the-broken-one' })
      .get('/api/contacts')
    expect(status).toBe(500)
    expect(body as unknown).toEqual({
      status: 'error',
      data: null,
      message: 'Internal server error. Quote the request ID the-broken-one when you report it.',
      code: 'internal_error',
    })
    expect([headers.get('x-request-id'), headers.get('x-content-type-options')]).toEqual([
      'the-broken-one',
      'nosniff',
    ])
    expect(headers.get('x-ratelimit-limit')).not.toBeNull()
    const logged = broken.logLines
      .map((line) => JSON.parse(line) as Loose)
      .find((line) => line['level'] === 'error')
    expect(logged).toMatchObject({ msg: 'request failed', request_id: 'the-broken-one' })
    expect(JSON.stringify(logged)).toContain('no such table')
    expect((await admin.get('/api/me')).status).toBe(200)
  })

  test('of a database that cannot be written is 503 with Retry-After, while reads continue', async () => {
    await using full = await World.create({ isConnected: false, tenants: 1 })
    const admin = await full.as('admin')
    full.program.http.db.sqlite.run('pragma query_only = on')
    const refused = await admin.post('/api/accounts', {
      name: 'x',
      phone_id: '1',
      business_id: '2',
      access_token: 't',
      verify: false,
    })
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      503,
      'storage_unavailable',
      '5',
    ])
    expect((await admin.get('/api/me')).status).toBe(200)
    full.program.http.db.sqlite.run('pragma query_only = off')
  })
})

describe('an unknown resource', () => {
  const ENVELOPE = {
    status: 'error',
    data: null,
    message: 'There is no endpoint with this method and path. See `/docs` for all endpoints.',
    code: 'route_not_found',
  }

  test('is 404 in the envelope for every method, on known and unknown paths', async () => {
    const admin = await world.as('admin')
    const known = new Set(routesOf(world).map(({ label }) => label))
    for (const path of [
      '/api/me',
      '/api/jobs',
      '/api/auth/login',
      '/api/no/such/route',
      '/api',
      '/api/',
      '/API/me',
      '/api/me/more',
    ])
      for (const method of ['GET', 'OPTIONS', 'PATCH', 'DELETE', 'POST', 'PUT']) {
        if (known.has(`${method} ${path}`)) continue
        const response = await fetch(world.url + path, { method, headers: admin.headers })
        expect({ method, path, status: response.status, body: await response.json() }).toEqual({
          method,
          path,
          status: 404,
          body: ENVELOPE,
        })
      }
  })

  test('is 404 outside /api too', async () => {
    for (const path of ['/nothing', '/docs/nothing', '/docs/../package.json', '/.env'])
      expect({ path, status: (await world.anyone.get(path)).status }).toEqual({ path, status: 404 })
  })

  test('is 404 without a body for HEAD', async () => {
    const admin = await world.as('admin')
    for (const [path, status] of [
      ['/api/me', 200],
      ['/api/no/such/route', 404],
      ['/health', 200],
    ] as const) {
      const response = await fetch(world.url + path, { method: 'HEAD', headers: admin.headers })
      expect({ path, status: response.status, body: await response.text() }).toEqual({
        path,
        status,
        body: '',
      })
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    }
    expect((await fetch(`${world.url}/api/me`, { method: 'HEAD' })).status).toBe(401)
  })
})

test('health shows version and uptime, and readiness its checks, to everybody', async () => {
  const { data } = await world.anyone.get('/health')
  expect(data).toEqual({
    status: 'ok',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    uptime_seconds: expect.any(Number),
  })
  const ready = await world.anyone.get('/ready')
  expect([ready.status, ready.data['status']]).toEqual([200, 'ready'])
  expect(Object.keys(ready.data['checks'] as object)).toEqual(
    expect.arrayContaining(['database', 'migrations', 'disk', 'jobs', 'journal', 'secrets']),
  )
})

test('readiness names the failed check', async () => {
  await using slow = await World.create({ tenants: 1 })
  const failing = async (): Promise<unknown[]> => {
    const { status, body } = await slow.anyone.get('/ready')
    return [status, body.code, ...Object.keys(body.details ?? {})]
  }
  const { lifecycle, http } = slow.program
  const { sqlite } = http.db
  const contact = await slow.contactOf()
  await (
    await slow.as('admin')
  ).post(`/api/contacts/${contact['id']}/messages`, { type: 'text', text: 'an hour of the night' })
  const reset = sqlite.query("update jobs set gate_key = '' where state = 'available'")
  reset.run() // as work is that no gate holds back
  expect((await slow.anyone.get('/ready')).status).toBe(200)
  slow.clock.advance({ minutes: 5, seconds: 1 })
  expect(await failing()).toEqual([503, 'not_ready', 'jobs'])
  await slow.settle()
  expect((await slow.anyone.get('/ready')).status).toBe(200)

  const customer = slow.simulator.customer({ phone: slow.tenant.phoneId })
  await customer.says('I wait')
  slow.clock.advance({ seconds: 61 })
  expect(await failing()).toEqual([503, 'not_ready', 'journal'])
  await slow.settle()

  sqlite.run('pragma query_only = on')
  expect(await failing()).toEqual([503, 'not_ready', 'database'])
  sqlite.run('pragma query_only = off')

  lifecycle.dataDir = '/proc' // a file system without a free block
  for (let round = 0; round < 3; round += 1)
    expect(await failing()).toEqual([503, 'not_ready', 'disk'])
  expect(
    slow.logLines.filter((line) => line.includes('of the disk free; server not ready')),
  ).toHaveLength(1)
  lifecycle.dataDir = null
  expect((await slow.anyone.get('/ready')).status).toBe(200)

  slow.program.lifecycle.phase = 'stopping'
  const { status, body } = await slow.anyone.get('/ready')
  expect([status, body.code, Object.keys(body.details ?? {})]).toEqual([
    503,
    'not_ready',
    ['process'],
  ])
  expect((await slow.anyone.get('/health')).status).toBe(200)
})

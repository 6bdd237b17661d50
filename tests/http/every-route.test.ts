import { afterAll, beforeAll, expect, test } from 'bun:test'

import { readBytes } from '../../src/http/body'
import { readForm } from '../../src/http/multipart'
import type { Client } from '../support/client'
import { pathOf, routesOf, takesDocument, takesFormOnly, type Route } from '../support/routes'
import { World } from '../support/world'

/** Everything a page could ask a browser for. */
const ALL_OFF =
  'accelerometer=(), autoplay=(), camera=(), clipboard-read=(), clipboard-write=(), display-capture=(), encrypted-media=(), fullscreen=(), geolocation=(), gyroscope=(), hid=(), idle-detection=(), magnetometer=(), microphone=(), midi=(), payment=(), picture-in-picture=(), publickey-credentials-get=(), screen-wake-lock=(), serial=(), usb=(), xr-spatial-tracking=()'

const ORIGIN = 'https://app.example.com'
const LIMIT_KIB = 64

let world: World
let routes: Route[]
let admin: Client

beforeAll(async () => {
  world = await World.create({
    isConnected: false,
    env: {
      BASE_URL: 'https://chat.example.com',
      CORS_ORIGINS: ORIGIN,
      BODY_LIMIT_KIB: String(LIMIT_KIB),
      METRICS_TOKEN: 'a-token-for-the-metrics',
    },
  })
  routes = routesOf(world).filter(({ method }) => method !== 'WS')
  admin = await world.as('super')
})

afterAll(() => world.stop())

const ALWAYS: Record<string, string> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'permissions-policy': ALL_OFF,
  'cross-origin-opener-policy': 'same-origin',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
}

test('every route sends protective headers and a request ID, and nothing about the server software', async () => {
  expect(routes.length).toBeGreaterThan(200)
  for (const client of [world.anyone, admin])
    for (const route of routes) {
      if (client === admin && route.path.includes('logout')) continue
      const { headers, status } = await client.request(route.method, pathOf(route))
      const isApi = route.path.startsWith('/api/')
      const seen = Object.fromEntries(Object.keys(ALWAYS).map((name) => [name, headers.get(name)]))
      // Pages of the documentation copy code when somebody asks them to.
      const copies = route.path === '/docs' && {
        'permissions-policy': ALL_OFF.replace('clipboard-write=()', 'clipboard-write=(self)'),
      }
      expect({ route: route.label, ...seen }).toEqual({ route: route.label, ...ALWAYS, ...copies })
      expect({
        route: route.label,
        id: /^[0-9a-f-]{36}$/.test(headers.get('x-request-id') ?? ''),
        resource: headers.get('cross-origin-resource-policy'),
        runsOn: [headers.get('server'), headers.get('x-powered-by')],
        isFault: status === 500,
        isKept: isApi && !/no-store|no-cache/.test(headers.get('cache-control') ?? ''),
      }).toEqual({
        route: route.label,
        id: true,
        resource: 'same-origin',
        runsOn: [null, null],
        isFault: false,
        isKept: false,
      })
    }
})

test('every page has a content security policy that loads nothing from elsewhere and forbids framing', async () => {
  const pages: string[] = []
  for (const route of routes.filter(
    ({ method, path }) => method === 'GET' && !path.startsWith('/api/'),
  )) {
    const { headers } = await world.anyone.request('GET', pathOf(route))
    if (!headers.get('content-type')?.startsWith('text/html')) continue
    pages.push(route.path)
    const policy = headers.get('content-security-policy') ?? ''
    for (const word of ["frame-ancestors 'none'", "object-src 'none'", "base-uri 'none'"])
      expect({ page: route.path, word, isThere: policy.includes(word) }).toEqual({
        page: route.path,
        word,
        isThere: true,
      })
    expect(policy).toMatch(/default-src '(self|none)'/)
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/)
  }
  expect(pages.toSorted()).toEqual(['/docs', '/join', '/reset-password'])
})

test('only listed origins may read responses under /api, and none may elsewhere', async () => {
  for (const route of routes) {
    const isApi = route.path.startsWith('/api/')
    const listed = await world.anyone.with({ origin: ORIGIN }).request(route.method, pathOf(route))
    const foreign = await world.anyone
      .with({ origin: 'https://evil.example.com' })
      .request(route.method, pathOf(route))
    expect({
      route: route.label,
      listed: listed.headers.get('access-control-allow-origin'),
      foreign: foreign.headers.get('access-control-allow-origin'),
    }).toEqual({ route: route.label, listed: isApi ? ORIGIN : null, foreign: null })
  }
})

test('no line of the log shows a token of an address', async () => {
  const marker = 'the-token-of-one-address'
  const tokens = routes.filter(({ path }) => path.includes(':token'))
  expect(tokens.map(({ path }) => path)).toContain('/api/custom-actions/redirect/:token')
  for (const { method, path } of tokens)
    for (const end of ['', '/', '/more', '?a=1'])
      await admin.request(method, path.replace(':token', marker) + end)
  const lines = world.logLines.join('')
  expect(lines).toContain('/api/custom-actions/redirect/')
  expect(lines).not.toContain(marker)
})

test('no route accepts a body over its limit', async () => {
  const over = JSON.stringify({ text: 'x'.repeat(LIMIT_KIB * 1024) })
  const document = JSON.stringify({ text: 'x'.repeat(16 * 1024 * 1024) })
  const huge = 'x'.repeat(3584 * 1024 + 1)
  // What another server says about a delivery comes before it.
  const huger = `${'x'.repeat(1024 * 1024)}${huge}`
  const taking = routes.filter(
    ({ method, path }) =>
      method !== 'GET' &&
      !/^\/api\/(?:webhook|cells|flows\/endpoint|analytics\/unsubscribe)/.test(path),
  ) // the platform and other servers call the first three, the last is 404 with an unknown token
  for (const route of taking) {
    const large = takesDocument(route) ? document : over
    const { status, body } = await admin.request(route.method, pathOf(route), large)
    // Who may not call it, or sends no form where one is wanted, is told that first.
    const expected = takesFormOnly(route) ? [400, 415] : [413, 403]
    expect({
      route: route.label,
      status,
      isRefused: expected.includes(status) || body.code === 'session_required',
    }).toMatchObject({
      isRefused: true,
    })
  }
  for (const [path, body] of [
    ['/api/webhook', huge],
    ['/api/cells/deliveries', huger],
    ['/api/cells/flow-exchanges', huge],
    ['/api/cells/moves', huge],
  ] as const)
    expect([path, (await world.anyone.request('POST', path, body)).status]).toEqual([path, 413])
})

test('a body has no more than its route needs: bytes, and fields and items', async () => {
  const login = { email: 'a@example.com', password: 'wrong password' }
  const contact = { phone_number: '+15551234567', name: 'Ana' }
  const padded = (body: object, kib: number) => ({ ...body, padding: 'x'.repeat(kib * 1_024) })
  const refusal = async (client: Client, path: string, body: object): Promise<unknown[]> => {
    const answer = await client.post(path, body)
    return [answer.status, answer.body.code]
  }
  await using own = await World.create({ isConnected: false })
  const [anyone, owner] = [own.anyone, await own.as('admin')]
  expect(await refusal(anyone, '/api/auth/login', padded(login, 17))).toEqual([
    413,
    'body_too_large',
  ])
  expect(await refusal(anyone, '/api/auth/login', padded(login, 15))).toEqual([
    401,
    'invalid_credentials',
  ])
  expect(await refusal(owner, '/api/contacts', padded(contact, 65))).toEqual([
    413,
    'body_too_large',
  ])
  expect((await owner.post('/api/contacts', padded(contact, 63))).status).toBe(201)
  const keys = (many: number) =>
    Object.fromEntries(Array.from({ length: many }, (_, nth) => [`k${nth}`, '{[,"\\,']))
  const many = await owner.post('/api/tags', { name: 'VIP', ...keys(20_000) })
  expect([many.status, many.body.errors]).toEqual([
    400,
    [{ path: 'body', message: 'must have at most 20000 fields and items' }],
  ])
  expect((await owner.post('/api/tags', { name: 'VIP', ...keys(19_999) })).status).toBe(201)
  const nested = (levels: number): unknown => (levels === 1 ? 0 : [nested(levels - 1)])
  const deep = await owner.post('/api/tags', { name: 'Deep', unknown: nested(100) })
  expect([deep.status, deep.body.errors]).toEqual([
    400,
    [{ path: 'body', message: 'must not be nested more than 100 levels deep' }],
  ])
  expect((await owner.post('/api/tags', { name: 'Deep', unknown: nested(99) })).status).toBe(201)
})

test('twenty problems are told, each at its field, also of a filter that is stored', async () => {
  await using own = await World.create({ isConnected: false })
  const owner = await own.as('admin')
  const many = await owner.post('/api/contacts', {
    phone_number: '+15551234567',
    tags: Array.from({ length: 30 }, () => false),
  })
  const wrong = Object.fromEntries(Array.from({ length: 30 }, (_, nth) => [`wrong_${nth}`, 'x']))
  const view = await owner.post('/api/views', { name: 'Mine', resource: 'contacts', filter: wrong })
  for (const [answer, place] of [
    [many, 'body.tags.'],
    [view, 'body.filter.wrong_'],
  ] as const)
    expect([answer.status, answer.body.errors?.map(({ path }) => path)]).toEqual([
      400,
      Array.from({ length: 20 }, (_, nth) => `${place}${nth}`),
    ])
})

test('no route waits for a body that does not arrive', async () => {
  const never = new ReadableStream<Uint8Array>({
    start: (stream) => stream.enqueue(new Uint8Array([123])),
  })
  const request = new Request('http://localhost/', { method: 'POST', body: never })
  expect(readBytes(request, 1_000, 20)).rejects.toMatchObject({
    httpStatus: 408,
    code: 'body_too_slow',
  })
  const whole = new Request('http://localhost/', { method: 'POST', body: '{}' })
  expect(await readBytes(whole, 1_000, 20)).toHaveLength(2)
  const form = new Request('http://localhost/', {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=edge' },
    body: new ReadableStream<Uint8Array>({
      start: (stream) =>
        stream.enqueue(
          new TextEncoder().encode(
            '--edge\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\nab',
          ),
        ),
    }),
  })
  const limits = { maxBytes: 1_000, timeoutMs: 20 }
  const read = readForm(form, world.program.http.files, limits, () => undefined)
  expect(await read.catch((error: unknown) => error)).toMatchObject({
    httpStatus: 408,
    code: 'body_too_slow',
  })
})

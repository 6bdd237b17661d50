import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'

import { TIME_LIMITS } from '../../src/http/time-limits'
import { listenFor } from '../../src/listen'
import type { Client, Loose } from '../support/client'
import { exampleOf, pathOf, routesOf, takesFormOnly, type Route } from '../support/routes'
import { fetchRaw, upload } from '../support/files'
import { beginRequest } from '../support/slow-request'
import { claimsOf } from '../support/tokens'
import { World } from '../support/world'

let world: World
let routes: Route[]

beforeAll(async () => {
  world = await World.create({
    isConnected: false,
    env: { METRICS_TOKEN: 'a-token-for-the-metrics' },
  })
  routes = routesOf(world).filter(({ method }) => method !== 'WS')
})

beforeEach(() => {
  Object.assign(world.program.http.deadlines.limits, TIME_LIMITS)
})

afterAll(() => world.stop())

const FORM = '--edge\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'

/** A request of which only the first byte of the body ever comes. */
function stall(client: Client, route: Route) {
  const isForm = takesFormOnly(route)
  const headers = {
    ...client.headers,
    'content-type': isForm ? 'multipart/form-data; boundary=edge' : 'application/json',
  }
  return beginRequest(
    world.url,
    route.method,
    pathOf(route),
    headers,
    isForm ? FORM : JSON.stringify(exampleOf(route)),
  ).stall()
}

/** Routes at addresses with a secret, which the test does not know. */
const OF_TOKENS = /^\/api\/(?:flows\/endpoint|analytics\/unsubscribe)\//

test('every route answers 408 to a body that does not arrive and closes the connection', async () => {
  Object.assign(world.program.http.deadlines.limits, { bodyMs: 50, slowConnection: Infinity })
  const admin = await world.as('super')
  const taking = routes.filter(({ method }) => method !== 'GET')
  expect(taking.length).toBeGreaterThan(140)
  const answers = await Promise.all(
    taking.map(async (route) => ({ route: route.label, ...(await stall(admin, route)) })),
  )
  const tooSlow = { status: 408, code: 'body_too_slow' }
  // an address of nobody is refused before its body is read
  const nobodys = { status: 404, code: 'not_found' }
  expect(answers).toEqual(
    taking.map(({ label, path }) => ({
      route: label,
      ...(OF_TOKENS.test(path) ? nobodys : tooSlow),
    })),
  )
})

/** Makes the judging of credentials wait until it is let go. */
function holdUp(): () => void {
  const { http } = world.program
  const former = http.authenticate
  const held = Promise.withResolvers<void>()
  http.authenticate = async (headers, address) => {
    await held.promise
    return await former(headers, address)
  }
  return () => {
    http.authenticate = former
    held.resolve()
  }
}

/** The pattern by which the log names the route of a request. */
const routeLogged = (id: string | null): unknown =>
  world.logLines
    .map((line) => JSON.parse(line) as Loose)
    .find((line) => line['request_id'] === id && line['msg'] === 'request')?.['route']

/** The routes that wait for nothing a credential is judged by, each with what bounds it. */
const UNHELD = {
  'GET /api/webhook': 'a comparison',
  'POST /api/webhook': 'the time limit of its body, and the patience of the database',
  'POST /api/cells/deliveries': 'the time limit of its body, and the patience of the database',
  'POST /api/cells/flow-exchanges': 'the time limit of its body, and the patience of the phone',
  'POST /api/cells/moves': 'the time limit of its body, and the disk',
  'POST /api/flows/endpoint/:account_id':
    'the time limit of its body, and eight seconds for the address of a customer',
  'GET /health': 'a number',
  'GET /ready': 'some small queries',
  'GET /metrics': 'some bounded queries',
  'GET /asyncapi.json': 'made once',
  'GET /openapi.json': 'made once',
  'GET /': 'files that are bundled once',
  'GET /*': 'files that are bundled once',
  'GET /assets/*': 'files that are bundled once',
  'GET /push-worker.js': 'a file that is bundled once',
  'GET /home.css': 'a text',
  'GET /docs': 'a text',
  'GET /favicon.ico': 'a file that is bundled once',
  'GET /robots.txt': 'a text',
  'GET /docs/*': 'a text',
  'GET /docs/documents/:part': 'a part of the document that is made once',
  'GET /docs/swagger-ui-bundle.js': 'a file of the program',
  'GET /docs/swagger-ui.css': 'a file of the program',
  'GET /docs/try/:operation': 'a text',
  'GET /reset-password': 'a text',
  'GET /join': 'a text',
  'GET /link-pages/link.js': 'a text',
  'GET /link-pages/reset-password.js': 'a text',
  'GET /link-pages/join.js': 'a text',
  'GET /link-pages/style.css': 'a text',
  'GET /ws': 'two queries',
}

describe('a route whose work does not end', () => {
  test('is answered in time, at every route', async () => {
    // Bundling the console and compressing the viewer take longer than the limit.
    await (await fetch(world.url, { headers: { accept: 'text/html' } })).text()
    await (await fetch(new URL('/docs/swagger-ui-bundle.js', world.url))).text()
    Object.assign(world.program.http.deadlines.limits, { readMs: 0, changeMs: 0 })
    const admin = await world.as('super')
    const letGo = holdUp()
    try {
      const answers = await Promise.all(
        routes.map(async (route) => {
          const { status, headers, body } = await admin
            .with({ origin: 'https://elsewhere.example' })
            .request(route.method, pathOf(route))
          if (body.code !== 'took_too_long') return route.label
          expect({
            route: route.label,
            status,
            nosniff: headers.get('x-content-type-options'),
            kept: headers.get('cache-control'),
          }).toEqual({
            route: route.label,
            status: 503,
            nosniff: 'nosniff',
            kept: 'no-store',
          })
          expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
          expect(routeLogged(headers.get('x-request-id'))).toBe(route.path)
          expect(headers.get('retry-after')).toBe('30')
          return null
        }),
      )
      expect(answers.filter((label) => label !== null).toSorted()).toEqual(
        Object.keys(UNHELD).toSorted(),
      )
    } finally {
      letGo()
    }
  })

  test('continues after the timeout, takes effect and has one log line', async () => {
    Object.assign(world.program.http.deadlines.limits, { changeMs: 0 })
    const admin = (await world.as('admin')).with({ 'x-request-id': 'too-late-for-an-answer' })
    const letGo = holdUp()
    const refused = await admin.post('/api/tags', { name: 'late' })
    expect([refused.status, refused.body.code]).toEqual([503, 'took_too_long'])
    expect(refused.body.message).toContain('Idempotency-Key')
    letGo()
    await world.eventually(() => world.rows("select 1 from tags where name = 'late'").length === 1)
    await world.anyone.get('/health')
    const lines = world.logLines
      .map((line) => JSON.parse(line) as Loose)
      .filter((line) => line['request_id'] === 'too-late-for-an-answer')
    expect(lines.map(({ msg, status }) => [msg, status])).toEqual([
      ['request timed out; its work continues', undefined],
      ['request', 503],
    ])
    expect(lines.map(({ method, route }) => [method, route])).toEqual(
      lines.map(() => ['POST', '/api/tags']),
    )
  })

  test('is readable by a listed origin', async () => {
    const origin = 'https://desk.example.com'
    await using open = await World.create({
      isConnected: false,
      tenants: 1,
      env: { CORS_ORIGINS: origin },
    })
    open.program.http.deadlines.limits.readMs = 0
    open.program.http.authenticate = () => new Promise(() => undefined)
    const { status, headers } = await open.anyone.with({ origin }).get('/api/me')
    expect([status, headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([
      503,
      origin,
      'Origin',
    ])
    expect(headers.get('x-ratelimit-limit')).not.toBeNull()
  })

  test('has the time of its body in addition', async () => {
    Object.assign(world.program.http.deadlines.limits, { readMs: 0, changeMs: 1_000 })
    const admin = await world.as('admin')
    const key = `user:${claimsOf(admin.token).sub}`
    const left = (): number => world.program.http.limiters.standard.peek(key)?.remaining ?? 0
    const before = left()
    const headers = { ...admin.headers, 'content-type': 'application/json' }
    const begun = beginRequest(
      world.url,
      'POST',
      '/api/tags',
      headers,
      JSON.stringify({ name: 'slowly' }),
    )
    await world.eventually(() => left() < before) // it was judged, and its body is waited for
    for (let look = 0; look < 2; look += 1) {
      const letGo = holdUp()
      // so the clock has looked, and passed the other one by
      expect((await admin.get('/api/me')).status).toBe(503)
      letGo()
    }
    expect((await begun.finish()).status).toBe(201)
  })
})

test('cuts off a client that does not read a file in time, stored or generated', async () => {
  await using slow = await World.create({ isConnected: false, tenants: 1 })
  const bytes = crypto.getRandomValues(new Uint8Array(65_536))
  // more than the kernel keeps of an answer for its client
  const large = new Blob(Array.from({ length: 256 }, () => bytes))
  const admin = await slow.as('admin')
  const { data } = await upload(admin, {
    bytes: await large.bytes(),
    type: 'text/plain',
    name: 'large.txt',
    fields: { kind: 'document' },
  })
  const owner = await slow.signIn(slow.emailOf('super', slow.tenant))
  const { data: backup } = await owner.post('/api/admin/backups')
  await slow.settle()
  const server = listenFor(slow.program, { host: '127.0.0.1', port: 0 })
  const lines: Socket[] = []
  try {
    /** Takes the head of a file and then a byte each twentieth of a second. */
    const sip = (client: Client, path: string): void => {
      const line = connect({ host: '127.0.0.1', port: server.port ?? 0 })
      line.on('error', () => undefined)
      line.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${client.token}\r\n\r\n`)
      line.once('readable', () => {
        const sips = setInterval(() => line.read(1), 50)
        line.on('close', () => clearInterval(sips))
      })
      lines.push(line)
    }
    sip(admin, `/api/media/${data['id']}`)
    sip(owner, `/api/admin/backups/${backup['id']}/download`)
    await slow.eventually(() => server.pendingRequests === 2)
    const told = (): Loose[] =>
      slow.logLines
        .map((line) => JSON.parse(line) as Loose)
        .filter(({ msg }) => String(msg).includes('downloads too slowly'))
    expect(told()).toEqual([])
    Object.assign(slow.program.http.deadlines.limits, { fileMs: 0, slowPhone: Infinity })
    await slow.eventually(() => told().length === 2)
    const paths = new Set(told().map(({ path }) => path as string))
    expect(paths).toEqual(
      new Set([`/api/admin/backups/${backup['id']}/download`, `/api/media/${data['id']}`]),
    )
    for (let looks = 0; looks < 3 && server.pendingRequests > 0; looks += 1)
      await slow.eventually(() => server.pendingRequests === 0).catch(() => undefined)
    expect(server.pendingRequests).toBe(0)
  } finally {
    for (const line of lines) line.destroy()
    await server.stop(true)
  }
}, 30_000)

test('never hurries a client that reads as fast as it can, whatever the size of the file', async () => {
  await using slow = await World.create({ isConnected: false, tenants: 1 })
  Object.assign(slow.program.http.deadlines.limits, { fileMs: 0, slowPhone: Infinity })
  const admin = await slow.as('admin')
  const bytes = new Uint8Array(8 * 1024 * 1024).fill(97)
  const { data } = await upload(admin, {
    bytes,
    type: 'text/plain',
    name: 'large.txt',
    fields: { kind: 'document' },
  })
  expect((await (await fetchRaw(admin, `/api/media/${data['id']}`)).bytes()).byteLength).toBe(
    bytes.byteLength,
  )
})

test('closes a connection without traffic, idle or unread', async () => {
  await using slow = await World.create({ isConnected: false, tenants: 1 })
  const admin = await slow.as('admin')
  const form = new FormData()
  form.set('kind', 'document')
  form.set(
    'file',
    new File([Buffer.alloc(32 * 1024 * 1024, 'a line that nobody reads\n')], 'large.txt', {
      type: 'text/plain',
    }),
  )
  const uploaded = (await (
    await fetch(`${slow.url}/api/media`, { method: 'POST', headers: admin.headers, body: form })
  ).json()) as Loose
  const server = listenFor(slow.program, { host: '127.0.0.1', port: 0, idleS: 1 })
  const lines: Socket[] = []
  try {
    const begin = (request: string): Socket => {
      const line = connect({ host: '127.0.0.1', port: server.port ?? 0 })
      line.on('error', () => undefined)
      line.write(request)
      lines.push(line)
      return line
    }
    const closed = [
      begin('GET /health HTTP/1.1\r\nhost: x\r\n\r\n'),
      begin('GET /health HTTP/1.1\r\nhost: x\r\n'),
    ].map((line) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      line.on('close', () => resolve())
      line.resume()
      return promise
    })
    const unread = begin(
      `GET /api/media/${uploaded['data'].id} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${admin.token}\r\n\r\n`,
    )
    await new Promise((resolve) => unread.once('readable', resolve))
    expect(String(unread.read(15))).toBe('HTTP/1.1 200 OK')
    expect(server.pendingRequests).toBe(1)
    await Promise.all(closed)
    await slow.eventually(() => server.pendingRequests === 0)
  } finally {
    for (const line of lines) line.destroy()
    await server.stop(true)
  }
}, 30_000)

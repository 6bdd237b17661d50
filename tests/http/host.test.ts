import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from 'node:net'

import { NOBODY } from '../support/routes'
import { World } from '../support/world'

let world: World

beforeAll(async () => {
  world = await World.create()
})

afterAll(() => world.stop())

/**
 * Sends a request byte for byte as written and reads the whole answer; the server closes after it.
 */
async function send(lines: string[], body = ''): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(world.url)
  const done = Promise.withResolvers<string>()
  let received = ''
  const line = connect({ host: hostname, port: Number(port) }, () =>
    line.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`),
  )
  line.on('data', (chunk: Buffer) => (received += chunk.toString()))
  line.on('close', () => done.resolve(received))
  line.on('error', done.reject)
  const text = await done.promise
  return { status: Number(text.split(' ')[1]), text }
}

test('rejects an invalid Host, because the hooks must see the same path as the router', async () => {
  for (const host of ['localhost/x', 'localhost?x', 'x y', 'a@b', ''])
    for (const path of ['/api/me', '/ab/api/me', '/health']) {
      const { status, text } = await send([`GET ${path} HTTP/1.1`, `Host: ${host}`])
      expect({
        host,
        path,
        status,
        envelope: status === 400 && (text.includes('"bad_host"') || !text.includes('{')),
      }).toEqual({
        host,
        path,
        status: 400,
        envelope: true,
      })
    }
})

test('only health checks over HTTP/1.0 may omit Host', async () => {
  for (const [line, status] of [
    ['GET /health', 200],
    ['HEAD /health', 200],
    ['GET /ready', 200],
    ['OPTIONS /', 204], // HAProxy's `option httpchk`
    ['GET /api/me', 400],
    ['POST /api/webhook', 400],
  ] as const)
    expect({ line, status: (await send([`${line} HTTP/1.0`])).status }).toEqual({ line, status })
  expect((await send(['GET /health HTTP/1.1'])).status).toBe(400)
})

test('counts a request with an invalid Host under /api like any other', async () => {
  const left = async (lines: string[]): Promise<number> =>
    Number(/x-ratelimit-remaining: (\d+)/i.exec((await send(lines)).text)?.[1] ?? Number.NaN)
  const first = await left(['GET /api/me HTTP/1.1', 'Host: a@b'])
  expect(await left(['GET /api/me HTTP/1.1', 'Host: a@b'])).toBe(first - 1)
  expect(await left(['GET /health HTTP/1.1', 'Host: a@b'])).toBeNaN()
  expect(await left(['POST /api/webhook HTTP/1.1', 'Host: a@b'])).toBeNaN()
})

test('hosts of every length and form reach every route and the socket', async () => {
  const admin = await world.as('admin')
  for (const host of ['a', 'app', 'localhost', '[::1]:8080', '127.0.0.1', 'chat.example.com:443']) {
    const contact = await send([
      `GET /api/contacts/${NOBODY} HTTP/1.1`,
      `Host: ${host}`,
      `Authorization: Bearer ${admin.token}`,
    ])
    expect({ host, text: contact.text.includes('Contact not found') }).toEqual({ host, text: true })
    const socket = await send([`GET /ws HTTP/1.1`, `Host: ${host}`])
    expect({ host, status: socket.status }).toEqual({ host, status: 401 })
    expect(contact.text.toLowerCase()).toContain('x-ratelimit-remaining')
  }
})

test("a trailing slash does not make the platform's requests count against a limit", async () => {
  const { status, text } = await send(
    ['POST /api/webhook/ HTTP/1.1', 'Host: localhost', 'Content-Length: 2'],
    '{}',
  )
  expect(status).toBe(401)
  expect(text.toLowerCase()).not.toContain('x-ratelimit')
  const me = await send(['GET /api/me/ HTTP/1.1', 'Host: localhost'])
  expect(me.text.toLowerCase()).toContain('x-ratelimit-remaining')
})

test('rejects a body far over the limit in the envelope', async () => {
  const { status, text } = await send(
    [
      'POST /api/auth/login HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/json',
      'Content-Length: 20000000',
    ],
    '{',
  )
  expect(status).toBe(413)
  expect(text).toContain('"body_too_large"')
})

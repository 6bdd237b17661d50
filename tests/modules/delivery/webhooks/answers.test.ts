import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer, type Server, type Socket } from 'node:net'

import type { Loose } from '../../../support/client'
import { World } from '../../../support/world'

/** What the endpoint does with a connection. */
let respond: (socket: Socket) => void = (socket) => socket.destroy()
let server: Server
let world: World
let url: string

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined)
    respond(socket)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  url = `http://127.0.0.1:${port}/hook`
  world = await World.create({ env: { EGRESS_ALLOW: `127.0.0.1:${port}` } })
})

afterAll(async () => {
  await world.stop()
  server.close()
})

const answering = (text: string) => (socket: Socket) => socket.once('data', () => socket.end(text))

/** Sends an event to an endpoint. Returns its delivery with its attempts. */
async function deliveredTo(address: string): Promise<Loose> {
  const admin = await world.as('admin')
  const { data } = await admin.post('/api/webhooks', {
    ...{ name: crypto.randomUUID(), url: address, events: ['contact.created'] },
  })
  await world.contactOf()
  await world.settle()
  const { data: list } = await admin.get(`/api/webhooks/${data['id']}/deliveries`)
  const [delivery] = list['items'] as Loose[]
  const details = await admin.get(`/api/webhooks/deliveries/${delivery?.['id']}`)
  await admin.delete(`/api/webhooks/${data['id']}`)
  return details.data
}

const NOT_HTTP =
  'The endpoint closed the connection without an answer, or its answer is not valid HTTP.'

test.each([
  ['greets like a server of another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ['closes the connection without an answer', ''],
  ['answers with a status that is none', 'HTTP/1.1 abc\r\n\r\n'],
  ['answers with a broken header', 'HTTP/1.1 200 OK\r\nbroken header\r\n\r\n'],
])('an endpoint that %s fails with the kind `protocol`', async (_, text) => {
  respond = answering(text)
  expect(await deliveredTo(url)).toMatchObject({
    last_error: NOT_HTTP,
    attempts: [{ error_kind: 'protocol', status_code: null }],
  })
})

test('an endpoint that resets the connection fails with the kind `protocol`', async () => {
  respond = (socket) => socket.once('data', () => socket.resetAndDestroy())
  expect((await deliveredTo(url))['attempts']).toMatchObject([{ error_kind: 'protocol' }])
})

test('an answer that ends early fails with the kind `body`', async () => {
  respond = answering('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc')
  expect(await deliveredTo(url)).toMatchObject({
    last_error: 'The response could not be read.',
    attempts: [{ error_kind: 'body' }],
  })
})

test('an endpoint that does not speak TLS fails with a sentence that says so', async () => {
  respond = answering('HTTP/1.1 400 Bad Request\r\n\r\n')
  expect(await deliveredTo(url.replace('http:', 'https:'))).toMatchObject({
    last_error: 'The endpoint does not speak TLS, or has no valid certificate for this host.',
    attempts: [{ error_kind: 'tls' }],
  })
})

test('a port on which nothing listens fails with the kind `connect`', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => closed.once('listening', resolve))
  const { port } = closed.address() as { port: number }
  await new Promise((resolve) => closed.close(resolve))
  const own = await World.create({ env: { EGRESS_ALLOW: `127.0.0.1:${port}` } })
  const shared = world
  world = own
  try {
    const details = await deliveredTo(`http://127.0.0.1:${port}/hook`)
    expect(details['attempts']).toMatchObject([{ error_kind: 'connect' }])
  } finally {
    world = shared
    await own.stop()
  }
})

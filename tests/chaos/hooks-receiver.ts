/**
 * The customers' endpoints of the round `webhooks`, as a process of its own that outlives the
 * server. Prints its port. `GET /story` returns all requests, `POST /mend` ends the outage.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

import type { Behavior, Seen } from './hooks-story'

/** One in so many deliveries meets trouble at its first try, by behavior. */
const ONE_IN: Record<string, number> = { fails: 3, hangs: 12, redirects: 3, closes: 3, ordered: 4 }

const seen: Seen[] = []
const tried = new Set<string>()
let isMended = false

/** Whether a first try meets trouble: the same for every request with this id. */
const isUnlucky = (id: string, oneIn: number): boolean =>
  Bun.hash.crc32(id) % oneIn === 0 && !tried.has(id)

function answer(behavior: Behavior, id: string, response: ServerResponse): number | null {
  const isTrouble = behavior === 'down' ? !isMended : isUnlucky(id, ONE_IN[behavior] ?? Infinity)
  if (!isTrouble) return reply(response, 200)
  if (behavior === 'hangs') return null
  if (behavior === 'redirects')
    return reply(response, 302, { location: `http://${response.req.headers.host}/elsewhere` })
  if (behavior === 'closes') {
    // The half of a response, then the end of the connection.
    response.writeHead(200, { 'content-length': '1000' })
    response.write('half', () => response.socket?.destroy())
    return null
  }
  return reply(response, 500)
}

function reply(response: ServerResponse, status: number, headers = {}): number {
  response.writeHead(status, headers).end('done')
  return status
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? ''
  if (path === '/story') return void response.end(JSON.stringify(seen))
  if (path === '/mend') isMended = true
  if (path === '/mend' || path === '/count') return void response.end(String(seen.length))
  const [, organization = '', behavior = ''] = path.split('/')
  const text = await textOf(request)
  const header = (name: string): string => String(request.headers[name] ?? '')
  const id = header('webhook-id')
  const item: Seen = {
    organization,
    behavior: behavior as Behavior,
    id,
    attempt: Number(header('webhook-attempt')),
    timestamp: Number(header('webhook-timestamp')),
    signature: header('webhook-signature'),
    text,
    status: null,
  }
  seen.push(item)
  item.status = answer(item.behavior, id, response)
  tried.add(id)
}

const server = createServer((request, response) => {
  // A killed server cuts its requests off: they never arrived as a whole.
  take(request, response).catch(() => response.socket?.destroy())
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`)
})

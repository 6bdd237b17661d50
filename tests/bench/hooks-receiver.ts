/**
 * Endpoints over TLS that answer after 20 ms, as a process of its own. Takes certificate and key as
 * files, `{cert, key}`; prints where it listens; `GET` returns how many deliveries arrived.
 */
const files = JSON.parse(process.argv[2] ?? '{}') as { cert: string; key: string }

const ANSWERS_AFTER_MS = 20

let count = 0
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  tls: { cert: Bun.file(files.cert), key: Bun.file(files.key) },
  async fetch(request) {
    if (request.method === 'GET') return new Response(String(count))
    await request.arrayBuffer()
    count += 1
    await Bun.sleep(ANSWERS_AFTER_MS)
    return new Response('thanks')
  },
})
process.stdout.write(`${JSON.stringify({ msg: 'listening', port: server.port })}\n`)

/**
 * Endpoints that answer after 20 ms, as a process of its own; those below `/hang` never answer. With
 * certificate and key as files, `{cert, key}`, over TLS. Prints where it listens; `GET` returns how
 * many deliveries arrived, and how long after their event, milliseconds; `DELETE` begins anew.
 */
const files = JSON.parse(process.argv[2] ?? '{}') as { cert?: string; key?: string }

const ANSWERS_AFTER_MS = 20

let delaysMs: number[] = []

async function receive(request: Request): Promise<Response> {
  if (request.method === 'DELETE') delaysMs = []
  if (request.method !== 'POST') return Response.json({ count: delaysMs.length, delaysMs })
  const text = await request.text()
  if (new URL(request.url).pathname.startsWith('/hang')) return await new Promise(() => undefined)
  const at = /"timestamp":"([^"]+)"/.exec(text)?.[1] ?? ''
  delaysMs.push(Date.now() - Date.parse(at))
  await Bun.sleep(ANSWERS_AFTER_MS)
  return new Response('thanks')
}

const { cert, key } = files
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 120,
  fetch: receive,
  ...(cert === undefined || key === undefined
    ? {}
    : { tls: { cert: Bun.file(cert), key: Bun.file(key) } }),
})
process.stdout.write(`${JSON.stringify({ msg: 'listening', port: server.port })}\n`)

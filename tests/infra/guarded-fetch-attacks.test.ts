import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import {
  createGuardedFetch,
  FetchRefusal,
  type FetchLimits,
  type GuardedFetch,
} from '../../src/infra/guarded-fetch'
import { NO_EXCEPTIONS, parseExceptions, type EgressExceptions } from '../../src/lib/egress'
import { NameServer } from '../support/name-server'

/** Long enough for a machine that is busy with other things; tests of time limits have their own. */
const LIMITS: FetchLimits = { maxBytes: 4_096, totalTimeoutMs: 25_000, maxRedirects: 3 }
const PUBLIC = '93.184.215.14'

/** Servers of these tests, with the port each listens on. */
const opened: Server[] = []
async function listening(onConnection: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    onConnection(socket)
  })
  opened.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

let names: NameServer
beforeAll(async () => {
  names = await NameServer.start()
})
afterAll(() => {
  names[Symbol.dispose]()
  for (const server of opened) server.close()
})

const guard = (
  exceptions: EgressExceptions = NO_EXCEPTIONS,
  proxy: URL | null = null,
): GuardedFetch => createGuardedFetch({ exceptions, proxy, resolve: names.resolve, own: () => [] })

const opening = (text: string): EgressExceptions => parseExceptions(text) ?? NO_EXCEPTIONS

/** Returns why a URL is refused, or the text that was fetched. */
async function outcome(work: ReturnType<GuardedFetch>): Promise<string> {
  try {
    const answer = await work
    const pieces: Uint8Array[] = []
    for await (const piece of answer.bytes) pieces.push(piece)
    return Buffer.concat(pieces).toString()
  } catch (error) {
    if (!(error instanceof FetchRefusal)) throw error
    return error.kind === 'unreachable' ? error.failure : error.kind
  }
}

const respond = (text: string) => (socket: Socket) =>
  socket.once('data', () =>
    socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`),
  )

describe('a name server that changes its answers', () => {
  test('is asked once per request: the connection goes to the address that was judged', async () => {
    const port = await listening(respond('inside'))
    names.answers['rebinding.example'] = [[PUBLIC], ['127.0.0.1']]
    expect(
      await outcome(
        guard()(`http://rebinding.example:${port}/`, { ...LIMITS, totalTimeoutMs: 300 }),
      ),
    ).not.toBe('inside')
    expect(names.asked['rebinding.example']).toBe(1)
    expect(await outcome(guard()(`http://rebinding.example:${port}/`, LIMITS))).toBe(
      'refused_address',
    )
  })

  test.each([
    ['a private address beside a public one', [PUBLIC, '10.1.2.3']],
    ['a private IPv6 address beside a public one', [PUBLIC, 'fd00::1']],
    ['a mapped loopback address', ['::ffff:7f00:1']],
    ['NAT64 of a private address', ['64:ff9b::a00:1']],
    ['6to4 of a private address', ['2002:c0a8:1::1']],
    ['Teredo', ['2001:0:4136:e378:8000:63bf:3fff:fdd2']],
    ['the metadata address', ['169.254.169.254']],
    ['the IPv6 metadata address', ['fd00:ec2::254']],
    ['a site-local address', ['fec0::1']],
    ['a segment routing address', ['5f00::1']],
    ['loopback', ['::1']],
    ['the unspecified address', ['::']],
  ])('is refused for %s', async (_, answers) => {
    names.answers['evil.example'] = [answers]
    expect(await outcome(guard()('https://evil.example/', LIMITS))).toBe('refused_address')
  })

  test('is asked again for a redirect to the same name', async () => {
    let hop = 0
    const port = await listening((socket) =>
      socket.once('data', () => {
        hop += 1
        socket.end(
          `HTTP/1.1 302 Found\r\nLocation: http://again.example:${port}/${hop}\r\nContent-Length: 0\r\n\r\n`,
        )
      }),
    )
    names.answers['again.example'] = [['127.0.0.1'], ['10.0.0.1']]
    expect(
      await outcome(guard(opening('127.0.0.1'))(`http://again.example:${port}/`, LIMITS)),
    ).toBe('refused_address')
    expect(hop).toBe(1)
  })

  test.each([
    'http://169.254.169.254/latest/meta-data',
    'http://[::ffff:169.254.169.254]/',
    'http://2852039166/',
    'http://localhost/',
    'ftp://93.184.215.14/',
    'file:///etc/passwd',
  ])('cannot be left by a redirect to %s', async (target) => {
    const port = await listening((socket) =>
      socket.once('data', () =>
        socket.end(`HTTP/1.1 307 x\r\nLocation: ${target}\r\nContent-Length: 0\r\n\r\n`),
      ),
    )
    names.answers['first.example'] = [['127.0.0.1']]
    const fetch = guard(opening(`first.example:${port}`))
    expect(await outcome(fetch(`http://first.example:${port}/`, LIMITS))).toBe('refused_address')
  })
})

describe('TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-names-'))
  let secure: ReturnType<typeof Bun.serve>
  beforeAll(() => {
    const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')]
    const made = Bun.spawnSync([
      ...['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
      ...['-nodes', '-days', '2', ...files, '-subj', '/CN=right.example'],
      ...['-addext', 'subjectAltName=DNS:right.example'],
    ])
    if (made.exitCode !== 0) throw new Error(made.stderr.toString())
    secure = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      tls: { cert: read('cert.pem'), key: read('key.pem') },
      fetch: () => new Response('secret'),
    })
  })
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
  afterAll(async () => {
    await secure.stop(true)
    rmSync(folder, { recursive: true })
  })

  /** Fetches in a process of its own that trusts the certificate, and returns the outcome. */
  async function trusting(host: string, more: string): Promise<string> {
    const child = Bun.spawn(
      [
        process.execPath,
        '-e',
        `import { createGuardedFetch } from './src/infra/guarded-fetch'
         import { parseExceptions } from './src/lib/egress'
         const fetch = createGuardedFetch({ exceptions: parseExceptions('127.0.0.1'), resolve: async () => [{ address: '127.0.0.1', family: 4 }], own: () => [], ${more} })
         try {
           const answer = await fetch('https://${host}:${secure.port}/', { maxBytes: 100, totalTimeoutMs: 25000, maxRedirects: 0 })
           for await (const piece of answer.bytes) process.stdout.write(piece)
         } catch (error) { process.stdout.write(error.failure) }`,
      ],
      {
        cwd: join(import.meta.dir, '../..'),
        env: { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem') },
        stdout: 'pipe',
      },
    )
    return await child.stdout.text()
  }

  test('is verified with the name of the URL, not with the address', async () => {
    expect(await trusting('right.example', '')).toBe('secret')
    expect(await trusting('wrong.example', '')).toBe('tls')
    names.answers['right.example'] = [['127.0.0.1']]
    const untrusting = guard(opening('127.0.0.1'))
    expect(await outcome(untrusting(`https://right.example:${secure.port}/`, LIMITS))).toBe('tls')
  }, 30_000)

  test('is verified behind a proxy as well', async () => {
    const { url } = await proxied()
    const proxy = `proxy: new URL('${url.href}')`
    expect(await trusting('right.example', proxy)).toBe('secret')
    expect(await trusting('wrong.example', proxy)).toBe('tls')
  }, 30_000)
})

/** A proxy that connects to this machine, whatever it is asked for. */
async function proxied(answer = 'HTTP/1.1 200 Connection established') {
  const asked: string[] = []
  const port = await listening((socket) =>
    socket.once('data', (head) => {
      asked.push(head.toString())
      const to = Number(/^CONNECT \S+:(\d+) /.exec(head.toString())?.[1] ?? 0)
      const inner = connect(to, '127.0.0.1', () => {
        socket.write(`${answer}\r\n\r\n`)
        inner.pipe(socket)
        socket.pipe(inner)
      })
      inner.on('error', () => socket.destroy())
    }),
  )
  return { asked, url: new URL(`http://user:pass@127.0.0.1:${port}`) }
}

describe('a proxy of the operator', () => {
  test('is asked for the judged address, never for the name', async () => {
    const port = await listening(respond('hello'))
    const { asked, url } = await proxied()
    names.answers['public.example'] = [[PUBLIC]]
    expect(await outcome(guard(NO_EXCEPTIONS, url)(`http://public.example:${port}/`, LIMITS))).toBe(
      'hello',
    )
    expect(asked).toHaveLength(1)
    expect(asked[0]).toStartWith(`CONNECT ${PUBLIC}:${port} HTTP/1.1\r\n`)
    expect(asked[0]).toContain(`Proxy-Authorization: Basic ${btoa('user:pass')}\r\n`)
  })

  test('is not asked for an address that is refused', async () => {
    const { asked, url } = await proxied()
    names.answers['inside.example'] = [['10.0.0.1']]
    const fetch = guard(NO_EXCEPTIONS, url)
    expect(await outcome(fetch('https://inside.example/', LIMITS))).toBe('refused_address')
    expect(await outcome(fetch('https://[::1]/', LIMITS))).toBe('refused_address')
    expect(asked).toEqual([])
  })

  test.each(['HTTP/1.1 403 Forbidden', 'HTTP/1.1 407 Proxy Authentication Required', 'SSH-2.0-x'])(
    'that answers %s makes the request fail',
    async (answer) => {
      const port = await listening(respond('hello'))
      const { url } = await proxied(answer)
      names.answers['public.example'] = [[PUBLIC]]
      expect(
        await outcome(guard(NO_EXCEPTIONS, url)(`http://public.example:${port}/`, LIMITS)),
      ).toBe('connect')
    },
  )
})

describe('a server that wastes resources', () => {
  const at = async (onData: (socket: Socket) => void, limits: Partial<FetchLimits> = {}) => {
    const port = await listening((socket) => socket.once('data', () => onData(socket)))
    names.answers['slow.example'] = [['127.0.0.1']]
    const startedMs = performance.now()
    const result = await outcome(
      guard(opening('127.0.0.1'))(`http://slow.example:${port}/`, {
        ...LIMITS,
        totalTimeoutMs: 400,
        ...limits,
      }),
    )
    expect(performance.now() - startedMs).toBeLessThan(20_000)
    return result
  }

  /** Sends a piece again and again until the connection is closed. */
  const repeat = (socket: Socket, piece: string, everyMs: number): void => {
    const timer = setInterval(() => socket.write(piece), everyMs)
    socket.on('close', () => clearInterval(timer))
  }

  test('with single bytes of a header is given up', async () =>
    expect(
      await at((socket) => {
        socket.write('HTTP/1.1 200 OK\r\nx-filler: ')
        repeat(socket, 'x', 20)
      }),
    ).toBe('timeout'))

  test('with header lines without end is given up', async () => {
    const result = await at((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      repeat(socket, `x-filler: ${'x'.repeat(4_000)}\r\n`, 1)
    })
    expect(['timeout', 'protocol']).toContain(result)
  })

  test('with single bytes of a body is given up', async () =>
    expect(
      await at((socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n')
        repeat(socket, 'x', 20)
      }),
    ).toBe('timeout'))

  test('with a body without end is cut off at the cap', async () =>
    expect(
      await at(
        (socket) => {
          socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
          repeat(socket, `400\r\n${'x'.repeat(1_024)}\r\n`, 1)
        },
        { totalTimeoutMs: 15_000 },
      ),
    ).toBe('too_large'))

  test.each(['gzip', 'deflate', 'br', 'zstd', 'x-unknown'])(
    'with a compressed bomb (%s) is refused without unpacking it',
    async (encoding) =>
      expect(
        await at((socket) => {
          const body = Bun.gzipSync(Buffer.alloc(1_000_000))
          socket.write(
            `HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n`,
          )
          socket.end(body)
        }),
      ).toBe('encoded'),
  )

  test('that accepts a connection and does not begin TLS is given up early', async () => {
    const port = await listening(() => undefined)
    names.answers['mute.example'] = [['127.0.0.1']]
    const startedMs = performance.now()
    expect(
      await outcome(
        guard(opening('127.0.0.1'))(`https://mute.example:${port}/`, {
          ...LIMITS,
          connectTimeoutMs: 200,
        }),
      ),
    ).toBe('connect')
    expect(performance.now() - startedMs).toBeLessThan(20_000)
  })
})

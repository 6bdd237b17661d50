import { createServer } from 'node:http'

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import {
  NO_EXCEPTIONS,
  parseExceptions,
  blockedUrlReason,
  type EgressExceptions,
} from '../../src/lib/egress'
import {
  createGuardedFetch,
  FetchRefusal,
  type GuardedAnswer,
  type Resolve,
  type ResolvedAddress,
} from '../../src/infra/guarded-fetch'

/** Long enough for a machine that is busy with other things; tests of time limits have their own. */
const LIMITS = { maxBytes: 1024, totalTimeoutMs: 25_000, maxRedirects: 3 }

/** Every address no customer may send us to, as literals of a URL. */
const HOSTILE = [
  'http://127.0.0.1/',
  'http://127.1/',
  'http://127.0.1/',
  'http://0x7f000001/',
  'http://0x7f.0.0.1/',
  'http://0177.0.0.1/',
  'http://017700000001/',
  'http://2130706433/',
  'http://127.0.0.1./',
  'http://127.255.255.255/',
  'http://0.0.0.0/',
  'http://0/',
  'http://0.1.2.3/',
  'http://10.0.0.1/',
  'http://10.255.255.255/',
  'http://012.0.0.1/',
  'http://0xa.0.0.1/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.0.1/',
  'http://192.168.1/',
  'http://3232235777/',
  'http://100.64.0.1/',
  'http://100.127.255.254/',
  'http://169.254.169.254/latest/meta-data/',
  'http://169.254.170.2/v2/credentials',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://192.0.0.8/',
  'http://192.0.0.192/',
  'http://192.0.2.1/',
  'http://192.88.99.1/',
  'http://198.18.0.1/',
  'http://198.19.255.255/',
  'http://198.51.100.7/',
  'http://203.0.113.9/',
  'http://224.0.0.1/',
  'http://239.255.255.250/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  'http://[::1]/',
  'http://[::]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::127.0.0.1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::ffff:10.0.0.1]/',
  'http://[::ffff:169.254.169.254]/',
  'http://[::ffff:0:127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[64:ff9b::808:808]/',
  'http://[64:ff9b:1::1]/',
  'http://[100::1]/',
  'http://[2001::1]/',
  'http://[2001:10::1]/',
  'http://[2001:db8::1]/',
  'http://[2002:7f00:1::]/',
  'http://[2002:a9fe:a9fe::1]/',
  'http://[2002:c0a8:101::1]/',
  'http://[3fff::1]/',
  'http://[5f00::1]/',
  'http://[fc00::1]/',
  'http://[fd12:3456:789a::1]/',
  'http://[fd00:ec2::254]/',
  'http://[fe80::1]/',
  'http://[fec0::1]/',
  'http://[ff02::1]/',
  'http://localhost/',
  'http://LOCALHOST./',
  'http://a.localhost/',
  'http://printer.local/',
  'http://metadata.google.internal/',
  'http://user:password@example.com/',
  'http://user@example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://example.com/',
  'data:text/plain,hello',
  'http://example.com:22/',
  'http://example.com:25/',
  'http://example.com:6379/',
  'http://example.com:5432/',
  'http://example.com:27017/',
  'http:///',
  'http://',
  'example.com',
  '//example.com/a',
  '',
  'http://[fe80::1%25eth0]/',
  // Metadata addresses of clouds: Azure, Equinix Metal, IBM and others.
  'http://168.63.129.16/machine?comp=goalstate',
  'http://[::ffff:168.63.129.16]/',
  'http://[2002:a83f:8110::1]/',
  'http://192.80.8.124/metadata',
  'http://161.26.0.10/',
  'http://166.9.1.1/',
  'http://100.100.100.200/latest/meta-data/',
  'http://[fd20:ce::254]/',
  'http://[fd00:42::42]/',
  'http://[fe80::a9fe:a9fe]/',
  'http://①②⑦.⓪.⓪.①/',
]

const PUBLIC_ADDRESS = '93.184.215.14'

/** Creates a guarded client that resolves names from a table; other names do not exist. */
function guarded(
  table: Record<string, string[]> = {},
  exceptions: EgressExceptions = NO_EXCEPTIONS,
  own: string[] = [],
) {
  const asked: string[] = []
  const resolve: Resolve = async (host) => {
    asked.push(host)
    return (table[host] ?? [host])
      .filter((address) => /^[\d.]+$|:/.test(address))
      .map((address): ResolvedAddress => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
  return { asked, fetch: createGuardedFetch({ exceptions, resolve, own: () => own }) }
}

async function refusalOf(work: Promise<GuardedAnswer>): Promise<FetchRefusal> {
  try {
    const answer = await work
    for await (const _piece of answer.bytes);
    answer.close()
  } catch (error) {
    if (error instanceof FetchRefusal) return error
    throw error
  }
  throw new Error('it was fetched')
}

const textOf = async (answer: GuardedAnswer): Promise<string> => {
  const pieces: Uint8Array[] = []
  for await (const piece of answer.bytes) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/**
 * A local server in place of one on the internet. The names of the tables below lead to it only
 * with an exception.
 */
const hits: { method: string; path: string; headers: Record<string, unknown> }[] = []
const server = createServer((request, response) => {
  hits.push({
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
  })
  const [, kind = '', value = ''] = /^\/(\w+)\/?(.*)$/.exec(request.url ?? '') ?? []
  if (kind === 'to') response.writeHead(302, { location: decodeURIComponent(value) }).end()
  else if (kind === 'loop')
    response.writeHead(307, { location: `/loop/${Number(value || 0) + 1}` }).end()
  else if (kind === 'hops')
    response
      .writeHead(302, { location: Number(value) > 1 ? `/hops/${Number(value) - 1}` : '/text' })
      .end()
  else if (kind === 'status') response.writeHead(Number(value)).end('no')
  else if (kind === 'large') response.writeHead(200).end(Buffer.alloc(5_000))
  else if (kind === 'declared')
    response.writeHead(200, { 'content-length': '5000' }).end(Buffer.alloc(5_000))
  else if (kind === 'packed')
    response
      .writeHead(200, { 'content-encoding': 'gzip' })
      .end(Bun.gzipSync(Buffer.alloc(1_000_000)))
  else if (kind === 'hang') response.writeHead(200).write('begun')
  else if (kind === 'silent') return
  else if (kind === 'cut')
    response
      .writeHead(200, { 'content-length': '100' })
      .write('begun', () => request.socket.destroy())
  else response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('hello')
})
let port = 0

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  port = typeof address === 'object' && address ? address.port : 0
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** The client with the server above opened as an exception under a public name. */
const opened = (table: Record<string, string[]> = {}) =>
  guarded(
    { 'cdn.example.com': ['127.0.0.1'], ...table },
    parseExceptions(`cdn.example.com:${port}`) ?? NO_EXCEPTIONS,
  )
const at = (path: string): string => `http://cdn.example.com:${port}${path}`

describe('a forbidden address', () => {
  test('is covered in at least sixty spellings', () =>
    expect(new Set(HOSTILE).size).toBeGreaterThanOrEqual(60))

  test.each(HOSTILE)('%p is refused without a connection', async (url) => {
    const { fetch } = guarded()
    const before = hits.length
    const refusal = await refusalOf(fetch(url, LIMITS))
    expect(refusal.kind).toBe('refused_address')
    expect(refusal.message).not.toMatch(/\d+\.\d+\.\d+\.\d+/)
    expect(hits.length).toBe(before)
  })

  const addresses = HOSTILE.map(
    (url) => URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? '',
  ).filter((host) => /^[\d.]+$|:/.test(host))

  test.each([...new Set(addresses)])('a name that resolves to %s is refused', async (address) => {
    expect(
      (
        await refusalOf(
          guarded({ 'evil.example.com': [address] }).fetch(
            'https://evil.example.com/a.jpg',
            LIMITS,
          ),
        )
      ).kind,
    ).toBe('refused_address')
  })

  test.each([
    ['public and private', [PUBLIC_ADDRESS, '10.0.0.1']],
    ['private and public', ['10.0.0.1', PUBLIC_ADDRESS]],
    ['public and a private IPv6', [PUBLIC_ADDRESS, 'fd00::1']],
    ['public and a mapped private one', [PUBLIC_ADDRESS, '::ffff:192.168.0.1']],
  ])('a name that stands for several addresses, %s, is refused', async (_what, answers) => {
    expect(
      (
        await refusalOf(
          guarded({ 'mixed.example.com': answers }).fetch('http://mixed.example.com/', LIMITS),
        )
      ).kind,
    ).toBe('refused_address')
  })

  // The same address as operating systems, resolvers and customers write it.
  const SPELLINGS = [
    '2606:2800:21f::8b2c',
    '2606:2800:21f:0:0:0:0:8b2c',
    '2606:2800:021F:0000:0000:0000:0000:8B2C',
  ]
  const OWN: [own: string, written: string][] = [
    ...SPELLINGS.flatMap((own) => SPELLINGS.map((written): [string, string] => [own, written])),
    [PUBLIC_ADDRESS, PUBLIC_ADDRESS],
    [PUBLIC_ADDRESS, `::ffff:${PUBLIC_ADDRESS}`],
    [`::ffff:${PUBLIC_ADDRESS}`, PUBLIC_ADDRESS],
    [PUBLIC_ADDRESS, '2002:5db8:d70e::1'],
  ]

  test.each(OWN)(
    'a public address of this machine (%s) written as %s is refused: when saved, when connecting, on a redirect',
    async (own, written) => {
      const url = written.includes(':') ? `http://[${written}]/` : `http://${written}/`
      const one = guarded({ 'me.example.com': [written] }, NO_EXCEPTIONS, [own])
      expect(one.fetch.refusalOf(url)).toBe('is not a public address')
      expect((await refusalOf(one.fetch('http://me.example.com/', LIMITS))).kind).toBe(
        'refused_address',
      )
      const open = parseExceptions(`cdn.example.com:${port}`) ?? NO_EXCEPTIONS
      for (const target of [url, 'http://me.example.com/']) {
        const table = { 'cdn.example.com': ['127.0.0.1'], 'me.example.com': [written] }
        const redirected = guarded(table, open, [own]).fetch(
          at(`/to/${encodeURIComponent(target)}`),
          LIMITS,
        )
        expect((await refusalOf(redirected)).kind).toBe('refused_address')
      }
    },
  )

  test('a public address of another machine is allowed', () => {
    const { fetch } = guarded({}, NO_EXCEPTIONS, [SPELLINGS[0] ?? ''])
    expect(fetch.refusalOf('http://[2606:2800:21f::8b2d]/')).toBeNull()
  })

  test('a name that does not exist cannot be reached', async () => {
    expect(
      (await refusalOf(guarded({ 'no.example.com': [] }).fetch('http://no.example.com/', LIMITS)))
        .kind,
    ).toBe('unreachable')
  })

  test.each([
    'https://example.com/a',
    'http://example.com:8080/a',
    'https://example.com:8443/',
    'http://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/',
    'http://[::ffff:8.8.8.8]/',
    'http://8.8.8.8/',
    'http://[2002:808:808::1]/',
  ])('while %s may be asked', (url) =>
    expect(blockedUrlReason(new URL(url), NO_EXCEPTIONS, [])).toBeNull(),
  )
})

describe('a name with changing addresses', () => {
  test('is resolved once per request and connects to the checked address', async () => {
    let count = 0
    const resolve: Resolve = async () => {
      count += 1
      return [{ address: count === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]
    }
    const fetch = createGuardedFetch({
      exceptions: parseExceptions('127.0.0.1/32') ?? NO_EXCEPTIONS,
      resolve,
      own: () => [],
    })
    const before = hits.length
    expect(await textOf(await fetch(`http://rebinding.example.com:${port}/text`, LIMITS))).toBe(
      'hello',
    )
    expect(count).toBe(1)
    expect(hits[before]?.headers['host']).toBe(`rebinding.example.com:${port}`)
  })

  test('that is public first and private on the redirect is refused', async () => {
    let count = 0
    const resolve: Resolve = async () => {
      count += 1
      return [{ address: count === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }]
    }
    const fetch = createGuardedFetch({
      exceptions: parseExceptions('127.0.0.1') ?? NO_EXCEPTIONS,
      resolve,
      own: () => [],
    })
    const refusal = await refusalOf(
      fetch(`http://rebinding.example.com:${port}/to/${encodeURIComponent('/text')}`, LIMITS),
    )
    expect({ kind: refusal.kind, count }).toEqual({ kind: 'refused_address', count: 2 })
  })
})

describe('a redirect', () => {
  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://localhost/',
    '//10.0.0.1/x',
    'file:///etc/passwd',
    'http://user:password@example.com/',
    'http://2130706433/',
  ])('to %s is refused', async (target) => {
    expect(
      (await refusalOf(opened().fetch(at(`/to/${encodeURIComponent(target)}`), LIMITS))).kind,
    ).toBe('refused_address')
  })

  test('is followed up to three times', async () => {
    expect(await textOf(await opened().fetch(at('/hops/3'), LIMITS))).toBe('hello')
    expect((await refusalOf(opened().fetch(at('/hops/4'), LIMITS))).kind).toBe('redirects')
    expect((await refusalOf(opened().fetch(at('/loop'), LIMITS))).kind).toBe('redirects')
  })
})

describe('a request', () => {
  test('returns type, name and bytes, and sends no credentials or cookies', async () => {
    const before = hits.length
    const answer = await opened().fetch(at('/text/Pr%C3%A4sent.txt?x=1'), LIMITS)
    expect({ status: answer.status, mimeType: answer.mimeType, filename: answer.filename }).toEqual(
      {
        status: 200,
        mimeType: 'text/plain',
        filename: 'Präsent.txt',
      },
    )
    expect(await textOf(answer)).toBe('hello')
    const names = Object.keys(hits[before]?.headers ?? {})
    expect(
      names.filter((name) =>
        ['authorization', 'cookie', 'proxy-authorization', 'x-api-key', 'referer'].includes(name),
      ),
    ).toEqual([])
  })

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)(
    'can be a %s with headers and a body',
    async (method) => {
      const before = hits.length
      const body = method === 'GET' ? null : 'words'
      const sends = { method, headers: { 'x-own': 'yes' }, body }
      await textOf(await opened().fetch(at('/text'), { ...LIMITS, sends }))
      expect(hits[before]).toMatchObject({
        method,
        headers: { 'x-own': 'yes', ...(body === null ? {} : { 'content-length': '5' }) },
      })
    },
  )

  test('finds the connection of an earlier one, also when many run at once', async () => {
    let connections = 0
    const server = createServer((request, response) => {
      request.resume()
      request.on('end', () => setTimeout(() => response.end('ok'), 5))
    })
    server.on('connection', () => (connections += 1))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const client = createGuardedFetch({ exceptions: parseExceptions(host) ?? NO_EXCEPTIONS })
    const limits = {
      ...LIMITS,
      totalTimeoutMs: 30_000,
      keepsConnection: true,
      sends: { method: 'POST' as const, headers: {}, body: 'words' },
    }
    for (let round = 0; round < 3; round += 1)
      await Promise.all(
        Array.from({ length: 40 }, async () => textOf(await client(`http://${host}/`, limits))),
      )
    expect(connections).toBeLessThanOrEqual(40)
    client.close()
    server.close()
  })

  test('gets an answer of any status with its headers and bytes, if it takes any', async () => {
    for (const status of [200, 404, 429, 500]) {
      const answer = await opened().fetch(at(`/status/${status}`), {
        ...LIMITS,
        takesAnyStatus: true,
      })
      expect([answer.status, answer.headers.connection, await textOf(answer)]).toEqual([
        status,
        'close',
        'no',
      ])
    }
  })

  test('keeps its headers on a redirect to the same host and drops them on another one', async () => {
    const client = guarded(
      { 'cdn.example.com': ['127.0.0.1'], 'two.example.com': ['127.0.0.1'] },
      parseExceptions('127.0.0.1') ?? NO_EXCEPTIONS,
    )
    const sends = { method: 'GET' as const, headers: { authorization: 'secret' }, body: null }
    const sent = async (target: string): Promise<unknown[]> => {
      const before = hits.length
      const url = at(`/to/${encodeURIComponent(target)}`)
      await textOf(await client.fetch(url, { ...LIMITS, sends }))
      return hits.slice(before).map(({ headers }) => headers['authorization'] ?? null)
    }
    expect(await sent('/text')).toEqual(['secret', 'secret'])
    expect(await sent(`http://two.example.com:${port}/text`)).toEqual(['secret', null])
    const back = at(`/to/${encodeURIComponent('/text')}`).replace('cdn.', 'two.')
    expect(await sent(back)).toEqual(['secret', null, null])
  })

  test('with another method than GET follows no redirect', async () => {
    const sends = { method: 'POST' as const, headers: {}, body: '{}' }
    expect((await refusalOf(opened().fetch(at('/hops/1'), { ...LIMITS, sends }))).kind).toBe(
      'redirects',
    )
  })

  test.each([
    ['/large', 'too_large'],
    ['/declared', 'too_large'],
    ['/packed', 'encoded'],
    ['/status/404', 'status'],
    ['/status/500', 'status'],
    ['/status/204', null],
    ['/cut', 'unreachable'],
  ])('%s ends as %p', async (path, kind) => {
    const outcome = await refusalOf(opened().fetch(at(path), LIMITS)).then(
      (refusal) => refusal.kind,
      () => null,
    )
    expect(outcome).toBe(kind as never)
  })

  test.each(['/hang', '/silent'])('%s ends at its time limit', async (path) => {
    expect(
      (await refusalOf(opened().fetch(at(path), { ...LIMITS, totalTimeoutMs: 100 }))).kind,
    ).toBe('timeout')
  })

  test('ends when the caller aborts', async () => {
    const giveUp = new AbortController()
    const work = refusalOf(opened().fetch(at('/silent'), { ...LIMITS, signal: giveUp.signal }))
    giveUp.abort()
    expect((await work).kind).toBe('timeout')
  })

  test('fails if nothing listens on the port', async () => {
    const { fetch } = guarded(
      { 'gone.example.com': ['127.0.0.1'] },
      parseExceptions('127.0.0.1') ?? NO_EXCEPTIONS,
    )
    expect((await refusalOf(fetch('http://gone.example.com:1025/', LIMITS))).kind).toBe(
      'unreachable',
    )
  })

  test('ignores proxies of the environment', async () => {
    const child = Bun.spawn(
      [
        'bun',
        '-e',
        `import { createGuardedFetch } from './src/infra/guarded-fetch'
         import { parseExceptions } from './src/lib/egress'
         const fetch = createGuardedFetch({ exceptions: parseExceptions('127.0.0.1'), resolve: async () => [{ address: '127.0.0.1', family: 4 }], own: () => [] })
         const answer = await fetch('http://cdn.example.com:${port}/text', { maxBytes: 100, totalTimeoutMs: 25000, maxRedirects: 0 })
         for await (const piece of answer.bytes) process.stdout.write(piece)`,
      ],
      {
        cwd: `${import.meta.dir}/../..`,
        env: {
          ...process.env,
          HTTP_PROXY: 'http://127.0.0.1:1',
          http_proxy: 'http://127.0.0.1:1',
          NO_PROXY: '',
        },
        stdout: 'pipe',
      },
    )
    expect(await new Response(child.stdout).text()).toBe('hello')
  }, 30_000)
})

describe('exceptions of the operator', () => {
  test.each([
    '10.0.0.0/8',
    '10.1.2.3',
    'fd00::/8, 127.0.0.1',
    'media.internal:8080',
    '[::1]:9000',
    '',
    ' 10.0.0.1 , a.b:1 ',
  ])('%p is a list of them', (written) => expect(parseExceptions(written)).not.toBeNull())

  test.each(['10.0.0.0/99', 'media.internal', 'http://a.b:1', '*', 'a b:1', '10.0.0.1-10.0.0.9'])(
    '%p is none',
    (written) => expect(parseExceptions(written)).toBeNull(),
  )

  test('allow only the listed hosts', async () => {
    const some = parseExceptions('10.1.0.0/16, media.internal:8080') ?? NO_EXCEPTIONS
    expect(blockedUrlReason(new URL('http://10.1.2.3/'), some, [])).toBeNull()
    expect(blockedUrlReason(new URL('http://10.2.2.3/'), some, [])).not.toBeNull()
    expect(blockedUrlReason(new URL('http://media.internal:8080/'), some, [])).toBeNull()
    expect(blockedUrlReason(new URL('http://media.internal:8081/'), some, [])).not.toBeNull()
    expect(blockedUrlReason(new URL('ftp://10.1.2.3/'), some, [])).not.toBeNull()
  })
})

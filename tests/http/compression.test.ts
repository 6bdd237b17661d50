import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'

import type { Client, Loose } from '../support/client'
import { World } from '../support/world'

let world: World
let admin: Client

beforeAll(async () => {
  world = await World.create({ env: { CORS_ORIGINS: 'https://app.example.com' } })
  admin = await world.as('admin')
  for (let nth = 0; nth < 40; nth += 1) {
    await admin.post('/api/tags', { name: `Tag ${nth} of forty` })
    const content = Array.from({ length: 400 }, (_, word) => `word${word * nth}`).join(' ')
    await admin.post('/api/canned-responses', { name: `Answer ${nth}`, content })
  }
})

afterAll(() => world.stop())

/** Texts whose name looks like that of a credential: names of things, and the state of a token. */
const NO_CREDENTIALS = ['flow_token', 'key', 'public_key', 'unique_key', 'testAccount: token']

interface Raw {
  status: number
  headers: Headers
  bytes: Buffer
}

/** What a request sends. */
interface Sent {
  method?: string
  body?: string
  headers?: Record<string, string>
}

/** Sends a request and returns the answer as it is on the wire. */
async function wire(path: string, init: Sent = {}, coding = 'gzip'): Promise<Raw> {
  const response = await fetch(world.url + path, {
    ...init,
    decompress: false,
    headers: { ...admin.headers, 'accept-encoding': coding, ...init.headers },
  })
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  }
}

const codingOf = ({ headers }: Raw): string | null => headers.get('content-encoding')

const json = (body: unknown, headers: Record<string, string> = {}): Sent => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...headers },
})

describe('JSON of the API', () => {
  // Over 1 KB, and over the 64 KB above which it is compressed beside the thread.
  test.each([
    ['/api/tags?limit=100', 1_024, 64 * 1_024],
    ['/api/canned-responses?limit=100', 64 * 1_024, Infinity],
  ])('is sent compressed at %s', async (path, min, max) => {
    const [plain, compressed] = [await wire(path, {}, 'identity'), await wire(path)]
    expect([plain.bytes.length > min, plain.bytes.length < max]).toEqual([true, true])
    expect([plain.status, codingOf(plain), compressed.status, codingOf(compressed)]).toEqual([
      ...[200, null, 200, 'gzip'],
    ])
    expect(compressed.bytes.length).toBeLessThan(plain.bytes.length / 2)
    expect(gunzipSync(compressed.bytes).equals(plain.bytes)).toBe(true)
    expect(compressed.headers.get('content-type')).toBe(plain.headers.get('content-type'))
    expect(compressed.headers.get('vary')).toBe('Accept-Encoding')
    expect(compressed.headers.get('cache-control')).toBe('no-store')
    const small = await wire(path, {}, 'gzip, deflate, br, zstd')
    expect([codingOf(small), small.headers.get('vary')]).toEqual(['zstd', 'Accept-Encoding'])
    expect(small.bytes.length).toBeLessThan(compressed.bytes.length)
    expect(Bun.zstdDecompressSync(small.bytes).equals(plain.bytes)).toBe(true)
    expect(codingOf(await wire(path, {}, 'gzip, zstd;q=0'))).toBe('gzip')
  })

  test('is sent as it is to clients that do not take gzip, and below 1 KB', async () => {
    for (const coding of ['gzip;q=0', 'br, gzip; q=0.0', 'x-gzip', ''])
      expect({ coding, sent: codingOf(await wire('/api/tags?limit=100', {}, coding)) }).toEqual({
        coding,
        sent: null,
      })
    const small = await wire('/api/tags?limit=1')
    expect([small.bytes.length < 1_024, codingOf(small), small.headers.get('vary')]).toEqual([
      ...[true, null, null],
    ])
    expect(JSON.parse(small.bytes.toString())).toMatchObject({ data: { total: 40 } })
    for (const coding of ['deflate, gzip;q=0.5', '*, gzip', 'br,gzip'])
      expect(codingOf(await wire('/api/tags?limit=100', {}, coding))).toBe('gzip')
  })

  test('keeps its status and all headers', async () => {
    const origin = 'https://app.example.com'
    const allowed = await wire('/api/tags?limit=100', { headers: { origin } })
    expect([codingOf(allowed), allowed.headers.get('vary')]).toEqual([
      'gzip',
      'Origin, Accept-Encoding',
    ])
    expect(allowed.headers.get('access-control-allow-origin')).toBe(origin)
    expect(allowed.headers.get('x-ratelimit-limit')).not.toBeNull()
    const tags = Array.from({ length: 60 }, (_, nth) => ({ nth }))
    const invalid = await wire('/api/contacts', json({ phone_number: '1', tags }))
    expect([invalid.status, codingOf(invalid)]).toEqual([400, 'gzip'])
    expect(JSON.parse(gunzipSync(invalid.bytes).toString())).toMatchObject({
      status: 'error',
      code: 'invalid_input',
    })
  })

  test('is not compressed when it shows a credential, also when it is repeated', async () => {
    const all = (await admin.get('/api/me')).data['permissions'] as string[]
    const permissions = all.filter((permission) =>
      /^(?!api_keys).*:(?:read|update)$/.test(permission),
    )
    const key = json({ name: 'Shop', permissions }, { 'idempotency-key': 'the-same-key' })
    for (const round of ['first', 'repeated']) {
      const made = await wire('/api/api-keys', key)
      expect({ round, status: made.status, coding: codingOf(made) }).toEqual({
        round,
        status: 201,
        coding: null,
      })
      expect(made.bytes.length).toBeGreaterThan(1_024)
      expect((JSON.parse(made.bytes.toString()) as { data: Loose }).data['key']).toBeString()
    }
    await admin.post('/api/api-keys', { name: 'Another', permissions })
    const keys = await wire('/api/api-keys')
    expect([codingOf(keys), keys.bytes.length > 100]).toEqual(['gzip', true])
    const flow = json({ email: world.emailOf('admin', world.tenant), password: 'wrong' })
    expect(codingOf(await wire('/api/auth/login', flow))).toBeNull()
  })
})

/** Schemas of an OpenAPI document. */
type Schema = Loose

/** Returns each text of an answer by its name, with its schema. */
function* textsIn(
  schema: Schema,
  shared: Record<string, Schema>,
  within: ReadonlySet<string> = new Set(),
): Generator<[name: string, schema: Schema]> {
  const reference = schema['$ref'] as string | undefined
  const title = reference?.split('/').at(-1) ?? ''
  if (reference !== undefined) {
    if (!within.has(title)) yield* textsIn(shared[title] ?? {}, shared, new Set([...within, title]))
    return
  }
  for (const part of [schema['allOf'], schema['anyOf'], schema['oneOf'], schema['items']].flat())
    if (part !== undefined) yield* textsIn(part as Schema, shared, within)
  for (const [name, property] of Object.entries((schema['properties'] ?? {}) as Loose)) {
    const own = property as Schema
    if (JSON.stringify(own['type'] ?? own['anyOf'] ?? '').includes('"string"')) yield [name, own]
    else yield* textsIn(own, shared, within)
  }
}

test('every text of an answer that is a credential by its name says that it is shown once', async () => {
  const document = (await world.anyone.get('/openapi.json')).body as unknown as Loose
  const shared = document['components'].schemas as Record<string, Schema>
  const unmarked = new Set<string>()
  let marked = 0
  for (const operation of Object.values(document['paths'] as Loose).flatMap((of) =>
    Object.values(of as Loose),
  ) as Loose[])
    for (const [status, { content = {} }] of Object.entries(
      (operation['responses'] ?? {}) as Record<string, Loose>,
    ))
      for (const { schema } of status.startsWith('2') ? (Object.values(content) as Loose[]) : [])
        for (const [name, of] of textsIn(schema as Schema, shared)) {
          if (of['x-shown-once'] === true) marked += 1
          else if (
            /(?:^|_)(?:secret|token|ticket|password)$|^key$|_key$|(?:reset|invite|redirect|otpauth)_url$/.test(
              name,
            )
          )
            unmarked.add(`${operation['operationId']}: ${name}`)
        }
  expect(marked).toBeGreaterThan(15)
  const isKnown = (place: string): boolean =>
    NO_CREDENTIALS.includes(place) || NO_CREDENTIALS.includes(place.split(': ')[1] ?? '')
  expect([...unmarked].filter((place) => !isKnown(place))).toEqual([])
})

test('a table is compressed while it is sent', async () => {
  const path = '/api/analytics/messages?format=csv&group_by=hour'
  const [plain, compressed] = [await wire(path, {}, 'identity'), await wire(path)]
  expect([plain.status, codingOf(plain), codingOf(compressed)]).toEqual([200, null, 'gzip'])
  expect(compressed.headers.get('content-type')).toStartWith('text/csv')
  expect(compressed.headers.get('vary')).toBe('Accept-Encoding')
  expect(gunzipSync(compressed.bytes).toString()).toBe(plain.bytes.toString())
})

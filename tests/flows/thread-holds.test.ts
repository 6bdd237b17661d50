import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { join } from 'node:path'

import document from '../contract/openapi.json'
import { ADMINS, APP_SECRET, Installation, signIn } from '../chaos/installation'
import { Watch, WATCHED } from '../bench/hold-watch'
import type { Client } from '../support/client'
import { docxOf } from '../support/documents'
import type { ServerProcess } from '../support/process'
import { NOBODY } from '../support/routes'

/** Whether the fields of all requests are tried, as `bun run test:long` does, or of each ninth. */
const EACH = process.env['THREAD_HOLDS'] === 'all' ? 1 : 9
/**
 * No request may hold the thread longer, in milliseconds of its own processor time: 20, and a quarter
 * more for a machine on which other programs displace what the processor has at hand.
 */
const MAX_HOLD_MS = process.env['THREAD_HOLDS'] === 'all' ? 25 : 50
/** A collection of garbage may fall into one round, not into each. */
const ROUNDS = 4
const MIB = 1_024 * 1_024

let installation: Installation
let server: ServerProcess
let watch: Watch
let admin: Client

async function start(): Promise<void> {
  server = await installation.start()
  watch = new Watch(server, join(installation.folder, 'holds.json'))
  admin = await signIn(server.url, ADMINS[0])
}

beforeAll(async () => {
  installation = new Installation(
    { HOLDS_FILE: 'holds.json', NODE_ENV: 'production', RATE_BULK: '0', RATE_LOGIN: '0' },
    WATCHED,
  )
  await start()
}, 60_000)

afterAll(async () => {
  await server.stop()
  installation.remove()
})

interface Hold {
  what: string
  status: number
  ms: number
}

/** Sends a request until it holds the thread no longer than it may, at most a few times. */
async function holdOf(what: string, send: () => Promise<Response>): Promise<Hold> {
  let least = Infinity
  let status = 0
  for (let round = 0; round < ROUNDS && least > MAX_HOLD_MS; round += 1) {
    await watch.take()
    const response = await send()
    await response.arrayBuffer()
    status = response.status
    least = Math.min(least, await watch.take())
  }
  return { what, status, ms: least }
}

const sendJson =
  (method: string, path: string, body: string, headers: Record<string, string> = admin.headers) =>
  (): Promise<Response> =>
    fetch(server.url + path, {
      method,
      body,
      headers: { ...headers, 'content-type': 'application/json' },
    })

const sendFile =
  (
    path: string,
    bytes: Uint8Array<ArrayBuffer>,
    fields: Record<string, string> = {},
    name = 'file.csv',
  ) =>
  (): Promise<Response> => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    form.set('file', new File([bytes], name))
    return fetch(server.url + path, { method: 'POST', body: form, headers: admin.headers })
  }

const keys = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join(',')}}`
const differentKeys = (objects: number, count: number): string =>
  Array.from({ length: objects }, (_, nth) => keys(count).replaceAll('"k', `"k${nth} `)).join(',')
const names = (count: number): string =>
  Array.from({ length: count }, (_, index) => `"name ${index}"`).join(',')
const listOf = (item: string, count: number): string => `[${`${item},`.repeat(count - 1)}${item}]`

const tooLong = (holds: Hold[]): Hold[] => holds.filter(({ ms }) => ms > MAX_HOLD_MS)

/** Asks a server that has just started for the documents of the API. */
async function holdsOfDocuments(): Promise<Hold[]> {
  const holds: Hold[] = []
  for (const path of [
    ...['/openapi.json', '/docs', '/asyncapi.json', '/docs/documents/contacts'],
    ...['/docs/reference', '/docs/changelog', '/docs/search-index.js'],
    '/docs/reference/messages/sendMessage',
  ]) {
    await watch.take()
    const response = await fetch(server.url + path)
    await response.arrayBuffer()
    holds.push({ what: path, status: response.status, ms: await watch.take() })
  }
  return holds
}

test('the documents of the API hold nobody up when they are first asked for', async () => {
  let holds = await holdsOfDocuments()
  for (let round = 1; round < ROUNDS && tooLong(holds).length > 0; round += 1) {
    await server.stop()
    await start()
    holds = await holdsOfDocuments()
  }
  expect(holds.map(({ status }) => status)).toEqual(holds.map(() => 200))
  expect(tooLong(holds)).toEqual([])
}, 60_000)

test('a stranger holds nobody up', async () => {
  const holds = []
  for (const path of ['/api/auth/login', '/api/auth/register', '/api/auth/password/forgot'])
    for (const [what, body] of [
      ['80,000 keys', keys(80_000)],
      ['90,000 tags', `{"tags":${listOf('"a"', 90_000)}}`],
      ['as many keys as are read', keys(1_500)],
    ] as const)
      holds.push(await holdOf(`${path} ${what}`, sendJson('POST', path, body, {})))
  for (const [what, body] of webhooks())
    holds.push(await holdOf(`webhook ${what}, unsigned`, sendWebhook(body, 'another secret')))
  expect(tooLong(holds)).toEqual([])
}, 120_000)

/** Bodies that the platform never sends, as large as the webhook takes them. */
const webhooks = (): [what: string, body: string][] =>
  (
    [
      ['objects', listOf('{"id":"1"}', 300_000)],
      ['as many objects as are read', listOf('{"id":"1"}', 99_000)],
      ['zeros', listOf('0', 1_700_000)],
      ['as many texts as are read', `[${names(180_000)}]`],
      ['names', `[${keys(190_000)}]`],
      ['lists within lists', listOf('['.repeat(12) + ']'.repeat(12), 16_000)],
    ] as const
  ).map(([what, entry]) => [what, `{"object":"whatsapp_business_account","entry":${entry}}`])

const sendWebhook =
  (body: string, secret: string): (() => Promise<Response>) =>
  () =>
    fetch(`${server.url}/api/webhook`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      },
    })

test('a webhook holds nobody up, whoever signs it', async () => {
  const holds = []
  for (const [what, body] of webhooks())
    holds.push(await holdOf(`webhook ${what}`, sendWebhook(body, APP_SECRET)))
  expect(tooLong(holds)).toEqual([])
}, 120_000)

interface Schema {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  anyOf?: Schema[]
}
const schemas = document.components.schemas as unknown as Record<string, Schema>
const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {})

/** Every operation with a JSON body, with the fields of the body. */
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) => {
    const { requestBody } = operation as {
      requestBody?: { content: Record<string, { schema: Schema }> }
    }
    const schema = requestBody?.content['application/json']?.schema
    if (schema === undefined || path.startsWith('/api/auth/')) return []
    return [
      {
        method: method.toUpperCase(),
        path: path.replaceAll(/\{\w+\}/g, NOBODY),
        fields: Object.entries(resolved(schema).properties ?? {}),
      },
    ]
  }),
)

const isA = (schema: Schema, type: string): boolean =>
  [resolved(schema), ...(resolved(schema).anyOf ?? []).map(resolved)].some(
    (one) => one.type === type || (Array.isArray(one.type) && one.type.includes(type)),
  )

test('no field of any request holds the thread', async () => {
  expect(operations.length).toBeGreaterThan(150)
  const holds = []
  for (const { method, path, fields } of operations.filter((_, index) => index % EACH === 0))
    for (const [name, schema] of fields) {
      const bodies: [string, string][] = []
      if (isA(schema, 'array'))
        bodies.push(
          ['texts', listOf('"a"', 19_900)],
          ['IDs', listOf(`"${NOBODY}"`, 19_900)],
          ['objects', listOf('{}', 9_900)],
        )
      if (isA(schema, 'object')) bodies.push(['keys', keys(19_900)])
      if (isA(schema, 'string')) bodies.push(['a long text', JSON.stringify('aé '.repeat(250_000))])
      for (const [what, value] of bodies)
        holds.push(
          await holdOf(
            `${method} ${path} ${name}: ${what}`,
            sendJson(method, path, `{"${name}":${value}}`),
          ),
        )
    }
  expect(tooLong(holds)).toEqual([])
}, 1_200_000)

test('large documents do not hold the thread', async () => {
  const large = (field: string, item: string): string =>
    `{"${field}":${listOf(item, Math.floor((11 * MIB) / (item.length + 1)))}}`
  const holds = []
  for (const [method, path] of [
    ['POST', '/api/flows'],
    ['POST', '/api/chatbot/ai-contexts'],
    ['POST', `/api/campaigns/${NOBODY}/recipients/import`],
  ] as const)
    for (const [what, body] of [
      ['many items', large('flow_json', '0')],
      ['many objects', large('recipients', '{}')],
      ['many keys', keys(900_000)],
      ['as many items as are read', `{"flow_json":${listOf('0', 199_000)}}`],
      ['as many objects as are read', `{"recipients":${listOf('{}', 99_000)}}`],
      ['as many texts as are read', `{"flow_json":[${names(199_000)}]}`],
      ['as many names as are read', `{"flow_json":${listOf(keys(19_000), 10)}}`],
      ['other names in each object', `{"flow_json":[${differentKeys(1_000, 190)}]}`],
      ['a long text', `{"content":"${'a é'.repeat(2 * MIB)}"}`],
    ] as const)
      holds.push(await holdOf(`${method} ${path} ${what}`, sendJson(method, path, body)))
  expect(tooLong(holds)).toEqual([])
}, 240_000)

test('files do not hold the thread', async () => {
  const commas = Buffer.from(`phone_number,name\n${','.repeat(20_000_000)}\n`)
  const holds = [
    await holdOf(
      'CSV of commas',
      sendFile('/api/import', commas, { table: 'contacts', dry_run: 'true' }),
    ),
    await holdOf(
      'CSV of one cell without an end',
      sendFile('/api/import', Buffer.from(`phone_number,name\n"${'x\n'.repeat(7_000_000)}`), {
        ...{ table: 'contacts', dry_run: 'true' },
      }),
    ),
    await holdOf('prices of commas', sendFile('/api/prices/import', commas.subarray(0, 4_000_000))),
  ]
  const { data } = await admin.post('/api/chatbot/ai-contexts', {
    name: 'Bomb',
    context_type: 'static',
    static_content: 'We open at nine.',
  })
  const bomb = await docxOf([
    `${'word '.repeat(1_000_000)}`,
    ...Array.from({ length: 200_000 }, () => 'a'),
  ])
  holds.push(
    await holdOf(
      'DOCX bomb',
      sendFile(
        `/api/chatbot/ai-contexts/${data['id']}/document`,
        new Uint8Array(bomb),
        {},
        'file.docx',
      ),
    ),
  )
  expect(tooLong(holds)).toEqual([])
}, 240_000)

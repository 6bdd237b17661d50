import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'

import { createApp } from '../../src/app'
import { exampleOf } from '../../src/http/openapi/examples'
import type { OpenApiDocument } from '../../src/http/openapi/document'
import { printJson } from '../../src/lib/print-json'
import type { Loose } from '../support/client'
import { resolve, responsesOf } from '../support/openapi'
import { isBodyOptional, isForPeopleOnly, routesOf } from '../support/routes'
import { World } from '../support/world'

// As `bun run test` has it; checking the whole document takes seconds on a busy machine.
setDefaultTimeout(30_000)

/** What pages are made of; it describes nothing. */
const ASSETS = [
  'GET /',
  'GET /*',
  'GET /assets/*',
  'GET /docs',
  'GET /docs/*',
  'GET /docs/documents/:part',
  'GET /docs/swagger-ui-bundle.js',
  'GET /docs/swagger-ui.css',
  'GET /docs/try/:operation',
  'GET /favicon.ico',
  'GET /home.css',
  'GET /join',
  'GET /link-pages/join.js',
  'GET /link-pages/link.js',
  'GET /link-pages/reset-password.js',
  'GET /link-pages/style.css',
  'GET /push-worker.js',
  'GET /reset-password',
  'GET /robots.txt',
  'WS /ws',
]

/** What the platform calls, signed: it has rules and tests of its own. */
const PLATFORMS = new Set([
  '/api/webhook',
  '/api/cells/deliveries',
  '/api/cells/moves',
  '/api/flows/endpoint/{account_id}',
])

let world: World
let document: OpenApiDocument

beforeAll(async () => {
  world = await World.create({ isConnected: false, tenants: 1 })
  document = await createApp(world.program).describe()
})

afterAll(() => world.stop())

/** Every operation with its place. */
const operations = (): { at: string; method: string; path: string; operation: Loose }[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      at: `${method.toUpperCase()} ${path}`,
      method,
      path,
      operation: operation as Loose,
    })),
  )

/** Those for which `holds` is false. */
const failing = (
  holds: (operation: Loose, place: { method: string; path: string }) => boolean,
): string[] =>
  operations()
    .filter(({ operation, ...place }) => !holds(operation, place))
    .map(({ at }) => at)

const successOf = (operation: Loose): [status: string, answer: Loose] => {
  const [found] = Object.entries(operation['responses'] as Record<string, Loose>).filter(
    ([status]) => Number(status) < 300,
  )
  return found ?? ['', {}]
}

async function problemsOfRedocly(what: object): Promise<string[]> {
  const config = await createConfig({
    extends: ['minimal', 'spec'],
    rules: {
      'no-unresolved-refs': 'error',
      'operation-operationId-unique': 'error',
      'no-invalid-media-type-examples': 'error',
      'no-invalid-schema-examples': 'error',
      'no-invalid-parameter-examples': 'error',
      'no-unused-components': 'off',
      'info-license': 'off',
    },
  })
  const found = await lintFromString({
    source: JSON.stringify(what),
    absoluteRef: 'openapi.json',
    config,
  })
  return found
    .filter(({ severity }) => severity === 'error')
    .map(
      ({ ruleId, message, location }) =>
        `${ruleId}: ${message} at ${location.map(({ pointer }) => pointer).join()}`,
    )
}

/** Removes the schemas of a document that nothing refers to, so that it is checked sooner. */
function leaveReferenced(what: Loose): void {
  const components = what['components'] as Record<string, Loose>
  const all = components['schemas'] ?? {}
  const kept: Loose = {}
  components['schemas'] = kept
  for (let count = -1; count !== Object.keys(kept).length;) {
    count = Object.keys(kept).length
    for (const [, name = ''] of JSON.stringify(what).matchAll(/#\/components\/schemas\/([\w.-]+)/g))
      if (name in all) kept[name] = all[name] as unknown
  }
}

/**
 * Errors without the envelope: a range beyond the end of a file, an encrypted text, and headers
 * that the runtime refuses.
 */
const UNWRITTEN = new Set(['416', '427', '431'])

test('the committed document is the generated one', async () => {
  const fresh = {
    ...document,
    servers: [{ url: 'http://localhost:8080', description: 'This server' }],
  }
  const committed = readFileSync(join(import.meta.dir, 'openapi.json'), 'utf8')
  if (committed !== printJson(fresh))
    throw new Error('tests/contract/openapi.json is not up to date: run "bun run openapi"')
})

test('the document does not depend on earlier requests', async () => {
  const admin = await world.as('admin')
  await admin.get('/api/contacts')
  await admin.post('/api/accounts', {})
  expect(await createApp(world.program).describe()).toEqual(document)
})

test('the server serves the same document', async () => {
  const response = await fetch(`${world.url}/openapi.json`)
  expect(response.headers.get('content-type')).toStartWith('application/json')
  expect(await response.json()).toEqual(JSON.parse(JSON.stringify(document)))
})

describe('the document at /openapi.json', () => {
  const get = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${world.url}/openapi.json`, { headers, decompress: false } as RequestInit)

  test('is sent compressed, and uncompressed to clients that do not accept gzip', async () => {
    const compressed = await get({ 'accept-encoding': 'br, gzip;q=0.8' })
    expect(compressed.headers.get('content-encoding')).toBe('gzip')
    const bytes = await compressed.bytes()
    expect(bytes.length).toBeLessThan(270_000)
    for (const encoding of ['identity', 'gzip;q=0', 'br']) {
      const plain = await get({ 'accept-encoding': encoding })
      expect({ encoding, is: plain.headers.get('content-encoding') }).toEqual({
        encoding,
        is: null,
      })
      expect(await plain.bytes()).toEqual(Bun.gunzipSync(new Uint8Array(bytes)))
    }
  })

  test('is answered with 304 for a client that has it', async () => {
    const etag = (await get({})).headers.get('etag') ?? ''
    expect(etag).toMatch(/^"\w+"$/)
    for (const tags of [etag, `"other", ${etag}`, `W/${etag}`, '*']) {
      const response = await get({ 'if-none-match': tags })
      expect({ tags, status: response.status, etag: response.headers.get('etag') }).toEqual({
        tags,
        status: 304,
        etag,
      })
    }
    expect((await get({ 'if-none-match': '"other"' })).status).toBe(200)
  })
})

describe('the document at /asyncapi.json', () => {
  test('has a message for each frame, and every reference leads somewhere', async () => {
    const async = (await (await fetch(`${world.url}/asyncapi.json`)).json()) as Loose
    expect(async['asyncapi']).toBe('3.0.0')
    expect(async['servers']['this']).toEqual({ host: 'localhost:8080', protocol: 'ws' })
    const { socket } = async['channels'] as Record<string, Loose>
    expect(socket?.['address']).toBe('/ws')
    const { sendFrames, receiveFrames } = async['operations'] as Record<string, Loose>
    for (const [operation, title, action] of [
      [sendFrames, 'ServerFrame', 'send'],
      [receiveFrames, 'ClientFrame', 'receive'],
    ] as const) {
      expect(operation?.['action']).toBe(action)
      const types = ((operation?.['messages'] ?? []) as { $ref: string }[]).map(
        ({ $ref }) => resolve(async, { $ref })['name'] as string,
      )
      const frame = document.components?.schemas?.[title] as Loose
      expect(types).toEqual(Object.keys(frame['discriminator']['mapping'] as object))
    }
    const refs = [...JSON.stringify(async).matchAll(/"\$ref":"([^"]+)"/g)]
    expect(refs.length).toBeGreaterThan(50)
    for (const [, $ref] of refs) expect(resolve(async, { $ref })).toBeDefined()
  })
})

describe('the document is valid', () => {
  const validator = new Validator() // compiles the schema of documents once

  test('for @seriousme/openapi-schema-validator', async () => {
    const { valid, errors } = await validator.validate(
      JSON.parse(JSON.stringify(document)) as Loose,
    )
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined })
  })

  test('for @redocly/openapi-core, rules minimal and spec, with every example and every reference', async () => {
    expect(await problemsOfRedocly(document)).toEqual([])
  }, 60_000)

  test('and both reject an invalid one', async () => {
    const noResponses = structuredClone(document) as Loose
    delete (noResponses['paths'] as Record<string, Record<string, Loose>>)['/health']?.['get']?.[
      'responses'
    ]
    noResponses['openapi'] = '3.0.3'
    expect((await validator.validate(noResponses)).valid).toBe(false)

    const spoiled = structuredClone(document) as Loose
    const { '/health': health, '/ready': ready } = spoiled['paths'] as Loose
    spoiled['paths'] = { '/health': health, '/ready': ready }
    leaveReferenced(spoiled)
    expect(await problemsOfRedocly(spoiled)).toEqual([])
    const get =
      (spoiled['paths'] as Record<string, Record<string, Loose>>)['/health']?.['get'] ?? {}
    get['operationId'] = 'getReadiness'
    get['responses'] = {
      200: {
        description: 'x',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Gone' } } },
      },
      201: {
        description: 'x',
        content: { 'application/json': { schema: { type: 'integer' }, example: 'no number' } },
      },
    }
    const rules = (await problemsOfRedocly(spoiled)).map((problem) => problem.split(':')[0])
    expect(rules).toEqual(
      expect.arrayContaining([
        'no-unresolved-refs',
        'no-invalid-media-type-examples',
        'operation-operationId-unique',
      ]),
    )
  }, 60_000)
})

describe('the document is complete', () => {
  test('every route is in it, and nothing else', () => {
    const routes = routesOf(world).map(({ label }) => label)
    expect(ASSETS.filter((label) => !routes.includes(label))).toEqual([])
    const described = routes
      .filter((label) => !ASSETS.includes(label))
      .map((label) => label.replaceAll(/:(\w+)/g, '{$1}'))
    expect(
      operations()
        .map(({ at }) => at)
        .toSorted(),
    ).toEqual(described.toSorted())
  })

  test('every operation has a description, a permission and a credential', () => {
    const byLabel = new Map(
      routesOf(world).map((route) => [route.label.replaceAll(/:(\w+)/g, '{$1}'), route.permission]),
    )
    expect(
      failing(
        (operation) => typeof operation['summary'] === 'string' && operation['summary'].length > 5,
      ),
    ).toEqual([])
    expect(
      failing(
        (operation, { method, path }) =>
          operation['x-permission'] === byLabel.get(`${method.toUpperCase()} ${path}`),
      ),
    ).toEqual([])
    expect(
      failing((operation) => {
        const schemes = (operation['security'] as Loose[]).flatMap((choice) => Object.keys(choice))
        const permission = operation['x-permission'] as string
        if (permission === 'public') return schemes.length === 0
        if (permission === 'super-admin' || isForPeopleOnly({ permission }))
          return schemes.join() === 'bearerAuth'
        return schemes.join() === 'bearerAuth,apiKeyAuth'
      }),
    ).toEqual([])
    const schemes = (document.components?.['securitySchemes'] ?? {}) as Record<string, Loose>
    expect(Object.keys(schemes)).toEqual(['bearerAuth', 'apiKeyAuth'])
  })

  test('every operation says in its text which permission it needs', () => {
    expect(
      failing((operation) => {
        const permissions = String(operation['x-permission'])
          .split(/ (?:and|or) /)
          .filter((word) => word.includes(':'))
        const text = String(operation['description'])
        return permissions.length === 0
          ? /Needs no credentials|without a permission|super admins only/.test(text)
          : permissions.every((word) => text.includes(`\`${word}\``))
      }),
    ).toEqual([])
  })

  test('every operation says more than its title and its permission', () => {
    expect(
      failing((operation) => {
        const [said = ''] = String(operation['description']).split('\n\n')
        return (
          said.length > 10 && !/^(?:Requires `|Needs no credentials|For super admins)/.test(said)
        )
      }),
    ).toEqual([])
  })

  test('examples name things as people do', () => {
    const schemas = (document.components?.schemas ?? {}) as Record<string, Loose>
    const nameIn = (name: string): unknown => schemas[name]?.['examples'][0]['data']['name']
    expect(
      ['Campaign', 'Contact', 'Tag', 'Template', 'Segment', 'Role'].map((name) =>
        nameIn(`${name}Envelope`),
      ),
    ).toEqual(['Winter sale', 'Ana Sol', 'VIP', 'order_shipped', 'Regulars', 'Agent'])
  })

  test('every operation has a unique operationId that a client generator can use', () => {
    const names = operations().map(({ operation }) => operation['operationId'] as string)
    expect(new Set(names).size).toBe(names.length)
    // A verb and its object. Without a name, the plugin makes one of method and path:
    // `getApiContactsById`.
    expect(
      names.filter(
        (name) =>
          !/^[a-z]+(?:[A-Z][a-z0-9]*)*$/.test(name) ||
          /^(?:get|post|put|delete)Api[A-Z](?!ey)/.test(name),
      ),
    ).toEqual([])
  })

  test('every operation belongs to a tag with a description', () => {
    const tags = new Set((document['tags'] as Loose[]).map(({ name }) => name as string))
    expect(
      failing(
        (operation) =>
          (operation['tags'] as string[]).length === 1 &&
          tags.has((operation['tags'] as string[])[0] ?? ''),
      ),
    ).toEqual([])
    const sent = Object.values((document.webhooks ?? {}) as Loose).map(
      (item) => item['post'] as Loose,
    )
    const used = new Set(
      [...operations().map(({ operation }) => operation), ...sent].map(
        (operation) => (operation['tags'] as string[])[0],
      ),
    )
    expect([...tags].filter((name) => !used.has(name))).toEqual([])
  })

  test('every operation has a success response with schema and example', () => {
    const isPlain = (path: string): boolean => path === '/ws'
    expect(
      failing((operation, { path }) => {
        const content = (successOf(operation)[1]['content'] ?? {}) as Record<string, Loose>
        if (isPlain(path)) return '101' in (operation['responses'] as object)
        if ('302' in (operation['responses'] as object)) return true // a redirect has no body
        const json = content['application/json']
        if (json)
          return (
            json['schema'] !== undefined &&
            (json['example'] ?? resolve(document, json['schema'])['examples']) !== undefined
          )
        // files and plain words need none
        return Object.values(content).some(({ schema }) => schema !== undefined)
      }),
    ).toEqual([])
  })

  test('creating answers 201, and successes under /api are in the envelope', () => {
    expect(
      failing((operation, { path }) => {
        const [, answer] = successOf(operation)
        const json = (answer['content'] as Record<string, Loose> | undefined)?.['application/json']
        if (!path.startsWith('/api') || !json) return true
        const schema = resolve(document, json['schema'])
        return (
          schema['properties']['status']['const'] === 'success' &&
          schema['required'].includes('data')
        )
      }),
    ).toEqual([])
  })

  test('a body is required unless all of its fields are optional', () => {
    // The platform's deliveries are read as bytes.
    const reading = routesOf(world).filter(({ path }) => path !== '/api/webhook')
    const differing = reading.filter((route) => {
      const operation = document.paths[route.path.replaceAll(/:(\w+)/g, '{$1}')]?.[
        route.method.toLowerCase()
      ] as Loose | undefined
      const body = operation?.['requestBody'] as Loose | undefined
      const isJson = body?.['content']?.['application/json'] !== undefined
      return isJson && body['required'] === isBodyOptional(route)
    })
    expect(differing.map(({ label }) => label)).toEqual([])
  })

  test('every body has an example', () => {
    const bodies = operations().filter(
      ({ operation, path }) => operation['requestBody'] !== undefined && !PLATFORMS.has(path),
    )
    expect(bodies.length).toBeGreaterThan(5)
    expect(
      bodies
        .filter(({ operation }) =>
          Object.values(operation['requestBody']['content'] as Loose).some(
            (body) => body['example'] === undefined,
          ),
        )
        .map(({ at }) => at),
    ).toEqual([])
  })

  test('a body with a file is a form, and also JSON if the file is optional', () => {
    const typesOf = (path: string): string[] =>
      operations()
        .filter((one) => one.path === path && one.operation['requestBody'] !== undefined)
        .flatMap(({ operation }) => Object.keys(operation['requestBody']['content'] as Loose))
    expect(typesOf('/api/media')).toEqual(['multipart/form-data'])
    expect(typesOf('/api/messages/media')).toEqual(['application/json', 'multipart/form-data'])
    expect(typesOf('/api/messages')).toEqual(['application/json'])
  })

  test('every possible error is documented with its schema', () => {
    const has = (operation: Loose, ...statuses: string[]): boolean =>
      statuses.every((status) => status in (operation['responses'] as object))
    expect(
      failing(
        (operation, { path }) => !path.startsWith('/api') || has(operation, '400', '500', '503'),
      ),
    ).toEqual([])
    expect(
      failing(
        (operation) =>
          operation['x-permission'] === 'public' || has(operation, '401', '403', '429'),
      ),
    ).toEqual([])
    expect(failing((operation, { path }) => !path.includes('{') || has(operation, '404'))).toEqual(
      [],
    )
    expect(
      failing(
        (operation, { path }) =>
          operation['requestBody'] === undefined ||
          PLATFORMS.has(path) ||
          has(operation, '413', '415'),
      ),
    ).toEqual([])
    const errors = operations().flatMap(({ at, operation }) =>
      responsesOf(document, operation)
        .filter(([status]) => Number(status) >= 400 && !UNWRITTEN.has(status))
        .map(([status, answer]) => ({
          at,
          status,
          schema: answer['content']['application/json']['schema']['$ref'] as string,
        })),
    )
    expect(errors.filter(({ schema }) => schema !== '#/components/schemas/Fail')).toEqual([])
  })

  test('errors, frequent parameters and bodies around a named schema are shared, so that the document stays small', async () => {
    const text = JSON.stringify(document)
    expect(text.length).toBeLessThan(2_200_000)
    const throttled = operations().filter(
      ({ path }) => path.startsWith('/api') && !PLATFORMS.has(path),
    )
    const inline = throttled.flatMap(({ at, operation }) =>
      Object.entries(operation['responses'] as Record<string, Loose>)
        .filter(
          ([status, answer]) =>
            Number(status) >= 400 && !UNWRITTEN.has(status) && answer['$ref'] === undefined,
        )
        .map(([status]) => `${at} ${status}`),
    )
    expect(inline).toEqual([])
  })

  test('rate-limit headers are documented where they are sent', () => {
    expect(
      failing((operation, { path }) =>
        responsesOf(document, operation).every(([status, answer]) => {
          // which the runtime answers alone
          const isSent = path.startsWith('/api') && !PLATFORMS.has(path) && status !== '431'
          return 'X-RateLimit-Limit' in (answer['headers'] ?? {}) === isSent
        }),
      ),
    ).toEqual([])
  })

  test('a table that can be had as CSV says so', () => {
    const tables = operations().flatMap(({ at, operation }) => {
      const parameters = (operation['parameters'] ?? []) as Loose[]
      const format = parameters
        .map((one) => resolve(document, one))
        .find(({ name }) => name === 'format')
      if (format?.['schema']['enum']?.includes('csv') !== true) return []
      return [{ at, types: Object.keys(operation['responses']['200']['content'] as Loose) }]
    })
    expect(tables.map(({ at }) => at)).toContain('GET /api/analytics/messages')
    expect(tables.length).toBeGreaterThan(8)
    expect(tables.filter(({ types }) => !types.includes('text/csv'))).toEqual([])
  })

  test('a range of a file has the media types of the whole file', () => {
    const typesOf = (answer: Loose): string[] => Object.keys(answer['content'] as Loose)
    const ranged = operations().flatMap(({ at, operation }) => {
      const answers = new Map(responsesOf(document, operation))
      const [whole, range] = [answers.get('200'), answers.get('206')]
      return whole && range ? [{ at, whole: typesOf(whole), range: typesOf(range) }] : []
    })
    expect(ranged.map(({ at }) => at)).toContain('GET /api/campaigns/{id}/media')
    expect(ranged.filter(({ whole, range }) => !Bun.deepEquals(whole, range))).toEqual([])
    const filesOfMessages = operations().find(({ at }) => at === 'GET /api/media/{id}')?.operation[
      'responses'
    ]['200']['content'] as Loose
    const headerFile = operations().find(({ at }) => at === 'GET /api/campaigns/{id}/media')
      ?.operation['responses']['200']['content']
    expect(headerFile).toEqual(filesOfMessages)
  })
})

test('a field may be named like an unknown keyword of schemas', () => {
  const message = document.components?.schemas?.['TextMessage'] as Loose
  expect(Object.keys(message['properties'] as object).toSorted()).toEqual(
    [...(message['required'] as string[]), 'raw'].toSorted(),
  )
  expect(message['properties']).toHaveProperty('error')
})

test('examples look like what people and programs see', () => {
  const fields: [field: string, value: unknown, rest: Loose][] = []
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [field, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) fields.push([field, inner, value as Loose])
      visit(inner)
    }
  }
  const find = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value))
      if (key === 'example') visit(inner)
      else if (key === 'examples' && Array.isArray(inner)) inner.forEach(visit)
      else find(inner)
  }
  find(document)
  expect(fields.length).toBeGreaterThan(5_000)
  // A field without a word of its own; `text` is also a type.
  expect(
    fields.filter(([name, value]) => /^text\.*$/.test(String(value)) && !/(?:^|_)type$/.test(name)),
  ).toEqual([])
  const idsOf = (word: RegExp): unknown[] =>
    fields.filter(([name]) => word.test(name)).map(([, value]) => value)
  const contacts = new Set(idsOf(/^contact_id$/))
  expect(contacts.size).toBeGreaterThan(1)
  const later = fields.filter(([name, value, { created_at: created }]) => {
    const isAfter = ['updated_at', 'expires_at', 'completed_at', 'window_expires_at'].includes(name)
    return isAfter && typeof value === 'string' && typeof created === 'string' && value < created
  })
  expect(later).toEqual([])
  const upsideDown = fields.filter(
    ([name, value, { delivered_count: delivered = Infinity }]) =>
      name === 'read_count' && Number(value) > Number(delivered),
  )
  expect(upsideDown).toEqual([])
  const { examples } = (document.components?.schemas ?? {})['ConversationEnvelope'] as Loose
  const { id, account_id: account, contact } = examples[0].data as Loose
  expect(new Set([id, account, contact.id]).size).toBe(3)
})

test('an example follows from its schema', () => {
  const cases: [schema: Loose, name: string, example: unknown][] = [
    [{ type: 'string', format: 'uuid' }, 'id', '019a52b0-1c00-7000-8000-000000000001'],
    [{ type: 'string', enum: ['b', 'a'] }, '', 'b'],
    [{ type: 'string', minLength: 8 }, '', 'text....'],
    [{ type: 'string', maxLength: 2 }, '', 'te'],
    [{ type: 'string', pattern: '^v\\d+\\.\\d+$' }, '', 'v25.0'],
    [{ const: 'success' }, '', 'success'],
    [{ anyOf: [{ type: 'null' }, { type: 'integer', minimum: 3 }] }, '', 3],
    [{ type: 'array', items: { type: 'boolean' } }, '', [true]],
    [
      { type: 'object', properties: { a: { type: 'null' }, name: { type: 'string' } } },
      '',
      { a: null, name: 'Ana Sol' },
    ],
    [
      { type: 'object', properties: { a: { type: 'string' } }, examples: [{ a: 'own' }] },
      '',
      { a: 'own' },
    ],
    [
      {
        allOf: [
          { type: 'object', properties: { a: { default: 1 } } },
          { type: 'object', properties: { b: { const: 2 } } },
        ],
      },
      '',
      { a: 1, b: 2 },
    ],
    [{}, '', {}],
  ]
  for (const [schema, name, example] of cases)
    expect({ schema, example: exampleOf(schema, name) }).toEqual({ schema, example })
})

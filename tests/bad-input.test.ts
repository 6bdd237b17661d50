import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import type { OpenApiDocument } from '../src/http/openapi/document'
import { createApp } from '../src/app'
import { SAMPLES } from '../src/simulator/sample-files'
import { approvedTemplate } from './support/campaigns'
import type { Answer, Client, Loose } from './support/client'
import { dump } from './support/dump'
import { parametersOf as documentedParameters } from './support/openapi'
import { personWith } from './support/people'
import {
  requiredQuery,
  bodyObject,
  exampleOf,
  isBodyOptional,
  NOBODY,
  pathOf,
  routesOf,
  takesDocument,
  takesFormOnly,
  type Route,
} from './support/routes'
import { sendForm } from './support/sending'
import { PASSWORD, World } from './support/world'

let world: World
let admin: Client
let superAdmin: Client
/** Somebody whose own things may be changed or ended. */
let somebody: Client
let contactId: string
let conversationId: string
let mediaId: string
let templateId: string
let campaignId: string
let document: OpenApiDocument

/**
 * Wrong values that one field is sent; the next field is sent the next ones. `bun run test:long` sends
 * nine, and all bodies to all routes.
 */
const VALUES_EACH = Number(process.env['BAD_VALUES'] ?? 2)

/** Routes that take their turn with the n-th of several bodies, which one parser reads for all. */
const inTurn = (nth: number, oneOf: number): Route[] =>
  routes.filter((_, place) => VALUES_EACH > 2 || place % oneOf === nth % oneOf)

/** Routes that read a JSON body. The platform's webhook has its own rules and its own tests. */
let routes: Route[]

beforeAll(async () => {
  world = await World.create({ env: { BODY_LIMIT_KIB: '16', SMTP_URL: 'smtp://127.0.0.1:9' } })
  admin = await world.as('admin')
  superAdmin = await world.as('super')
  contactId = (await world.contactOf())['id'] as string
  conversationId = String(
    ((await admin.get('/api/conversations')).data['items'] as Loose[])[0]?.['id'],
  )
  const file = { name: 'receipt.jpg', type: 'image/jpeg', bytes: SAMPLES['image/jpeg'] }
  mediaId = (await sendForm(admin, '/api/media', {}, file)).data['id'] as string
  templateId = await approvedTemplate(world)
  const campaign = {
    name: 'Offer',
    account_id: world.tenant.accountId,
    template_id: templateId,
    default_params: { '1': 'you' },
  }
  campaignId = String((await admin.post('/api/campaigns', campaign)).data['id'])
  routes = routesOf(world).filter((route) => route.body !== null && !takesFormOnly(route))
  document = await createApp(world.program).describe()
})

beforeEach(async () => {
  // wrong passwords of the test before
  world.program.http.db.sqlite.run('delete from throttle_failures')
  somebody = (await personWith(world, [])).client
})

afterAll(() => world.stop())

/** Whether a route takes a form with a file. Forms have tests of their own. */
const takesForms = (route: Route): boolean =>
  propertiesOf(route).some(
    ([, schema]) =>
      schema['format'] === 'binary' ||
      ((schema['anyOf'] ?? []) as Loose[]).some((one) => one['format'] === 'binary'),
  )

/** The route's address with an id that exists, so that nothing but the body can be wrong. */
const addressOf = (route: Route): string =>
  pathOf(
    route,
    route.path.startsWith('/api/contacts')
      ? contactId
      : route.path.startsWith('/api/accounts')
        ? (world.tenant.accountId ?? '')
        : NOBODY,
  )

/** What is made for a number. */
const ON_NUMBERS = new Set(['/api/templates', '/api/flows'])

/** Somebody who may call the route. */
function callerOf({ permission }: Route): Client {
  if (permission === 'public') return world.anyone
  if (permission === 'super-admin') return superAdmin
  return permission === 'session' ? somebody : admin
}

async function send(route: Route, body: unknown): Promise<Answer<Loose>> {
  const answer = await callerOf(route).request(route.method, addressOf(route), body)
  if (route.path.endsWith('/logout-all') && answer.status === 200)
    somebody = (await personWith(world, [])).client
  return answer
}

/** A body that the route accepts. */
const goodBody = (route: Route): Record<string, unknown> => {
  const example = exampleOf(route)
  if ('user_id' in example) return { ...example, user_id: world.tenant.userIds.agent }
  if (route.path === '/api/auth/switch-org') return { organization_id: world.tenant.id }
  if (route.path === '/api/auth/register') return { ...example, organization_id: world.tenant.id }
  if (route.path === '/api/auth/login')
    return { email: world.emailOf('agent', world.tenant), password: PASSWORD }
  if ('media_id' in example) return { ...example, media_id: mediaId }
  // the PIN it was registered with before
  if (route.path.endsWith('/register') && route.path.startsWith('/api/accounts')) return {}
  if (ON_NUMBERS.has(route.path)) return { ...example, account_id: world.tenant.accountId }
  if (route.path === '/api/campaigns')
    return { ...example, account_id: world.tenant.accountId, template_id: templateId }
  if (route.label === 'POST /api/accounts')
    return { ...example, phone_id: '309', name: 'Another', verify: false }
  return example
}

/**
 * Routes whose example cannot be accepted: it would be a token or a code that is good only once.
 */
const isProof = ({ path }: Route): boolean =>
  /\/(erase|refresh|exchange-token|new-number|verify-code|logout|password\/reset|invitations\/(?:accept|preview)|2fa\/[\w-]+)$/.test(
    path,
  )

function expectInvalid(route: Route, what: string, answer: Answer, path?: string): void {
  const { status, body } = answer
  expect({ route: route.label, what, status }).toEqual({ route: route.label, what, status: 400 })
  expect({
    envelope: body.status,
    data: body.data,
    hasMessage: (body.message?.length ?? 0) > 5,
  }).toEqual({
    envelope: 'error',
    data: null,
    hasMessage: true,
  })
  if (path === undefined) return
  const paths = body.errors?.map((problem) => problem.path) ?? []
  const isNamed = paths.some((named) => named === path || named.startsWith(`${path}.`))
  expect({ route: route.label, what, paths, isNamed }).toEqual({
    route: route.label,
    what,
    paths,
    isNamed: true,
  })
}

test('there are routes with a body', () => {
  expect(routes.map(({ label }) => label)).toEqual(
    expect.arrayContaining(['POST /api/auth/login', 'PUT /api/accounts/:id']),
  )
  expect(routes.length).toBeGreaterThan(8)
})

describe('a body that is no JSON object', () => {
  const malformed = [
    '{',
    '{"a":}',
    "{'a':1}",
    '{"a":1}}',
    'undefined',
    'NaN',
    '\u0000',
    '{"a":"\n"}',
  ]
  for (const [nth, body] of malformed.entries())
    test(`malformed: ${JSON.stringify(body)} is 400 on every fourth route`, async () => {
      for (const route of inTurn(nth, 4)) {
        const answer = await send(route, body)
        expectInvalid(route, body, answer)
        expect(answer.body.code).toBe('malformed_json')
      }
    })

  test('bytes that are not UTF-8 are 400 on every route', async () => {
    for (const route of routes) {
      const response = await fetch(world.url + addressOf(route), {
        method: route.method,
        headers: { ...callerOf(route).headers, 'content-type': 'application/json' },
        body: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
      })
      expect({ route: route.label, status: response.status }).toEqual({
        route: route.label,
        status: 400,
      })
    }
  })

  const others = ['[]', '"text"', '12', '[{}]', '""', '0', 'true', 'null', 'false']
  for (const [nth, body] of others.entries())
    test(`${body} is 400 on every third route`, async () => {
      for (const route of inTurn(nth, 3))
        expectInvalid(route, body, await send(route, body), 'body')
    })

  test('nothing is an empty object, which is 400 unless all fields are optional', async () => {
    for (const route of routes) {
      const problems: unknown[] = []
      for (const body of ['{}', undefined, '']) {
        const answer = await send(route, body)
        // Rules between fields may still refuse an empty object; what is wrong with a single field
        // is in the schema.
        if (!isBodyOptional(route)) expectInvalid(route, String(body), answer)
        expect({ route: route.label, isBug: answer.status >= 500 }).toEqual({
          route: route.label,
          isBug: false,
        })
        if (answer.status === 400) problems.push([answer.body.code, answer.body.errors])
      }
      expect({
        route: route.label,
        problems: new Set(problems.map((one) => JSON.stringify(one))).size,
      }).toEqual({
        route: route.label,
        problems: Math.min(problems.length, 1),
      })
    }
  })
})

/** Actions: their bodies only add a note. */
const PUT_ACTIONS = ['/api/chatbot/transfers/:id/resume']

test('an empty object is 400 on every PUT: it would change nothing', async () => {
  const putting = routes.filter(
    ({ method, path }) => method === 'PUT' && !PUT_ACTIONS.includes(path),
  )
  expect(putting.map(({ path }) => path)).toContain('/api/retention')
  for (const route of putting) {
    const path = route.path.startsWith('/api/conversations')
      ? pathOf(route, conversationId)
      : addressOf(route)
    expectInvalid(route, '{}', await callerOf(route).put(path, {}))
  }
})

/** Values of every JSON type; what a schema does not accept of them is wrong for it. */
const OF_EVERY_TYPE: unknown[] = [null, true, 12, 12.5, 'x', [], ['x'], {}, { a: 1 }]

/** Values of a wrong type for a field, which differ from turn to turn. */
function wrongFor(schema: TSchema, turn: number): unknown[] {
  const wrong = OF_EVERY_TYPE.filter((candidate) => !Value.Check(schema, candidate))
  const first = wrong.length === 0 ? 0 : turn % wrong.length
  return [...wrong.slice(first), ...wrong.slice(0, first)].slice(0, VALUES_EACH)
}

const propertiesOf = (route: Route): [name: string, schema: TSchema][] =>
  Object.entries((bodyObject(route)?.['properties'] ?? {}) as Record<string, TSchema>)

const lengthLimitOf = (schema: TSchema): number | null => {
  const variants = [schema, ...((schema['anyOf'] as TSchema[] | undefined) ?? [])]
  return (variants
    .map((variant) => variant['maxLength'] as number | undefined)
    .find((limit) => limit !== undefined) ?? null) as number | null
}

describe('a field of a body', () => {
  test('of the wrong type is 400 with its path, and nothing changes', async () => {
    const before = dump(world.program.http.db.sqlite)
    let tried = 0
    for (const route of routes)
      for (const [name, schema] of propertiesOf(route))
        for (const value of wrongFor(schema, tried)) {
          const answer = await send(route, { ...goodBody(route), [name]: value })
          expectInvalid(route, `${name}: ${JSON.stringify(value)}`, answer, `body.${name}`)
          tried += 1
        }
    expect(tried).toBeGreaterThan(100)
    expect(dump(world.program.http.db.sqlite)).toEqual(before)
  })

  test('that is missing is 400 with its path', async () => {
    for (const route of routes)
      for (const name of (bodyObject(route)?.['required'] ?? []) as string[]) {
        const { [name]: _left, ...rest } = goodBody(route)
        expectInvalid(route, `without ${name}`, await send(route, rest), `body.${name}`)
      }
  })

  test('that is too long is 400 with its path', async () => {
    const tooLong: [route: string, name: string, limit: number][] = [
      ['POST /api/contacts/:id/messages', 'text', 4_096],
    ]
    for (const route of routes)
      for (const [name, schema] of propertiesOf(route)) {
        const limit = lengthLimitOf(schema)
        if (limit !== null) tooLong.push([route.label, name, limit])
      }
    expect(tooLong.length).toBeGreaterThan(8)
    for (const [label, name, limit] of tooLong) {
      const route = routes.find((candidate) => candidate.label === label) as Route
      const answer = await send(route, { ...goodBody(route), [name]: '7'.repeat(limit + 1) })
      expectInvalid(route, `${name} of ${limit + 1} characters`, answer, `body.${name}`)
    }
  })

  test('that is blank where words are needed is 400', async () => {
    const blank: [label: string, name: string][] = [
      ['POST /api/accounts', 'name'],
      ['PUT /api/accounts/:id', 'name'],
      ['POST /api/contacts/:id/messages', 'text'],
    ]
    for (const [label, name] of blank) {
      const route = routes.find((candidate) => candidate.label === label) as Route
      for (const value of ['', '   ', '\n\t'])
        expectInvalid(
          route,
          JSON.stringify(value),
          await send(route, { ...goodBody(route), [name]: value }),
          `body.${name}`,
        )
    }
  })

  test('that is unknown is ignored and never stored', async () => {
    const unknown = {
      unknown_field: 'marker-of-unknown-fields',
      id: NOBODY,
      organization_id: world.other.id,
      created_at: '1999-01-01T00:00:00.000Z',
      is_super_admin: true,
      status: 'suspended',
      nested: { deep: ['marker-of-unknown-fields'] },
    }
    for (const route of routes.filter((candidate) => !isProof(candidate))) {
      const listed = new Set(propertiesOf(route).map(([name]) => name))
      const surplus = Object.fromEntries(
        Object.entries(unknown).filter(([name]) => !listed.has(name)),
      )
      const { status } = await send(route, { ...surplus, ...goodBody(route) })
      const isOfNobody =
        addressOf(route).includes(NOBODY) ||
        route.path === '/api/push/subscriptions' || // push notifications are off without https
        (!ON_NUMBERS.has(route.path) &&
          route.path !== '/api/campaigns' &&
          ['source_id', 'account_id', 'contact_id'].some((name) => name in exampleOf(route))) ||
        route.path.includes('_id')
      // The example names a template, people or a file that are not there, or needs settings.
      const isUnknown = [
        '/api/admin/organizations/import',
        '/api/admin/organizations/:id/move',
        '/api/messages/template',
        '/api/chatbot/ai/test',
        '/api/analytics/scheduled-reports',
      ].includes(route.path)
      const expected = isUnknown ? [400] : isOfNobody ? [404] : [200, 201, 202, 409]
      expect({ route: route.label, status, isAccepted: expected.includes(status) }).toMatchObject({
        isAccepted: true,
      })
    }
    const text = JSON.stringify(dump(world.program.http.db.sqlite))
    expect(text).not.toContain('marker-of-unknown-fields')
    expect(text).not.toContain(NOBODY)
    expect(
      world.rows('select id from accounts where organization_id = ?', world.other.id),
    ).toHaveLength(1)
  })

  test('named like a part of every object changes nothing', async () => {
    for (const route of routes) {
      const poisoned = `{"__proto__":{"is_super_admin":true},"constructor":{"prototype":{"polluted":1}},${JSON.stringify(goodBody(route)).slice(1)}`
      const { status } = await send(route, poisoned)
      expect({ route: route.label, isBug: status >= 500 }).toEqual({
        route: route.label,
        isBug: false,
      })
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

describe('a body that is nested very deeply', () => {
  const deep = (open: string, close: string, levels: number): string =>
    `${open.repeat(levels)}1${close.repeat(levels)}`

  test('is answered, never a fault of the server', async () => {
    for (const route of routes)
      for (const body of [deep('[', ']', 5_000), deep('{"a":', '}', 2_500)]) {
        const { status } = await send(route, body)
        expect({ route: route.label, isBug: status >= 500 }).toEqual({
          route: route.label,
          isBug: false,
        })
      }
  })

  test('in a field is 400 or ignored, never a fault of the server', async () => {
    for (const route of routes)
      for (const name of [
        ...propertiesOf(route)
          .map(([known]) => known)
          .slice(0, 2),
        'unknown_field',
      ]) {
        const body = `{${JSON.stringify(name)}:${deep('[', ']', 5_000)}}`
        const { status } = await send(route, body)
        expect({ route: route.label, name, isBug: status >= 500 }).toEqual({
          route: route.label,
          name,
          isBug: false,
        })
      }
    expect((await world.anyone.get('/health')).status).toBe(200)
  })
})

describe('a body of another media type', () => {
  const TYPES = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonp',
    'json',
  ]
  for (const [nth, type] of TYPES.entries())
    test(`${type} is 415 on every third route`, async () => {
      for (const route of inTurn(nth, 3).filter(
        (candidate) => !(type.startsWith('multipart') && takesForms(candidate)),
      )) {
        const answer = await callerOf(route)
          .with({ 'content-type': type })
          .request(route.method, addressOf(route), goodBody(route))
        expect({ route: route.label, status: answer.status, code: answer.body.code }).toEqual({
          route: route.label,
          status: 415,
          code: 'unsupported_media_type',
        })
      }
    })

  test('JSON in its other spellings is accepted', async () => {
    for (const type of [
      'application/json;charset=utf-8',
      'Application/JSON',
      'application/vnd.api+json',
    ]) {
      const answer = await world.anyone.with({ 'content-type': type }).post('/api/auth/login', {
        email: world.emailOf('agent', world.tenant),
        password: PASSWORD,
      })
      expect({ type, status: answer.status }).toEqual({ type, status: 200 })
    }
  })
})

describe('a body over the limit', () => {
  const tooLarge = JSON.stringify({ padding: 'x'.repeat(17 * 1024) })

  const chunked = (text: string): ReadableStream<Uint8Array> =>
    new ReadableStream({
      start(controller) {
        for (let at = 0; at < text.length; at += 4_096)
          controller.enqueue(new TextEncoder().encode(text.slice(at, at + 4_096)))
        controller.close()
      },
    })

  test('is 413 on every route when its length is declared', async () => {
    for (const route of routes.filter((each) => !takesDocument(each))) {
      const answer = await send(route, tooLarge)
      expect({ route: route.label, status: answer.status, code: answer.body.code }).toEqual({
        route: route.label,
        status: 413,
        code: 'body_too_large',
      })
    }
  })

  test('is 413 on every route when it comes in chunks', async () => {
    for (const route of routes.filter((each) => !takesDocument(each))) {
      const response = await fetch(world.url + addressOf(route), {
        method: route.method,
        headers: { ...callerOf(route).headers, 'content-type': 'application/json' },
        body: chunked(tooLarge),
      })
      const body = (await response.json()) as Loose
      expect({ route: route.label, status: response.status, code: body['code'] }).toEqual({
        route: route.label,
        status: 413,
        code: 'body_too_large',
      })
    }
  })

  test('just below it is read, in chunks too', async () => {
    const body = JSON.stringify({
      email: 'a@b.example',
      password: 'wrong password',
      padding: 'x'.repeat(15 * 1024),
    })
    const declared = await world.anyone.post('/api/auth/login', body)
    const inChunks = await fetch(`${world.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: chunked(body),
    })
    await inChunks.body?.cancel()
    expect([declared.status, inChunks.status]).toEqual([401, 401])
  })

  test('even beyond what the server reads at all, the connection is answered or closed and the server lives', async () => {
    await fetch(`${world.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: 'x'.repeat(20 * 1024 * 1024),
    }).then(
      (response) => expect(response.status).toBe(413),
      () => undefined,
    )
    expect((await world.anyone.get('/health')).status).toBe(200)
  })
})

interface Parameter {
  name: string
  in: string
  required: boolean
  schema: Loose
}

/** Query parameters as the documentation tells them, for every route that reads. */
const idIn = (path: string): string =>
  path.startsWith('/api/conversations')
    ? conversationId
    : path.includes('contacts')
      ? contactId
      : path.startsWith('/api/campaigns')
        ? campaignId
        : NOBODY

const parametersOf = (): { path: string; parameter: Parameter }[] =>
  Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/api') && path !== '/api/webhook')
    .flatMap(([path, item]) =>
      (documentedParameters(document, (item['get'] ?? {}) as Loose) as unknown as Parameter[])
        .filter((parameter) => parameter.in === 'query')
        .map((parameter) => ({
          path: path.replace('{id}', idIn(path)).replace('{user_id}', NOBODY),
          parameter,
        })),
    )

/** Who may read what belongs to nobody in particular. */
const readerOf = (path: string): Client => (path.startsWith('/api/admin/') ? superAdmin : admin)

/** The parameters that a route requires beside one, each with an ampersand before it. */
const requiredBeside = (path: string, name: string): string => {
  const required = requiredQuery(world, path).replace('?', '&')
  return required.startsWith(`&${name}=`) ? '' : required
}

/** Values that do not fit what the documentation says of a parameter. */
function wrongValues(parameter: Parameter): string[] {
  const { schema } = parameter
  if (parameter.name === 'cursor')
    return ['nonsense', '%00', btoa('[1]'), btoa('["a","b"]'), btoa('{"value":1}'), 'x'.repeat(201)]
  if (schema['enum']) return ['nonsense', '', 'OPEN', `${schema['enum'][0]},${schema['enum'][0]}`]
  if (schema['format'] === 'uuid') return ['nonsense', '', `${NOBODY}0`]
  if (schema['pattern']) return ['!', '']
  if (schema['type'] === 'integer')
    return [
      String(schema['minimum'] - 1),
      String(schema['maximum'] + 1),
      'abc',
      '1.5',
      '-1',
      '1e1000',
      '',
      '0x10',
      '1 2',
      'NaN',
    ]
  if (schema['type'] === 'boolean') return ['maybe', '2', 'yes']
  return schema['maxLength'] === undefined ? [] : ['x'.repeat(schema['maxLength'] + 1)]
}

describe('a query parameter', () => {
  for (const [name, value] of [
    ['page', '0'],
    ['limit', '0'],
    ['limit', '101'],
    ['limit', 'abc'],
  ])
    test(`${name}=${value} is 400 with its path on every list`, async () => {
      const lists = parametersOf().filter(({ parameter }) => parameter.name === name)
      expect(lists.length).toBeGreaterThan(5)
      for (const { path } of lists) {
        const answer = await readerOf(path).get(
          `${path}?${name}=${value}${requiredBeside(path, String(name))}`,
        )
        expect({
          path,
          status: answer.status,
          paths: answer.body.errors?.map((problem) => problem.path),
        }).toEqual({
          path,
          status: 400,
          paths: [`query.${name}`],
        })
      }
    })

  test('that does not fit what is documented is 400 with its path', async () => {
    let tried = 0
    for (const { path, parameter } of parametersOf())
      for (const value of wrongValues(parameter)) {
        const required = requiredBeside(path, parameter.name)
        const answer = await readerOf(path).get(
          `${path}?${parameter.name}=${encodeURIComponent(value)}${required}`,
        )
        const { status, body } = answer
        expect({
          path,
          name: parameter.name,
          value,
          status,
          named: body.errors?.[0]?.path,
        }).toEqual({
          path,
          name: parameter.name,
          value,
          status: 400,
          named: `query.${parameter.name}`,
        })
        tried += 1
      }
    expect(tried).toBeGreaterThan(100)
  })

  test('that is not sent filters nothing', async () => {
    await admin.post(`/api/contacts/${contactId}/messages`, { type: 'text', text: 'One answer.' })
    const directions = (
      (await admin.get(`/api/contacts/${contactId}/messages`)).data['items'] as Loose[]
    ).map((message) => message['direction'])
    expect(new Set(directions)).toEqual(new Set(['incoming', 'outgoing']))
    await world.settle()
    const states = ((await admin.get('/api/jobs')).data['items'] as Loose[]).map(
      (job) => job['state'],
    )
    expect(states).toContain('completed')
    expect((await admin.get('/api/accounts')).data['total']).toBeGreaterThan(0)
    expect((await admin.get('/api/inbound/events')).data['items']).not.toEqual([])
  })

  test('that is unknown is ignored, and broken escapes do no harm', async () => {
    for (const query of [
      'unknown=1',
      '%zz',
      'page=1&page=2',
      '__proto__=1',
      'search=%F0%28',
      `search=${encodeURIComponent('%_\\')}`,
    ]) {
      const { status } = await admin.get(`/api/contacts?${query}`)
      expect({ query, status }).toEqual({ query, status: 200 })
    }
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { createApp } from '../src/app'
import type { OpenApiDocument } from '../src/http/openapi/document'
import type { Answer, Client, Loose } from './support/client'
import { parametersOf } from './support/openapi'
import { personWith } from './support/people'
import {
  bodyObject,
  guardedRoutesOf,
  NOBODY,
  pathOf,
  takesDocument,
  takesId,
  type Route,
} from './support/routes'
import { World } from './support/world'

let world: World
let document: OpenApiDocument

beforeAll(async () => {
  world = await World.create({ env: { BODY_LIMIT_KIB: '64', SMTP_URL: 'smtp://127.0.0.1:9' } })
  document = await createApp(world.program).describe()
})

afterAll(() => world.stop())

/** An operation of the document with what of a request it reads. */
interface Operation {
  label: string
  method: string
  /** The address as documented, with its parameters in braces. */
  address: string
  path: string
  permission: string
  query: { name: string; schema: Loose }[]
  /** The fields of its JSON body with their schemas, and its example. */
  fields: [name: string, schema: Loose][]
  example: Loose
}

const resolved = (schema: Loose): Loose => {
  const name = String(schema['$ref'] ?? '')
    .split('/')
    .at(-1)
  return name === undefined || name === ''
    ? schema
    : ((document.components?.schemas?.[name] ?? {}) as Loose)
}

/** Whether one of the fields is a file: such a form is no JSON and has tests of its own. */
const hasFile = (fields: Record<string, Loose>): boolean =>
  Object.values(fields).some(({ format }) => format === 'binary')

const readsJson = (route: Route): boolean => {
  const body = bodyObject(route)
  return body !== null && !hasFile(body['properties'] as Record<string, Loose>)
}

/**
 * Everything under `/api` that reads a query or a JSON body; the platform's webhook has rules and
 * tests of its own.
 */
const operations = (): Operation[] =>
  Object.entries(document.paths)
    .filter(
      ([path]) =>
        path.startsWith('/api/') &&
        path !== '/api/webhook' &&
        !path.startsWith('/api/flows/endpoint/'),
    )
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => {
        const json = ((operation as Loose)['requestBody']?.['content']?.['application/json'] ??
          {}) as Loose
        const fields = (resolved((json['schema'] ?? {}) as Loose)['properties'] ?? {}) as Record<
          string,
          Loose
        >
        const parameters = parametersOf(document, operation as Loose).filter(
          (parameter) => parameter['in'] === 'query',
        )
        return {
          label: `${method.toUpperCase()} ${path}`,
          method: method.toUpperCase(),
          address: path,
          path: path.replaceAll(/\{\w+\}/g, NOBODY),
          permission: operation['x-permission'] as string,
          query: parameters.map(({ name, schema }) => ({
            name: name as string,
            schema: schema as Loose,
          })),
          fields: hasFile(fields) ? [] : Object.entries(fields),
          example: (json['example'] ?? {}) as Loose,
        }
      }),
    )

/** Somebody who may call an operation and whose sign-in nobody else needs. */
async function callerOf({ permission }: Operation): Promise<Client> {
  world.program.http.db.sqlite.run('delete from throttle_failures')
  if (permission === 'public') return world.anyone
  if (permission === 'super-admin') return world.as('super')
  return permission.includes(':') ? world.as('admin') : (await personWith(world, [])).client
}

/**
 * Spellings of an id that other programs read as the same one, and texts that only look like an id.
 * The API has one form, in upper or lower case.
 */
const ODD_SPELLINGS: ((id: string) => string)[] = [
  (id) => `urn:uuid:${id}`,
  (id) => `URN:UUID:${id.toUpperCase()}`,
  (id) => `{${id}}`,
  (id) => id.replaceAll('-', ''),
  (id) => `${id}\n`,
  (id) => ` ${id}`,
  (id) => `${id}0`,
  (id) => id.replace(/\d/, '٣'),
  (id) => id.replaceAll('-', '–'),
  () => '-'.repeat(36),
  () => '0123456789abcdef0123456789abcdef0123',
  () => 'not-an-id',
  () => '1',
  () => '\u0000',
  () => "' or '1'='1",
]

/** The suite tries some values at each place, in turn; `bun run test:long` tries all. */
const isFull = process.env['REFUSED_VALUES'] === 'all'

const isTried = (value: number, place: number, oneOf: number): boolean =>
  isFull || value % oneOf === place % oneOf

const WRONG_WORDS = [
  '',
  ' ',
  'x',
  '!',
  '\n',
  'a@b@c',
  '[1',
  '2026-13-45',
  '-1',
  '0',
  '1.5',
  '1e400',
  '999999999',
  '-'.repeat(36),
  'ü'.repeat(600),
]
const WRONG_VALUES: unknown[] = [
  ...WRONG_WORDS,
  'ü'.repeat(5_000),
  null,
  true,
  -1,
  0,
  1.5,
  1e12,
  [],
  [null],
  [12],
  ['x'],
  ['x', 'x'],
  {},
  { a: 1 },
]

/**
 * Whether what is said of a field could have been written by a person: no expression, no word of a
 * program. The words to choose from are the API's own.
 */
const isPlain = (message: string): boolean =>
  /^[A-Za-z`]/.test(message) &&
  !/[\\^$|*+?{}[\]]/.test(message) &&
  !/\b(?:union|expected|schema|regex|pattern|undefined|NaN|object Object|is not valid)\b/i.test(
    message.replace(/must be one of .*/, ''),
  )

/** A place of an operation that takes an id, and a request with a text at it. */
interface IdPlace {
  name: string
  send: (client: Client, text: string) => Promise<Answer<Loose>>
}

/** Whether a text is an id, or an id beside other words. */
const isId = (schema: Loose): boolean =>
  schema['format'] === 'uuid' || /0-9a-f/i.test(String(schema['pattern'] ?? ''))

/** Every place inside a value that takes an id, at any depth, with the smallest value around it. */
function idsInside(
  given: Loose,
  name: string,
): { name: string; around: (text: string) => unknown }[] {
  const schema = resolved(given)
  if (isId(schema)) return [{ name, around: (text) => text }]
  const inParts = [schema['anyOf'], schema['oneOf'], schema['allOf']]
    .flatMap((parts) => (parts ?? []) as Loose[])
    .flatMap((part) => idsInside(part, name))
  const inItems = [schema['items'] as Loose | undefined]
    .filter((items) => items !== undefined)
    .flatMap((items) => idsInside(items, name))
    .map(({ around }) => ({ name, around: (text: string) => [around(text)] }))
  const inFields = Object.entries((schema['properties'] ?? {}) as Record<string, Loose>).flatMap(
    ([field, inner]) =>
      idsInside(inner, `${name}.${field}`).map((place) => ({
        name: place.name,
        around: (text: string) => ({ [field]: place.around(text) }),
      })),
  )
  return [...inParts, ...inItems, ...inFields]
}

/**
 * Whether an operation looks at something else first: at the form with a file, or whether the rule
 * exists whose content it reads.
 */
const isCheckedLater = ({ label }: Operation, { name }: IdPlace, { status }: Answer): boolean =>
  status === 415 ||
  (label === 'PUT /api/chatbot/keywords/{id}' &&
    name.startsWith('body.response_content.') &&
    status === 404)

/** The places of an operation's address, query and body that take an id. */
function idPlacesOf({ method, address, path, query, fields, example }: Operation): IdPlace[] {
  const inPath = [...address.matchAll(/\{(\w+)\}/g)]
    .filter(([, name]) => name === 'id' || name?.endsWith('_id'))
    .map(([whole, name]) => ({
      name: `path.${name}`,
      send: (client: Client, text: string) =>
        client.request(
          method,
          address
            .replace(whole, encodeURIComponent(text))
            .replaceAll('{version}', '1')
            .replaceAll(/\{\w+\}/g, NOBODY),
          ...(fields.length > 0 ? [example] : []),
        ),
    }))
  const inQuery = query
    .filter(({ schema }) => isId(schema))
    .map(({ name }) => ({
      name: `query.${name}`,
      send: (client: Client, text: string) =>
        client.request(method, `${path}?${new URLSearchParams({ [name]: text }).toString()}`),
    }))
  const inBody = fields.flatMap(([field, schema]) =>
    idsInside(schema, `body.${field}`).map(({ name, around }) => ({
      name,
      send: (client: Client, text: string) =>
        client.request(method, path, { ...example, [field]: around(text) }),
    })),
  )
  return [...inPath, ...inQuery, ...inBody]
}

/** What is wrong with the words of a refusal, and with its form. */
function faultsOf({ body, status }: Answer<Loose>): string[] {
  if (status < 400) return []
  if (status >= 500) return [`a fault of the server: ${status}`]
  const { message = '', code = '', errors = [] } = body
  return [
    ...(/^[a-z0-9_]{3,}$/.test(code) ? [] : [`no code: ${message}`]),
    ...(/^[\w`].*[.!]$/.test(message) && (code !== 'invalid_input' || isPlain(message))
      ? []
      : [message]),
    ...errors.flatMap((problem) =>
      isPlain(problem.message) ? [] : [`${problem.path}: ${problem.message}`],
    ),
  ]
}

describe('what is wrong with a field is said in words, at whichever operation', () => {
  const refusedAt = (answer: Answer<Loose>, place: string): boolean =>
    answer.status === 400 &&
    (answer.body.errors ?? []).some(({ path }) => path === place || path.startsWith(`${place}.`))

  test('of a body', async () => {
    const [faults, never] = [new Set<string>(), [] as string[]]
    let tried = 0
    const bodies = operations().filter(({ fields }) => fields.length > 0)
    for (const [place, operation] of bodies.entries()) {
      const client = await callerOf(operation)
      const left = new Set(operation.fields.map(([name]) => name))
      const ask = async (wrong: Loose): Promise<void> => {
        const answer = await client.request(operation.method, operation.path, {
          ...operation.example,
          ...wrong,
        })
        for (const fault of faultsOf(answer)) faults.add(`${operation.label} ${fault}`)
        for (const name of left) if (refusedAt(answer, `body.${name}`)) left.delete(name)
        tried += 1
      }
      // All fields at once, for what their form tells; then each by itself, for what is only looked
      // at when the others are right.
      for (const [nth, value] of WRONG_VALUES.entries())
        if (isTried(nth, place, 4))
          await ask(Object.fromEntries(operation.fields.map(([name]) => [name, value])))
      for (const [at, [name]] of operation.fields.entries())
        for (const [nth, value] of WRONG_VALUES.entries())
          if (left.has(name) || isTried(nth, place + at, 30)) await ask({ [name]: value })
      never.push(...[...left].map((name) => `${operation.label} ${name}`))
    }
    expect({ faults: [...faults], never }).toEqual({ faults: [], never: [] })
    expect(tried).toBeGreaterThan(isFull ? 16_000 : 1_000)
  })

  test('of a query', async () => {
    const [faults, never] = [new Set<string>(), [] as string[]]
    const queries = operations().filter(({ query }) => query.length > 0)
    for (const [place, operation] of queries.entries()) {
      const client = await callerOf(operation)
      const left = new Set(operation.query.map(({ name }) => name))
      const ask = async (wrong: Record<string, string>): Promise<void> => {
        const answer = await client.request(
          operation.method,
          `${operation.path}?${new URLSearchParams(wrong).toString()}`,
        )
        for (const fault of faultsOf(answer)) faults.add(`${operation.label} ${fault}`)
        for (const name of left) if (refusedAt(answer, `query.${name}`)) left.delete(name)
      }
      // Long ones by themselves only: an address has a limit too.
      for (const [nth, word] of WRONG_WORDS.filter(({ length }) => length < 100).entries())
        if (isTried(nth, place, 4))
          await ask(Object.fromEntries(operation.query.map(({ name }) => [name, word])))
      for (const [at, { name }] of operation.query.entries())
        for (const [nth, word] of WRONG_WORDS.entries())
          if (left.has(name) || isTried(nth, place + at, 15) || word.length >= 100)
            await ask({ [name]: word })
      never.push(...[...left].map((name) => `${operation.label} ${name}`))
    }
    expect({ faults: [...faults], never }).toEqual({ faults: [], never: [] })
  })

  test('of an id, wherever it is and however oddly it is written', async () => {
    const accepted: string[] = []
    let tried = 0
    const given = (await world.contactOf())['id'] as string
    for (const operation of operations()) {
      const client = await callerOf(operation)
      for (const [at, place] of idPlacesOf(operation).entries())
        for (const [nth, spell] of ODD_SPELLINGS.entries()) {
          if (!isTried(nth, at, 4) && nth > 0) continue
          const answer = await place.send(client, spell(given))
          const isRefused =
            answer.status === 400 &&
            (answer.body.errors ?? []).some(
              ({ path }) =>
                `${place.name}.`.startsWith(`${path}.`) || path.startsWith(`${place.name}.`),
            )
          if (!isRefused && !isCheckedLater(operation, place, answer))
            accepted.push(`${operation.label} ${place.name} ${spell(given)}: ${answer.status}`)
          tried += 1
        }
    }
    expect(accepted).toEqual([])
    expect(tried).toBeGreaterThan(1_000)
    const inHeader = await (
      await world.as('super')
    )
      .with({ 'x-organization-id': `urn:uuid:${world.tenant.id}` })
      .get('/api/contacts')
    expect([inHeader.status, inHeader.body.code]).toEqual([400, 'invalid_input'])
    await world.settle()
    expect(world.rows("select kind, args from jobs where args like '%urn:uuid%'")).toEqual([])
  })

  test('by the rule of the field, not by the words of the validator', async () => {
    const admin = await world.as('admin')
    const cases: [answer: Promise<Answer<Loose>>, path: string, message: string][] = [
      [
        admin.post('/api/organizations', { name: ' ' }),
        'body.name',
        'must be 1 to 255 characters, not only spaces, without control characters',
      ],
      [admin.post('/api/organizations', {}), 'body.name', 'is required'],
      [
        admin.put('/api/organizations/settings', { settings: { timezone: 'UTC' } }),
        'body',
        'must have at least one known field',
      ],
      [
        admin.put('/api/organizations/settings', { registration_policy: 'x' }),
        'body.registration_policy',
        'must be one of open, invitation, closed',
      ],
      [
        admin.post('/api/api-keys', {
          name: 'x',
          permissions: ['tags:read'],
          expires_at: 'tomorrow',
        }),
        'body.expires_at',
        'must be a time such as 2026-11-21T09:30:00Z, or null',
      ],
      [
        admin.put('/api/me', { full_name: 'a\nb' }),
        'body.full_name',
        'must be 1 to 255 characters without control characters',
      ],
      [
        admin.post('/api/organizations/invitations', { expires_in_hours: 721 }),
        'body.expires_in_hours',
        'must be a whole number from 1 to 720',
      ],
      [admin.get('/api/users?role_id=x'), 'query.role_id', 'must be a UUID'],
      [admin.get('/api/users?is_active=x'), 'query.is_active', 'must be true or false'],
      [admin.get('/api/users?limit=x'), 'query.limit', 'must be a whole number from 1 to 100'],
      [
        admin.get('/api/organizations/invitations?status=x'),
        'query.status',
        'must be one of pending, accepted, revoked, expired',
      ],
      [admin.get('/api/users/x'), 'path.id', 'must be a UUID'],
      [
        admin.post('/api/auth/logout', { refresh_token: 12 }),
        'body.refresh_token',
        'must be a string, or null',
      ],
    ]
    for (const [asked, path, message] of cases) {
      const { status, body } = await asked
      expect({ answered: status, ...body }).toEqual({
        answered: 400,
        status: 'error',
        data: null as never,
        code: 'invalid_input',
        message: `${path === 'body' ? 'The request body' : `\`${path.replace(/^[a-z]+\./, '')}\``} ${message}.`,
        errors: [{ path, message }],
      })
    }
  })
})

describe('everything that is wrong with a body is named in one answer', () => {
  const BAD_PERSON = { email: 'a@b@c', password: 'short', full_name: ' ' }
  const cases: [method: string, path: string, who: 'anyone' | 'admin', body: Loose][] = [
    [
      'POST',
      '/api/auth/register',
      'anyone',
      { ...BAD_PERSON, organization_id: 'x', invitation_token: '', code: 12, use_cookie: 'yes' },
    ],
    ['POST', '/api/auth/password/reset', 'anyone', { token: '', new_password: 'x'.repeat(257) }],
    ['POST', '/api/users', 'admin', { ...BAD_PERSON, role_id: 'x', is_super_admin: 'yes' }],
    [
      'PUT',
      `/api/users/${NOBODY}`,
      'admin',
      { ...BAD_PERSON, role_id: 12, is_active: 'yes', account_disabled: 1 },
    ],
    [
      'PUT',
      '/api/me',
      'admin',
      {
        email: `${'x'.repeat(250)}@example.com`,
        full_name: 'a\u0007b',
        default_organization_id: 'x',
      },
    ],
    ['PUT', '/api/me/password', 'admin', { current_password: '', new_password: '1234567' }],
    ['PUT', '/api/me/settings', 'admin', { language: 'no language', new_message_alerts: 'yes' }],
    [
      'POST',
      '/api/organizations/invitations',
      'admin',
      { email: '@', role_id: 'x', expires_in_hours: 0 },
    ],
    ['POST', '/api/organizations/members', 'admin', { email: 'nobody', role_id: 'x' }],
    [
      'PUT',
      '/api/organizations/settings',
      'admin',
      { name: ' ', timezone: 'Mars/Olympus', date_format: 'D.M.YY', mask_phone_numbers: 1 },
    ],
  ]
  for (const [method, path, who, body] of cases)
    test(`${method} ${path.replace(NOBODY, '{id}')}`, async () => {
      const client = who === 'anyone' ? world.anyone : await world.as(who)
      const answer = await client.request(method, path, body)
      expect({ status: answer.status, code: answer.body.code }).toEqual({
        status: 400,
        code: 'invalid_input',
      })
      expect(answer.body.errors?.map((problem) => problem.path).toSorted()).toEqual(
        Object.keys(body)
          .map((field) => `body.${field}`)
          .toSorted(),
      )
      expect(faultsOf(answer)).toEqual([])
    })
})

describe('a password that is chosen has 8 to 256 characters after NFC', () => {
  const chosen: [what: string, password: string, isGood: boolean][] = [
    ['7 characters', 'x'.repeat(7), false],
    ['8 characters', 'x'.repeat(8), true],
    ['8 spaces', ' '.repeat(8), true],
    ['256 characters that each take two units', '🐎'.repeat(256), true],
    ['257 of them', '🐎'.repeat(257), false],
    ['8 letters with 8 accents behind them', 'e\u0301'.repeat(8), true],
    ['7 letters with 7 accents behind them, which are 14 before NFC', 'e\u0301'.repeat(7), false],
  ]
  for (const [what, password, isGood] of chosen)
    test(what, async () => {
      const answer = await (
        await world.as('admin')
      ).post('/api/users', {
        email: `${crypto.randomUUID()}@example.com`,
        full_name: 'X',
        password,
      })
      expect([answer.status, answer.body.errors?.map(({ path }) => path) ?? []]).toEqual(
        isGood ? [201, []] : [400, ['body.password']],
      )
    })
})

describe('every refusal has a code', () => {
  const NONE = '01900000-0000-7000-8000-fffffffffffe'

  /** Ways in which a request to a route can be refused, each with the status it then gets. */
  const WAYS: [
    what: string,
    status: number[],
    headers: Record<string, string>,
    body: string | undefined,
    id: string,
  ][] = [
    ['a malformed body', [400], { 'content-type': 'application/json' }, '{', NOBODY],
    ['a list as body', [400], { 'content-type': 'application/json' }, '[]', NOBODY],
    ['another media type', [415], { 'content-type': 'text/plain' }, 'x', NOBODY],
    [
      'a body that is too large',
      [413],
      { 'content-type': 'application/json' },
      JSON.stringify({ x: 'x'.repeat(70_000) }),
      NOBODY,
    ],
    ['a malformed X-Organization-ID', [400], { 'x-organization-id': 'x' }, undefined, NOBODY],
    ['a foreign X-Organization-ID', [403], { 'x-organization-id': NONE }, undefined, NOBODY],
    ['a malformed id', [400], {}, undefined, 'x'],
    ['an unknown id', [404], {}, undefined, NOBODY],
  ]
  for (const [what, statuses, headers, body, id] of WAYS)
    test(`for ${what}, on every guarded route`, async () => {
      const admin = (await world.as('admin')).with(headers)
      const refused = new Set<number>()
      for (const route of guardedRoutesOf(world)) {
        if (
          route.method === 'WS' ||
          route.permission === 'super-admin' ||
          (body === undefined && (route.method !== 'GET' || !takesId(route)))
        )
          continue
        if (body !== undefined && !readsJson(route)) continue
        if (statuses.includes(413) && takesDocument(route)) continue
        const answer = await admin.request(route.method, pathOf(route, id), body)
        expect({ route: route.label, faults: faultsOf(answer) }).toEqual({
          route: route.label,
          faults: [],
        })
        refused.add(answer.status)
      }
      expect([...refused]).toEqual(statuses)
    })

  test('for missing and invalid credentials, missing permissions and unknown resources', async () => {
    const admin = await world.as('admin')
    const superAdmin = await world.as('super')
    const answers = await Promise.all([
      world.anyone.get('/api/me'),
      world.anyone.with({ authorization: 'Bearer x' }).get('/api/me'),
      world.anyone.with({ 'x-api-key': 'swb_x' }).get('/api/me'),
      (await world.as('agent')).get('/api/users'),
      admin.post('/api/inbound/replay', {}),
      admin.get('/api/no/such/route'),
      admin.get('/nothing'),
      superAdmin.with({ 'x-organization-id': NONE }).get('/api/me'),
      superAdmin.with({ 'x-organization-id': 'x' }).get('/api/me'),
      world.anyone.get('/api/webhook'),
      world.anyone.post('/api/webhook', {}),
      world.anyone.get('/ws'),
      world.anyone.post('/api/auth/refresh', {}),
      world.anyone.post('/api/auth/register', {
        email: 'a@b.example',
        password: 'long enough',
        full_name: 'X',
        organization_id: NONE,
      }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([
      401, 401, 401, 403, 403, 404, 404, 404, 400, 403, 401, 401, 401, 404,
    ])
    expect(answers.flatMap(faultsOf)).toEqual([])
  })

  test('for a cursor that this server did not give out, on every long list', async () => {
    const admin = await world.as('admin')
    const lists = operations().filter(
      ({ query, path }) => query.some(({ name }) => name === 'cursor') && !path.includes(NOBODY),
    )
    expect(lists.length).toBeGreaterThan(3)
    for (const { path, label } of lists) {
      // a search needs words
      const { status, body } = await admin.get(`${path}?cursor=nonsense&q=something`)
      expect({
        label,
        status,
        code: body.code,
        paths: body.errors?.map((problem) => problem.path),
      }).toEqual({
        label,
        status: 400,
        code: 'invalid_input',
        paths: ['query.cursor'],
      })
    }
  })

  test('over a limit too, and the document promises it', async () => {
    await using strict = await World.create({
      isConnected: false,
      tenants: 1,
      env: { RATE_STANDARD: '1' },
    })
    const [, second] = [await strict.anyone.get('/api/me'), await strict.anyone.get('/api/me')]
    expect([second.status, second.body.code]).toEqual([429, 'rate_limited'])
    expect((document.components?.schemas?.['Fail'] ?? {})['required']).toEqual([
      'status',
      'data',
      'message',
      'code',
    ])
  })
})

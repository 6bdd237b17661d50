import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { Elysia } from 'elysia'

import { assertEveryRouteIsGuarded, guard } from '../src/http/guard'
import { PERMISSIONS } from '../src/modules/organization/roles/catalog'
import { Client, type Answer } from './support/client'
import { personWith, type OwnRole } from './support/people'
import {
  guardedRoutesOf,
  isOpenToPeople,
  pairsOf,
  pathOf,
  requiredQuery,
  routesOf,
  type Route,
} from './support/routes'
import { PASSWORD, World } from './support/world'

/** Routes that are open to everybody. Add a new one here. */
const PUBLIC = [
  'GET /',
  'GET /*',
  'GET /api/analytics/unsubscribe/:token',
  'GET /api/auth/branding',
  'GET /api/custom-actions/redirect/:token',
  'GET /api/logos/:name',
  'GET /api/media/signed/:token',
  'GET /api/webhook',
  'GET /assets/*',
  'GET /asyncapi.json',
  'GET /docs',
  'GET /docs/*',
  'GET /docs/documents/:part',
  'GET /docs/swagger-ui-bundle.js',
  'GET /docs/swagger-ui.css',
  'GET /docs/try/:operation',
  'GET /favicon.ico',
  'GET /health',
  'GET /home.css',
  'GET /join',
  'GET /link-pages/join.js',
  'GET /link-pages/link.js',
  'GET /link-pages/reset-password.js',
  'GET /link-pages/style.css',
  'GET /metrics',
  'GET /openapi.json',
  'GET /push-worker.js',
  'GET /ready',
  'GET /reset-password',
  'GET /robots.txt',
  'GET /ws',
  'POST /api/analytics/unsubscribe/:token',
  'POST /api/auth/invitations/preview',
  'POST /api/auth/login',
  'POST /api/auth/logout',
  'POST /api/auth/password/forgot',
  'POST /api/auth/password/reset',
  'POST /api/auth/refresh',
  'POST /api/auth/register',
  'POST /api/cells/deliveries',
  'POST /api/cells/flow-exchanges',
  'POST /api/cells/moves',
  'POST /api/flows/endpoint/:account_id',
  'POST /api/webhook',
  'WS /ws',
]

/** Open to every signed-in caller, without a permission. */
const SELF_SERVICE = [
  'DELETE /api/me/organizations/:organization_id',
  'DELETE /api/me/sessions/:id',
  'DELETE /api/push/subscriptions',
  'DELETE /api/teams/:id/members/:user_id',
  'DELETE /api/views/:id',
  'GET /api/colleagues',
  'GET /api/colleagues/:id',
  'GET /api/me',
  'GET /api/me/notifications',
  'GET /api/me/organizations',
  'GET /api/me/report',
  'GET /api/me/sessions',
  'GET /api/me/settings',
  'GET /api/me/work',
  'GET /api/organizations/branding',
  'GET /api/organizations/current',
  'GET /api/push/key',
  'GET /api/teams',
  'GET /api/teams/:id',
  'GET /api/teams/:id/members',
  'GET /api/views',
  'GET /api/views/counts',
  'POST /api/auth/logout-all',
  'POST /api/auth/switch-org',
  'POST /api/auth/ws-ticket',
  'POST /api/me/2fa/backup-codes',
  'POST /api/me/2fa/disable',
  'POST /api/me/2fa/enable',
  'POST /api/me/2fa/setup',
  'POST /api/me/invitations/accept',
  'POST /api/me/notifications/read',
  'POST /api/organizations',
  'POST /api/push/subscriptions',
  'POST /api/teams/:id/members',
  'POST /api/views',
  'PUT /api/me',
  'PUT /api/me/availability',
  'PUT /api/me/password',
  'PUT /api/me/settings',
  'PUT /api/teams/:id',
  'PUT /api/teams/:id/members/:user_id',
  'PUT /api/views/:id',
]

/** Of the whole installation: for super admins only. */
const SUPER_ADMIN = [
  'POST /api/prices/import',
  'POST /api/inbound/replay',
  'POST /api/admin/organizations/import',
  'GET /api/admin/organizations/imports',
  'GET /api/admin/organizations/imports/:id',
  'POST /api/admin/organizations/imports/:id/commit',
  'POST /api/admin/organizations/imports/:id/cancel',
  'GET /api/admin/organizations/moves',
  'POST /api/admin/organizations/:id/move',
  'GET /api/admin/organizations/:id/move',
  'DELETE /api/admin/organizations/:id/move',
  'GET /api/jobs/schedule',
  'GET /api/admin/info',
  'GET /api/admin/health',
  'GET /api/admin/attention',
  'GET /api/admin/figures',
  'GET /api/admin/backups',
  'POST /api/admin/backups',
  'GET /api/admin/backups/:id',
  'POST /api/admin/backups/:id/verify',
  'DELETE /api/admin/backups/:id',
  'GET /api/admin/backups/:id/download',
]

const isSelfService = ({ permission }: Route): boolean =>
  permission === 'signed-in' || permission === 'session' || isOpenToPeople({ permission })

const RATE_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

/** Bodies that a validator would refuse, each in a way of its own; `undefined` is none at all. */
const BODIES: (string | undefined)[] = [
  undefined,
  '{"',
  '[]',
  '{}',
  '"text"',
  'x'.repeat(16 * 1024 + 1),
]

let world: World
let guarded: Route[]

beforeAll(async () => {
  world = await World.create({
    isConnected: false,
    env: { BODY_LIMIT_KIB: '16', BASE_URL: 'https://chat.example.com' },
  })
  guarded = guardedRoutesOf(world)
})

afterAll(() => world.stop())

/** Every kind of body that a route could be sent, with a malformed id too. */
function formsOf(route: Route): [path: string, body: string | undefined][] {
  const bodies = route.method === 'GET' || route.method === 'DELETE' ? [undefined] : BODIES
  const paths = new Set([pathOf(route), pathOf(route, 'not-an-id')])
  return [...paths].flatMap((path) =>
    bodies.map((body): [string, string | undefined] => [path, body]),
  )
}

/** Asks a route in every form. */
const askInEveryForm = (client: Client, route: Route): Promise<Answer[]> =>
  Promise.all(formsOf(route).map(([path, body]) => client.request(route.method, path, body)))

/** Asks a route in one form, which differs from turn to turn. */
async function askInTurn(client: Client, route: Route, turn: number): Promise<Answer[]> {
  const forms = formsOf(route)
  const [path, body] = forms[turn % forms.length] ?? [pathOf(route), undefined]
  return [await client.request(route.method, path, body)]
}

function expectRefusal(
  route: Route,
  answer: Answer,
  refusal: { status: number; code: string | undefined },
): void {
  const { status, body, headers } = answer
  expect({
    route: route.label,
    status,
    code: body.code,
    data: body.data,
    fields: body.errors,
  }).toEqual({
    route: route.label,
    ...refusal,
    data: null,
    fields: undefined,
  })
  expect(body.message?.length).toBeGreaterThan(10)
  for (const name of RATE_HEADERS)
    expect({ route: route.label, header: headers.get(name) }).not.toEqual({
      route: route.label,
      header: null,
    })
}

describe('every route declares its permission', () => {
  test('only these routes are public', () => {
    expect(guarded.length).toBeGreaterThan(15)
    const open = routesOf(world).filter(({ permission }) => permission === 'public')
    expect(open.map(({ label }) => label).toSorted()).toEqual(PUBLIC)
  })

  test('only these routes are open to every signed-in caller', () => {
    expect(
      guarded
        .filter(isSelfService)
        .map(({ label }) => label)
        .toSorted(),
    ).toEqual(SELF_SERVICE)
  })

  test('only these routes are for super admins', () => {
    expect(
      guarded.filter(({ permission }) => permission === 'super-admin').map(({ label }) => label),
    ).toEqual(SUPER_ADMIN)
  })

  test('all others name a permission of the catalog', () => {
    const named = guarded
      .filter((route) => !isSelfService(route) && route.permission !== 'super-admin')
      .flatMap((route) => (route.permission === null ? ['nothing'] : pairsOf(route)))
    expect(named.filter((permission) => !PERMISSIONS.has(permission as never))).toEqual([])
  })
})

describe('without a valid credential every guarded route answers 401, for any body', () => {
  const credentials: [
    what: string,
    code: string,
    headersOf: () => Promise<Record<string, string>>,
  ][] = [
    ['no credential', 'unauthorized', async () => ({})],
    ['a garbage token', 'invalid_token', async () => ({ authorization: 'Bearer garbage' })],
    ['another scheme', 'invalid_token', async () => ({ authorization: 'Basic YWRtaW46YWRtaW4=' })],
    ['an empty header', 'unauthorized', async () => ({ authorization: '' })],
    [
      'an unknown API key',
      'invalid_api_key',
      async () => ({ 'x-api-key': 'swb_0123456789ABCDEFGHIJKLMNOPQRSTUVWX0TeJoD' }),
    ],
    [
      'an unknown API key beside a good token',
      'invalid_api_key',
      async () => ({ ...(await world.as('admin')).headers, 'x-api-key': 'swb_unknown' }),
    ],
    [
      'a refresh token',
      'invalid_token',
      async () => {
        const { data } = await world.anyone.post('/api/auth/login', {
          email: world.emailOf('admin', world.tenant),
          password: PASSWORD,
        })
        return { authorization: `Bearer ${data['refresh_token']}` }
      },
    ],
  ]
  for (const [what, code, headersOf] of credentials)
    test(what, async () => {
      const client = new Client(world.url, await headersOf())
      // That the body is not read before is proven by one kind of caller.
      const ask = what === 'no credential' ? askInEveryForm : askInTurn
      for (const [turn, route] of guarded.entries())
        for (const answer of await ask(client, route, turn)) {
          // An empty Authorization header reaches the server or not, depending on the client; both
          // are refused.
          const seen = what === 'an empty header' ? answer.body.code : code
          expectRefusal(route, answer, { status: 401, code: seen })
        }
    })
})

describe('without the permission every guarded route answers 403 and names it', () => {
  let powerless: OwnRole

  beforeAll(async () => {
    powerless = await personWith(world, [])
  })

  const permitted = (): Route[] =>
    guarded.filter((route) => route.permission?.includes(':') && !isOpenToPeople(route))

  test('to callers without the super admin flag, for any body and permissions', async () => {
    powerless.may(...PERMISSIONS)
    for (const route of guarded.filter(({ permission }) => permission === 'super-admin'))
      for (const client of [powerless.client, await world.as('admin')])
        for (const answer of await askInEveryForm(client, route))
          expectRefusal(route, answer, { status: 403, code: 'super_admin_required' })
  })

  test('to a member whose role has no permissions, for any body', async () => {
    powerless.may()
    for (const route of permitted())
      for (const answer of await askInEveryForm(powerless.client, route)) {
        expectRefusal(route, answer, { status: 403, code: 'permission_denied' })
        for (const pair of pairsOf(route)) expect(answer.body.message).toContain(pair)
      }
  })

  test('to a member whose role has all other permissions', async () => {
    for (const route of permitted()) {
      powerless.may(...[...PERMISSIONS].filter((pair) => !pairsOf(route).includes(pair)))
      const answer = await powerless.client.request(route.method, pathOf(route))
      expect({ route: route.label, status: answer.status }).toEqual({
        route: route.label,
        status: 403,
      })
    }
  })

  test('but not to a member whose role has only that one', async () => {
    for (const route of permitted()) {
      powerless.may(pairsOf(route)[0] ?? '')
      const { status, body } = await powerless.client.request(route.method, pathOf(route))
      // An invitation needs no body, and nobody invites to a role that holds more.
      const isRefused =
        [401, 500].includes(status) || (status === 403 && body.code !== 'escalation')
      expect({ route: route.label, isRefused }).toEqual({ route: route.label, isRefused: false })
    }
  })

  test('self-service needs no permission', async () => {
    powerless.may()
    for (const route of guarded.filter(isSelfService)) {
      const client = await world.signIn(powerless.email) // one of the routes ends every sign-in
      const path = pathOf(route) + requiredQuery(world, route.path)
      const answer = await client.request(route.method, path)
      const expected =
        route.method === 'GET' && !route.path.includes('/:') ? [200] : [200, 201, 400, 404]
      expect({
        route: route.label,
        status: answer.status,
        isServed: expected.includes(answer.status),
      }).toMatchObject({ isServed: true })
    }
  })
})

describe('the remaining rate limit is sent', () => {
  test('with every response under /api', async () => {
    const admin = await world.as('admin')
    const answers = await Promise.all([
      admin.get('/api/me'),
      admin.get('/api/contacts?limit=0'),
      admin.get('/api/no/such/route'),
      admin.request('PATCH', '/api/me'),
      admin.post('/api/contacts', '{"'),
      world.anyone.get('/api/no/such/route'),
      world.anyone.post('/api/auth/login', '{"'),
      world.anyone.post('/api/auth/logout'),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 404, 404, 400, 404, 400, 200])
    for (const { headers } of answers)
      for (const name of RATE_HEADERS)
        expect({ name, isNumber: /^\d+$/.test(headers.get(name) ?? '') }).toEqual({
          name,
          isNumber: true,
        })
  })

  test('but not to the platform and the operator', async () => {
    const admin = await world.as('admin')
    const answers = await Promise.all([
      admin.get('/api/webhook'),
      admin.post('/api/webhook', {}),
      admin.get('/health'),
      admin.get('/ready'),
      admin.get('/openapi.json'),
    ])
    for (const { headers } of answers)
      expect(RATE_HEADERS.map((name) => headers.get(name))).toEqual([null, null, null])
  })
})

describe('the process refuses to start', () => {
  const catalogue = new Set(['contacts:read'])
  const check = (app: { routes: { method: string; path: string; hooks: unknown }[] }) => () =>
    assertEveryRouteIsGuarded(app.routes, catalogue)

  test('with a route without a permission', () => {
    const app = new Elysia().use(guard(world.program.http)).get('/open', () => 'secret')
    expect(check(app)).toThrow('GET /open')
  })

  test('with a socket without a permission', () => {
    expect(check(new Elysia().ws('/open', {}))).toThrow('WS /open')
  })

  test('with a controller without the guard', () => {
    const options = { can: 'contacts:read' } as object
    expect(check(new Elysia().get('/forgotten', () => 'secret', options))).toThrow('GET /forgotten')
  })

  test('with a permission that is not in the catalog', () => {
    const app = new Elysia()
      .use(guard(world.program.http))
      .get('/fly', () => 'x', { can: 'contacts:fly' as 'contacts:read' })
    expect(check(app)).toThrow('contacts:fly')
  })

  test('and accepts an app in which every route declares its permission', () => {
    const app = new Elysia()
      .use(guard(world.program.http))
      .get('/a', () => 'x', { can: 'contacts:read' })
      .get('/b', () => 'x', { can: 'session' })
      .get('/c', () => 'x', { anyone: 'for a test' })
      .get('/d', () => 'x', { raw: 'for a test' })
    expect(check(app)).not.toThrow()
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { SAMPLES } from '../src/simulator/sample-files'
import { approvedTemplate } from './support/campaigns'
import type { Client, Loose } from './support/client'
import { sessionOf } from './support/bots'
import { dump } from './support/dump'
import { ask, upload } from './support/files'
import { savedFlow } from './support/flows'
import { handIn } from './support/imports'
import { keyOf } from './support/keys'
import { personWith } from './support/people'
import { unknownQuestion } from './support/scenes-ai'
import {
  exampleOf,
  guardedRoutesOf,
  NOBODY,
  pathOf,
  type Route,
  requiredQuery,
  takesId,
} from './support/routes'
import { shownOf } from './support/shown'
import { webhooksOf } from './support/scenes-webhooks'
import { World } from './support/world'

/** What only the other organization knows; it must appear in no answer. */
const FOREIGN_WORDS = 'the safe opens at 4711'

/** Everybody who may try: how they are called, and who they are. */
const CALLERS: [name: string, clientOf: () => Promise<Client>][] = [
  ['a member who holds nothing', async () => (await personWith(world, [])).client],
  ['an agent', () => world.as('agent')],
  ['a manager', () => world.as('manager')],
  ['an admin', () => world.as('admin')],
  ['an API key that may do all its admin may', async () => (await keyOf(world)).client],
  [
    'somebody who was removed there, from the organization that is left',
    async () => (await removed()).here,
  ],
  ['somebody who was removed there, with the token of then', async () => (await removed()).there],
]

let world: World
let foreign: Record<string, string>
let guarded: Route[]
/** Which kinds of things of the other organization its own admin can read at each route. */
let found: Map<string, Set<string>>

beforeAll(async () => {
  // pictures of the simulated WhatsApp are on this machine
  world = await World.create({ env: { EGRESS_ALLOW: '127.0.0.1' } })
  foreign = await idsOfOther()
  guarded = guardedRoutesOf(world)
  found = await foundByOwner()
})

afterAll(() => world.stop())

/** One id of each kind of thing the other organization has. */
async function idsOfOther(): Promise<Record<string, string>> {
  const { other } = world
  const contact = String((await world.contactOf(other, FOREIGN_WORDS))['id'])
  const admin = await world.as('admin', other)
  const firstOf = async (path: string): Promise<string> =>
    String(((await admin.get(path)).data['items'] as Loose[])[0]?.['id'])
  const madeBy = async (path: string, body: Loose): Promise<string> =>
    String((await admin.post(path, body)).data['id'])
  const exported = await madeBy('/api/export', { table: 'contacts' })
  const written = await madeBy(`/api/contacts/${contact}/privacy-export`, {})
  await world.simulator
    .customer({ phone: other.phoneId, waId: String((await world.contactOf(other))['wa_id']) })
    .orders([{ product_retailer_id: 'sku-77', quantity: 1, item_price: 30, currency: 'USD' }])
  await world.settle() // their files can be downloaded
  // its job waits to be processed
  await admin.post(`/api/contacts/${contact}/messages`, { type: 'text', text: FOREIGN_WORDS })
  const members = (await admin.get('/api/organizations/members')).data['members'] as Loose[]
  await upload(admin, {
    path: `/api/accounts/${other.accountId}/business_profile/photo`,
    name: 'shop.jpg',
    bytes: SAMPLES['image/jpeg'],
    type: 'image/jpeg',
  })
  return {
    organization: other.id,
    contact,
    'privacy request': written,
    message: await firstOf(`/api/contacts/${contact}/messages`),
    conversation: await firstOf('/api/conversations'),
    order: await firstOf('/api/orders'),
    account: other.accountId ?? '',
    event: await firstOf('/api/inbound/events'),
    job: await firstOf('/api/jobs'),
    user: other.userIds.agent,
    membership: String(members.find(({ user_id }) => user_id === other.userIds.agent)?.['id']),
    'system role': other.roleIds.agent,
    'custom role': await madeBy('/api/roles', { name: FOREIGN_WORDS, permissions: [] }),
    'API key': await madeBy('/api/api-keys', { name: FOREIGN_WORDS, permissions: ['tags:read'] }),
    invitation: await madeBy('/api/organizations/invitations', { email: 'guest@example.com' }),
    session: await firstOf('/api/me/sessions'),
    'audit entry': await firstOf('/api/audit-logs'),
    tag: await madeBy('/api/tags', { name: FOREIGN_WORDS }),
    attribute: await madeBy('/api/contact-attributes', {
      key: 'own_field',
      label: FOREIGN_WORDS,
      type: 'text',
    }),
    segment: await madeBy('/api/segments', {
      name: FOREIGN_WORDS,
      filter: { field: 'country', op: 'eq', value: 'US' },
    }),
    view: await madeBy('/api/views', {
      name: FOREIGN_WORDS,
      resource: 'conversations',
      filter: {},
      is_shared: true,
    }),
    'scheduled message': await madeBy('/api/scheduled-messages', {
      contact_id: contact,
      message: { type: 'text', text: FOREIGN_WORDS },
      send_at: new Date(world.clock.nowMs() + 3_600_000).toISOString(),
    }),
    'bot flow': await madeBy('/api/chatbot/flows', { name: FOREIGN_WORDS, enabled: true }),
    template: await madeBy('/api/templates', {
      account_id: other.accountId,
      name: 'greeting',
      language: 'en',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: FOREIGN_WORDS }],
    }),
    flow: await savedFlow(admin, {
      account_id: other.accountId,
      name: FOREIGN_WORDS,
      categories: ['OTHER'],
    }),
    campaign: await madeBy('/api/campaigns', {
      name: FOREIGN_WORDS,
      account_id: other.accountId,
      template_id: await approvedTemplate(world, {
        tenant: other,
        name: 'for_all',
        components: [
          { type: 'HEADER', format: 'DOCUMENT', example: { header_handle: ['sample'] } },
          { type: 'BODY', text: FOREIGN_WORDS },
        ],
      }),
      header_media_id: String(
        (
          await upload(admin, {
            bytes: new TextEncoder().encode(FOREIGN_WORDS),
            type: 'text/plain',
          })
        ).data['id'],
      ),
    }),
    'AI context': await madeBy('/api/chatbot/ai-contexts', {
      name: FOREIGN_WORDS,
      content: FOREIGN_WORDS,
    }),
    'AI question': await unknownQuestion(world, { tenant: other, text: FOREIGN_WORDS }),
    ...(await webhooksOf(admin, FOREIGN_WORDS)),
    'bot session': await sessionOf(world, other),
    'keyword rule': await madeBy('/api/chatbot/keywords', {
      keywords: [FOREIGN_WORDS],
      response: FOREIGN_WORDS,
    }),
    'canned response': await madeBy('/api/canned-responses', {
      name: FOREIGN_WORDS,
      content: FOREIGN_WORDS,
    }),
    'custom action': await madeBy('/api/custom-actions', {
      name: FOREIGN_WORDS,
      action_type: 'url',
      config: { url: 'https://example.com' },
    }),
    team: String(
      ((await admin.post('/api/teams', { name: FOREIGN_WORDS })).data['team'] as Loose)['id'],
    ),
    transfer: String(
      (
        (
          await admin.post('/api/chatbot/transfers', {
            contact_id: await madeBy('/api/contacts', { phone_number: '15550700003' }),
            account_id: other.accountId,
            notes: FOREIGN_WORDS,
          })
        ).data['transfer'] as Loose
      )['id'],
    ),
    import: String(
      (await handIn(admin, { file: `phone_number,name\n15550700009,${FOREIGN_WORDS}\n` })).data[
        'id'
      ],
    ),
    export: exported,
    file: String(
      (await upload(admin, { bytes: new TextEncoder().encode(FOREIGN_WORDS), type: 'text/plain' }))
        .data['id'],
    ),
    merge: await mergeOf(admin),
    image: String(
      (await upload(admin, { bytes: SAMPLES['image/jpeg'], type: 'image/jpeg' })).data['id'],
    ),
  }
}

/** Merges two new contacts. Returns the ID of the merge. */
async function mergeOf(admin: Client): Promise<string> {
  const [target, source] = await Promise.all(
    ['15550700001', '15550700002'].map(async (phone_number) =>
      String((await admin.post('/api/contacts', { phone_number })).data['id']),
    ),
  )
  const { data } = await admin.post(`/api/contacts/${target}/merge`, { source_id: source })
  return String(data['merge_id'])
}

/** The part of an address that tells of what kind its first id is. */
const familyOf = ({ path }: Route): string => path.slice(0, path.indexOf('/:'))

async function foundByOwner(): Promise<Map<string, Set<string>>> {
  const owner = await world.as('admin', world.other)
  const known = new Map<string, Set<string>>()
  for (const route of guarded.filter((one) => one.method === 'GET' && takesId(one))) {
    const asked = Object.entries(foreign).map(async ([kind, id]) => ({
      kind,
      status: (await owner.get(pathOf(route, id))).status,
    }))
    known.set(
      route.label,
      new Set(
        (await Promise.all(asked)).filter(({ status }) => status === 200).map(({ kind }) => kind),
      ),
    )
  }
  return known
}

/** Whether the admin asks every route for every kind, as `bun run test:long` does. */
const isFull = process.env['TENANCY_KINDS'] === 'all'

/**
 * Ids for which a caller asks a route: of every kind it could be about. Where that is not known,
 * the callers share all kinds between them, and the admin asks for all. The admin asks for every
 * fourth of the other kinds too, at each route for others.
 */
function idsFor(route: Route, name: string): [kind: string, id: string][] {
  const relatives = guarded.filter((one) => familyOf(one) === familyOf(route))
  const kinds = new Set(relatives.flatMap(({ label }) => [...(found.get(label) ?? [])]))
  const isAdmin = name === 'an admin'
  const [caller, place] = [CALLERS.findIndex(([one]) => one === name), guarded.indexOf(route)]
  return Object.entries(foreign).filter(([kind], nth) => {
    const isInTurn = isAdmin && (isFull || nth % 4 === place % 4)
    return kinds.size > 0 ? kinds.has(kind) || isInTurn : isAdmin || nth % CALLERS.length === caller
  })
}

/**
 * A person of the first organization who was in the other one too for a while: signed in here, and
 * with a token of there.
 */
async function removed(): Promise<{ here: Client; there: Client }> {
  const person = await personWith(world, [
    'contacts:read',
    'contacts:read_all',
    'users:read',
    'roles:read',
    'messages:read',
    'accounts:read',
  ])
  const host = await world.as('admin', world.other)
  await host.post('/api/organizations/members', {
    email: person.email,
    role_id: world.other.roleIds.admin,
  })
  const { data } = await person.client.post('/api/auth/switch-org', {
    organization_id: world.other.id,
  })
  const there = world.anyone.with({ authorization: `Bearer ${data['access_token']}` })
  // as long as it lasted
  expect((await there.get(`/api/contacts/${foreign['contact']}`)).status).toBe(200)
  expect((await host.delete(`/api/organizations/members/${person.userId}`)).status).toBe(200)
  return { here: person.client, there }
}

/** A body that the route's schema accepts. */
function validBody(route: Route): unknown {
  if (route.method === 'GET' || route.body === null) return undefined
  const example = exampleOf(route)
  return {
    ...example,
    ...('user_id' in example ? { user_id: world.tenant.userIds.agent } : {}),
    ...('role_id' in example ? { role_id: world.tenant.roleIds.agent } : {}),
  }
}

test('there is one of each kind, and the other organization’s own admin finds what can be read', async () => {
  expect(Object.entries(foreign).filter(([, id]) => !/^[0-9a-f-]{36}$/.test(id))).toEqual([])
  const readable = guarded.filter(
    (route) =>
      route.method === 'GET' &&
      takesId(route) &&
      route.path.split('/:').length === 2 && // others need ids that belong together
      route.permission !== 'super-admin',
  )
  expect(readable.filter(({ label }) => !found.get(label)?.size).map(({ label }) => label)).toEqual(
    [],
  )
})

describe('an id of another organization is an unknown id: nothing read, nothing written, and no word or header tells', () => {
  for (const [name, clientOf] of CALLERS)
    test(`for ${name}`, async () => {
      const caller = await clientOf()
      await caller.get('/api/me') // notes that the credential was used
      const before = dump(world.program.http.db.sqlite)
      const routes = guarded.filter(takesId)
      expect(routes.length).toBeGreaterThan(25)
      for (const route of routes) {
        const body = validBody(route)
        const unknown = await ask(caller, route, pathOf(route, NOBODY), body)
        // An admin may do everything but what concerns the whole installation.
        const refusals =
          name === 'an admin' && route.permission !== 'super-admin' ? [404] : [401, 403, 404]
        expect({ route: route.label, isRefused: refusals.includes(unknown.status) }).toEqual({
          route: route.label,
          isRefused: true,
        })
        const expected = { route: route.label, ...shownOf(unknown) }
        const asked = idsFor(route, name).map(async ([kind, id]) => ({
          kind,
          answer: await ask(caller, route, pathOf(route, id), body),
        }))
        for (const { kind, answer } of await Promise.all(asked))
          expect({ kind, route: route.label, ...shownOf(answer) }).toEqual({ kind, ...expected })
      }
      expect(dump(world.program.http.db.sqlite)).toEqual(before)
    })
})

describe('nothing of another organization is in any list', () => {
  for (const [name, clientOf] of CALLERS)
    test(`for ${name}`, async () => {
      const caller = await clientOf()
      const own = String((await world.contactOf())['id'])
      const lists = guarded.filter(
        ({ method, path }) => method === 'GET' && !path.includes('/:') && path !== '/api/push/key', // off without https
      )
      const asked = [
        ...lists.map(({ path, permission }) => ({
          path: `${path}${requiredQuery(world, path)}`,
          isForAdmins: permission !== 'super-admin',
        })),
        { path: `/api/contacts?search=${world.other.name}`, isForAdmins: true },
        { path: `/api/contacts/${own}/messages`, isForAdmins: true },
      ]
      for (const { path, isForAdmins } of asked) {
        const { status, body } = await caller.get(path)
        const text = JSON.stringify(body)
        const hidden = [...Object.values(foreign), world.other.name, FOREIGN_WORDS]
        // Where a person’s own sessions went is no secret of the organization they went to.
        const leaks = hidden.filter(
          (secret) =>
            text.includes(secret) && !(path === '/api/me/sessions' && secret === world.other.id),
        )
        const answers = name === 'an admin' && isForAdmins ? [200] : [200, 401, 403, 404]
        expect({ path, isAnswered: answers.includes(status), leaks }).toEqual({
          path,
          isAnswered: true,
          leaks: [],
        })
      }
    })
})

describe('in a body, a role of another organization is an unknown role', () => {
  const bodies: [method: string, path: string, bodyOf: () => Loose][] = [
    [
      'POST',
      '/api/users',
      () => ({ email: 'x@example.com', password: 'a long password', full_name: 'X' }),
    ],
    ['PUT', '/api/users/:id', () => ({})],
    ['POST', '/api/organizations/members', () => ({ email: world.emailOf('agent', world.other) })],
    ['PUT', '/api/organizations/members/:member_id', () => ({})],
    ['POST', '/api/organizations/invitations', () => ({ email: null })],
  ]
  for (const [method, pattern, bodyOf] of bodies)
    test(`of ${method} ${pattern}`, async () => {
      const path = pattern.replace(/:\w+/, world.tenant.userIds.agent)
      const admin = await world.as('admin')
      const before = dump(world.program.http.db.sqlite)
      const unknown = await admin.request(method, path, { ...bodyOf(), role_id: NOBODY })
      expect({
        status: unknown.status,
        paths: unknown.body.errors?.map((problem) => problem.path),
      }).toEqual({
        status: 400,
        paths: ['body.role_id'],
      })
      for (const role of ['system role', 'custom role']) {
        const answer = await admin.request(method, path, { ...bodyOf(), role_id: foreign[role] })
        expect({ role, status: answer.status, body: answer.body }).toEqual({
          role,
          status: unknown.status,
          body: unknown.body,
        })
      }
      expect(dump(world.program.http.db.sqlite)).toEqual(before)
    })
})

describe('in a filter, an id of another organization finds nothing', () => {
  const filters: [path: string, parameter: string, kind: string][] = [
    ['/api/users', 'role_id', 'system role'],
    ['/api/organizations/members', 'role_id', 'custom role'],
    ['/api/audit-logs', 'user_id', 'user'],
    ['/api/audit-logs', 'api_key_id', 'API key'],
    ['/api/audit-logs', 'resource_id', 'custom role'],
  ]
  for (const [path, parameter, kind] of filters)
    test(`${parameter} of ${path}`, async () => {
      const { data } = await (await world.as('admin')).get(`${path}?${parameter}=${foreign[kind]}`)
      expect({ rows: data['items'] ?? data['members'], total: data['total'] as number }).toEqual({
        rows: [],
        total: 0,
      })
    })
})

test('marking notifications of somebody else as read changes nothing', async () => {
  await (
    await world.as('admin')
  ).post('/api/organizations/members', { email: world.emailOf('manager', world.other) })
  const [theirs] = world.rows<{ id: string }>(
    'select id from notifications where user_id = ?',
    world.other.userIds.manager,
  )
  expect(theirs?.id).toBeDefined()
  const before = world.rows('select * from notifications')
  const answer = await (
    await world.as('agent')
  ).post('/api/me/notifications/read', { ids: [theirs?.id] })
  expect(answer.status).toBe(200)
  expect(world.rows('select * from notifications')).toEqual(before)
})

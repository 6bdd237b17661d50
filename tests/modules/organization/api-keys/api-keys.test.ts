import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { isKey } from '../../../../src/modules/organization/api-keys/format'
import {
  PERMISSIONS,
  permissionsOfSystemRole,
} from '../../../../src/modules/organization/roles/catalog'
import { Client, type Loose } from '../../../support/client'
import { keyOf } from '../../../support/keys'
import { personWith } from '../../../support/people'
import { NOBODY } from '../../../support/routes'
import { World } from '../../../support/world'
import { changeRows } from '../../../support/sql'

let world: World
let admin: Client

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
})

afterAll(() => world.stop())

const refusal = (answer: {
  status: number
  body: { code?: string }
}): [number, string | undefined] => [answer.status, answer.body.code]

const INVALID = [401, 'invalid_api_key'] as const
const VECTOR = 'swb_0123456789ABCDEFGHIJKLMNOPQRSTUVWX0TeJoD'
const GIVABLE = [...PERMISSIONS]
  .filter((pair) => pair !== 'api_keys:create' && pair !== 'api_keys:update')
  .toSorted()

const keyNow = async (id: string): Promise<Loose> => (await admin.get(`/api/api-keys/${id}`)).data

describe('an API key', () => {
  test('is returned once, at its creation, with a checksum against typing errors', async () => {
    const answer = await admin.post('/api/api-keys', {
      name: ' Shop ',
      permissions: ['contacts:read', 'contacts:read', 'messages:create'],
    })
    expect(answer.status).toBe(201)
    const { key, warnings, ...view } = answer.data
    expect(warnings).toEqual([expect.stringContaining('Without `contacts:read_all`')])
    expect(key).toMatch(/^swb_[0-9A-Za-z]{40}$/)
    expect(isKey(String(key))).toBe(true)
    expect(view).toEqual({
      id: expect.any(String),
      name: 'Shop',
      key_prefix: String(key).slice(4, 12),
      permissions: ['contacts:read', 'messages:create'],
      is_active: true,
      expires_at: null,
      last_used_at: null,
      last_used_ip: null,
      owner: { id: world.tenant.userIds.admin, full_name: 'Acme admin' },
      usable: true,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    })
    expect(await keyNow(String(view['id']))).toEqual(view)
    const everything =
      JSON.stringify(world.rows('select * from api_keys')) +
      JSON.stringify(world.rows('select * from audit_logs'))
    expect(everything).not.toContain(String(key))
    expect(world.logLines.join('')).not.toContain(String(key))
  })

  test('comes with warnings if it will see few or no contacts, and with none if it sees all', async () => {
    const warningsOf = async (...permissions: string[]) =>
      (await admin.post('/api/api-keys', { name: 'Bot', permissions })).data['warnings'] as string[]
    expect(await warningsOf('contacts:read', 'contacts:read_all', 'messages:create')).toEqual([])
    expect(await warningsOf('templates:read')).toEqual([])
    expect(await warningsOf('messages:create')).toEqual([
      expect.stringContaining('Without `contacts:read`, this key sees no contacts'),
    ])
    const [narrow, ...more] = await warningsOf('contacts:read', 'messages:create')
    expect([narrow, more]).toEqual([expect.stringMatching(/assigned to you.*404/), []])
    const { client } = await keyOf(world, { permissions: ['contacts:read', 'messages:create'] })
    const { id } = await world.contactOf()
    expect((await client.get(`/api/contacts/${id}`)).status).toBe(404)
    await admin.put(`/api/contacts/${id}/assign`, { user_id: world.tenant.userIds.admin })
    expect((await client.get(`/api/contacts/${id}`)).status).toBe(200)
  })

  test('created by the documented example sends the documented message', async () => {
    const document = (await (await fetch(`${world.url}/openapi.json`)).json()) as {
      paths: Record<
        string,
        { post: { requestBody: { content: { 'application/json': { example: Loose } } } } }
      >
    }
    const printed = (path: string): Loose =>
      document.paths[path]?.post.requestBody.content['application/json'].example ?? {}
    const { client } = await keyOf(world, printed('/api/api-keys'))
    const { id } = await world.contactOf()
    expect((await client.get(`/api/contacts/${id}`)).status).toBe(200)
    expect(
      (await client.post(`/api/contacts/${id}/messages`, printed('/api/contacts/{id}/messages')))
        .status,
    ).toBe(201)
    expect((await client.post('/api/messages', printed('/api/messages'))).status).toBe(201)
  })

  test('has the checksum of the documented example', () => {
    expect(isKey(VECTOR)).toBe(true)
    for (const wrong of [
      VECTOR.replace('0TeJoD', '0TeJoE'),
      VECTOR.slice(0, -1),
      `${VECTOR}0`,
      VECTOR.replace('swb_', 'SWB_'),
      VECTOR.replace('1', '2'),
    ])
      expect({ wrong, isKey: isKey(wrong) }).toEqual({ wrong, isKey: false })
  })

  test('gets the permissions that are asked for: without any, none is made', async () => {
    const before = world.rows('select count(*) as n from api_keys')
    const path = 'body.permissions'
    const message =
      'must name the permissions that the key needs, such as messages:create; ' +
      '`GET /api/permissions` describes each'
    for (const permissions of [undefined, null, [], 'contacts:read']) {
      const { status, body } = await admin.post('/api/api-keys', { name: 'Shop', permissions })
      expect([status, body.code, body.errors]).toEqual([400, 'invalid_input', [{ path, message }]])
    }
    expect(world.rows('select count(*) as n from api_keys')).toEqual(before)
    const { data } = await admin.post('/api/api-keys', { name: 'Shop', permissions: GIVABLE })
    expect((await keyNow(String(data['id'])))['permissions']).toEqual(GIVABLE)
  })

  test('of a super admin never acts as one', async () => {
    const superAdmin = await world.as('super')
    const { data } = await superAdmin
      .with({ 'x-organization-id': world.other.id })
      .post('/api/api-keys', { name: 'Global', permissions: GIVABLE })
    const key = new Client(world.url, { 'x-api-key': String(data['key']) })
    const me = (await key.get('/api/me')).data
    expect(me['organization_id']).toBe(world.other.id)
    expect((me['permissions'] as string[]).toSorted()).toEqual(GIVABLE)
    expect(
      ((await key.get('/api/organizations')).data['organizations'] as Loose[]).map(({ id }) => id),
    ).toEqual([world.other.id])
    expect(refusal(await key.post('/api/inbound/replay', {}))).toEqual([
      403,
      'super_admin_required',
    ])
    expect(
      refusal(await key.with({ 'x-organization-id': world.tenant.id }).get('/api/me')),
    ).toEqual([403, 'organization_mismatch'])
    expect((await key.with({ 'x-organization-id': world.other.id }).get('/api/me')).status).toBe(
      200,
    )
    expect((await key.with({ 'x-organization-id': 'x' }).get('/api/me')).status).toBe(400)
  })

  const wrong: [what: string, body: Loose, path: string][] = [
    ['an unknown pair', { permissions: ['contacts:read', 'contacts:fly'] }, 'body.permissions.1'],
    [
      'the making of keys',
      { permissions: ['contacts:read', 'api_keys:create'] },
      'body.permissions.1',
    ],
    ['the changing of keys', { permissions: ['api_keys:update'] }, 'body.permissions.0'],
    ['permissions that are no array', { permissions: 'all' }, 'body.permissions'],
    ['an end in the past', { expires_at: '2026-11-21T09:00:00.000Z' }, 'body.expires_at'],
    ['an end that is a day', { expires_at: '2027-01-01' }, 'body.expires_at'],
    ['an end on a day that is none', { expires_at: '2027-02-31T00:00:00Z' }, 'body.expires_at'],
    ['an end that is no time', { expires_at: 'soon' }, 'body.expires_at'],
    ['a blank name', { name: ' ' }, 'body.name'],
    ['a long name', { name: 'x'.repeat(256) }, 'body.name'],
  ]
  for (const [what, body, path] of wrong)
    test(`with ${what} is 400 with its path, at creation and update`, async () => {
      const made = await admin.post('/api/api-keys', {
        name: 'Shop',
        permissions: ['tags:read'],
        ...body,
      })
      expect([made.status, made.body.errors?.[0]?.path]).toEqual([400, path])
      const { id } = await keyOf(world)
      const changed = await admin.put(`/api/api-keys/${id}`, body)
      expect([changed.status, changed.body.errors?.[0]?.path]).toEqual([400, path])
    })

  test('without a name, or with an empty change, is 400', async () => {
    const nameless = await admin.post('/api/api-keys', { permissions: ['tags:read'] })
    expect(nameless.body.errors).toEqual([{ path: 'body.name', message: 'is required' }])
    expect((await admin.put(`/api/api-keys/${(await keyOf(world)).id}`, {})).status).toBe(400)
  })

  test('that is unknown is 404', async () => {
    const answers = [
      admin.get(`/api/api-keys/${NOBODY}`),
      admin.put(`/api/api-keys/${NOBODY}`, { name: 'x' }),
      admin.post(`/api/api-keys/${NOBODY}/take-over`),
      admin.delete(`/api/api-keys/${NOBODY}`),
    ]
    for (const answer of await Promise.all(answers)) expect(answer.status).toBe(404)
  })
})

describe('the list of keys', () => {
  test('is searched by name and prefix, filtered and paged, newest first', async () => {
    await using own = await World.create({ isConnected: false })
    const boss = await own.as('admin')
    const first = await keyOf(own, { name: 'Warehouse 100%' })
    own.clock.advance({ seconds: 1 })
    const second = await keyOf(own, { name: 'Web shop' })
    await boss.put(`/api/api-keys/${first.id}`, { is_active: false })
    const ids = async (query: string): Promise<unknown[]> =>
      ((await boss.get(`/api/api-keys?${query}`)).data['items'] as Loose[]).map(({ id }) => id)
    expect(await ids('')).toEqual([second.id, first.id])
    expect(await ids('search=SHOP')).toEqual([second.id])
    expect(await ids(`search=${encodeURIComponent('0%')}`)).toEqual([first.id])
    expect(await ids(`search=${second.key.slice(4, 12)}`)).toEqual([second.id])
    expect(await ids(`search=${second.key.slice(0, 9)}`)).toEqual([second.id])
    expect(await ids('search=_')).toEqual([])
    expect(await ids('is_active=false')).toEqual([first.id])
    expect(await ids('is_active=true')).toEqual([second.id])
    expect((await boss.get('/api/api-keys?page=2&limit=1')).data).toMatchObject({
      total: 2,
      page: 2,
      limit: 1,
      total_pages: 2,
      items: [{ id: first.id }],
    })
    expect(JSON.stringify((await boss.get('/api/api-keys')).body)).not.toContain(
      second.key.slice(12),
    )
    const permissionsOf = async (id: string): Promise<unknown> =>
      (await boss.get(`/api/api-keys/${id}`)).data['permissions']
    const others = await permissionsOf(first.id)
    const changes = { name: 'Till', permissions: ['tags:read', 'contacts:read'] }
    await boss.put(`/api/api-keys/${second.id}`, changes)
    expect(await permissionsOf(second.id)).toEqual(['contacts:read', 'tags:read'])
    expect(await permissionsOf(first.id)).toEqual(others)
    expect([await ids('search=till'), await ids('search=shop')]).toEqual([[second.id], []])
  })
})

describe('at each request a key', () => {
  test('has its own permissions, limited to those of its owner', async () => {
    const owner = await personWith(world, [
      'api_keys:create',
      'contacts:read',
      'contacts:read_all',
      'jobs:read',
    ])
    const key = await keyOf(world, { permissions: ['contacts:read', 'jobs:read'] }, owner.client)
    expect((await key.client.get('/api/contacts')).status).toBe(200)
    expect(refusal(await key.client.get('/api/api-keys'))).toEqual([403, 'permission_denied'])
    owner.may('jobs:read')
    expect(refusal(await key.client.get('/api/contacts'))).toEqual([403, 'permission_denied'])
    expect((await key.client.get('/api/jobs')).status).toBe(200)
    owner.may('jobs:read', 'contacts:read', 'tags:read')
    expect((await key.client.get('/api/me')).data['permissions']).toEqual([
      'contacts:read',
      'jobs:read',
    ])
  })

  test('sees what its owner sees unless it may see everything', async () => {
    const contact = await world.contactOf()
    const owner = await personWith(world, ['api_keys:create', 'contacts:read', 'contacts:read_all'])
    const key = await keyOf(world, { permissions: ['contacts:read'] }, owner.client)
    const seen = async (): Promise<number> =>
      Number((await key.client.get('/api/contacts')).data['total'])
    expect([await seen(), (await key.client.get(`/api/contacts/${contact['id']}`)).status]).toEqual(
      [0, 404],
    )
    await admin.put(`/api/contacts/${contact['id']}/assign`, { user_id: owner.userId })
    expect([await seen(), (await key.client.get(`/api/contacts/${contact['id']}`)).status]).toEqual(
      [1, 200],
    )
  })

  test('sends in the name of its owner, as a program', async () => {
    const contact = await world.contactOf()
    const key = await keyOf(world)
    const sent = await key.client.post(`/api/contacts/${contact['id']}/messages`, {
      type: 'text',
      text: 'From the shop',
    })
    expect(sent.status).toBe(201)
    expect(sent.data).toMatchObject({ source: 'api', sent_by: { id: world.tenant.userIds.admin } })
  })

  test("reads its owner with the key's own permissions", async () => {
    const key = await keyOf(world, { permissions: ['contacts:read'] })
    const { data } = await key.client.get('/api/me')
    expect(data).toMatchObject({
      id: world.tenant.userIds.admin,
      permissions: ['contacts:read'],
      auth: { type: 'api_key', id: key.id },
    })
    expect((await key.client.get('/api/organizations/current')).data['id']).toBe(world.tenant.id)
  })

  test('cannot use routes for signed-in people', async () => {
    const key = await keyOf(world)
    expect(refusal(await key.client.post('/api/organizations', { name: 'New' }))).toEqual([
      403,
      'session_required',
    ])
  })

  test('opens no socket', async () => {
    const key = await keyOf(world)
    for (const request of [
      fetch(`${world.url}/ws?token=${key.key}`),
      fetch(`${world.url}/ws`, { headers: { 'x-api-key': key.key } }),
    ])
      expect((await request).status).toBe(401)
  })
})

describe('a key is rejected from the next request', () => {
  const ends: [what: string, end: (id: string) => Promise<unknown>][] = [
    ['switched off', (id) => admin.put(`/api/api-keys/${id}`, { is_active: false })],
    ['revoked', (id) => admin.delete(`/api/api-keys/${id}`)],
  ]
  for (const [what, end] of ends)
    test(`when it was ${what}`, async () => {
      const key = await keyOf(world)
      expect((await key.client.get('/api/me')).status).toBe(200)
      await end(key.id)
      expect(refusal(await key.client.get('/api/me'))).toEqual([...INVALID])
    })

  test('when it has expired, and works again with a later expiry', async () => {
    const expires_at = new Date(world.clock.nowMs() + 60_000).toISOString()
    const key = await keyOf(world, { expires_at })
    expect((await keyNow(key.id))['expires_at']).toBe(expires_at)
    world.clock.advance({ seconds: 59 })
    expect((await key.client.get('/api/me')).status).toBe(200)
    world.clock.advance({ seconds: 1 })
    expect(refusal(await key.client.get('/api/me'))).toEqual([...INVALID])
    admin = await world.as('admin')
    expect((await keyNow(key.id))['usable']).toBe(false)
    expect((await admin.put(`/api/api-keys/${key.id}`, { expires_at: null })).data).toMatchObject({
      expires_at: null,
      usable: true,
    })
    expect((await key.client.get('/api/me')).status).toBe(200)
  })

  test('when it is disabled, until it is enabled again', async () => {
    const key = await keyOf(world)
    await admin.put(`/api/api-keys/${key.id}`, { is_active: false })
    expect(await keyNow(key.id)).toMatchObject({ is_active: false, usable: false })
    await admin.put(`/api/api-keys/${key.id}`, { is_active: true })
    expect((await key.client.get('/api/me')).status).toBe(200)
  })

  test('when it is unknown, malformed, empty or has a wrong checksum, all alike', async () => {
    const answers = []
    for (const key of [
      VECTOR,
      'swb_unknown',
      '',
      ' ',
      'x'.repeat(10_000),
      VECTOR.replace('0TeJoD', '000000'),
      `${VECTOR} `,
    ])
      answers.push((await new Client(world.url, { 'x-api-key': key }).get('/api/me')).body)
    for (const body of answers)
      expect<unknown>(body).toEqual({
        status: 'error',
        data: null,
        message: expect.any(String),
        code: 'invalid_api_key',
      })
    expect(new Set(answers.map(({ message }) => message)).size).toBe(1)
  })

  test('even beside a valid token, because the key takes precedence', async () => {
    const good = await keyOf(world, { permissions: ['contacts:read'] })
    expect(refusal(await admin.with({ 'x-api-key': VECTOR }).get('/api/me'))).toEqual([...INVALID])
    expect((await admin.with({ 'x-api-key': good.key }).get('/api/me')).data['auth']).toEqual({
      type: 'api_key',
      id: good.id,
    })
    expect(
      (await good.client.with({ authorization: 'Bearer nonsense' }).get('/api/me')).status,
    ).toBe(200)
  })
})

describe('when the owner of a key', () => {
  const leaves: [what: string, sql: string][] = [
    ['is suspended', 'update memberships set is_active = 0 where user_id = ?'],
    ['is removed', 'delete from memberships where user_id = ?'],
    ['is disabled', 'update users set is_disabled = 1 where id = ?'],
  ]
  for (const [what, sql] of leaves)
    test(`${what}, it stops with a reason until somebody takes it over`, async () => {
      const owner = await personWith(world, ['api_keys:create', 'contacts:read'])
      const key = await keyOf(world, {}, owner.client)
      changeRows(world.program.http.db.sqlite, sql, [owner.userId])
      expect(refusal(await key.client.get('/api/contacts'))).toEqual([401, 'key_owner_inactive'])
      expect(await keyNow(key.id)).toMatchObject({
        is_active: true,
        usable: false,
        owner: { id: owner.userId, full_name: 'Own Role' },
      })
      const taken = await admin.post(`/api/api-keys/${key.id}/take-over`)
      expect([taken.status, taken.data['owner'], taken.data['usable']]).toEqual([
        200,
        { id: world.tenant.userIds.admin, full_name: 'Acme admin' },
        true,
      ])
      expect((await key.client.get('/api/contacts')).status).toBe(200)
    })

  test('was removed and is added again, no key works again', async () => {
    const owner = await personWith(world, ['api_keys:create', 'contacts:read'])
    const key = await keyOf(world, {}, owner.client)
    const { sqlite } = world.program.http.db
    changeRows(
      sqlite,
      "update memberships set id = '01900000-0000-7000-8000-eeeeeeeeeeee' where user_id = ?",
      [owner.userId],
    )
    expect(refusal(await key.client.get('/api/contacts'))).toEqual([401, 'key_owner_inactive'])
    expect((await keyNow(key.id))['usable']).toBe(false)
    expect((await admin.post(`/api/api-keys/${key.id}/take-over`)).data['usable']).toBe(true)
    expect((await key.client.get('/api/contacts')).status).toBe(200)
  })

  test('is suspended and activated again, it works again', async () => {
    const owner = await personWith(world, ['api_keys:create', 'contacts:read'])
    const key = await keyOf(world, {}, owner.client)
    const { sqlite } = world.program.http.db
    changeRows(sqlite, 'update memberships set is_active = 0 where user_id = ?', [owner.userId])
    expect(refusal(await key.client.get('/api/contacts'))).toEqual([401, 'key_owner_inactive'])
    changeRows(sqlite, 'update memberships set is_active = 1 where user_id = ?', [owner.userId])
    expect((await key.client.get('/api/contacts')).status).toBe(200)
  })
})

describe('nobody gives a key, or changes one with, more permissions than they have', () => {
  test('at creation, update, takeover and revocation', async () => {
    const own = await personWith(world, [
      'api_keys:create',
      'api_keys:update',
      'api_keys:delete',
      'contacts:read',
    ])
    expect(
      refusal(await own.client.post('/api/api-keys', { name: 'x', permissions: ['tags:read'] })),
    ).toEqual([403, 'escalation'])
    const mine = await keyOf(world, {}, own.client)
    expect(
      refusal(await own.client.put(`/api/api-keys/${mine.id}`, { permissions: ['tags:read'] })),
    ).toEqual([403, 'escalation'])
    const stronger = await keyOf(world, { permissions: ['contacts:read', 'tags:read'] })
    const before = await keyNow(stronger.id)
    for (const body of [{ name: 'x' }, { is_active: false }, { permissions: [] }])
      expect(refusal(await own.client.put(`/api/api-keys/${stronger.id}`, body))).toEqual([
        403,
        'escalation',
      ])
    expect(refusal(await own.client.post(`/api/api-keys/${stronger.id}/take-over`))).toEqual([
      403,
      'escalation',
    ])
    expect(refusal(await own.client.delete(`/api/api-keys/${stronger.id}`))).toEqual([
      403,
      'escalation',
    ])
    expect(await keyNow(stronger.id)).toEqual(before)
    expect(
      (await own.client.put(`/api/api-keys/${mine.id}`, { permissions: [], name: 'Empty' })).data,
    ).toMatchObject({
      permissions: [],
      name: 'Empty',
    })
    expect((await own.client.delete(`/api/api-keys/${mine.id}`)).status).toBe(200)
  })
})

describe('the use of a key', () => {
  test('is recorded with time and address, at most once a minute', async () => {
    const key = await keyOf(world)
    const used = async (): Promise<Loose> => {
      const { last_used_at, last_used_ip } = await keyNow(key.id)
      return { last_used_at, last_used_ip }
    }
    expect(await used()).toEqual({ last_used_at: null, last_used_ip: null })
    const firstMs = world.clock.nowMs()
    await key.client.get('/api/me')
    expect(await used()).toEqual({
      last_used_at: new Date(firstMs).toISOString(),
      last_used_ip: '127.0.0.1',
    })
    world.clock.advance({ seconds: 59 })
    await key.client.get('/api/me')
    expect((await used())['last_used_at']).toBe(new Date(firstMs).toISOString())
    world.clock.advance({ seconds: 1 })
    await key.client.get('/api/me')
    expect((await used())['last_used_at']).toBe(new Date(firstMs + 60_000).toISOString())
  })

  test('takes one index look-up, and none with a wrong checksum', () => {
    const [plan] = world.rows("explain query plan select * from api_keys where key_hash = 'x'")
    expect(plan?.['detail']).toContain('USING INDEX api_keys_hash (key_hash=?)')
  })
})

describe('the rate limit', () => {
  test('counts each key separately, and apart from its owner', async () => {
    await using own = await World.create({ isConnected: false, env: { RATE_STANDARD: '5' } })
    own.stays('the memory of a process')
    const boss = await own.as('admin')
    const body = { permissions: ['tags:read'] }
    const keys = [await keyOf(own, body, boss), await keyOf(own, body, boss)]
    const [first, second] = keys.map(({ client }) => client) as [Client, Client]
    const left = async (client: Client): Promise<[number, string | null]> => {
      const { status, headers } = await client.get('/api/me')
      return [status, headers.get('x-ratelimit-remaining')]
    }
    for (const remaining of ['4', '3', '2', '1', '0'])
      expect(await left(first)).toEqual([200, remaining])
    expect((await first.get('/api/me')).status).toBe(429)
    expect(await left(second)).toEqual([200, '4'])
    expect(await left(boss)).toEqual([200, '2'])
  })
})

describe('the audit log', () => {
  test('records creation, update, takeover and revocation of a key, and its own actions', async () => {
    const owner = await personWith(world, ['api_keys:create', 'roles:create', 'contacts:read'])
    const key = await keyOf(world, { permissions: ['contacts:read', 'roles:create'] }, owner.client)
    const { data: role } = await key.client.post('/api/roles', {
      name: 'By a program',
      permissions: [],
    })
    await admin.put(`/api/api-keys/${key.id}`, { name: 'Shop 2' })
    await admin.put(`/api/api-keys/${key.id}`, { name: 'Shop 2' })
    await admin.post(`/api/api-keys/${key.id}/take-over`)
    await admin.delete(`/api/api-keys/${key.id}`)
    const entries = world.rows(
      'select action, resource_name, user_id from audit_logs where resource_id = ? order by id',
      key.id,
    )
    expect(entries).toEqual([
      { action: 'created', resource_name: 'Shop', user_id: owner.userId },
      { action: 'updated', resource_name: 'Shop 2', user_id: world.tenant.userIds.admin },
      { action: 'key_taken_over', resource_name: 'Shop 2', user_id: world.tenant.userIds.admin },
      { action: 'deleted', resource_name: 'Shop 2', user_id: world.tenant.userIds.admin },
    ])
    expect(
      world.rows(
        'select actor_type, user_id, api_key_id from audit_logs where resource_id = ?',
        String(role['id']),
      ),
    ).toEqual([{ actor_type: 'api_key', user_id: owner.userId, api_key_id: key.id }])
  })

  test('does not record rejected actions', async () => {
    const manager = await world.as('manager')
    const before = world.rows('select count(*) as n from audit_logs')
    await admin.post('/api/api-keys', { name: 'x', permissions: ['contacts:fly'] })
    await manager.post('/api/api-keys', { name: 'x', permissions: ['tags:read'] })
    expect(world.rows('select count(*) as n from audit_logs')).toEqual(before)
  })
})

test('managers and agents cannot manage keys', async () => {
  expect(permissionsOfSystemRole('manager').filter((pair) => pair.startsWith('api_keys:'))).toEqual(
    [],
  )
  for (const person of ['manager', 'agent'] as const)
    expect(refusal(await (await world.as(person)).get('/api/api-keys'))).toEqual([
      403,
      'permission_denied',
    ])
})

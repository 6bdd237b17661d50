import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import {
  PERMISSIONS,
  permissionsOfSystemRole,
} from '../../../../src/modules/organization/roles/catalog'
import type { Client, Loose } from '../../../support/client'
import { personWith } from '../../../support/people'
import { NOBODY } from '../../../support/routes'
import { World } from '../../../support/world'
import { changeRows } from '../../../support/sql'

let world: World
let admin: Client

beforeAll(async () => {
  world = await World.create({ isConnected: false, agentsSeeUnassigned: true })
  admin = await world.as('admin')
})

afterAll(() => world.stop())

let made = 0
/** A custom role of a name of its own. */
async function roleWith(permissions: string[], more: Loose = {}): Promise<Loose> {
  made += 1
  return (await admin.post('/api/roles', { name: `Role ${made}`, permissions, ...more })).data
}

/** What a role is now. */
const roleNow = async (id: string): Promise<Loose> => (await admin.get(`/api/roles/${id}`)).data

const keysOf = (role: Loose): string[] =>
  (role['permissions'] as Loose[]).map(({ resource, action }) => `${resource}:${action}`).toSorted()

const refusal = (answer: {
  status: number
  body: { code?: string }
}): [number, string | undefined] => [answer.status, answer.body.code]

describe('GET /api/permissions', () => {
  test('returns all permissions', async () => {
    const { permissions } = (await admin.get('/api/permissions')).data as { permissions: Loose[] }
    expect(permissions.map(({ key }) => key)).toEqual([...PERMISSIONS])
    for (const { id, resource, action, key, description, ...rest } of permissions) {
      expect({ key, rest }).toEqual({ key: `${resource}:${action}`, rest: {} })
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(String(description).length).toBeGreaterThan(5)
    }
    expect(new Set(permissions.map(({ id }) => id)).size).toBe(permissions.length)
  })

  test('has the same IDs on every installation', async () => {
    const elsewhere = (await (await world.as('manager', world.other)).get('/api/permissions')).data[
      'permissions'
    ] as Loose[]
    expect(elsewhere.find(({ key }) => key === 'contacts:read')?.['id']).toBe(
      'c8cbc2b1-619a-592e-873e-4df758a1e5f9',
    )
  })
})

describe('the list of roles', () => {
  test('has the system roles first, then custom ones by name', async () => {
    await admin.post('/api/roles', { name: 'zebra', permissions: [] })
    await admin.post('/api/roles', {
      name: 'Alpha',
      description: 'The first 100%',
      permissions: ['tags:read', 'contacts:read'],
    })
    const { data } = await admin.get('/api/roles?limit=100')
    const names = (data['items'] as Loose[]).map(({ name }) => name as string)
    expect(names.slice(0, 3)).toEqual(['admin', 'agent', 'manager'])
    expect(names.indexOf('Alpha')).toBeLessThan(names.indexOf('zebra'))
    expect(data).toMatchObject({ total: names.length, page: 1, limit: 100, total_pages: 1 })
    const alpha = (data['items'] as Loose[]).find(({ name }) => name === 'Alpha')
    expect(alpha).toEqual({
      id: expect.any(String),
      name: 'Alpha',
      description: 'The first 100%',
      is_system: false,
      is_default: false,
      permission_count: 2,
      user_count: 0,
      created_at: '2026-11-21T09:30:00.000Z',
      updated_at: '2026-11-21T09:30:00.000Z',
    })
    const agent = (data['items'] as Loose[])[1]
    expect(agent).toMatchObject({
      is_system: true,
      is_default: true,
      user_count: 1,
      permission_count: permissionsOfSystemRole('agent').length,
    })
  })

  test('is searched by name and description, with % and _ as plain characters', async () => {
    const found = async (search: string): Promise<unknown[]> =>
      (
        (await admin.get(`/api/roles?search=${encodeURIComponent(search)}`)).data[
          'items'
        ] as Loose[]
      ).map(({ name }) => name)
    expect(await found('ALPH')).toEqual(['Alpha'])
    expect(await found('100%')).toEqual(['Alpha'])
    expect(await found('_lpha')).toEqual([])
  })
})

describe('a role', () => {
  test('is created with each permission once and returned with all of them', async () => {
    const answer = await admin.post('/api/roles', {
      name: ' Helper ',
      permissions: ['tags:read', 'tags:read', 'contacts:read'],
    })
    expect(answer.status).toBe(201)
    expect(answer.data).toMatchObject({
      name: 'Helper',
      description: null,
      is_system: false,
      is_default: false,
      user_count: 0,
      permission_count: 2,
    })
    expect(keysOf(answer.data)).toEqual(['contacts:read', 'tags:read'])
    expect((answer.data['permissions'] as Loose[])[0]).toEqual({
      id: 'c8cbc2b1-619a-592e-873e-4df758a1e5f9',
      resource: 'contacts',
      action: 'read',
      description: expect.any(String),
    })
    expect((await admin.get(`/api/roles/${answer.data['id']}`)).data).toEqual(answer.data)
  })

  test('may have no permissions', async () => {
    expect(await roleWith([])).toMatchObject({ permissions: [], permission_count: 0 })
  })

  const wrong: [what: string, body: unknown, path: string][] = [
    [
      'an unknown pair',
      { name: 'x', permissions: ['contacts:read', 'contacts:fly'] },
      'body.permissions.1',
    ],
    ['no permission', { name: 'x', permissions: ['__proto__'] }, 'body.permissions.0'],
    ['another case', { name: 'x', permissions: ['Contacts:Read'] }, 'body.permissions.0'],
    ['spaces', { name: 'x', permissions: ['contacts:read '] }, 'body.permissions.0'],
    ['no array', { name: 'x', permissions: 'contacts:read' }, 'body.permissions'],
    ['no strings', { name: 'x', permissions: [1] }, 'body.permissions.0'],
    ['nothing about permissions', { name: 'x' }, 'body.permissions'],
    ['a blank name', { name: '  ', permissions: [] }, 'body.name'],
    ['a long name', { name: 'x'.repeat(101), permissions: [] }, 'body.name'],
    [
      'a long description',
      { name: 'x', permissions: [], description: 'x'.repeat(501) },
      'body.description',
    ],
  ]
  for (const [what, body, path] of wrong)
    test(`with ${what} is 400 with its path`, async () => {
      const answer = await admin.post('/api/roles', body)
      expect({
        status: answer.status,
        paths: answer.body.errors?.map((problem) => problem.path),
      }).toEqual({ status: 400, paths: [path] })
    })

  test('changes only in the given fields, and its permissions are replaced', async () => {
    const role = await roleWith(['contacts:read', 'tags:read'], { description: 'Old' })
    world.clock.advance({ seconds: 1 })
    const renamed = (await admin.put(`/api/roles/${role['id']}`, { name: `${role['name']} new` }))
      .data
    expect<Loose>({ ...renamed, updated_at: '' }).toEqual({
      ...role,
      name: `${role['name']} new`,
      updated_at: '',
    })
    expect(renamed['updated_at']).toBe('2026-11-21T09:30:01.000Z')
    const found = await admin.get(
      `/api/roles?search=${encodeURIComponent(String(renamed['name']))}`,
    )
    expect((found.data['items'] as Loose[]).map(({ id }) => id as unknown)).toEqual([role['id']])
    expect(
      keysOf(
        (
          await admin.put(`/api/roles/${role['id']}`, {
            permissions: ['tags:read', 'messages:read'],
          })
        ).data,
      ),
    ).toEqual(['messages:read', 'tags:read'])
    expect(
      (await admin.put(`/api/roles/${role['id']}`, { permissions: [], description: '' })).data,
    ).toMatchObject({
      permissions: [],
      description: null,
    })
    await admin.put(`/api/roles/${role['id']}`, { description: 'New' })
    expect(
      (await admin.put(`/api/roles/${role['id']}`, { description: null })).data['description'],
    ).toBeNull()
    expect((await admin.put(`/api/roles/${role['id']}`, {})).status).toBe(400)
    expect(
      (await admin.put(`/api/roles/${role['id']}`, { permissions: ['contacts:fly'] })).body
        .errors?.[0]?.path,
    ).toBe('body.permissions.0')
  })

  test('has a unique name in the organization, ignoring case, until it is deleted', async () => {
    const role = await roleWith([])
    const same = { name: String(role['name']).toUpperCase(), permissions: [] }
    expect(refusal(await admin.post('/api/roles', same))).toEqual([409, 'name_taken'])
    expect(refusal(await admin.post('/api/roles', { name: 'Admin', permissions: [] }))).toEqual([
      409,
      'name_taken',
    ])
    const other = await roleWith([])
    expect(refusal(await admin.put(`/api/roles/${other['id']}`, { name: same.name }))).toEqual([
      409,
      'name_taken',
    ])
    expect((await admin.put(`/api/roles/${role['id']}`, { name: same.name })).status).toBe(200)
    expect((await (await world.as('admin', world.other)).post('/api/roles', same)).status).toBe(201)
    expect((await admin.delete(`/api/roles/${role['id']}`)).data).toEqual({
      message: expect.any(String),
    })
    expect((await admin.get(`/api/roles/${role['id']}`)).status).toBe(404)
    expect((await admin.post('/api/roles', same)).status).toBe(201)
  })

  test('that is unknown is 404', async () => {
    expect((await admin.get(`/api/roles/${NOBODY}`)).status).toBe(404)
    expect((await admin.put(`/api/roles/${NOBODY}`, { name: 'x' })).status).toBe(404)
    expect((await admin.delete(`/api/roles/${NOBODY}`)).status).toBe(404)
  })
})

describe('a system role', () => {
  const changes: Loose[] = [
    { name: 'boss' },
    { description: 'x' },
    { permissions: [] },
    { is_default: false },
    { is_default: true, description: 'x' },
    { name: 'manager' },
  ]
  for (const change of changes)
    test(`cannot be changed by ${JSON.stringify(change)}`, async () => {
      const before = await roleNow(world.tenant.roleIds.manager)
      expect(
        refusal(await admin.put(`/api/roles/${world.tenant.roleIds.manager}`, change)),
      ).toEqual([409, 'system_role'])
      expect(await roleNow(world.tenant.roleIds.manager)).toEqual(before)
    })

  test('cannot be deleted', async () => {
    expect(refusal(await admin.delete(`/api/roles/${world.tenant.roleIds.agent}`))).toEqual([
      409,
      'system_role',
    ])
  })
})

describe('the default role', () => {
  const defaults = async (): Promise<unknown[]> =>
    ((await admin.get('/api/roles?limit=100')).data['items'] as Loose[])
      .filter(({ is_default }) => is_default)
      .map(({ id }) => id)

  test('is exactly one and moves in one step, to a system role too', async () => {
    const role = await roleWith(['contacts:read', 'users:read'], { is_default: true })
    expect(await defaults()).toEqual([role['id']])
    expect(refusal(await admin.put(`/api/roles/${role['id']}`, { is_default: false }))).toEqual([
      409,
      'default_role_required',
    ])
    expect(refusal(await admin.delete(`/api/roles/${role['id']}`))).toEqual([
      409,
      'default_role_required',
    ])
    expect(
      (await admin.put(`/api/roles/${world.tenant.roleIds.manager}`, { is_default: true })).data[
        'is_default'
      ],
    ).toBe(true)
    expect(await defaults()).toEqual([world.tenant.roleIds.manager])
    expect(
      (await admin.put(`/api/roles/${world.tenant.roleIds.agent}`, { is_default: true })).status,
    ).toBe(200)
    expect(await defaults()).toEqual([world.tenant.roleIds.agent])
    expect((await admin.put(`/api/roles/${role['id']}`, { is_default: false })).status).toBe(200)
  })

  const tooPowerful = [
    'users:create', 'users:update', 'users:delete', 'roles:create', 'roles:update', 'roles:delete', 'api_keys:create', 'api_keys:update',
    'api_keys:delete', 'settings:update', 'organizations:assign', 'organizations:create',
  ] // prettier-ignore
  test('may not have permissions with power over people, except to read them', async () => {
    for (const pair of tooPowerful) {
      const answer = await admin.post('/api/roles', {
        name: `Default ${pair}`,
        permissions: ['contacts:read', pair],
        is_default: true,
      })
      expect([pair, ...refusal(answer)]).toEqual([pair, 400, 'default_role_too_powerful'])
      const role = await roleWith([pair])
      expect(refusal(await admin.put(`/api/roles/${role['id']}`, { is_default: true }))).toEqual([
        400,
        'default_role_too_powerful',
      ])
    }
    const fine = await roleWith(
      ['users:read', 'roles:read', 'api_keys:read', 'settings:read', 'organizations:read'],
      { is_default: true },
    )
    expect(
      refusal(await admin.put(`/api/roles/${fine['id']}`, { permissions: ['users:create'] })),
    ).toEqual([400, 'default_role_too_powerful'])
    expect(
      refusal(await admin.put(`/api/roles/${world.tenant.roleIds.admin}`, { is_default: true })),
    ).toEqual([400, 'default_role_too_powerful'])
    expect(await defaults()).toEqual([fine['id']])
    expect(
      (await admin.put(`/api/roles/${world.tenant.roleIds.agent}`, { is_default: true })).status,
    ).toBe(200)
  })
})

describe('nobody grants permissions they do not have', () => {
  test('by creating, changing or emptying a role', async () => {
    const own = await personWith(world, [
      'roles:create',
      'roles:update',
      'roles:delete',
      'contacts:read',
    ])
    expect(
      refusal(
        await own.client.post('/api/roles', {
          name: 'Mine',
          permissions: ['contacts:read', 'tags:read'],
        }),
      ),
    ).toEqual([403, 'escalation'])
    const mine = (
      await own.client.post('/api/roles', { name: 'Mine', permissions: ['contacts:read'] })
    ).data
    expect(
      refusal(await own.client.put(`/api/roles/${mine['id']}`, { permissions: ['tags:read'] })),
    ).toEqual([403, 'escalation'])
    const stronger = await roleWith(['contacts:read', 'tags:read'])
    for (const body of [
      { permissions: ['contacts:read'] },
      { permissions: [] },
      { name: 'Weak' },
      { is_default: true },
    ])
      expect(refusal(await own.client.put(`/api/roles/${stronger['id']}`, body))).toEqual([
        403,
        'escalation',
      ])
    expect(refusal(await own.client.delete(`/api/roles/${stronger['id']}`))).toEqual([
      403,
      'escalation',
    ])
    expect(await roleNow(String(stronger['id']))).toEqual(stronger)
    expect((await own.client.put(`/api/roles/${mine['id']}`, { permissions: [] })).status).toBe(200)
    expect((await own.client.delete(`/api/roles/${mine['id']}`)).status).toBe(200)
  })

  test('but a super admin has every permission everywhere', async () => {
    const superAdmin = (await world.as('super')).with({ 'x-organization-id': world.other.id })
    const answer = await superAdmin.post('/api/roles', {
      name: 'From above',
      permissions: [...PERMISSIONS],
    })
    expect([answer.status, answer.data['permission_count']]).toEqual([201, PERMISSIONS.size])
  })
})

describe('a role with members', () => {
  test('cannot be deleted, and the response has the number of members, active or not', async () => {
    const own = await personWith(world, ['contacts:read'])
    const answer = await admin.delete(`/api/roles/${own.roleId}`)
    expect([...refusal(answer), answer.body.details]).toEqual([
      409,
      'role_in_use',
      { user_count: 1 },
    ])
    expect(answer.body.message).toContain('1 member')
    changeRows(
      world.program.http.db.sqlite,
      'update memberships set is_active = 0 where user_id = ?',
      [own.userId],
    )
    expect(refusal(await admin.delete(`/api/roles/${own.roleId}`))).toEqual([409, 'role_in_use'])
    expect((await admin.get(`/api/roles/${own.roleId}`)).data['user_count']).toBe(1)
  })

  test('applies from the next request when it is changed', async () => {
    const own = await personWith(world, ['contacts:read'])
    expect((await own.client.get('/api/tags-are-not-there-yet')).status).toBe(404)
    expect((await own.client.get('/api/roles')).status).toBe(403)
    await admin.put(`/api/roles/${own.roleId}`, { permissions: ['roles:read'] })
    expect((await own.client.get('/api/roles')).status).toBe(200)
    expect((await own.client.get('/api/contacts')).status).toBe(403)
  })

  test('can be deleted if only a pending invitation names it, and the invitation stays', async () => {
    const role = await roleWith([])
    changeRows(
      world.program.http.db.sqlite,
      `insert into invitations (organization_id, id, role_id, token_hash, invited_by, expires_at_ms, created_at_ms) values (?, ?, ?, 'x', ?, 9e12, 0)`,
      [world.tenant.id, NOBODY, String(role['id']), world.tenant.userIds.admin],
    )
    expect((await admin.delete(`/api/roles/${role['id']}`)).status).toBe(200)
    expect(world.rows('select role_id from invitations where id = ?', NOBODY)).toEqual([
      { role_id: null },
    ])
  })
})

describe('the audit log of a role', () => {
  const entries = (id: unknown): Loose[] =>
    world
      .rows(
        'select action, resource_name, changes, user_id from audit_logs where resource_type = ? and resource_id = ? order by id',
        'role',
        String(id),
      )
      .map((entry) => ({ ...entry, changes: JSON.parse(String(entry['changes'])) as unknown }))

  test('records creation, change and deletion, with the author', async () => {
    const role = await roleWith(['tags:read'])
    await admin.put(`/api/roles/${role['id']}`, {
      permissions: ['contacts:read'],
      name: role['name'],
    })
    await admin.put(`/api/roles/${role['id']}`, { name: role['name'] })
    await admin.put(`/api/roles/${role['id']}`, { permissions: ['nonsense'] })
    await admin.delete(`/api/roles/${role['id']}`)
    expect(entries(role['id']).map(({ action, user_id }) => [action, user_id])).toEqual(
      ['created', 'updated', 'deleted'].map((action) => [action, world.tenant.userIds.admin]),
    )
    expect(entries(role['id'])[1]?.['changes']).toEqual([
      { field: 'permissions', old_value: ['tags:read'], new_value: ['contacts:read'] },
    ])
    expect(entries(role['id'])[2]?.['changes']).toContainEqual({
      field: 'name',
      old_value: role['name'],
      new_value: null,
    })
  })

  test('records a move of the default on both roles', async () => {
    const role = await roleWith([], { is_default: true })
    expect(entries(world.tenant.roleIds.agent).at(-1)).toMatchObject({
      action: 'updated',
      changes: [{ field: 'is_default', old_value: true, new_value: false }],
    })
    await admin.put(`/api/roles/${world.tenant.roleIds.agent}`, { is_default: true })
    expect(entries(role['id']).at(-1)?.['changes']).toEqual([
      { field: 'is_default', old_value: true, new_value: false },
    ])
  })
})

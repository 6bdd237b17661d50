import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { auditOf, newcomer, newRole } from '../../../support/newcomers'
import { NOBODY } from '../../../support/routes'
import { World } from '../../../support/world'

let world: World
let admin: Client

beforeAll(async () => {
  world = await World.create({ isConnected: false })
  admin = await world.as('admin')
})

afterAll(() => world.stop())

const MEMBERS = '/api/organizations/members'

const memberOf = async (client: Client, userId: string): Promise<Loose | undefined> => {
  const { data } = await client.get(`${MEMBERS}?limit=100`)
  return (data['members'] as Loose[]).find((member) => member['user_id'] === userId)
}

describe('the list of members', () => {
  test('has exactly the specified fields, and totals beside them', async () => {
    const { data } = await admin.get(MEMBERS)
    expect(Object.keys(data).toSorted()).toEqual(['limit', 'members', 'page', 'total'])
    expect({ page: data['page'], limit: data['limit'], total: data['total'] }).toEqual({
      page: 1,
      limit: 50,
      total: 3,
    })
    expect(await memberOf(admin, world.tenant.userIds.agent)).toEqual({
      id: expect.any(String),
      user_id: world.tenant.userIds.agent,
      organization_id: world.tenant.id,
      role_id: world.tenant.roleIds.agent,
      role_name: 'agent',
      is_default: true,
      email: 'agent@acme.example.com',
      full_name: 'Acme agent',
      is_active: true,
      created_at: '2026-11-21T09:30:00.000Z',
    })
  })

  test('is sorted newest first and paged', async () => {
    world.clock.advance({ seconds: 1 })
    const { id } = await newcomer(world)
    const first = await admin.get(`${MEMBERS}?limit=1`)
    expect((first.data['members'] as Loose[]).map((member) => member['user_id'])).toEqual([id])
    const second = await admin.get(`${MEMBERS}?limit=1&page=2`)
    expect((second.data['members'] as Loose[])[0]?.['user_id']).not.toBe(id)
    expect(second.data['total']).toBe(4)
  })

  test.each([
    ['part of a name, in any case', 'search=ACME%20MAN', ['Acme manager']],
    ['part of an e-mail', 'search=manager%40acme', ['Acme manager']],
    ['a percent sign that is just a percent sign', 'search=%25', []],
    ['an underscore that is just an underscore', 'search=a_me', []],
    ['somebody of another organization', 'search=bolt', []],
  ])('finds %s', async (_what, query, names) => {
    const { data } = await admin.get(`${MEMBERS}?${query}`)
    expect((data['members'] as Loose[]).map((member) => member['full_name'])).toEqual(names)
    expect(data['total']).toBe(names.length)
  })

  test('finds letters beyond ASCII in any case', async () => {
    await newcomer(world, { fullName: 'Žofie Černá' })
    const { data } = await admin.get(`${MEMBERS}?search=${encodeURIComponent('ŽOFIE ČERNÁ')}`)
    expect(data['total']).toBe(1)
  })

  test('is filtered by role and active flag', async () => {
    const { id } = await newcomer(world)
    await admin.put(`/api/users/${id}`, { is_active: false })
    const suspended = await admin.get(`${MEMBERS}?is_active=false`)
    expect((suspended.data['members'] as Loose[]).map((member) => member['user_id'])).toEqual([id])
    const managers = await admin.get(
      `${MEMBERS}?role_id=${world.tenant.roleIds.manager}&is_active=true`,
    )
    expect((managers.data['members'] as Loose[]).map((member) => member['user_id'])).toEqual([
      world.tenant.userIds.manager,
    ])
  })

  test.each(['limit=101', 'limit=0', 'page=0', 'role_id=x', 'is_active=maybe'])(
    'rejects %s',
    async (query) => {
      expect((await admin.get(`${MEMBERS}?${query}`)).status).toBe(400)
    },
  )
})

describe('adding a member', () => {
  test('by email assigns the default role and keeps home and default organization', async () => {
    const { id, email, client } = await newcomer(world, { tenant: world.other })
    const added = await admin.post(MEMBERS, { email: ` ${email.toUpperCase()} ` })
    expect({ status: added.status, keys: Object.keys(added.data) }).toEqual({
      status: 201,
      keys: ['message'],
    })
    expect(await memberOf(admin, id)).toMatchObject({
      role_name: 'agent',
      is_default: false,
      is_active: true,
    })
    const { data } = await client.get('/api/me')
    expect({
      organization: data['organization_id'],
      home: data['default_organization_id'],
      isMember: data['is_member'],
    }).toEqual({
      organization: world.other.id,
      home: world.other.id,
      isMember: false,
    })
    expect(auditOf(world, id).at(-1)).toMatchObject({
      action: 'member_added',
      organization_id: world.tenant.id,
      user_name: 'Acme admin',
    })
  })

  test('by user ID assigns a role and notifies the person', async () => {
    const { id, email } = await newcomer(world, { tenant: world.other })
    const added = await admin.post(MEMBERS, { user_id: id, role_id: world.tenant.roleIds.manager })
    expect(added.status).toBe(201)
    expect(await memberOf(admin, id)).toMatchObject({ role_name: 'manager' })
    const there = await switched(email)
    const { data } = await there.get('/api/me/notifications')
    expect(data).toMatchObject({
      total: 1,
      items: [{ kind: 'membership_added', severity: 'info', read_at: null }],
    })
  })

  test.each([
    ['neither user id nor e-mail', () => ({}), 400, undefined],
    [
      'both',
      () => ({ user_id: world.other.userIds.agent, email: 'agent@bolt.example.com' }),
      400,
      undefined,
    ],
    ['an unknown user', () => ({ user_id: NOBODY }), 404, undefined],
    ['an unknown e-mail', () => ({ email: 'nobody@example.com' }), 404, undefined],
    [
      'a role of another organization',
      () => ({ email: 'agent@bolt.example.com', role_id: world.other.roleIds.agent }),
      400,
      'unknown_role',
    ],
    [
      'an unknown role',
      () => ({ email: 'agent@bolt.example.com', role_id: NOBODY }),
      400,
      'unknown_role',
    ],
    [
      'somebody who is a member',
      () => ({ user_id: world.tenant.userIds.agent }),
      409,
      'already_member',
    ],
  ] as const)('rejects %s', async (_what, bodyOf, status, code) => {
    const answer = await admin.post(MEMBERS, bodyOf())
    expect({
      status: answer.status,
      code: code === undefined ? undefined : answer.body.code,
    }).toEqual({ status, code })
  })

  test('rejects a disabled account as unknown', async () => {
    const { id } = await newcomer(world, { tenant: world.other })
    const superAdmin = await world.as('super')
    const disabled = await superAdmin
      .with({ 'x-organization-id': world.other.id })
      .put(`/api/users/${id}`, { account_disabled: true })
    expect(disabled.data).toMatchObject({ is_active: false })
    expect((await admin.post(MEMBERS, { user_id: id })).status).toBe(404)
  })

  test("rejects a role with more permissions than the caller's", async () => {
    const roleId = await newRole(world, ['organizations:assign', 'organizations:read'])
    const { client } = await newcomer(world, { roleId })
    const { id } = await newcomer(world, { tenant: world.other })
    const answer = await client.post(MEMBERS, { user_id: id, role_id: world.tenant.roleIds.agent })
    expect({ status: answer.status, code: answer.body.code }).toEqual({
      status: 403,
      code: 'escalation',
    })
    expect((await client.post(MEMBERS, { user_id: id, role_id: roleId })).status).toBe(201)
  })

  test('twice at the same moment adds it once', async () => {
    const { id } = await newcomer(world, { tenant: world.other })
    const answers = await Promise.all([1, 2, 3].map(() => admin.post(MEMBERS, { user_id: id })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409])
  })
})

/** Signs in and switches to the first tenant. */
async function switched(email: string): Promise<Client> {
  const client = await world.signIn(email)
  const { data } = await client.post('/api/auth/switch-org', { organization_id: world.tenant.id })
  return client.with({ authorization: `Bearer ${data['access_token']}` })
}

describe('changing the role of a member', () => {
  test('accepts a membership ID or user ID and applies from the next request', async () => {
    const { id, client } = await newcomer(world)
    const member = await memberOf(admin, id)
    expect((await client.get(MEMBERS)).status).toBe(403)
    expect(
      (await admin.put(`${MEMBERS}/${member?.['id']}`, { role_id: world.tenant.roleIds.manager }))
        .status,
    ).toBe(200)
    expect((await client.get(MEMBERS)).status).toBe(200)
    expect(
      (await admin.put(`${MEMBERS}/${id}`, { role_id: world.tenant.roleIds.agent })).status,
    ).toBe(200)
    expect((await client.get(MEMBERS)).status).toBe(403)
    expect(auditOf(world, id).at(-1)).toMatchObject({
      action: 'role_changed',
      changes: [{ field: 'role', old_value: 'manager', new_value: 'agent' }],
    })
  })

  test.each([
    ['an unknown member', () => NOBODY, () => world.tenant.roleIds.agent, 404],
    [
      'somebody of another organization',
      () => world.other.userIds.agent,
      () => world.tenant.roleIds.agent,
      404,
    ],
    ['an unknown role', () => world.tenant.userIds.agent, () => NOBODY, 400],
    [
      'a role of another organization',
      () => world.tenant.userIds.agent,
      () => world.other.roleIds.agent,
      400,
    ],
    ['oneself', () => world.tenant.userIds.admin, () => world.tenant.roleIds.agent, 400],
  ])('rejects %s', async (_what, idOf, roleOf, status) => {
    expect((await admin.put(`${MEMBERS}/${idOf()}`, { role_id: roleOf() })).status).toBe(status)
  })

  test('rejects a caller with fewer permissions than the member or the new role', async () => {
    const roleId = await newRole(world, ['organizations:assign', 'organizations:read'])
    const { client } = await newcomer(world, { roleId })
    const up = await newcomer(world, { roleId })
    for (const [target, role] of [
      [world.tenant.userIds.manager, roleId],
      [up.id, world.tenant.roleIds.admin],
    ])
      expect((await client.put(`${MEMBERS}/${target}`, { role_id: role })).body.code).toBe(
        'escalation',
      )
  })
})

describe('removing a member', () => {
  test('by membership ID ends only the membership', async () => {
    const { id, email } = await newcomer(world, { tenant: world.other })
    await admin.post(MEMBERS, { user_id: id })
    const here = await switched(email)
    const member = await memberOf(admin, id)
    const removed = await admin.delete(`${MEMBERS}/${member?.['id']}`)
    expect({ status: removed.status, keys: Object.keys(removed.data) }).toEqual({
      status: 200,
      keys: ['message'],
    })
    expect(await memberOf(admin, id)).toBeUndefined()
    expect((await here.get('/api/me')).body.code).toBe('membership_ended')
    expect((await world.signIn(email)).token).not.toBe('undefined')
  })

  test.each([
    ['oneself', () => world.tenant.userIds.admin, 400],
    ['an unknown member', () => NOBODY, 404],
    ['somebody of another organization', () => world.other.userIds.agent, 404],
  ])('rejects %s', async (_what, idOf, status) => {
    expect((await admin.delete(`${MEMBERS}/${idOf()}`)).status).toBe(status)
  })

  test('rejects a caller with fewer permissions', async () => {
    const { client } = await newcomer(world, {
      roleId: await newRole(world, ['organizations:assign']),
    })
    expect((await client.delete(`${MEMBERS}/${world.tenant.userIds.agent}`)).body.code).toBe(
      'escalation',
    )
  })

  test('and adding it again creates a new membership without the former tokens', async () => {
    const { id, email } = await newcomer(world, { tenant: world.other })
    await admin.post(MEMBERS, { user_id: id, role_id: world.tenant.roleIds.manager })
    const before = await memberOf(admin, id)
    const client = await switched(email)
    expect((await client.get('/api/me')).status).toBe(200)
    await admin.delete(`${MEMBERS}/${id}`)
    await admin.post(MEMBERS, { user_id: id })
    const after = await memberOf(admin, id)
    expect(after).toMatchObject({ role_name: 'agent' })
    expect(after?.['id']).not.toBe(before?.['id'])
    expect((await client.get('/api/me')).status).toBe(401)
    expect((await (await switched(email)).get('/api/me')).status).toBe(200)
  })
})

describe('the last active admin', () => {
  test('cannot leave, be demoted, suspended, removed or disabled', async () => {
    const own = await World.create({ isConnected: false, tenants: 1 })
    try {
      const { tenant } = own
      const boss = (await own.as('super')).with({ 'x-organization-id': tenant.id })
      const last = tenant.userIds.admin
      const attempts = await Promise.all([
        (await own.as('admin')).delete(`/api/me/organizations/${tenant.id}`),
        boss.put(`${MEMBERS}/${last}`, { role_id: tenant.roleIds.agent }),
        boss.put(`/api/users/${last}`, { role_id: tenant.roleIds.agent }),
        boss.put(`/api/users/${last}`, { is_active: false }),
        boss.put(`/api/users/${last}`, { account_disabled: true }),
        boss.delete(`${MEMBERS}/${last}`),
        boss.delete(`/api/users/${last}`),
      ])
      expect(attempts.map(({ status, body }) => [status, body.code])).toEqual(
        attempts.map(() => [409, 'last_admin']),
      )
      expect((await (await own.as('admin')).get('/api/users?is_active=true')).data['total']).toBe(3)
    } finally {
      await own.stop()
    }
  })

  test('is not a suspended or disabled admin', async () => {
    const own = await World.create({ isConnected: false, tenants: 1 })
    try {
      const second = await newcomer(own, { role: 'admin' })
      const boss = (await own.as('super')).with({ 'x-organization-id': own.tenant.id })
      await boss.put(`/api/users/${second.id}`, { is_active: false })
      expect((await boss.delete(`/api/users/${own.tenant.userIds.admin}`)).body.code).toBe(
        'last_admin',
      )
      await boss.put(`/api/users/${second.id}`, { is_active: true, account_disabled: true })
      expect((await boss.delete(`/api/users/${own.tenant.userIds.admin}`)).body.code).toBe(
        'last_admin',
      )
      await boss.put(`/api/users/${second.id}`, { account_disabled: false })
      expect((await boss.delete(`/api/users/${own.tenant.userIds.admin}`)).status).toBe(200)
    } finally {
      await own.stop()
    }
  })

  test('remains when two admins remove each other at the same moment', async () => {
    const own = await World.create({ isConnected: false, tenants: 1 })
    try {
      const first = await own.as('admin')
      const second = await newcomer(own, { role: 'admin' })
      const answers = await Promise.all([
        first.delete(`/api/users/${second.id}`),
        second.client.delete(`/api/users/${own.tenant.userIds.admin}`),
      ])
      expect(answers.filter(({ status }) => status === 200).length).toBe(1)
      const [row] = own.rows(
        'select count(*) as admins from memberships where role_id = ?',
        own.tenant.roleIds.admin,
      )
      expect(row).toEqual({ admins: 1 })
    } finally {
      await own.stop()
    }
  })
})

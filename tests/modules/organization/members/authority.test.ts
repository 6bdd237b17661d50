import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import type { Answer, Client, Loose } from '../../../support/client'
import { keyOf } from '../../../support/keys'
import { auditOf, freshEmail, newcomer, newRole, type Newcomer } from '../../../support/newcomers'
import { PASSWORD, World } from '../../../support/world'

let world: World
let admin: Client
let boss: Client

beforeAll(async () => {
  world = await World.create({ isConnected: false })
  admin = await world.as('admin')
  boss = (await world.as('super')).with({ 'x-organization-id': world.tenant.id })
})

afterAll(() => world.stop())

const INVITATIONS = '/api/organizations/invitations'

const verdict = ({ status, body }: Answer<Loose>): [number, string | undefined] => [
  status,
  body.code,
]

describe('a rejected change of the own record names the alternative', () => {
  const own = (): string => world.tenant.userIds.admin
  const cases: [what: string, ask: () => Promise<Answer<Loose>>, path: string, instead: string][] =
    [
      [
        'the role',
        () => admin.put(`/api/users/${own()}`, { role_id: world.tenant.roleIds.agent }),
        'body.role_id',
        'another user',
      ],
      [
        'the active flag',
        () => admin.put(`/api/users/${own()}`, { is_active: false }),
        'body.is_active',
        'DELETE /api/me/organizations/',
      ],
      [
        'the e-mail',
        () => admin.put(`/api/users/${own()}`, { email: freshEmail() }),
        'body.email',
        'PUT /api/me',
      ],
      [
        'the password',
        () => admin.put(`/api/users/${own()}`, { password: PASSWORD }),
        'body.password',
        'PUT /api/me/password',
      ],
      [
        'the super admin flag',
        () => admin.put(`/api/users/${own()}`, { is_super_admin: true }),
        'body.is_super_admin',
        'another super admin',
      ],
      [
        'the account',
        () => admin.put(`/api/users/${own()}`, { account_disabled: true }),
        'body.account_disabled',
        'another super admin',
      ],
      [
        'the person',
        () => admin.delete(`/api/users/${own()}`),
        'path.id',
        'DELETE /api/me/organizations/',
      ],
      [
        'the membership',
        () => admin.delete(`/api/organizations/members/${own()}`),
        'path.member_id',
        'DELETE /api/me/organizations/',
      ],
      [
        'the role of the membership',
        () =>
          admin.put(`/api/organizations/members/${own()}`, { role_id: world.tenant.roleIds.agent }),
        'path.member_id',
        'another user',
      ],
      [
        'a password link',
        () => admin.post(`/api/users/${own()}/password-reset`),
        'path.id',
        'PUT /api/me/password',
      ],
      [
        'the second factor',
        () => admin.post(`/api/users/${own()}/2fa/reset`),
        'path.id',
        'POST /api/me/2fa/disable',
      ],
    ]
  for (const [what, ask, path, instead] of cases)
    test(what, async () => {
      const answer = await ask()
      expect(verdict(answer)).toEqual([400, 'own_record'])
      expect(answer.body.errors).toEqual([{ path, message: expect.stringContaining(instead) }])
    })

  test('for all fields at once', async () => {
    const answer = await admin.put(`/api/users/${own()}`, {
      full_name: 'New',
      email: freshEmail(),
      password: PASSWORD,
      is_active: false,
    })
    expect(answer.body.errors?.map(({ path }) => path)).toEqual([
      'body.is_active',
      'body.email',
      'body.password',
    ])
    expect((await admin.get('/api/me')).data['full_name']).toBe('Acme admin')
  })
})

describe('the own record', () => {
  test('is readable without a permission, except by API keys', async () => {
    const owner = await newcomer(world, {
      roleId: await newRole(world, ['api_keys:create', 'tags:read']),
    })
    const { client: key } = await keyOf(world, { permissions: ['tags:read'] }, owner.client)
    const asks = (client: Client): Promise<Answer<Loose>[]> =>
      Promise.all([
        client.get(`/api/users/${owner.id}`),
        client.put(`/api/users/${owner.id}/availability`, { is_available: false }),
      ])
    expect((await asks(owner.client)).map(({ status }) => status)).toEqual([200, 200])
    expect((await asks(key)).map(verdict)).toEqual([
      [403, 'permission_denied'],
      [403, 'permission_denied'],
    ])
    expect((await key.get('/api/tags')).status).toBe(200)
  })
})

describe('the own name', () => {
  test('can be changed in the user list, even if another organization manages the account', async () => {
    const guest = await newcomer(world, { tenant: world.other })
    await admin.post('/api/organizations/members', {
      user_id: guest.id,
      role_id: world.tenant.roleIds.admin,
    })
    const { data } = await guest.client.post('/api/auth/switch-org', {
      organization_id: world.tenant.id,
    })
    const here = guest.client.with({ authorization: `Bearer ${data['access_token']}` })
    expect(
      (await here.put(`/api/users/${guest.id}`, { full_name: 'Own Choice' })).data,
    ).toMatchObject({
      full_name: 'Own Choice',
      is_member: true,
    })
    expect(
      verdict(await admin.put(`/api/users/${guest.id}`, { full_name: 'Choice of Others' })),
    ).toEqual([403, 'account_managed_elsewhere'])
  })

  test("cannot be changed by the person's API key", async () => {
    const guest = await newcomer(world, { tenant: world.other })
    const roleId = await newRole(world, ['users:update', 'users:read', 'api_keys:create'])
    await admin.post('/api/organizations/members', { user_id: guest.id, role_id: roleId })
    const { data } = await guest.client.post('/api/auth/switch-org', {
      organization_id: world.tenant.id,
    })
    const here = guest.client.with({ authorization: `Bearer ${data['access_token']}` })
    const { data: made } = await here.post('/api/api-keys', {
      name: 'Till',
      permissions: ['users:update', 'users:read'],
    })
    await admin.put(`/api/users/${guest.id}`, {
      role_id: await newRole(world, ['users:update', 'users:read']),
    })
    const key = world.anyone.with({ 'x-api-key': String(made['key']) })
    expect(
      verdict(await key.put(`/api/users/${guest.id}`, { full_name: 'Choice of a Key' })),
    ).toEqual([403, 'account_managed_elsewhere'])
  })
})

describe('a member without the permissions of another', () => {
  /** Manages users and members, without any other permission. */
  let clerk: Newcomer

  beforeEach(async () => {
    clerk = await newcomer(world, {
      roleId: await newRole(world, ['users:read', 'users:update', 'organizations:assign']),
    })
  })

  test('cannot set the availability of a stronger member', async () => {
    const { agent } = world.tenant.userIds
    expect(
      verdict(await clerk.client.put(`/api/users/${agent}/availability`, { is_available: false })),
    ).toEqual([403, 'escalation'])
    expect((await admin.get(`/api/users/${agent}`)).data['is_available']).toBe(true)
    expect(world.rows('select id from member_breaks where user_id = ?', agent)).toEqual([])
  })

  test('cannot set the availability of a super admin, whatever the role', async () => {
    const { data } = await boss.post('/api/users', {
      email: freshEmail(),
      password: PASSWORD,
      full_name: 'Super',
      is_super_admin: true,
    })
    expect(
      verdict(await admin.put(`/api/users/${data['id']}/availability`, { is_available: false })),
    ).toEqual([403, 'escalation'])
    expect(
      (await boss.put(`/api/users/${data['id']}/availability`, { is_available: false })).status,
    ).toBe(200)
  })

  test('can set the availability of weaker and equal members and its own', async () => {
    const weaker = await newcomer(world, { roleId: await newRole(world, ['users:read']) })
    const equal = await newcomer(world, {
      roleId: await newRole(world, ['users:read', 'users:update', 'organizations:assign']),
    })
    for (const id of [weaker.id, equal.id, clerk.id])
      expect(
        (await clerk.client.put(`/api/users/${id}/availability`, { is_available: false })).data,
      ).toMatchObject({ is_available: false })
  })

  test('cannot revoke an invitation for a stronger role', async () => {
    const { data } = await admin.post(INVITATIONS, { role_id: world.tenant.roleIds.manager })
    expect(verdict(await clerk.client.delete(`${INVITATIONS}/${data['id']}`))).toEqual([
      403,
      'escalation',
    ])
    expect(
      (await world.anyone.post('/api/auth/invitations/preview', { token: data['token'] })).status,
    ).toBe(200)
    expect(auditOf(world, data['id'] as string).map(({ action }) => action)).toEqual(['invited'])
  })

  test('cannot replace such an invitation for the same email', async () => {
    const email = freshEmail()
    const { data } = await admin.post(INVITATIONS, { email, role_id: world.tenant.roleIds.manager })
    const roleId = await newRole(world, ['users:read'])
    expect(verdict(await clerk.client.post(INVITATIONS, { email, role_id: roleId }))).toEqual([
      403,
      'escalation',
    ])
    expect(
      (await world.anyone.post('/api/auth/invitations/preview', { token: data['token'] })).status,
    ).toBe(200)
    expect((await admin.post(INVITATIONS, { email, role_id: roleId })).status).toBe(201)
  })

  test('can revoke any invitation for a role it covers', async () => {
    const { data } = await admin.post(INVITATIONS, {
      role_id: await newRole(world, ['users:read']),
    })
    expect((await clerk.client.delete(`${INVITATIONS}/${data['id']}`)).status).toBe(200)
  })
})

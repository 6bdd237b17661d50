import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { Client, type Loose } from '../../../support/client'
import { auditOf, freshEmail, newcomer, newRole } from '../../../support/newcomers'
import { NOBODY } from '../../../support/routes'
import { TestSocket } from '../../../support/socket'
import { pairOf } from '../../../support/tokens'
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

const newBody = (more: Loose = {}): Loose => ({
  email: freshEmail(),
  password: PASSWORD,
  full_name: 'Jane Doe',
  ...more,
})

describe('the list of users', () => {
  test('is sorted by name in any case and shows every field', async () => {
    await newcomer(world, { fullName: 'aaron first' })
    const { data } = await admin.get('/api/users')
    const names = (data['items'] as Loose[]).map((user) => user['full_name'] as string)
    expect(names).toEqual(['aaron first', 'Acme admin', 'Acme agent', 'Acme manager'])
    expect(data).toMatchObject({ total: 4, page: 1, limit: 20, total_pages: 1 })
    const { data: one } = await admin.get(`/api/users/${world.tenant.userIds.agent}`)
    expect(one).toEqual({
      id: world.tenant.userIds.agent,
      email: 'agent@acme.example.com',
      full_name: 'Acme agent',
      role_id: world.tenant.roleIds.agent,
      role: { id: world.tenant.roleIds.agent, name: 'agent', is_system: true },
      is_active: true,
      is_available: true,
      is_confirmed: true,
      is_member: false,
      is_super_admin: false,
      membership_id: expect.any(String),
      two_factor_enabled: false,
      last_login_at: null,
      created_at: '2026-11-21T09:30:00.000Z',
      updated_at: '2026-11-21T09:30:00.000Z',
    })
  })

  test('is searched and filtered', async () => {
    const { id, client } = await newcomer(world, { fullName: 'Zora Last' })
    await client.put('/api/me/availability', { is_available: false })
    for (const query of [
      'search=zora%20l',
      'is_available=false',
      `search=ZORA&role_id=${world.tenant.roleIds.agent}&is_active=true`,
    ])
      expect(
        ((await admin.get(`/api/users?${query}`)).data['items'] as Loose[]).map(
          (user) => user['id'],
        ),
      ).toEqual([id])
    expect((await admin.get('/api/users?search=bolt')).data['total']).toBe(0)
  })

  test('follows a changed name', async () => {
    const { id } = await newcomer(world)
    await admin.put(`/api/users/${id}`, { full_name: 'Quincy Renamed' })
    expect((await admin.get('/api/users?search=quincy')).data['total']).toBe(1)
  })

  test('excludes other organizations', async () => {
    expect((await admin.get(`/api/users/${world.other.userIds.agent}`)).status).toBe(404)
    expect((await admin.get(`/api/users/${NOBODY}`)).status).toBe(404)
  })

  test('without permission only the own record is readable', async () => {
    const agent = await world.as('agent')
    expect((await agent.get(`/api/users/${world.tenant.userIds.agent}`)).status).toBe(200)
    expect((await agent.get(`/api/users/${world.tenant.userIds.admin}`)).status).toBe(403)
    expect((await agent.get('/api/users')).status).toBe(403)
    expect(
      (await agent.put(`/api/users/${world.tenant.userIds.agent}`, { full_name: 'X' })).status,
    ).toBe(403)
  })
})

describe('creating a user', () => {
  test('creates an account managed here that must choose a new password', async () => {
    const body = newBody({ email: ' Jane@Example.COM ', full_name: '  Jane Doe ' })
    const created = await admin.post('/api/users', body)
    expect(created.status).toBe(201)
    expect(created.data).toMatchObject({
      email: 'jane@example.com',
      full_name: 'Jane Doe',
      role: { name: 'agent' },
      is_member: false,
    })
    const { data } = await (await world.signIn('jane@example.com')).get('/api/me')
    expect(data).toMatchObject({
      must_change_password: true,
      default_organization_id: world.tenant.id,
    })
    const [entry] = auditOf(world, created.data['id'] as string)
    expect(entry).toMatchObject({ action: 'created', user_name: 'Acme admin' })
    expect(JSON.stringify(entry)).not.toContain(PASSWORD)
  })

  test.each([
    ['a password of 7 characters', { password: '1234567' }, 400, 'body.password'],
    ['a password of 257 characters', { password: 'x'.repeat(257) }, 400, 'body.password'],
    ['a blank name', { full_name: '  ' }, 400, 'body.full_name'],
    ['a name with a line break', { full_name: 'a\nb' }, 400, 'body.full_name'],
    ['an e-mail with two @', { email: 'a@b@c' }, 400, 'body.email'],
    ['an unknown role', { role_id: NOBODY }, 400, 'body.role_id'],
  ])('rejects %s', async (_what, more, status, path) => {
    const answer = await admin.post('/api/users', newBody(more))
    expect({
      status: answer.status,
      paths: answer.body.errors?.map((problem) => problem.path),
    }).toEqual({ status, paths: [path] })
  })

  test('rejects the email of an existing account of any organization', async () => {
    for (const email of ['agent@acme.example.com', 'AGENT@bolt.example.com'])
      expect((await admin.post('/api/users', newBody({ email }))).body).toMatchObject({
        code: 'email_taken',
      })
  })

  test('creates one account for two equal requests', async () => {
    const body = newBody()
    const answers = await Promise.all([
      admin.post('/api/users', body),
      admin.post('/api/users', body),
    ])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
  })

  test("rejects a role with more permissions than the caller's", async () => {
    const { client } = await newcomer(world, { roleId: await newRole(world, ['users:create']) })
    expect((await client.post('/api/users', newBody())).body.code).toBe('escalation')
  })

  test('allows only super admins to create super admins', async () => {
    expect((await admin.post('/api/users', newBody({ is_super_admin: true }))).body.code).toBe(
      'super_admin_required',
    )
    expect((await boss.post('/api/users', newBody({ is_super_admin: true }))).data).toMatchObject({
      is_super_admin: true,
    })
  })

  test('rejects a caller that was removed while the password was hashed', async () => {
    const { id, client } = await newcomer(world, { role: 'admin' })
    const body = newBody()
    const [creating] = await Promise.all([
      client.post('/api/users', body),
      admin.delete(`/api/users/${id}`),
    ])
    const rows = world.rows('select id from users where email = ?', body['email'] as string)
    expect(rows.length).toBe(creating.status === 201 ? 1 : 0)
  })
})

describe('updating a user', () => {
  test('applies role and active flag from the next request', async () => {
    const { id, client } = await newcomer(world)
    expect(
      (await admin.put(`/api/users/${id}`, { role_id: world.tenant.roleIds.manager })).data,
    ).toMatchObject({
      role: { name: 'manager' },
    })
    expect((await client.get('/api/users')).status).toBe(200)
    expect((await admin.put(`/api/users/${id}`, { is_active: false })).data).toMatchObject({
      is_active: false,
    })
    expect((await client.get('/api/me')).body.code).toBe('membership_ended')
    await admin.put(`/api/users/${id}`, { is_active: true })
    expect((await client.get('/api/me')).status).toBe(200)
    expect(auditOf(world, id).map(({ action }) => action)).toEqual([
      'created',
      'signed_in',
      'role_changed',
      'suspended',
      'restored',
    ])
  })

  test.each(['role_id', 'is_active', 'email', 'password', 'is_super_admin', 'account_disabled'])(
    'rejects the own %s',
    async (field) => {
      const values: Loose = {
        role_id: world.tenant.roleIds.agent,
        email: freshEmail(),
        password: PASSWORD,
      }
      const answer = await admin.put(`/api/users/${world.tenant.userIds.admin}`, {
        [field]: values[field] ?? false,
      })
      expect({
        status: answer.status,
        code: answer.body.code,
        path: answer.body.errors?.[0]?.path,
      }).toEqual({
        status: 400,
        code: 'own_record',
        path: `body.${field}`,
      })
    },
  )

  test('with a new password ends every session, requires a change and notifies the user', async () => {
    const { id, email, client } = await newcomer(world)
    const changed = await admin.put(`/api/users/${id}`, { password: 'a new password' })
    expect(changed.status).toBe(200)
    expect((await client.get('/api/me')).body.code).toBe('session_ended')
    const { data } = await world.anyone.post('/api/auth/login', {
      email,
      password: 'a new password',
    })
    const again = client.with({ authorization: `Bearer ${data['access_token']}` })
    expect((await again.get('/api/me')).data).toMatchObject({ must_change_password: true })
    expect((await again.get('/api/me/notifications')).data).toMatchObject({
      items: [{ kind: 'credentials_changed', severity: 'warning' }],
    })
    const entry = auditOf(world, id).find(({ action }) => action === 'password_changed')
    expect(entry).toMatchObject({
      changes: [{ field: 'password', old_value: '***', new_value: '***' }],
    })
  })

  test('with a new email frees the former one for sign-in', async () => {
    const { id, email } = await newcomer(world)
    const next = freshEmail()
    expect((await admin.put(`/api/users/${id}`, { email: next.toUpperCase() })).data).toMatchObject(
      { email: next },
    )
    expect((await world.anyone.post('/api/auth/login', { email, password: PASSWORD })).status).toBe(
      401,
    )
    expect(
      (await world.anyone.post('/api/auth/login', { email: next, password: PASSWORD })).status,
    ).toBe(200)
    expect(
      (await admin.put(`/api/users/${id}`, { email: 'agent@acme.example.com' })).body.code,
    ).toBe('email_taken')
  })

  test.each([
    ['email', () => ({ email: freshEmail() })],
    ['password', () => ({ password: 'a new password' })],
  ])('a member with the same permissions cannot change the %s', async (_what, bodyOf) => {
    const { id } = await newcomer(world, { role: 'admin' })
    expect((await admin.put(`/api/users/${id}`, bodyOf())).body).toMatchObject({
      code: 'account_managed_elsewhere',
    })
    expect(
      (await admin.put(`/api/users/${id}`, { role_id: world.tenant.roleIds.agent })).status,
    ).toBe(200)
  })

  test.each([
    ['full_name', () => ({ full_name: 'Taken Over' })],
    ['email', () => ({ email: freshEmail() })],
    ['password', () => ({ password: 'a new password' })],
  ])('the %s of an account managed elsewhere cannot be changed here', async (_what, bodyOf) => {
    const { id } = await newcomer(world, { tenant: world.other })
    await admin.post('/api/organizations/members', { user_id: id })
    expect((await admin.put(`/api/users/${id}`, bodyOf())).body).toMatchObject({
      code: 'account_managed_elsewhere',
    })
    expect((await admin.get(`/api/users/${id}`)).data).toMatchObject({
      full_name: 'New Comer',
      is_member: true,
    })
  })

  test.each([
    ['password', 'password_changed', () => ({ password: 'a new password' })],
    ['email', 'updated', () => ({ email: freshEmail() })],
  ])(
    'the %s of somebody who was added elsewhere is still changed at home, and recorded there too',
    async (_what, action, bodyOf) => {
      const { id, client } = await newcomer(world)
      await (
        await world.as('admin', world.other)
      ).post('/api/organizations/members', { user_id: id })
      expect((await admin.put(`/api/users/${id}`, bodyOf())).status).toBe(200)
      expect((await client.get('/api/me')).status).toBe(401)
      expect(auditOf(world, id).at(-1)).toMatchObject({
        organization_id: world.other.id,
        action,
        user_name: null,
      })
    },
  )

  test('rejects a new email or password for a user who also joined another organization, even at home', async () => {
    const { id, client } = await newcomer(world)
    await (await world.as('admin', world.other)).post('/api/organizations/members', { user_id: id })
    await client.post('/api/auth/switch-org', { organization_id: world.other.id })
    expect((await admin.put(`/api/users/${id}`, { password: 'a new password' })).body.code).toBe(
      'account_managed_elsewhere',
    )
    expect((await admin.put(`/api/users/${id}`, { full_name: 'Still Ours' })).status).toBe(200)
    expect((await boss.put(`/api/users/${id}`, { password: 'a new password' })).status).toBe(200)
  })

  test('changes nothing if one of the fields is forbidden', async () => {
    const { id } = await newcomer(world, { role: 'admin' })
    const answer = await admin.put(`/api/users/${id}`, {
      full_name: 'Half Done',
      role_id: world.tenant.roleIds.agent,
      password: 'a new password',
    })
    expect(answer.status).toBe(403)
    expect((await admin.get(`/api/users/${id}`)).data).toMatchObject({
      full_name: 'New Comer',
      role: { name: 'admin' },
    })
  })

  test('rejects a caller with fewer permissions than the user or the role', async () => {
    const roleId = await newRole(world, ['users:update', 'users:read', 'users:delete'])
    const { client } = await newcomer(world, { roleId })
    const equal = await newcomer(world, { roleId })
    expect(
      (await client.put(`/api/users/${world.tenant.userIds.agent}`, { is_active: false })).body
        .code,
    ).toBe('escalation')
    expect(
      (await client.put(`/api/users/${equal.id}`, { role_id: world.tenant.roleIds.manager })).body
        .code,
    ).toBe('escalation')
    expect((await client.delete(`/api/users/${world.tenant.userIds.agent}`)).body.code).toBe(
      'escalation',
    )
    expect((await client.put(`/api/users/${equal.id}`, { is_active: false })).status).toBe(200)
  })

  test('of a super admin requires a super admin', async () => {
    const { data } = await boss.post(
      '/api/users',
      newBody({ is_super_admin: true, role_id: world.tenant.roleIds.agent }),
    )
    const id = data['id'] as string
    for (const body of [
      { full_name: 'X' },
      { is_active: false },
      { role_id: world.tenant.roleIds.manager },
      { password: 'a new password' },
    ])
      expect((await admin.put(`/api/users/${id}`, body)).body.code).toBe('escalation')
    expect((await admin.delete(`/api/users/${id}`)).body.code).toBe('escalation')
    expect((await admin.put(`/api/users/${id}`, { is_super_admin: false })).body.code).toBe(
      'super_admin_required',
    )
    expect((await boss.put(`/api/users/${id}`, { is_super_admin: false })).data).toMatchObject({
      is_super_admin: false,
    })
  })

  test('that disables the account ends all sessions and sign-ins', async () => {
    const { id, email, client } = await newcomer(world)
    expect((await boss.put(`/api/users/${id}`, { account_disabled: true })).data).toMatchObject({
      is_active: false,
    })
    expect((await client.get('/api/me')).status).toBe(401)
    expect(
      (await world.anyone.post('/api/auth/login', { email, password: PASSWORD })).body.code,
    ).toBe('account_disabled')
    expect((await admin.get('/api/users?is_active=false')).data['items']).toContainEqual(
      expect.objectContaining({ id }),
    )
    await boss.put(`/api/users/${id}`, { account_disabled: false })
    expect((await world.anyone.post('/api/auth/login', { email, password: PASSWORD })).status).toBe(
      200,
    )
  })

  test('that disables the account answers every credential with account_disabled and closes sockets', async () => {
    const { id, email } = await newcomer(world)
    const pair = await pairOf(world, email)
    const client = new Client(world.url, { authorization: `Bearer ${pair.access_token}` })
    const { ticket } = (await client.post('/api/auth/ws-ticket')).data as { ticket: string }
    const socket = await TestSocket.open(
      `${world.url.replace('http', 'ws')}/ws?token=${pair.access_token}`,
    )
    await boss.put(`/api/users/${id}`, { account_disabled: true })
    const codes = [
      await client.get('/api/me'),
      await world.anyone.post('/api/auth/refresh', { refresh_token: pair.refresh_token }),
      await world.anyone.get(`/ws?token=${pair.access_token}`),
      await world.anyone.get(`/ws?ticket=${ticket}`),
    ].map(({ status, body }) => [status, body.code])
    expect(codes).toEqual(codes.map(() => [401, 'account_disabled']))
    world.program.realtime.sockets.sweep()
    await socket.until('the close', () => socket.closed !== null)
    expect(socket.closed?.code).toBe(4403)
  })

  test('keeps one of two super admins who demote each other at the same moment', async () => {
    const own = await World.create({ isConnected: false, tenants: 1 })
    own.stays('accounts of people')
    try {
      const at = { 'x-organization-id': own.tenant.id }
      const first = (await own.as('super')).with(at)
      const second = await first.post('/api/users', newBody({ is_super_admin: true }))
      const [{ id: firstId } = { id: '' }] = own.rows<{ id: string }>(
        "select id from users where email = 'super@example.com'",
      )
      await first.post('/api/organizations/members', { user_id: firstId })
      const other = (await own.signIn(String(second.data['email']))).with(at)
      const answers = await Promise.all([
        first.put(`/api/users/${second.data['id']}`, { is_super_admin: false }),
        other.put(`/api/users/${firstId}`, { is_super_admin: false }),
      ])
      expect(answers.filter(({ status }) => status === 200).length).toBe(1)
      expect(own.rows('select count(*) as left_over from users where is_super_admin = 1')).toEqual([
        { left_over: 1 },
      ])
    } finally {
      await own.stop()
    }
  })

  test('rejects an empty body and ignores unknown fields', async () => {
    const { id } = await newcomer(world)
    expect((await admin.put(`/api/users/${id}`, {})).status).toBe(400)
    const sly = {
      full_name: 'Sly',
      home_organization_id: world.other.id,
      id: NOBODY,
      created_at: '2020-01-01T00:00:00.000Z',
    }
    expect((await admin.put(`/api/users/${id}`, sly)).data).toMatchObject({
      id,
      full_name: 'Sly',
      is_member: false,
    })
  })
})

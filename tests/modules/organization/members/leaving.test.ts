import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { auditOf, freshEmail, newcomer } from '../../../support/newcomers'
import { TestSocket } from '../../../support/socket'
import { PASSWORD, World } from '../../../support/world'

let world: World
let admin: Client

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
})

afterAll(() => world.stop())

const socketOf = (client: Client): Promise<TestSocket> =>
  TestSocket.open(`${world.url.replace('http', 'ws')}/ws?token=${client.token}`)

describe('removing a user', () => {
  test('unassigns contacts and conversations, ends tokens and keys, and returns the counts', async () => {
    const { id, client } = await newcomer(world, { role: 'admin', fullName: 'Leaving Soon' })
    const contacts = [
      await world.contactOf(world.tenant, 'one', '4915100000001'),
      await world.contactOf(world.tenant, 'two', '4915100000002'),
    ]
    for (const contact of contacts)
      await admin.put(`/api/contacts/${contact['id']}/assign`, { user_id: id })
    const { data: key } = await client.post('/api/api-keys', {
      name: 'Integration',
      permissions: ['contacts:read'],
    })
    const removed = await admin.delete(`/api/users/${id}`)
    expect({ status: removed.status, data: removed.data }).toEqual({
      status: 200,
      data: {
        message: 'Leaving Soon was removed.',
        contacts_unassigned: 2,
        transfers_returned: 0,
        api_keys_stopped: 1,
      },
    })
    for (const contact of contacts)
      expect((await admin.get(`/api/contacts/${contact['id']}`)).data).toMatchObject({
        assigned_to: null,
        assigned_user: null,
      })
    expect(world.rows('select id from conversations where assigned_to = ?', id)).toEqual([])
    expect((await client.get('/api/me')).body.code).toBe('membership_ended')
    expect(
      (await world.anyone.with({ 'x-api-key': key['key'] as string }).get('/api/me')).body.code,
    ).toBe('key_owner_inactive')
    expect((await admin.get(`/api/users/${id}`)).status).toBe(404)
    expect(auditOf(world, id).at(-1)).toMatchObject({ action: 'member_removed' })
    expect((await admin.get('/api/me/notifications')).data['items']).toContainEqual(
      expect.objectContaining({ kind: 'api_key_stopped' }),
    )
  })

  test('and adding the user again restores no API key', async () => {
    const { id, client } = await newcomer(world, { role: 'admin' })
    const { data: key } = await client.post('/api/api-keys', {
      name: 'Old',
      permissions: ['contacts:read'],
    })
    const program = world.anyone.with({ 'x-api-key': key['key'] as string })
    expect((await program.get('/api/me')).status).toBe(200)
    await admin.delete(`/api/users/${id}`)
    await admin.post('/api/organizations/members', {
      user_id: id,
      role_id: world.tenant.roleIds.admin,
    })
    expect((await program.get('/api/me')).body.code).toBe('key_owner_inactive')
    expect((await admin.get(`/api/api-keys/${key['id']}`)).data).toMatchObject({ usable: false })
    expect((await admin.post(`/api/api-keys/${key['id']}/take-over`)).status).toBe(200)
    expect((await program.get('/api/me')).status).toBe(200)
  })

  test('keeps the account, its content and its other memberships, the oldest of which becomes the default', async () => {
    const { id, email } = await newcomer(world)
    await (await world.as('admin', world.other)).post('/api/organizations/members', { user_id: id })
    await admin.delete(`/api/users/${id}`)
    const { data } = await (await world.signIn(email)).get('/api/me')
    expect(data).toMatchObject({
      organization_id: world.other.id,
      default_organization_id: world.other.id,
      is_member: true,
    })
    expect(world.rows('select home_organization_id as home from users where id = ?', id)).toEqual([
      { home: null },
    ])
  })

  test('rejects the caller itself', async () => {
    const answer = await admin.delete(`/api/users/${world.tenant.userIds.admin}`)
    expect({ status: answer.status, code: answer.body.code }).toEqual({
      status: 400,
      code: 'own_record',
    })
  })

  test('closes the sockets within two seconds, as do suspending and disabling', async () => {
    const boss = (await world.as('super')).with({ 'x-organization-id': world.tenant.id })
    const ends: ((id: string) => Promise<unknown>)[] = [
      (id) => admin.delete(`/api/users/${id}`),
      (id) => admin.put(`/api/users/${id}`, { is_active: false }),
    ]
    for (const end of ends) {
      const { id, client } = await newcomer(world)
      const socket = await socketOf(client)
      await socket.caughtUp()
      await end(id)
      world.program.realtime.sockets.sweep()
      await socket.until('the close', () => socket.closed !== null)
      expect(socket.closed?.code).toBe(4403)
    }
    const { id, client } = await newcomer(world)
    const socket = await socketOf(client)
    await socket.caughtUp()
    await boss.put(`/api/users/${id}`, { account_disabled: true })
    world.program.realtime.sockets.sweep()
    await socket.until('the close', () => socket.closed !== null)
    expect([4401, 4403]).toContain(socket.closed?.code ?? 0)
  })
})

describe('leaving an organization', () => {
  test("ends the caller's membership", async () => {
    const { id, email, client } = await newcomer(world)
    await (await world.as('admin', world.other)).post('/api/organizations/members', { user_id: id })
    const left = await client.delete(`/api/me/organizations/${world.tenant.id}`)
    expect({ status: left.status, keys: Object.keys(left.data) }).toEqual({
      status: 200,
      keys: ['message'],
    })
    expect((await client.get('/api/me')).body.code).toBe('membership_ended')
    const there = await world.signIn(email)
    expect((await there.get('/api/me/organizations')).data).toEqual({
      organizations: [
        {
          organization_id: world.other.id,
          name: 'Bolt',
          slug: expect.stringMatching(/^bolt-/),
          role_id: world.other.roleIds.agent,
          role_name: 'agent',
          is_default: true,
        },
      ],
    })
    expect((await there.delete(`/api/me/organizations/${world.tenant.id}`)).status).toBe(404)
    expect((await there.delete('/api/me/organizations/x')).status).toBe(400)
  })

  test('is rejected for a suspended member, who could otherwise lift the suspension by joining again', async () => {
    const { id, email } = await newcomer(world)
    await (await world.as('admin', world.other)).post('/api/organizations/members', { user_id: id })
    await admin.put(`/api/users/${id}`, { is_active: false })
    const there = await world.signIn(email)
    expect((await there.delete(`/api/me/organizations/${world.tenant.id}`)).status).toBe(404)
    expect((await admin.get(`/api/users/${id}`)).data).toMatchObject({ is_active: false })
  })

  test('is rejected for API keys', async () => {
    const { data: key } = await admin.post('/api/api-keys', {
      name: 'Leaver',
      permissions: ['contacts:read'],
    })
    const program = world.anyone.with({ 'x-api-key': key['key'] as string })
    expect((await program.delete(`/api/me/organizations/${world.tenant.id}`)).body.code).toBe(
      'session_required',
    )
    expect((await program.get('/api/me/organizations')).body.code).toBe('session_required')
  })
})

describe('availability', () => {
  test('opens a break when going away and closes it when coming back; repeating changes nothing', async () => {
    const { id, client } = await newcomer(world)
    const since = new Date(world.clock.nowMs()).toISOString()
    const away = {
      message: 'Away.',
      is_available: false,
      status: 'away',
      break_started_at: since,
      transfers_to_queue: 0,
    }
    expect((await client.put('/api/me/availability', { is_available: false })).data).toEqual(away)
    world.clock.advance({ minutes: 1 })
    expect((await client.put('/api/me/availability', { is_available: false })).data).toEqual(away)
    expect((await admin.get(`/api/users/${id}`)).data).toMatchObject({ is_available: false })
    expect((await client.put('/api/me/availability', { is_available: true })).data).toEqual({
      message: 'Available.',
      is_available: true,
      status: 'available',
      break_started_at: null,
      transfers_to_queue: 0,
    })
    expect(
      world.rows(
        'select ended_at_ms - started_at_ms as tookMs from member_breaks where user_id = ?',
        id,
      ),
    ).toEqual([{ tookMs: 60_000 }])
    expect(auditOf(world, id).filter(({ action }) => action === 'updated').length).toBe(2)
  })

  test('can be set for oneself, and for others with the permission', async () => {
    const agent = await world.as('agent')
    expect(
      (
        await agent.put(`/api/users/${world.tenant.userIds.agent}/availability`, {
          is_available: false,
        })
      ).status,
    ).toBe(200)
    expect(
      (
        await agent.put(`/api/users/${world.tenant.userIds.manager}/availability`, {
          is_available: false,
        })
      ).status,
    ).toBe(403)
    expect(
      (
        await admin.put(`/api/users/${world.tenant.userIds.agent}/availability`, {
          is_available: true,
        })
      ).data,
    ).toMatchObject({
      is_available: true,
    })
    expect(
      (
        await admin.put(`/api/users/${world.other.userIds.agent}/availability`, {
          is_available: true,
        })
      ).status,
    ).toBe(404)
    expect((await admin.put('/api/me/availability', {})).status).toBe(400)
  })
})

describe('an account without an organization', () => {
  test('is erased after 90 days; its email is free and its name is gone', async () => {
    using _stay = world.stays('accounts of people')
    const { id, email } = await newcomer(world, { fullName: 'Soon Forgotten' })
    const kept = await newcomer(world)
    await admin.delete(`/api/users/${id}`)
    world.clock.advance({ hours: 24 * 89 })
    await housekept()
    expect(
      (await world.anyone.post('/api/auth/login', { email, password: PASSWORD })).body.code,
    ).toBe('no_membership')
    world.clock.advance({ hours: 25 })
    await housekept()
    expect(
      (await world.anyone.post('/api/auth/login', { email, password: PASSWORD })).body.code,
    ).toBe('invalid_credentials')
    expect(
      world.rows(
        'select full_name, email <> ? as isFree, password_hash from users where id = ?',
        email,
        id,
      ),
    ).toEqual([{ full_name: 'Former user', isFree: 1, password_hash: '' }])
    admin = await world.as('admin')
    expect((await admin.post('/api/organizations/members', { user_id: id })).status).toBe(404)
    expect(
      (await admin.post('/api/users', { email, password: PASSWORD, full_name: 'Somebody Else' }))
        .status,
    ).toBe(201)
    expect((await admin.get(`/api/users/${kept.id}`)).data).toMatchObject({
      full_name: 'New Comer',
    })
  })

  test('is kept when it joined again, or when the installation never erases accounts', async () => {
    const { id, email } = await newcomer(world)
    await admin.delete(`/api/users/${id}`)
    const { token } = (await admin.post('/api/organizations/invitations', { email })).data
    const again = {
      ...{ email, password: PASSWORD, full_name: 'x', organization_id: world.tenant.id },
      invitation_token: token,
    }
    expect((await world.anyone.post('/api/auth/register', again)).status).toBe(201)
    world.clock.advance({ hours: 24 * 91 })
    await housekept()
    expect((await world.anyone.post('/api/auth/login', { email, password: PASSWORD })).status).toBe(
      200,
    )

    const forever = await World.create({
      isConnected: false,
      tenants: 1,
      env: { ORPHAN_ACCOUNT_DAYS: '0' },
    })
    try {
      const orphan = await newcomer(forever)
      await (await forever.as('admin')).delete(`/api/users/${orphan.id}`)
      forever.clock.advance({ hours: 24 * 400 })
      await forever.settle()
      expect(forever.rows('select full_name from users where id = ?', orphan.id)).toEqual([
        { full_name: 'New Comer' },
      ])
    } finally {
      await forever.stop()
    }
  })

  const housekept = (): Promise<void> => world.settle()
})

test('changes of members are published to those who may see them and to the person', async () => {
  world.clock.advance({ hours: 1 })
  admin = await world.as('admin')
  const { id, client } = await newcomer(world)
  const [person, manager, agent, foreign] = await Promise.all([
    socketOf(client),
    world.socket('manager'),
    world.socket('agent'),
    world.socket('manager', world.other),
  ])
  await Promise.all([person, manager, agent, foreign].map((socket) => socket.caughtUp()))
  const { data } = await admin.put(`/api/users/${id}`, {
    role_id: world.tenant.roleIds.manager,
    full_name: 'Told About',
  })
  await client.put('/api/me/availability', { is_available: false })
  await Promise.all([person, manager, agent, foreign].map((socket) => socket.caughtUp()))
  const member = {
    user_id: id,
    membership_id: data['membership_id'],
    full_name: 'Told About',
    role_id: world.tenant.roleIds.manager,
    role_name: 'manager',
    is_active: true,
  }
  const told = [
    { ...member, is_available: true, change: 'updated' },
    { ...member, is_available: false, change: 'availability' },
  ]
  expect(manager.events('member:updated').map(({ payload }) => payload)).toEqual(told)
  expect(person.events('member:updated').map(({ payload }) => payload)).toEqual(told)
  expect(agent.events('member:updated')).toEqual([])
  expect(foreign.events('member:updated')).toEqual([])
  const [rights] = person.events('permissions:updated')
  expect(rights?.payload).toMatchObject({
    role_name: 'manager',
    reason: 'role_changed',
    visibility: 'all',
    masked: false,
  })
  expect(rights?.payload['permissions']).toContain('users:read')
  expect(manager.events('permissions:updated')).toEqual([])
})

test('permission changes and notifications reach open sockets and replays', async () => {
  const { data: role } = await admin.post('/api/roles', {
    name: 'Told',
    permissions: ['messages:read'],
  })
  const { id, client } = await newcomer(world, { roleId: role['id'] as string })
  const socket = await socketOf(client)
  await socket.caughtUp()
  await admin.put(`/api/roles/${role['id']}`, { permissions: ['messages:read', 'contacts:read'] })
  await socket.caughtUp()
  expect(
    socket
      .events('permissions:updated')
      .map(({ payload }) => [payload['reason'], payload['permissions']]),
  ).toEqual([['role_edited', ['contacts:read', 'messages:read']]])
  const { seq } = (await socket.ask({ type: 'ping' })).payload
  const email = freshEmail()
  const elsewhere = await (
    await world.as('admin', world.other)
  ).post('/api/users', { email, password: PASSWORD, full_name: 'Else Where' })
  await admin.post('/api/organizations/members', { user_id: elsewhere.data['id'] })
  const person = await world.signIn(email)
  const { data: pair } = await person.post('/api/auth/switch-org', {
    organization_id: world.tenant.id,
  })
  const here = person.with({ authorization: `Bearer ${pair['access_token']}` })
  const late = await TestSocket.open(
    `${world.url.replace('http', 'ws')}/ws?token=${here.token}&since=${seq}`,
  )
  await late.until('the replay', () =>
    late.frames.some(({ type }) => type === 'resumed' || type === 'resync'),
  )
  await admin.put(`/api/users/${id}`, { is_active: false })
  const { data } = await here.get('/api/me/notifications')
  const [own] = data['items'] as Loose[]
  expect(late.events('notification:new').map(({ payload }) => payload)).toEqual([
    {
      id: own?.['id'],
      kind: 'membership_added',
      severity: 'info',
      title: own?.['title'],
      body: own?.['body'],
      text: {
        code: 'member_added',
        values: { by: 'Acme admin', organization: 'Acme', role: 'agent' },
      },
      link: null,
      created_at: own?.['created_at'],
    },
  ])
})

test('membership events carry the facts at the time of the change', async () => {
  const socket = await world.socket('manager')
  await socket.caughtUp()
  const { id } = await newcomer(world, { fullName: 'Here And Gone' })
  await admin.delete(`/api/users/${id}`)
  await socket.caughtUp()
  const told = socket.events('member:updated').filter(({ payload }) => payload['user_id'] === id)
  expect(
    told.map(({ payload }) => [
      payload['change'],
      payload['is_active'],
      payload['full_name'],
      payload['role_name'],
    ]),
  ).toEqual([
    ['added', true, 'Here And Gone', 'agent'],
    ['removed', false, 'Here And Gone', 'agent'],
  ])
})

test('a client that reconnects after a permission change must reload', async () => {
  const { id, client } = await newcomer(world)
  const before = await socketOf(client)
  const { seq } = (await before.ask({ type: 'ping' })).payload
  await before.close()
  await admin.put(`/api/users/${id}`, { role_id: world.tenant.roleIds.manager })
  const after = await TestSocket.open(
    `${world.url.replace('http', 'ws')}/ws?token=${client.token}&since=${seq}`,
  )
  await after.until('the answer', () => after.frames.length > 0)
  expect(after.frames.map(({ type, payload }) => [type, payload['reason']])).toEqual([
    ['resync', 'rights_changed'],
  ])
})

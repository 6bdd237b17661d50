import { expect, test } from 'bun:test'

import type { Client, Loose } from '../support/client'
import { keyOf, type KeyHolder } from '../support/keys'
import { personWith } from '../support/people'
import { PASSWORD, World } from '../support/world'

const NEXT = 'a quite different phrase'

/**
 * A member with an empty role, and the token of a link that an admin, or somebody else, made for
 * it.
 */
async function withLink(
  world: World,
  maker?: Client,
): Promise<{ userId: string; email: string; token: string }> {
  const admin = await world.as('admin')
  const { data: role } = await admin.post('/api/roles', { name: 'Nothing', permissions: [] })
  const email = 'victim@acme.example.com'
  const { data: user } = await admin.post('/api/users', {
    email,
    password: PASSWORD,
    full_name: 'Victim',
    role_id: role['id'],
  })
  const issued = await (maker ?? admin).post(`/api/users/${user['id']}/password-reset`)
  const token = /token=(.+)$/.exec(String(issued.data['reset_url']))?.[1] ?? ''
  return { userId: String(user['id']), email, token }
}

const use = (world: World, token: string) =>
  world.anyone.post('/api/auth/password/reset', { token, new_password: NEXT })

test('a reset link works while its creator could still create it', async () => {
  await using world = await World.create({ isConnected: false })
  const { token, email } = await withLink(world)
  expect((await use(world, token)).status).toBe(200)
  expect((await world.anyone.post('/api/auth/login', { email, password: NEXT })).status).toBe(200)
})

const CHANGES: [what: string, change: (world: World, userId: string) => Promise<unknown>][] = [
  [
    'the person became an admin',
    async (world, id) =>
      (await world.as('super'))
        .with({ 'x-organization-id': world.tenant.id })
        .put(`/api/users/${id}`, { role_id: world.tenant.roleIds.admin }),
  ],
  [
    'the person became a super admin',
    async (world, id) =>
      (await world.as('super'))
        .with({ 'x-organization-id': world.tenant.id })
        .put(`/api/users/${id}`, { is_super_admin: true }),
  ],
  [
    'the person switched into another organization',
    async (world, id) => {
      await (
        await world.as('admin', world.other)
      ).post('/api/organizations/members', { user_id: id })
      const signedIn = await world.anyone.post('/api/auth/login', {
        email: 'victim@acme.example.com',
        password: PASSWORD,
      })
      const person = world.anyone.with({ authorization: `Bearer ${signedIn.data['access_token']}` })
      return person.post('/api/auth/switch-org', { organization_id: world.other.id })
    },
  ],
  [
    'the person was removed',
    async (world, id) => (await world.as('admin')).delete(`/api/users/${id}`),
  ],
  [
    'its creator may no longer change people',
    async (world) =>
      (await world.as('super'))
        .with({ 'x-organization-id': world.tenant.id })
        .put(`/api/users/${world.tenant.userIds.manager}`, { role_id: world.tenant.roleIds.admin })
        .then(async () =>
          (await world.as('manager')).put(`/api/users/${world.tenant.userIds.admin}`, {
            role_id: world.tenant.roleIds.agent,
          }),
        ),
  ],
  [
    'its creator was disabled',
    async (world) =>
      world.rows('update users set is_disabled = 1 where id = ?', world.tenant.userIds.admin),
  ],
]

for (const [what, change] of CHANGES)
  test(`a reset link is invalid when ${what}`, async () => {
    await using world = await World.create({ isConnected: false })
    const { token, userId } = await withLink(world)
    await change(world, userId)
    const [row] = world.rows(
      'select (select count(*) from password_resets where used_at_ms is null) as links',
    )
    expect(row).toEqual({ links: 1 })
    expect(await use(world, token)).toMatchObject({ status: 400, body: { code: 'reset_invalid' } })
  })

/** What the key of these tests may do; its owner, an admin, may do more. */
const OF_KEY = ['users:update', 'contacts:read']

test('a reset link made with an API key works while the key could still create it', async () => {
  await using world = await World.create({ isConnected: false })
  const key = await keyOf(world, { permissions: OF_KEY })
  const { token, email } = await withLink(world, key.client)
  expect(
    await use(world, token.replace(key.id, '01900000-0000-7000-8000-ffffffffffff')),
  ).toMatchObject({ status: 400 })
  expect(await use(world, token.split('.')[0] ?? '')).toMatchObject({ status: 400 })
  expect((await use(world, token)).status).toBe(200)
  expect((await world.anyone.post('/api/auth/login', { email, password: NEXT })).status).toBe(200)
})

const CHANGES_OF_KEYS: [
  what: string,
  change: (world: World, key: KeyHolder, userId: string) => Promise<unknown>,
][] = [
  [
    'the key was revoked',
    async (world, { id }) => (await world.as('admin')).delete(`/api/api-keys/${id}`),
  ],
  [
    'the key was switched off',
    async (world, { id }) =>
      (await world.as('admin')).put(`/api/api-keys/${id}`, { is_active: false }),
  ],
  [
    'the key may do less',
    async (world, { id }) =>
      (await world.as('admin')).put(`/api/api-keys/${id}`, { permissions: ['contacts:read'] }),
  ],
  [
    'the key has expired',
    async (world, { id }) => {
      const expires_at = new Date(world.clock.nowMs() + 60_000).toISOString()
      const answer = await (await world.as('admin')).put(`/api/api-keys/${id}`, { expires_at })
      world.clock.advance({ minutes: 1 })
      return answer
    },
  ],
  [
    'the owner of the key was suspended',
    async (world) => {
      const boss = (await world.as('super')).with({ 'x-organization-id': world.tenant.id })
      await boss.put(`/api/users/${world.tenant.userIds.manager}`, {
        role_id: world.tenant.roleIds.admin,
      })
      return boss.put(`/api/users/${world.tenant.userIds.admin}`, { is_active: false })
    },
  ],
  [
    'the person may do what the owner of the key may, and the key may not',
    async (world, _key, id) => {
      const admin = await world.as('admin')
      const { data: role } = await admin.post('/api/roles', {
        name: 'Reader',
        permissions: ['messages:read'],
      })
      return admin.put(`/api/users/${id}`, { role_id: role['id'] })
    },
  ],
]

for (const [what, change] of CHANGES_OF_KEYS)
  test(`a reset link made with an API key is invalid when ${what}`, async () => {
    await using world = await World.create({ isConnected: false })
    const key = await keyOf(world, { permissions: OF_KEY })
    const { token, userId } = await withLink(world, key.client)
    expect(await change(world, key, userId)).toMatchObject({ status: 200 })
    expect(await use(world, token)).toMatchObject({ status: 400, body: { code: 'reset_invalid' } })
  })

test('a reset link made with the key of a super admin reaches no super admin', async () => {
  await using world = await World.create({ isConnected: false })
  const boss = (await world.as('super')).with({ 'x-organization-id': world.tenant.id })
  const key = await keyOf(world, {}, boss)
  const { token, userId } = await withLink(world, key.client)
  expect((await boss.put(`/api/users/${userId}`, { is_super_admin: true })).status).toBe(200)
  expect(await use(world, token)).toMatchObject({ status: 400, body: { code: 'reset_invalid' } })
})

test('an invitation gives no more permissions than its creator holds when it is used', async () => {
  await using world = await World.create({ isConnected: false })
  const inviter = await personWith(world, ['organizations:assign', 'messages:read'])
  const admin = await world.as('admin')
  const { data: role } = await admin.post('/api/roles', {
    name: 'Reader',
    permissions: ['messages:read'],
  })
  const invited = await inviter.client.post('/api/organizations/invitations', {
    role_id: role['id'],
  })
  expect(invited.status).toBe(201)
  const join = (email: string) =>
    world.anyone.post<Loose>('/api/auth/register', {
      email,
      password: PASSWORD,
      full_name: 'New',
      organization_id: world.tenant.id,
      invitation_token: invited.data['token'],
    })
  inviter.may('organizations:assign')
  expect(await join('one@example.com')).toMatchObject({
    status: 400,
    body: { code: 'invitation_invalid' },
  })
  inviter.may('organizations:assign', 'messages:read')
  expect((await join('two@example.com')).data['user']['role']).toMatchObject({ name: 'Reader' })
})

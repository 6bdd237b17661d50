import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { Client, type Answer, type Loose } from '../../../support/client'
import { joinToo, personWith, type OwnRole } from '../../../support/people'
import { switchOn } from '../../../support/second-factor'
import { TestSocket } from '../../../support/socket'
import { auditOf, pairOf, type Pair } from '../../../support/tokens'
import { PASSWORD, World } from '../../../support/world'

let world: World
let admin: Client
let person: OwnRole

beforeAll(async () => {
  world = await World.create({ isConnected: false })
})

afterAll(() => world.stop())

beforeEach(async () => {
  world.clock.advance({ minutes: 16 })
  admin = await world.as('admin')
  person = await personWith(world, ['messages:read'])
})

const bearer = (token: string): Client =>
  new Client(world.url, { authorization: `Bearer ${token}` })
const verdict = ({ status, body }: Answer<unknown>): [number, string | undefined] => [
  status,
  body.code,
]
const refresh = (token: string): Promise<Answer<Pair>> =>
  world.anyone.post<Pair>('/api/auth/refresh', { refresh_token: token })

const WRITES: [what: string, ask: (client: Client, id: string) => Promise<Answer<Loose>>][] = [
  ['a password link', (client, id) => client.post(`/api/users/${id}/password-reset`)],
  ['switching off the second factor', (client, id) => client.post(`/api/users/${id}/2fa/reset`)],
]

for (const [what, ask] of WRITES)
  describe(`${what} for another person`, () => {
    test('is allowed with more permissions, in the home organization', async () => {
      expect([200, 201]).toContain((await ask(admin, person.userId)).status)
    })

    test('is rejected for oneself', async () => {
      expect(verdict(await ask(admin, world.tenant.userIds.admin))).toEqual([400, 'own_record'])
    })

    test('is rejected with equal permissions', async () => {
      const peer = await personWith(world, ['users:update', 'users:read'])
      const other = await personWith(world, ['users:update', 'users:read'])
      expect(verdict(await ask(peer.client, other.userId))).toEqual([
        403,
        'account_managed_elsewhere',
      ])
      other.may('users:update')
      expect([200, 201]).toContain((await ask(peer.client, other.userId)).status)
    })

    test('is rejected with fewer permissions, even if others are held in addition', async () => {
      const peer = await personWith(world, ['users:update', 'users:read', 'users:create'])
      expect(verdict(await ask(peer.client, person.userId))).toEqual([403, 'escalation'])
      expect(verdict(await ask(peer.client, world.tenant.userIds.admin))).toEqual([
        403,
        'escalation',
      ])
    })

    test('is rejected for accounts of another home organization or with another membership', async () => {
      joinToo(world, person.userId, world.other)
      expect(verdict(await ask(admin, person.userId))).toEqual([403, 'account_managed_elsewhere'])
      expect(verdict(await ask(await world.as('admin', world.other), person.userId))).toEqual([
        403,
        'account_managed_elsewhere',
      ])
      expect([200, 201]).toContain((await ask(await world.as('super'), person.userId)).status)
    })

    test('stays with the home organization if others add the person', async () => {
      const theirs = await world.as('admin', world.other)
      expect(
        (await theirs.post('/api/organizations/members', { user_id: person.userId })).status,
      ).toBe(201)
      expect([200, 201]).toContain((await ask(admin, person.userId)).status)
      expect(verdict(await ask(theirs, person.userId))).toEqual([403, 'account_managed_elsewhere'])
    })

    test('leaves the home organization when the person switches there after being added', async () => {
      await (
        await world.as('admin', world.other)
      ).post('/api/organizations/members', { user_id: person.userId })
      expect(
        (await person.client.post('/api/auth/switch-org', { organization_id: world.other.id }))
          .status,
      ).toBe(200)
      expect(verdict(await ask(admin, person.userId))).toEqual([403, 'account_managed_elsewhere'])
    })

    test('leaves the home organization when the person accepts an invitation', async () => {
      const { data } = await (
        await world.as('admin', world.other)
      ).post('/api/organizations/invitations', { email: person.email })
      expect(
        (await person.client.post('/api/me/invitations/accept', { token: data['token'] })).status,
      ).toBe(201)
      expect(verdict(await ask(admin, person.userId))).toEqual([403, 'account_managed_elsewhere'])
    })

    test('leaves the home organization when the person registers in another one', async () => {
      const body = {
        email: person.email,
        password: PASSWORD,
        full_name: 'Own Role',
        organization_id: world.other.id,
      }
      expect((await world.anyone.post('/api/auth/register', body)).status).toBe(201)
      expect(verdict(await ask(admin, person.userId))).toEqual([403, 'account_managed_elsewhere'])
    })

    test('stays for thirty days after the person creates an organization and switches to it', async () => {
      await using own = await World.create({ isConnected: false, tenants: 1 })
      const founder = await personWith(own, ['messages:read'])
      const { data } = await founder.client.post('/api/organizations', { name: 'My Own' })
      await founder.client.post('/api/auth/switch-org', { organization_id: data['id'] })
      own.clock.advance({ hours: 30 * 24 - 1 })
      expect([200, 201]).toContain((await ask(await own.as('admin'), founder.userId)).status)
      own.clock.advance({ hours: 1 })
      expect(verdict(await ask(await own.as('admin'), founder.userId))).toEqual([
        403,
        'account_managed_elsewhere',
      ])
    })

    test('leaves the home organization at once if creating an organization required the permission', async () => {
      await using own = await World.create({
        isConnected: false,
        tenants: 1,
        env: { ORG_CREATION: 'permission' },
      })
      const founder = await personWith(own, ['organizations:create'])
      expect((await founder.client.post('/api/organizations', { name: 'My Own' })).status).toBe(201)
      expect(verdict(await ask(await own.as('admin'), founder.userId))).toEqual([
        403,
        'account_managed_elsewhere',
      ])
    })

    test('is rejected for super admins, unless by a super admin', async () => {
      world.rows('update users set is_super_admin = 1 where id = ?', person.userId)
      expect(verdict(await ask(admin, person.userId))).toEqual([403, 'escalation'])
      expect([200, 201]).toContain((await ask(await world.as('super'), person.userId)).status)
    })

    test('is 404 for users of another organization', async () => {
      expect((await ask(admin, world.other.userIds.agent)).status).toBe(404)
      expect((await ask(admin, 'x')).status).toBe(400)
    })
  })

describe('a reset by the home organization of a person who was added elsewhere', () => {
  /** What the audit log of the other organization says of the person, without who did it. */
  const recordedThere = (): Loose[] =>
    world.rows(
      `select action, actor_type, user_id, ip_address from audit_logs
       where organization_id = ? and resource_id = ? and action in ('password_reset', 'two_factor_disabled')`,
      world.other.id,
      person.userId,
    )
  const entry = (action: string) => [
    { action, actor_type: 'system', user_id: null, ip_address: null },
  ]

  beforeEach(async () => {
    await (
      await world.as('admin', world.other)
    ).post('/api/organizations/members', { user_id: person.userId })
  })

  test('with a link ends all sessions and is recorded in both organizations', async () => {
    const { data } = await admin.post(`/api/users/${person.userId}/password-reset`)
    const token = String(data['reset_url']).split('token=')[1]
    expect(
      (
        await world.anyone.post('/api/auth/password/reset', {
          token,
          new_password: 'a new password',
        })
      ).status,
    ).toBe(200)
    expect(verdict(await person.client.get('/api/me'))).toEqual([401, 'session_ended'])
    expect(auditOf(world, 'password_reset').at(-1)).toMatchObject({ resource_id: person.userId })
    expect(recordedThere()).toEqual(entry('password_reset'))
  })

  test('of two-factor authentication ends all sessions and is recorded in both organizations', async () => {
    await switchOn(world, person.client)
    await admin.post(`/api/users/${person.userId}/2fa/reset`)
    expect(verdict(await person.client.get('/api/me'))).toEqual([401, 'session_ended'])
    expect(recordedThere()).toEqual(entry('two_factor_disabled'))
  })
})

describe('resetting two-factor authentication of another person', () => {
  test('disables it, ends the sessions and notifies the person', async () => {
    await switchOn(world, person.client)
    expect((await admin.post(`/api/users/${person.userId}/2fa/reset`)).status).toBe(200)
    expect(verdict(await person.client.get('/api/me'))).toEqual([401, 'session_ended'])
    const again = await world.signIn(person.email)
    expect((await again.get('/api/me')).data['two_factor_enabled']).toBe(false)
    const told = (await again.get('/api/me/notifications')).data['items'] as Loose[]
    expect(told.map(({ kind }) => kind)).toEqual(['credentials_changed'])
    expect(auditOf(world, 'two_factor_disabled').at(-1)).toMatchObject({
      user_id: world.tenant.userIds.admin,
      resource_id: person.userId,
      changes: JSON.stringify([{ field: 'two_factor', old_value: '***', new_value: '***' }]),
    })
  })

  test('does nothing if it is not enabled', async () => {
    expect((await admin.post(`/api/users/${person.userId}/2fa/reset`)).status).toBe(200)
    expect((await person.client.get('/api/me')).status).toBe(200)
  })
})

describe("revoking a user's tokens of this organization", () => {
  const end = (client: Client = admin, id: string = person.userId): Promise<Answer<Loose>> =>
    client.delete(`/api/users/${id}/sessions`)

  test('ends access and refresh tokens of every session here, and closes sockets with 4401', async () => {
    const pairs = [await pairOf(world, person.email), await pairOf(world, person.email)]
    const socket = await TestSocket.open(
      `${world.url.replace('http', 'ws')}/ws?token=${pairs[0]?.access_token}`,
    )
    expect((await end()).status).toBe(200)
    for (const pair of pairs) {
      expect(verdict(await bearer(pair.access_token).get('/api/me'))).toEqual([
        401,
        'session_ended',
      ])
      expect(verdict(await refresh(pair.refresh_token))).toEqual([401, 'session_ended'])
    }
    world.program.realtime.sockets.sweep()
    await socket.until('it is closed', () => socket.closed !== null)
    expect(socket.closed?.code).toBe(4401)
    expect(auditOf(world, 'session_ended').at(-1)).toMatchObject({ resource_id: person.userId })
  })

  test('does not affect other organizations', async () => {
    joinToo(world, person.userId, world.other)
    const { data: there } = await person.client.post('/api/auth/switch-org', {
      organization_id: world.other.id,
    })
    await end()
    expect((await bearer(there['access_token'] as string).get('/api/me')).status).toBe(200)
    expect((await refresh(there['refresh_token'] as string)).status).toBe(200)
  })

  test('does not affect tokens issued afterwards, even in the same second', async () => {
    await end()
    const pair = await pairOf(world, person.email)
    expect((await bearer(pair.access_token).get('/api/me')).status).toBe(200)
    const { data } = await refresh(pair.refresh_token)
    expect((await bearer(data.access_token).get('/api/me')).status).toBe(200)
    const socket = await TestSocket.open(
      `${world.url.replace('http', 'ws')}/ws?ticket=${(await bearer(data.access_token).post('/api/auth/ws-ticket')).data['ticket']}`,
    )
    world.program.realtime.sockets.sweep()
    socket.socket.send(JSON.stringify({ type: 'ping' }))
    await socket.until('it lives', () => socket.frames.length > 0)
    await socket.close()
  })

  test('twice in one second also ends tokens issued in between', async () => {
    await end()
    const pair = await pairOf(world, person.email)
    await end()
    expect(verdict(await bearer(pair.access_token).get('/api/me'))).toEqual([401, 'session_ended'])
    expect(verdict(await refresh(pair.refresh_token))).toEqual([401, 'session_ended'])
    expect((await (await world.signIn(person.email)).get('/api/me')).status).toBe(200)
  })

  test('is allowed with equal permissions, but not with fewer, for super admins or across organizations', async () => {
    const peer = await personWith(world, ['users:update'])
    const other = await personWith(world, ['users:update'])
    expect((await end(peer.client, other.userId)).status).toBe(200)
    expect(verdict(await end(peer.client))).toEqual([403, 'escalation'])
    expect((await end(admin, world.other.userIds.agent)).status).toBe(404)
    world.rows('update users set is_super_admin = 1 where id = ?', person.userId)
    expect(verdict(await end())).toEqual([403, 'escalation'])
  })
})

test('a link created by an admin works without a mail server', async () => {
  const { data } = await admin.post(`/api/users/${person.userId}/password-reset`)
  const token = (data['reset_url'] as string).split('#token=')[1] ?? ''
  expect(
    (
      await world.anyone.post('/api/auth/password/reset', {
        token,
        new_password: 'a better battery',
      })
    ).status,
  ).toBe(200)
  const body = { email: person.email, password: 'a better battery' }
  expect((await world.anyone.post('/api/auth/login', body)).status).toBe(200)
  expect((await world.anyone.post('/api/auth/login', { ...body, password: PASSWORD })).status).toBe(
    401,
  )
})

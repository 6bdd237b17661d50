import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { Client, type Answer, type Loose } from '../../../support/client'
import { joinToo, personWith, type OwnRole } from '../../../support/people'
import { stayInAll } from '../../../support/staying'
import { auditOf, claimsOf, pairOf, type Pair } from '../../../support/tokens'
import { World, type Tenant } from '../../../support/world'

let world: World
let person: OwnRole
let pair: Pair

beforeAll(async () => {
  world = await World.create({ isConnected: false, tenants: 3 })
})

afterAll(() => world.stop())

beforeEach(async () => {
  person = await personWith(world, ['messages:read'])
  joinToo(world, person.userId, world.other, 'manager')
  pair = await pairOf(world, person.email)
})

const bearer = (token: string): Client =>
  new Client(world.url, { authorization: `Bearer ${token}` })
const switchTo = (token: string, organizationId: string): Promise<Answer<Loose>> =>
  bearer(token).post('/api/auth/switch-org', { organization_id: organizationId })
const refresh = (token: string): Promise<Answer<Pair>> =>
  world.anyone.post<Pair>('/api/auth/refresh', { refresh_token: token })
const verdict = ({ status, body }: Answer<unknown>): [number, string | undefined] => [
  status,
  body.code,
]

describe('switching to another organization', () => {
  stayInAll(() => world, 'sign-ins')
  test('returns the specified fields with the permissions held there', async () => {
    const { status, data } = await switchTo(pair.access_token, world.other.id)
    expect(status).toBe(200)
    const { permissions } = (await bearer(data['access_token'] as string).get('/api/me')).data as {
      permissions: string[]
    }
    expect(data).toEqual({
      user: {
        id: person.userId,
        email: person.email,
        full_name: 'Own Role',
        organization_id: world.other.id,
        role: {
          id: world.other.roleIds.manager,
          name: 'manager',
          permissions: permissions.map((pair_) => ({
            resource: pair_.split(':')[0],
            action: pair_.split(':')[1],
          })),
        },
      },
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      expires_in: 3_600,
    })
    expect(permissions).toContain('campaigns:execute')
    const claims = claimsOf(data['access_token'] as string)
    expect([claims.org, claims.sid, claims['role']]).toEqual([
      world.other.id,
      claimsOf(pair.access_token).sid,
      { id: world.other.roleIds.manager, name: 'manager' },
    ])
  })

  test('lasts over refreshes, and the tokens of the former organization stay valid', async () => {
    const { data: there } = await switchTo(pair.access_token, world.other.id)
    let [here, away] = [pair.refresh_token, there['refresh_token'] as string]
    for (let round = 0; round < 3; round += 1) {
      const [first, second] = await Promise.all([refresh(here), refresh(away)])
      expect([
        claimsOf(first.data.access_token).org,
        claimsOf(second.data.access_token).org,
      ]).toEqual([world.tenant.id, world.other.id])
      here = first.data.refresh_token
      away = second.data.refresh_token
    }
    expect((await bearer(pair.access_token).get('/api/organizations/current')).data['id']).toBe(
      world.tenant.id,
    )
  })

  test('is rejected without an active membership, and 404 for an unknown organization', async () => {
    const [third] = world.tenants.slice(2)
    expect(verdict(await switchTo(pair.access_token, third?.id ?? ''))).toEqual([
      403,
      'not_a_member',
    ])
    expect((await switchTo(pair.access_token, '01900000-0000-7000-8000-ffffffffffff')).status).toBe(
      404,
    )
    expect((await switchTo(pair.access_token, 'x')).status).toBe(400)
    world.rows(
      'update memberships set is_active = 0 where organization_id = ? and user_id = ?',
      world.other.id,
      person.userId,
    )
    expect(verdict(await switchTo(pair.access_token, world.other.id))).toEqual([
      403,
      'not_a_member',
    ])
  })

  test('ends with the membership there, not here', async () => {
    const { data: there } = await switchTo(pair.access_token, world.other.id)
    world.rows(
      'delete from memberships where organization_id = ? and user_id = ?',
      world.other.id,
      person.userId,
    )
    expect(verdict(await bearer(there['access_token'] as string).get('/api/me'))).toEqual([
      401,
      'membership_ended',
    ])
    expect(verdict(await refresh(there['refresh_token'] as string))).toEqual([
      401,
      'membership_ended',
    ])
    expect((await refresh(pair.refresh_token)).status).toBe(200)
  })

  test('takes a super admin anywhere as admin', async () => {
    const root = await world.as('super')
    const { data } = await root.post('/api/auth/switch-org', { organization_id: world.other.id })
    expect(data['user']).toMatchObject({
      organization_id: world.other.id,
      role: { id: world.other.roleIds.admin, name: 'admin' },
    })
  })

  test('is recorded in the audit log of the new organization', async () => {
    await switchTo(pair.access_token, world.other.id)
    expect(auditOf(world, 'switched_organization', world.other.id).at(-1)).toMatchObject({
      user_id: person.userId,
      resource_id: world.other.id,
    })
  })

  test('keeps ten chains per session: drops the least recent, never the newest or the own one', async () => {
    const tokens: string[] = []
    for (let round = 0; round < 12; round += 1) {
      world.clock.advance({ seconds: 1 })
      tokens.push(
        (await switchTo(pair.access_token, world.other.id)).data['refresh_token'] as string,
      )
    }
    expect(verdict(await refresh(tokens[0] as string))).toEqual([401, 'invalid_token'])
    expect((await refresh(tokens.at(-1) as string)).status).toBe(200)
    expect((await refresh(tokens[4] as string)).status).toBe(200)
    expect((await refresh(pair.refresh_token)).status).toBe(200)
    const live = world.rows(
      'select id from refresh_tokens where session_id = ? and used_at_ms is null',
      claimsOf(pair.access_token).sid,
    )
    expect(live).toHaveLength(10)
  })
})

describe('chains of refresh tokens', () => {
  stayInAll(() => world, 'sign-ins')
  const chainsOf = (): Loose[] =>
    world.rows(
      'select id from refresh_tokens where session_id = ? and used_at_ms is null',
      claimsOf(pair.access_token).sid,
    )

  test.each([11, 30])('survive %i switches back and forth with one access token', async (times) => {
    let last = { here: '', there: '' }
    for (let round = 0; round < times; round += 1) {
      world.clock.advance({ seconds: 1 })
      const isThere = round % 2 === 0
      const { data } = await switchTo(pair.access_token, isThere ? world.other.id : world.tenant.id)
      last = { ...last, [isThere ? 'there' : 'here']: data['refresh_token'] as string }
    }
    for (const token of [pair.refresh_token, last.here, last.there])
      expect((await refresh(token)).status).toBe(200)
    expect(chainsOf().length).toBeLessThanOrEqual(10)
  })

  test('keep the own chain after a refresh too', async () => {
    const next = (await refresh(pair.refresh_token)).data
    for (let round = 0; round < 12; round += 1) {
      world.clock.advance({ seconds: 1 })
      await switchTo(
        round % 2 === 0 ? pair.access_token : next.access_token,
        round % 3 === 0 ? world.tenant.id : world.other.id,
      )
    }
    expect((await refresh(next.refresh_token)).status).toBe(200)
  })

  test('of a third organization survive switching between two others', async () => {
    const [third] = world.tenants.slice(2)
    joinToo(world, person.userId, third as Tenant)
    const { data } = await switchTo(pair.access_token, third?.id ?? '')
    for (let round = 0; round < 12; round += 1) {
      world.clock.advance({ seconds: 1 })
      await switchTo(pair.access_token, round % 2 === 0 ? world.other.id : world.tenant.id)
    }
    expect((await refresh(data['refresh_token'] as string)).status).toBe(200)
  })

  test('of ten other organizations lose the least recently used one', async () => {
    const tokens: string[] = []
    const founder = await world.as('super')
    for (let nth = 0; nth < 10; nth += 1) {
      const id = String(
        (await founder.post('/api/organizations', { name: `Place ${nth}` })).data['id'],
      )
      const [role] = world.rows<{ id: string }>(
        "select id from roles where organization_id = ? and name = 'agent'",
        id,
      )
      const roleIds = { ...world.other.roleIds, agent: String(role?.id) }
      joinToo(world, person.userId, { ...world.other, id, roleIds })
      world.clock.advance({ seconds: 1 })
      tokens.push((await switchTo(pair.access_token, id)).data['refresh_token'] as string)
    }
    expect(verdict(await refresh(tokens[0] as string))).toEqual([401, 'invalid_token'])
    for (const token of [pair.refresh_token, ...tokens.slice(1)])
      expect((await refresh(token)).status).toBe(200)
  })
})

describe('signing out everywhere', () => {
  test('ends every session of the person and of nobody else', async () => {
    const other = await pairOf(world, person.email)
    const { status, data } = await bearer(pair.access_token).post('/api/auth/logout-all')
    expect([status, data['sessions_ended']]).toEqual([200, 3])
    for (const { access_token: token } of [pair, other])
      expect(verdict(await bearer(token).get('/api/me'))).toEqual([401, 'session_ended'])
    expect(verdict(await refresh(other.refresh_token))).toEqual([401, 'session_ended'])
    expect((await (await world.as('agent')).get('/api/me')).status).toBe(200)
    expect(auditOf(world, 'signed_out').at(-1)).toMatchObject({ user_id: person.userId })
  })

  test('can keep the current session', async () => {
    const other = await pairOf(world, person.email)
    const { data } = await bearer(pair.access_token).post('/api/auth/logout-all', {
      keep_current: true,
    })
    expect(data['sessions_ended']).toBe(2)
    expect((await bearer(pair.access_token).get('/api/me')).status).toBe(200)
    expect((await refresh(pair.refresh_token)).status).toBe(200)
    expect(verdict(await bearer(other.access_token).get('/api/me'))).toEqual([401, 'session_ended'])
  })

  test('closes the sockets with 4401', async () => {
    const socket = await world.socket('manager')
    const manager = await world.as('manager')
    await manager.post('/api/auth/logout-all')
    world.program.realtime.sockets.sweep()
    await socket.until('it is closed', () => socket.closed !== null)
    expect(socket.closed?.code).toBe(4401)
  })
})

describe('the audit log', () => {
  test('records sign-ins, failed sign-ins and sign-outs', async () => {
    await world.anyone.post('/api/auth/login', {
      email: person.email,
      password: 'not the password',
    })
    await world.anyone.post('/api/auth/logout', { refresh_token: pair.refresh_token })
    for (const action of ['signed_in', 'sign_in_failed', 'signed_out'])
      expect(auditOf(world, action).at(-1)).toMatchObject({
        user_id: person.userId,
        resource_type: 'user',
        ip_address: '127.0.0.1',
      })
    await world.anyone.post('/api/auth/logout', { refresh_token: pair.refresh_token })
    expect(
      auditOf(world, 'signed_out').filter(({ user_id: id }) => id === person.userId),
    ).toHaveLength(1)
  })

  test('records a reused token, and its person is notified', async () => {
    await refresh(pair.refresh_token)
    world.clock.advance({ seconds: 11 })
    expect(verdict(await refresh(pair.refresh_token))).toEqual([401, 'token_reused'])
    expect(auditOf(world, 'token_reused').at(-1)).toMatchObject({
      user_id: person.userId,
      resource_id: claimsOf(pair.access_token).sid,
    })
    const told = await (await world.signIn(person.email)).get('/api/me/notifications')
    expect((told.data['items'] as Loose[]).map(({ kind, severity }) => [kind, severity])).toEqual([
      ['token_reused', 'critical'],
    ])
  })

  test('records nothing for an unknown email', async () => {
    const before = world.rows('select count(*) as n from audit_logs')
    await world.anyone.post('/api/auth/login', {
      email: 'nobody@example.com',
      password: 'whatever it is',
    })
    expect(world.rows('select count(*) as n from audit_logs')).toEqual(before)
  })
})

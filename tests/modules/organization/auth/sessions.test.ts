import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { Client, type Answer, type Loose } from '../../../support/client'
import { personWith } from '../../../support/people'
import { stayInAll } from '../../../support/staying'
import { claimsOf, pairOf, type Pair } from '../../../support/tokens'
import { World } from '../../../support/world'
import { changeRows } from '../../../support/sql'

let world: World
let pair: Pair

beforeAll(async () => {
  world = await World.create({ isConnected: false })
})

afterAll(() => world.stop())

beforeEach(async () => {
  pair = await pairOf(world)
})

const bearer = (token: string): Client =>
  new Client(world.url, { authorization: `Bearer ${token}` })
const ask = (token: string): Promise<Answer<Loose>> => bearer(token).get('/api/me')
const refresh = (token: string): Promise<Answer<Pair>> =>
  world.anyone.post<Pair>('/api/auth/refresh', { refresh_token: token })
const verdict = ({ status, body }: Answer): [number, string | undefined] => [status, body.code]

describe('refreshing', () => {
  stayInAll(() => world, 'sign-ins')
  test('returns a new pair in the same session and organization', async () => {
    world.clock.advance({ minutes: 5 })
    const { status, data } = await refresh(pair.refresh_token)
    expect(status).toBe(200)
    expect(Object.keys(data).toSorted()).toEqual(['access_token', 'expires_in', 'refresh_token'])
    expect(data.expires_in).toBe(3_600)
    const [before, after] = [claimsOf(pair.refresh_token), claimsOf(data.refresh_token)]
    expect([after.sub, after.org, after.sid]).toEqual([before.sub, before.org, before.sid])
    expect([after.jti === before.jti, after.exp - before.exp]).toEqual([false, 300])
    expect((await ask(data.access_token)).status).toBe(200)
    expect((await refresh(data.refresh_token)).status).toBe(200)
  })

  test('with the same token within ten seconds returns the same successor again', async () => {
    const first = await refresh(pair.refresh_token)
    world.clock.advance({ seconds: 10 })
    const again = await refresh(pair.refresh_token)
    expect(again.status).toBe(200)
    expect(again.data.refresh_token).toBe(first.data.refresh_token)
    expect((await ask(again.data.access_token)).status).toBe(200)
    expect((await refresh(again.data.refresh_token)).status).toBe(200)
  })

  test('with a used token after ten seconds is theft and ends the session', async () => {
    const { data } = await refresh(pair.refresh_token)
    world.clock.advance({ seconds: 10, ms: 1 })
    expect(verdict(await refresh(pair.refresh_token))).toEqual([401, 'token_reused'])
    expect(verdict(await refresh(data.refresh_token))).toEqual([401, 'session_ended'])
    expect(verdict(await ask(data.access_token))).toEqual([401, 'session_ended'])
    expect(verdict(await ask(pair.access_token))).toEqual([401, 'session_ended'])
  })

  test('with a used token whose successor was used is theft at once', async () => {
    const { data } = await refresh(pair.refresh_token)
    const { data: next } = await refresh(data.refresh_token)
    expect(verdict(await refresh(pair.refresh_token))).toEqual([401, 'token_reused'])
    expect(verdict(await ask(next.access_token))).toEqual([401, 'session_ended'])
  })

  test('with a stolen token ends one session, not the others of the person', async () => {
    const other = await pairOf(world)
    await refresh(pair.refresh_token)
    world.clock.advance({ seconds: 11 })
    await refresh(pair.refresh_token)
    expect((await ask(other.access_token)).status).toBe(200)
    expect((await refresh(other.refresh_token)).status).toBe(200)
  })

  test('in two tabs at once keeps both alive', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(pair.refresh_token)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(new Set(answers.map(({ data }) => data.refresh_token)).size).toBe(1)
    for (const { data } of answers) expect((await ask(data.access_token)).status).toBe(200)
    expect((await refresh(answers[0]?.data.refresh_token ?? '')).status).toBe(200)
  })

  test('returns the current permissions', async () => {
    const person = await personWith(world, ['contacts:read'])
    const mine = await pairOf(world, person.email)
    expect(claimsOf(mine.access_token)['permissions']).toEqual(['contacts:read'])
    person.may('jobs:read')
    const { data } = await refresh(mine.refresh_token)
    expect(claimsOf(data.access_token)['permissions']).toEqual(['jobs:read'])
  })

  test('is rejected seven days after the last rotation', async () => {
    world.clock.advance({ hours: 7 * 24 - 1 })
    const { data } = await refresh(pair.refresh_token)
    world.clock.advance({ hours: 7 * 24 - 1 })
    expect((await refresh(data.refresh_token)).status).toBe(200)
    const late = await pairOf(world)
    world.clock.advance({ hours: 7 * 24 })
    expect(verdict(await refresh(late.refresh_token))).toEqual([401, 'token_expired'])
  })

  test('never makes a session last longer than thirty days', async () => {
    let token = pair.refresh_token
    for (let day = 6; day <= 24; day += 6) {
      world.clock.advance({ hours: 6 * 24 })
      token = (await refresh(token)).data.refresh_token
    }
    const started = claimsOf(pair.refresh_token).iat
    world.clock.advance({ hours: 5 * 24 })
    const last = (await refresh(token)).data
    expect(claimsOf(last.refresh_token).exp - started).toBe(30 * 24 * 3_600)
    world.clock.advance({ hours: 24, minutes: -1 })
    expect((await refresh(last.refresh_token)).status).toBe(200)
    world.clock.advance({ minutes: 1 })
    expect((await refresh(last.refresh_token)).status).toBe(401)
  })

  test('gives no access token that outlives its session', async () => {
    const { sid } = claimsOf(pair.access_token)
    changeRows(world.program.http.db.sqlite, 'update sessions set expires_at_ms = ? where id = ?', [
      world.clock.nowMs() + 1_000,
      sid,
    ])
    expect((await ask(pair.access_token)).status).toBe(200)
    world.clock.advance({ seconds: 1 })
    expect(verdict(await ask(pair.access_token))).toEqual([401, 'session_ended'])
    expect(verdict(await refresh(pair.refresh_token))).toEqual([401, 'session_ended'])
  })
})

describe('signing out', () => {
  stayInAll(() => world, 'sign-ins')
  const logout = (client: Client, body?: unknown): Promise<Answer<Loose>> =>
    client.post('/api/auth/logout', body)

  test('with the refresh token ends the session at once', async () => {
    expect((await logout(world.anyone, { refresh_token: pair.refresh_token })).status).toBe(200)
    expect(verdict(await ask(pair.access_token))).toEqual([401, 'session_ended'])
    expect(verdict(await refresh(pair.refresh_token))).toEqual([401, 'session_ended'])
  })

  test('with the Bearer token alone ends it too, with no body or an empty one', async () => {
    for (const body of [undefined, '', {}]) {
      const mine = await pairOf(world)
      expect((await logout(bearer(mine.access_token), body)).status).toBe(200)
      expect(verdict(await refresh(mine.refresh_token))).toEqual([401, 'session_ended'])
    }
  })

  test("does not affect the person's other sessions", async () => {
    const other = await pairOf(world)
    await logout(bearer(pair.access_token))
    expect((await ask(other.access_token)).status).toBe(200)
  })

  test.each([
    ['null', null],
    ['empty', ''],
    ['longer than any token', 'x'.repeat(5_000)],
    ['far longer than any token', 'x'.repeat(15_000)],
  ])('treats a refresh token that is %s as missing', async (_what, token) => {
    expect((await logout(world.anyone, { refresh_token: token })).status).toBe(200)
    expect((await logout(bearer(pair.access_token), { refresh_token: token })).status).toBe(200)
    expect(verdict(await refresh(pair.refresh_token))).toEqual([401, 'session_ended'])
  })

  test('never fails: without a token, and with garbage, an expired, a used or an access token', async () => {
    const expired = await pairOf(world)
    world.clock.advance({ hours: 7 * 24 })
    pair = await pairOf(world)
    const { data } = await refresh(pair.refresh_token)
    for (const token of ['garbage', expired.refresh_token, pair.refresh_token, data.access_token])
      expect((await logout(world.anyone, { refresh_token: token })).status).toBe(200)
    expect((await logout(world.anyone)).status).toBe(200)
    expect((await logout(bearer('garbage'))).status).toBe(200)
    await logout(world.anyone, { refresh_token: pair.refresh_token })
    expect((await logout(world.anyone, { refresh_token: pair.refresh_token })).status).toBe(200)
  })
})

describe('permissions are read on each request', () => {
  const run = (statement: string, ...values: string[]): unknown =>
    changeRows(world.program.http.db.sqlite, statement, values)

  test('a suspended membership ends access and refreshing until it is active again', async () => {
    const userId = world.tenant.userIds.agent
    run('update memberships set is_active = 0 where user_id = ?', userId)
    expect(verdict(await ask(pair.access_token))).toEqual([401, 'membership_ended'])
    expect(verdict(await refresh(pair.refresh_token))).toEqual([401, 'membership_ended'])
    run('update memberships set is_active = 1 where user_id = ?', userId)
    expect((await ask(pair.access_token)).status).toBe(200)
    expect((await refresh(pair.refresh_token)).status).toBe(200)
  })

  test('a disabled account is rejected at once', async () => {
    const userId = world.tenant.userIds.agent
    run('update users set is_disabled = 1 where id = ?', userId)
    expect(verdict(await ask(pair.access_token))).toEqual([401, 'account_disabled'])
    expect(verdict(await refresh(pair.refresh_token))).toEqual([401, 'account_disabled'])
    run('update users set is_disabled = 0 where id = ?', userId)
    expect((await ask(pair.access_token)).status).toBe(200)
  })

  test('a changed role applies from the next request', async () => {
    const person = await personWith(world, [])
    expect((await person.client.get('/api/jobs')).status).toBe(403)
    person.may('jobs:read')
    expect((await person.client.get('/api/jobs')).status).toBe(200)
    person.may()
    expect((await person.client.get('/api/jobs')).status).toBe(403)
  })

  test('the super admin flag is read from the database, not from the token', async () => {
    const admin = await pairOf(world, 'super@example.com')
    run("update users set is_super_admin = 0 where email = 'super@example.com'")
    expect(verdict(await ask(admin.access_token))).toEqual([401, 'membership_ended'])
    run("update users set is_super_admin = 1 where email = 'super@example.com'")
    expect((await ask(admin.access_token)).status).toBe(200)
  })
})

describe('X-Organization-ID', () => {
  const me = async (client: Client, organizationId: string): Promise<Answer<Loose>> =>
    client.with({ 'x-organization-id': organizationId }).get('/api/me')

  test('lets a super admin act in any organization with its admin role', async () => {
    const superAdmin = await world.as('super')
    for (const tenant of [world.tenant, world.other]) {
      const { data } = await me(superAdmin, tenant.id)
      expect({ organization: data['organization_id'], role: data['role_id'] }).toEqual({
        organization: tenant.id,
        role: tenant.roleIds.admin,
      })
    }
  })

  test('of other callers must match the organization of the token', async () => {
    const admin = await world.as('admin')
    expect((await me(admin, world.tenant.id)).status).toBe(200)
    expect(verdict(await me(admin, world.other.id))).toEqual([403, 'organization_mismatch'])
    expect(verdict(await me(admin, '01900000-0000-7000-8000-ffffffffffff'))).toEqual([
      403,
      'organization_mismatch',
    ])
  })

  test('that is malformed is 400 with its path, and unknown is 404', async () => {
    for (const person of ['admin', 'super'] as const) {
      const answer = await me(await world.as(person), 'not-an-id')
      expect({ person, status: answer.status, path: answer.body.errors?.[0]?.path }).toEqual({
        person,
        status: 400,
        path: 'headers.x-organization-id',
      })
    }
    expect((await me(await world.as('super'), '01900000-0000-7000-8000-ffffffffffff')).status).toBe(
      404,
    )
  })

  test('is ignored by public routes', async () => {
    const admin = await world.as('admin')
    expect((await admin.with({ 'x-organization-id': world.other.id }).get('/health')).status).toBe(
      200,
    )
    expect(
      (
        await admin
          .with({ 'x-organization-id': 'not-an-id' })
          .post('/api/auth/refresh', { refresh_token: pair.refresh_token })
      ).status,
    ).toBe(200)
  })
})

describe('GET /api/me', () => {
  const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown

  test('returns the user, the organization, the role and the permissions', async () => {
    const { data } = await ask(pair.access_token)
    const { permissions, ...rest } = data
    expect(rest).toEqual({
      id: world.tenant.userIds.agent,
      email: 'agent@acme.example.com',
      full_name: 'Acme agent',
      role_id: world.tenant.roleIds.agent,
      role: {
        id: world.tenant.roleIds.agent,
        name: 'agent',
        description: expect.any(String),
        is_system: true,
      },
      events: { log: expect.any(String), seq: expect.any(Number) },
      is_active: true,
      is_available: true,
      is_member: false,
      is_confirmed: true,
      is_super_admin: false,
      membership_id: expect.any(String),
      organization_id: world.tenant.id,
      organization: {
        id: world.tenant.id,
        name: 'Acme',
        slug: expect.stringMatching(/^acme-[a-z0-9]{8}$/),
        settings: {
          mask_phone_numbers: false,
          timezone: 'UTC',
          date_format: 'YYYY-MM-DD',
          registration_policy: 'open',
          default_country: null,
          message_activity_sharing: false,
          creative_opt_out: false,
          template_max_price: false,
          push_shows_content: false,
          spend: null,
          new_conversations: 'nobody',
          language: null,
        },
        updated_at: TIME,
      },
      default_organization_id: world.tenant.id,
      two_factor_enabled: false,
      must_change_password: false,
      settings: {
        email_notifications: true,
        new_message_alerts: true,
        ui: {},
        campaign_updates: true,
        language: null,
      },
      last_login_at: TIME,
      created_at: TIME,
      updated_at: TIME,
      auth: { type: 'session', id: claimsOf(pair.access_token).sid },
    })
    expect(permissions).toContain('messages:create')
    expect(permissions).not.toContain('contacts:read_all')
    expect(permissions).toEqual([...(permissions as string[])].toSorted())
  })

  test('returns all permissions to a super admin without a membership', async () => {
    const { data } = await (await world.as('super')).get('/api/me')
    expect(data).toMatchObject({
      is_super_admin: true,
      membership_id: null,
      is_active: false,
      role: { name: 'admin' },
    })
    expect(data['permissions']).toEqual(
      (await (await world.as('admin')).get('/api/me')).data['permissions'],
    )
  })

  test('returns the organization of the token as the current one', async () => {
    const { data } = await (await world.as('agent', world.other)).get('/api/organizations/current')
    expect(data).toEqual({
      id: world.other.id,
      name: 'Bolt',
      slug: expect.stringMatching(/^bolt-[a-z0-9]{8}$/),
      created_at: TIME,
    })
  })
})

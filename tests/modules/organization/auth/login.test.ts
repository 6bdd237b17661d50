import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { createApp } from '../../../../src/app'
import { createProgram } from '../../../../src/container'
import type { Answer, Loose } from '../../../support/client'
import { claimsOf } from '../../../support/tokens'
import { PASSWORD, World } from '../../../support/world'
import { changeRows } from '../../../support/sql'

const login = (
  world: World,
  email: string,
  password: string,
  headers: Record<string, string> = {},
): Promise<Answer<Loose>> => world.anyone.with(headers).post('/api/auth/login', { email, password })

const verdict = ({ status, body }: Answer): [number, string | undefined] => [status, body.code]

describe('signing in', () => {
  let world: World
  let email: string

  beforeAll(async () => {
    world = await World.create({ isConnected: false })
    email = world.emailOf('agent', world.tenant)
  })

  afterAll(() => world.stop())

  test('returns the user and a pair of tokens', async () => {
    const { status, data } = await login(world, email, PASSWORD)
    expect(status).toBe(200)
    expect(data).toEqual({
      user: {
        id: world.tenant.userIds.agent,
        email,
        name: 'Acme agent',
        full_name: 'Acme agent',
        organization_id: world.tenant.id,
        is_super_admin: false,
      },
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      expires_in: 3_600,
    })
  })

  test('accepts the email in any case and with surrounding spaces', async () => {
    for (const written of [
      email.toUpperCase(),
      `  ${email}\t`,
      ` ${email.replace('agent', 'Agent')} `,
    ])
      expect({ written, status: (await login(world, written, PASSWORD)).status }).toEqual({
        written,
        status: 200,
      })
  })

  test('uses the password as it is: case, spaces and composed letters', async () => {
    for (const wrong of [
      PASSWORD.toUpperCase(),
      ` ${PASSWORD}`,
      `${PASSWORD} `,
      PASSWORD.slice(0, -1),
    ])
      expect({ wrong, verdict: verdict(await login(world, email, wrong)) }).toEqual({
        wrong,
        verdict: [401, 'invalid_credentials'],
      })
    await login(world, email, PASSWORD)
  })

  test('answers an unknown email and a wrong password alike', async () => {
    const known = await login(world, email, 'wrong password')
    const unknown = await login(world, 'nobody@example.com', 'wrong password')
    const noAddress = await login(world, 'no address at all', 'wrong password')
    expect(verdict(known)).toEqual([401, 'invalid_credentials'])
    expect(unknown.body).toEqual(known.body)
    expect(noAddress.body).toEqual(known.body)
    await login(world, email, PASSWORD)
  })

  test('never repeats a password in a response or in the log', async () => {
    const secret = 'a-very-secret-password'
    const wrong = await login(world, email, secret)
    const malformed = await world.anyone.post('/api/auth/login', {
      email: secret.repeat(30),
      password: secret.repeat(100),
    })
    expect([wrong.status, malformed.status]).toEqual([401, 400])
    expect(JSON.stringify([wrong.body, malformed.body])).not.toContain(secret)
    expect(world.logLines.join('')).not.toContain(secret)
    expect(world.logLines.join('')).not.toContain(PASSWORD)
    expect(JSON.stringify(world.rows('select * from users'))).not.toContain(PASSWORD)
    await login(world, email, PASSWORD)
  })

  test('starts a super admin without memberships in the oldest organization', async () => {
    const { data } = await login(world, 'super@example.com', PASSWORD)
    expect(data['user']).toMatchObject({ organization_id: world.tenant.id, is_super_admin: true })
    expect(claimsOf(data['access_token'] as string)['role']).toEqual({
      id: world.tenant.roleIds.admin,
      name: 'admin',
    })
  })

  test('starts in the default membership, otherwise in the oldest active one', async () => {
    using _stay = world.stays('accounts of people')
    const { sqlite } = world.program.http.db
    const userId = world.tenant.userIds.manager
    const person = world.emailOf('manager', world.tenant)
    const organizationAtLogin = async (): Promise<string> =>
      ((await login(world, person, PASSWORD)).data['user'] as Loose)['organization_id'] as string
    changeRows(
      sqlite,
      'insert into memberships (organization_id, id, user_id, role_id, created_at_ms, updated_at_ms) values (?, ?, ?, ?, 9e12, 9e12)',
      [world.other.id, world.program.http.ids.next(), userId, world.other.roleIds.agent],
    )
    expect(await organizationAtLogin()).toBe(world.tenant.id)
    changeRows(sqlite, 'update memberships set is_default = 0 where user_id = ?', [userId])
    expect(await organizationAtLogin()).toBe(world.tenant.id)
    changeRows(
      sqlite,
      'update memberships set is_default = 1 where user_id = ? and organization_id = ?',
      [userId, world.other.id],
    )
    expect(await organizationAtLogin()).toBe(world.other.id)
    changeRows(
      sqlite,
      'update memberships set is_active = 0 where user_id = ? and organization_id = ?',
      [userId, world.other.id],
    )
    expect(await organizationAtLogin()).toBe(world.tenant.id)
  })

  test('reveals the state of an account only after the right password', async () => {
    using _stay = world.stays('accounts of people')
    const { sqlite } = world.program.http.db
    const [suspended, disabled] = [world.other.userIds.agent, world.other.userIds.manager]
    changeRows(sqlite, 'delete from memberships where user_id = ?', [suspended])
    changeRows(sqlite, 'update users set is_disabled = 1 where id = ?', [disabled])
    const [agent, manager] = [
      world.emailOf('agent', world.other),
      world.emailOf('manager', world.other),
    ]
    expect(verdict(await login(world, agent, PASSWORD))).toEqual([401, 'no_membership'])
    expect(verdict(await login(world, manager, PASSWORD))).toEqual([401, 'account_disabled'])
    expect(verdict(await login(world, agent, 'wrong password'))).toEqual([
      401,
      'invalid_credentials',
    ])
    expect(verdict(await login(world, manager, 'wrong password'))).toEqual([
      401,
      'invalid_credentials',
    ])
  })

  test('answers account_disabled if every membership is suspended', async () => {
    const userId = world.other.userIds.admin
    changeRows(
      world.program.http.db.sqlite,
      'update memberships set is_active = 0 where user_id = ?',
      [userId],
    )
    expect(verdict(await login(world, world.emailOf('admin', world.other), PASSWORD))).toEqual([
      401,
      'account_disabled',
    ])
  })

  test('renews a hash that has other cost parameters', async () => {
    const { sqlite } = world.program.http.db
    const old = await Bun.password.hash(PASSWORD, {
      algorithm: 'argon2id',
      memoryCost: 4_096,
      timeCost: 1,
    })
    changeRows(sqlite, 'update users set password_hash = ? where email = ?', [old, email])
    expect((await login(world, email, PASSWORD)).status).toBe(200)
    const [row] = world.rows<{ password_hash: string }>(
      'select password_hash from users where email = ?',
      email,
    )
    expect(row?.password_hash).toContain('$m=1024,t=2,p=1$')
    expect((await login(world, email, PASSWORD)).status).toBe(200)
  })
})

const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address })

describe('failed sign-ins', () => {
  test('block the account after ten, for the right password too, for 15 minutes', async () => {
    await using world = await World.create({ isConnected: false, tenants: 1 })
    world.stays('sign-ins')
    const email = world.emailOf('agent', world.tenant)
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      expect({ attempt, status: (await login(world, email, 'wrong password')).status }).toEqual({
        attempt,
        status: 401,
      })
      world.clock.advance({ seconds: 10 })
    }
    const closed = await login(world, ` ${email.toUpperCase()}`, PASSWORD)
    expect(verdict(closed)).toEqual([429, 'too_many_failures'])
    expect(closed.headers.get('retry-after')).toBe(String(15 * 60 - 100))
    expect((await login(world, world.emailOf('manager', world.tenant), PASSWORD)).status).toBe(200)
    world.clock.advance({ minutes: 15, seconds: -101 })
    expect((await login(world, email, PASSWORD)).status).toBe(429)
    world.clock.advance({ seconds: 1 })
    expect((await login(world, email, PASSWORD)).status).toBe(200)
  })

  test('from one address do not block the account for other addresses', async () => {
    await using world = await World.create({
      isConnected: false,
      tenants: 1,
      env: { TRUSTED_PROXIES: '127.0.0.1' },
    })
    world.stays('sign-ins')
    const email = world.emailOf('agent', world.tenant)
    for (let attempt = 1; attempt <= 11; attempt += 1)
      await login(world, email, 'wrong password', from('203.0.113.66'))
    expect((await login(world, email, PASSWORD, from('203.0.113.66'))).status).toBe(429)
    expect((await login(world, email, PASSWORD, from('198.51.100.1'))).status).toBe(200)
  })

  /** Lets a hundred addresses fail to sign in to an account. */
  async function besiege(world: World, email: string): Promise<void> {
    for (let nth = 0; nth < 100; nth += 1)
      expect((await login(world, email, 'wrong password', from(`203.0.113.${nth}`))).status).toBe(
        401,
      )
    expect(verdict(await login(world, email, PASSWORD, from('198.51.100.99')))).toEqual([
      429,
      'too_many_failures',
    ])
  }

  test('from a hundred addresses block the account, except where it signed in within thirty days', async () => {
    await using world = await World.create({
      isConnected: false,
      tenants: 1,
      env: { TRUSTED_PROXIES: '127.0.0.1' },
    })
    world.stays('sign-ins')
    const email = world.emailOf('agent', world.tenant)
    expect((await login(world, email, PASSWORD, from('198.51.100.1'))).status).toBe(200)
    expect((await login(world, email, PASSWORD, from('2001:db8:1:2::1'))).status).toBe(200)
    world.clock.advance({ hours: 30 * 24 - 1 })
    await world.settle()
    await besiege(world, email)
    for (let attempt = 1; attempt <= 9; attempt += 1)
      expect((await login(world, email, 'wrong password', from('198.51.100.1'))).status).toBe(401)
    // of the same network
    const known = await login(world, email, PASSWORD, from('2001:db8:1:2::2'))
    expect(known.status).toBe(200)
    // a good sign-in forgave the account
    expect((await login(world, email, PASSWORD, from('198.51.100.99'))).status).toBe(200)
    const rows = world.rows('select * from throttle_known_addresses')
    expect(rows).toHaveLength(3)
    expect(JSON.stringify(rows)).not.toMatch(/agent|example|198\.51|2001/)
  })

  test('block the account everywhere once its last sign-in is thirty days old', async () => {
    await using world = await World.create({
      isConnected: false,
      tenants: 1,
      env: { TRUSTED_PROXIES: '127.0.0.1' },
    })
    world.stays('sign-ins')
    const email = world.emailOf('agent', world.tenant)
    expect((await login(world, email, PASSWORD, from('198.51.100.1'))).status).toBe(200)
    world.clock.advance({ hours: 30 * 24, minutes: 1 })
    await besiege(world, email)
    expect((await login(world, email, PASSWORD, from('198.51.100.1'))).status).toBe(429)
    await world.settle()
    expect(
      world.rows(
        'select * from throttle_known_addresses where at_ms <= ?',
        world.clock.nowMs() - 30 * 86_400_000,
      ),
    ).toEqual([])
  })

  test('at an address the account has used are counted there, for the right password too', async () => {
    await using world = await World.create({
      isConnected: false,
      tenants: 1,
      env: { TRUSTED_PROXIES: '127.0.0.1' },
    })
    world.stays('sign-ins')
    const email = world.emailOf('agent', world.tenant)
    expect((await login(world, email, PASSWORD, from('198.51.100.1'))).status).toBe(200)
    for (let attempt = 1; attempt <= 10; attempt += 1)
      expect((await login(world, email, 'wrong password', from('198.51.100.1'))).status).toBe(401)
    expect(verdict(await login(world, email, PASSWORD, from('198.51.100.1')))).toEqual([
      429,
      'too_many_failures',
    ])
  })

  test('for an unknown email block it alike', async () => {
    await using world = await World.create({ isConnected: false, tenants: 1 })
    world.stays('sign-ins')
    for (let attempt = 1; attempt <= 10; attempt += 1)
      expect((await login(world, 'nobody@example.com', 'x')).status).toBe(401)
    expect((await login(world, 'nobody@example.com', 'x')).status).toBe(429)
  })

  test('are cleared by a successful sign-in', async () => {
    await using world = await World.create({ isConnected: false, tenants: 1 })
    world.stays('sign-ins')
    const email = world.emailOf('agent', world.tenant)
    for (let round = 0; round < 2; round += 1) {
      for (let attempt = 1; attempt <= 9; attempt += 1)
        expect((await login(world, email, 'wrong password')).status).toBe(401)
      expect((await login(world, email, PASSWORD)).status).toBe(200)
    }
  })

  for (const [what, addressOf, other] of [
    ['an address', () => '203.0.113.7', '203.0.113.8'],
    ['a network of IPv6', (nth: number) => `2001:db8:1:2::${nth}`, '2001:db8:1:3::1'],
  ] as const)
    test(`block ${what} after thirty, whatever the accounts, and nothing else`, async () => {
      await using world = await World.create({
        isConnected: false,
        tenants: 1,
        env: { TRUSTED_PROXIES: '127.0.0.1' },
      })
      world.stays('sign-ins')
      const fromNth = (nth: number) => ({ 'x-forwarded-for': addressOf(nth) })
      for (let attempt = 1; attempt <= 30; attempt += 1) {
        const { status } = await login(
          world,
          `nobody-${attempt}@example.com`,
          'x',
          fromNth(attempt),
        )
        expect({ attempt, status }).toEqual({ attempt, status: 401 })
      }
      const email = world.emailOf('agent', world.tenant)
      const closed = await login(world, email, PASSWORD, fromNth(31))
      expect(verdict(closed)).toEqual([429, 'too_many_failures'])
      expect(Number(closed.headers.get('retry-after'))).toBe(15 * 60)
      expect((await login(world, email, PASSWORD, { 'x-forwarded-for': other })).status).toBe(200)
    })

  test('do not include successful sign-ins', async () => {
    await using world = await World.create({ isConnected: false, tenants: 1 })
    const email = world.emailOf('agent', world.tenant)
    for (let attempt = 1; attempt <= 35; attempt += 1)
      expect((await login(world, email, PASSWORD)).status).toBe(200)
  })

  test('are still counted after a restart', async () => {
    await using world = await World.create({ isConnected: false, tenants: 1 })
    world.stays('sign-ins')
    const email = world.emailOf('agent', world.tenant)
    for (let attempt = 1; attempt <= 10; attempt += 1) await login(world, email, 'wrong password')
    const again = createApp(
      createProgram(world.config, world.secrets, world.program.http, null),
    ).app
    const answer = await again.handle(
      new Request('http://localhost/api/auth/login', {
        method: 'POST',
        headers: { host: 'localhost', 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: PASSWORD }),
      }),
    )
    expect(answer.status).toBe(429)
  })

  test('are stored without naming anybody', async () => {
    await using world = await World.create({ isConnected: false, tenants: 1 })
    await login(world, 'somebody@example.com', 'wrong password')
    const rows = world.rows('select * from throttle_failures')
    expect(rows).toHaveLength(3)
    expect(JSON.stringify(rows)).not.toMatch(/somebody|example|127\.0/)
  })
})

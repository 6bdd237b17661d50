import { describe, expect, test } from 'bun:test'

import { createRateLimiter } from '../../src/http/rate-limit'
import { DAY_MS } from '../../src/lib/clock'
import { MovableClock } from '../support/clock'
import type { Client } from '../support/client'
import { keyOf } from '../support/keys'
import { personWith } from '../support/people'
import { changeRows } from '../support/sql'
import { World } from '../support/world'

/** The first moment of a minute, so that windows begin where the test begins. */
const MINUTE = Date.UTC(2026, 10, 21, 9, 30, 0)

describe('a sliding window', () => {
  const limiterAt = (perMinute: number, maxKeys?: number) => {
    const clock = new MovableClock(MINUTE)
    return {
      clock,
      limiter: createRateLimiter({
        perMinute,
        clock,
        ...(maxKeys === undefined ? {} : { maxKeys }),
      }),
    }
  }

  test('allows the limit and reports the remaining requests', () => {
    const { limiter } = limiterAt(3)
    const answers = Array.from({ length: 5 }, () => limiter.hit('a'))
    expect(answers.map((answer) => [answer?.isAllowed, answer?.remaining])).toEqual([
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
      [false, 0],
    ])
    expect(answers[0]).toMatchObject({ limit: 3, resetAtS: MINUTE / 1_000 + 60, retryAfterS: 0 })
    expect(answers[4]).toMatchObject({ resetAtS: MINUTE / 1_000 + 60, retryAfterS: 60 })
  })

  test('allows no more than the limit in any 60 seconds', () => {
    const { limiter, clock } = limiterAt(5)
    const passed: number[] = []
    const burst = (requests: number): void => {
      for (let hit = 0; hit < requests; hit += 1)
        if (limiter.hit('a')?.isAllowed === true) passed.push(clock.nowMs())
    }
    clock.advance({ seconds: 59 })
    burst(5)
    clock.advance({ seconds: 59, ms: 999 })
    burst(5)
    for (const pauseMs of [
      1, 1, 249, 1_000, 17, 9_000, 31_337, 4_999, 28_000, 250, 11, 59_000, 999, 1,
    ]) {
      clock.advance({ ms: pauseMs })
      burst(3)
    }
    expect(passed.length).toBeGreaterThan(10)
    for (const beginMs of passed)
      expect(
        passed.filter((atMs) => atMs >= beginMs && atMs < beginMs + 60_000).length,
      ).toBeLessThanOrEqual(5)
  })

  test('reports the time of the next slot in Reset and Retry-After', () => {
    const { limiter, clock } = limiterAt(3)
    clock.advance({ seconds: 10, ms: 400 })
    limiter.hit('a')
    clock.advance({ seconds: 20 })
    expect([limiter.hit('a'), limiter.hit('a')].map((answer) => answer?.resetAtS)).toEqual([
      MINUTE / 1_000 + 71,
      MINUTE / 1_000 + 71,
    ])
    clock.advance({ seconds: 30 })
    const refused = limiter.hit('a')
    expect(refused).toMatchObject({
      isAllowed: false,
      resetAtS: MINUTE / 1_000 + 71,
      retryAfterS: 11,
    })
    clock.advance({ seconds: 10, ms: 99 })
    expect(limiter.hit('a')?.isAllowed).toBe(false)
    clock.advance({ ms: 501 })
    expect(clock.nowMs()).toBe(MINUTE + 71_000)
    expect(limiter.hit('a')?.isAllowed).toBe(true)
  })

  test('locks nobody out after the clock is set back', () => {
    let nowMs = MINUTE
    const limiter = createRateLimiter({
      perMinute: 1,
      clock: { nowMs: () => nowMs, after: () => () => undefined },
    })
    limiter.hit('a')
    nowMs -= 3_600_000
    expect(limiter.hit('a')?.isAllowed).toBe(true)
  })

  test('does not count a look-up', () => {
    const { limiter } = limiterAt(1)
    expect([
      limiter.peek('a')?.remaining,
      limiter.peek('a')?.remaining,
      limiter.hit('a')?.isAllowed,
    ]).toEqual([1, 1, true])
    expect(limiter.peek('a')).toMatchObject({ isAllowed: false, remaining: 0 })
  })

  test('is empty again after two minutes', () => {
    const { limiter, clock } = limiterAt(2)
    limiter.hit('a')
    limiter.hit('a')
    clock.advance({ minutes: 2 })
    expect(limiter.hit('a')).toMatchObject({ isAllowed: true, remaining: 1 })
  })

  test('does not count rejected requests', () => {
    const { limiter, clock } = limiterAt(1)
    limiter.hit('a')
    for (let hit = 0; hit < 100; hit += 1) limiter.hit('a')
    clock.advance({ minutes: 2 })
    expect(limiter.hit('a')?.isAllowed).toBe(true)
  })

  test('allows a client that waits for Retry-After', () => {
    for (const [perMinute, startS] of [
      [1, 0],
      [3, 20],
      [10, 45],
      [100, 59],
    ] as const) {
      const { limiter, clock } = limiterAt(perMinute)
      clock.advance({ seconds: startS })
      for (let hit = 0; hit < perMinute; hit += 1) limiter.hit('a')
      for (let round = 0; round < 5; round += 1) {
        const refused = limiter.hit('a')
        if (refused?.isAllowed !== false) break
        expect(refused.retryAfterS).toBeGreaterThan(0)
        clock.advance({ seconds: refused.retryAfterS })
        expect({ perMinute, startS, round, isAllowed: limiter.hit('a')?.isAllowed }).toEqual({
          perMinute,
          startS,
          round,
          isAllowed: true,
        })
      }
    }
  })

  test('counts callers separately', () => {
    const { limiter } = limiterAt(1)
    expect([
      limiter.hit('a')?.isAllowed,
      limiter.hit('b')?.isAllowed,
      limiter.hit('a')?.isAllowed,
    ]).toEqual([true, true, false])
  })

  test('remembers a limited number of callers and drops the least recent', () => {
    const { limiter } = limiterAt(1, 100)
    for (let caller = 0; caller < 100; caller += 1) limiter.hit(`caller-${caller}`)
    limiter.hit('caller-0')
    limiter.hit('one too many')
    expect(limiter.hit('caller-0')?.isAllowed).toBe(false)
    expect(limiter.hit('caller-1')?.isAllowed).toBe(true)
  })

  test('is disabled by 0', () => {
    const { limiter } = limiterAt(0)
    expect(limiter.hit('a')).toBeNull()
  })
})

describe('media downloads', () => {
  test('have a limit of their own, 20 times that of requests', async () => {
    await using world = await World.create({
      isConnected: false,
      tenants: 1,
      env: { RATE_STANDARD: '5' },
    })
    const admin = await world.as('admin')
    const file = '/api/media/01900000-0000-7000-8000-ffffffffffff'
    const left = async (path: string): Promise<unknown[]> => {
      const { status, headers } = await admin.get(path)
      return [status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]
    }
    for (let nth = 1; nth <= 100; nth += 1)
      expect(await left(file)).toEqual([404, '100', String(100 - nth)])
    expect(await left(file)).toEqual([429, '100', '0'])
    expect(await left(`${file}/info`)).toEqual([404, '5', '4'])
    expect(await left('/api/me')).toEqual([200, '5', '3'])
    expect((await admin.delete(file)).headers.get('x-ratelimit-remaining')).toBe('2')
    const signed = await world.anyone.get('/api/media/signed/nonsense')
    expect([signed.status, signed.headers.get('x-ratelimit-limit')]).toEqual([401, '100'])
  })
})

describe('a request over the limit', () => {
  test('is 429 with Retry-After and has no effect, even if it is invalid too', async () => {
    await using world = await World.create({
      isConnected: false,
      tenants: 1,
      env: { RATE_STANDARD: '5' },
    })
    const admin = await world.as('admin')
    const statuses = [
      (await admin.get('/api/me')).status,
      (await admin.get('/api/contacts?limit=0')).status,
      (await admin.get('/api/no/such/route')).status,
      (await admin.post('/api/accounts', '{"')).status,
      (await admin.get('/api/me')).status,
    ]
    expect(statuses).toEqual([200, 400, 404, 400, 200])
    const refused = await admin.post('/api/accounts', {
      name: 'x',
      phone_id: '1',
      business_id: '2',
      access_token: 't',
      verify: false,
    })
    expect(refused.status).toBe(429)
    expect(refused.body as unknown).toEqual({
      status: 'error',
      data: null,
      message: expect.any(String),
      code: 'rate_limited',
    })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect([
      refused.headers.get('x-ratelimit-limit'),
      refused.headers.get('x-ratelimit-remaining'),
    ]).toEqual(['5', '0'])
    expect(world.rows('select id from accounts')).toEqual([])
    world.clock.advance({ minutes: 2 })
    expect((await admin.get('/api/me')).status).toBe(200)
  })

  test('cannot pass twice in a burst at the turn of a minute, and Reset equals Retry-After', async () => {
    await using world = await World.create({
      isConnected: false,
      tenants: 1,
      env: { RATE_STANDARD: '5' },
    })
    const admin = await world.as('admin')
    const burst = () => Promise.all(Array.from({ length: 5 }, () => admin.get('/api/me')))
    world.clock.advance({ ms: 60_000 - (world.clock.nowMs() % 60_000) + 59_000 })
    expect((await burst()).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    world.clock.advance({ seconds: 59 })
    const again = await burst()
    expect(again.map(({ status }) => status)).toEqual([429, 429, 429, 429, 429])
    const { headers } = again[0] ?? { headers: new Headers() }
    expect(Number(headers.get('x-ratelimit-reset'))).toBe(
      world.clock.nowMs() / 1_000 + Number(headers.get('retry-after')),
    )
    world.clock.advance({ seconds: Number(headers.get('retry-after')) })
    expect((await burst()).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  })

  test("is allowed as a preflight, which reports the remaining requests; the platform's requests report none", async () => {
    const origin = 'https://app.example.com'
    await using world = await World.create({
      isConnected: false,
      tenants: 1,
      env: { RATE_STANDARD: '3', CORS_ORIGINS: origin },
    })
    const asks = (path: string) =>
      fetch(`${world.url}${path}`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'PUT' },
      })
    for (let request = 0; request < 5; request += 1) {
      const { status, headers } = await asks('/api/me')
      expect([
        status,
        headers.get('x-ratelimit-limit'),
        headers.get('x-ratelimit-remaining'),
      ]).toEqual([204, '3', '3'])
      expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThan(0)
    }
    expect((await asks('/api/webhook')).headers.get('x-ratelimit-limit')).toBeNull()
  })

  test('is counted per person, or per address without credentials', async () => {
    await using world = await World.create({
      isConnected: false,
      tenants: 1,
      env: { RATE_STANDARD: '6', TRUSTED_PROXIES: '127.0.0.1' },
    })
    const [admin, agent] = [await world.as('admin'), await world.as('agent')]
    for (let request = 0; request < 6; request += 1)
      expect((await admin.get('/api/me')).status).toBe(200)
    expect((await admin.get('/api/me')).status).toBe(429)
    expect((await agent.get('/api/me')).status).toBe(200)
    const again = await secondSignIn(world)
    expect((await again.get('/api/me')).status).toBe(429)
    const from = (address: string): Client =>
      world.anyone.with({ 'x-forwarded-for': address, authorization: 'Bearer garbage' })
    for (let request = 0; request < 6; request += 1)
      expect((await from('203.0.113.1').get('/api/me')).status).toBe(401)
    expect((await from('203.0.113.1').get('/api/me')).status).toBe(429)
    expect((await from('203.0.113.2').get('/api/me')).status).toBe(401)
    for (let request = 0; request < 6; request += 1)
      expect((await from(`2001:db8:1:2::${request}`).get('/api/me')).status).toBe(401)
    // its network is counted
    expect((await from('2001:db8:1:2:ffff::').get('/api/me')).status).toBe(429)
    expect((await from('2001:db8:1:3::').get('/api/me')).status).toBe(401)
  })

  test('of the API keys of an organization is counted together at five times the rate, and per key', async () => {
    await using world = await World.create({ isConnected: false, env: { RATE_STANDARD: '6' } })
    const admin = await world.as('admin')
    const keys = [
      await keyOf(world),
      await keyOf(world),
      await keyOf(world),
      await keyOf(world),
      await keyOf(world),
      await keyOf(world),
    ]
    const foreign = await keyOf(world, {}, undefined, world.other)
    const ask = async (client: Client) => {
      const { status, headers } = await client.get('/api/me')
      return [status, ...['limit', 'remaining'].map((name) => headers.get(`x-ratelimit-${name}`))]
    }
    const [first, , , , , last] = keys.map(({ client }) => client) as Client[]
    expect(await ask(first as Client)).toEqual([200, '6', '5'])
    for (let request = 0; request < 5; request += 1) await ask(first as Client)
    expect(await ask(first as Client)).toEqual([429, '6', '0'])
    for (const { client } of keys.slice(1, 5))
      for (let request = 0; request < 6; request += 1) expect((await ask(client))[0]).toBe(200)
    expect(await ask(last as Client)).toEqual([429, '30', '0'])
    const refused = await (last as Client).get('/api/me')
    expect(refused.body.code).toBe('rate_limited')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await ask(foreign.client))[0]).toBe(200)
    world.clock.advance({ minutes: 2 })
    expect((await admin.get('/api/me')).status).toBe(200)
    // what was refused counted for none of them
    expect(await ask(last as Client)).toEqual([200, '6', '5'])
  })

  test('of bulk operations of all API keys is counted at five times the rate too', async () => {
    await using world = await World.create({
      isConnected: false,
      tenants: 1,
      env: { RATE_BULK: '1' },
    })
    const holders = await Promise.all(Array.from({ length: 6 }, () => keyOf(world)))
    const statuses: number[] = []
    for (const { client } of holders)
      statuses.push((await client.post('/api/templates/sync', {})).status)
    expect(statuses.map((status) => status === 429)).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
    ])
    expect((await (await world.as('admin')).post('/api/templates/sync', {})).status).not.toBe(429)
  })

  test('never concerns the platform or the operator', async () => {
    await using world = await World.create({
      isConnected: false,
      tenants: 1,
      env: { RATE_STANDARD: '1' },
    })
    const paths = ['/health', '/ready', '/openapi.json', '/docs']
    for (let request = 0; request < 5; request += 1)
      for (const path of paths) expect((await world.anyone.get(path)).status).toBe(200)
    for (let request = 0; request < 5; request += 1)
      expect((await world.anyone.post('/api/webhook', {})).status).toBe(401)
  })

  test('never occurs with the limit 0, which omits the headers too', async () => {
    await using world = await World.create({
      isConnected: false,
      tenants: 1,
      env: { RATE_STANDARD: '0' },
    })
    const admin = await world.as('admin')
    const { status, headers } = await admin.get('/api/me')
    expect([status, headers.get('x-ratelimit-limit')]).toEqual([200, null])
  })
})

describe('everybody in an organization together', () => {
  const burst = async (clients: Client[], requests: number): Promise<number> => {
    let served = 0
    for (const client of clients)
      for (let nth = 0; nth < requests; nth += 1)
        served += (await client.get('/api/me')).status === 200 ? 1 : 0
    return served
  }

  test('has 20 times the rate, and a tenth of it more for each member older than a day', async () => {
    await using world = await World.create({ env: { RATE_STANDARD: '10' } })
    world.stays('the memory of a process')
    const program = await keyOf(world, { permissions: ['tags:read'] })
    const people: Client[] = []
    for (let nth = 0; nth < 25; nth += 1) {
      people.push((await personWith(world, ['tags:read'])).client)
      world.clock.advance({ seconds: 10 })
    }
    world.clock.advance({ minutes: 2 })
    expect(await burst(people, 10)).toBe(200)
    const refused = await people[24]?.get('/api/me')
    expect([refused?.status, refused?.headers.get('x-ratelimit-limit')]).toEqual([429, '200'])
    expect(refused?.body.code).toBe('rate_limited')
    expect(refused?.body.message).toContain('your organization together')
    // Programs share it. Other organizations, those without credentials and super admins do not.
    expect((await program.client.get('/api/me')).status).toBe(429)
    expect((await (await world.as('admin', world.other)).get('/api/me')).status).toBe(200)
    expect((await world.anyone.get('/api/auth/branding')).status).toBe(200)
    const operator = (await world.as('super')).with({ 'x-organization-id': world.tenant.id })
    expect((await operator.get('/api/tags')).status).toBe(200)

    // Only members who are active and older than a day add to it.
    changeRows(
      world.program.http.db.sqlite,
      `update memberships set created_at_ms = created_at_ms - ${DAY_MS}`,
    )
    const suspended = world.tenant.userIds.agent
    changeRows(
      world.program.http.db.sqlite,
      'update memberships set is_active = 0 where user_id = ?',
      [suspended],
    )
    const [old] = world.rows<{ n: number }>(
      'select count(*) as n from memberships where organization_id = ? and is_active',
      world.tenant.id,
    )
    world.clock.advance({ minutes: 2 })
    expect(await burst(people, 10)).toBe(200 + (old?.n ?? 0))
  })
})

/** A second sign-in of the admin, whose requests count for the same person. */
const secondSignIn = (world: World): Promise<Client> =>
  world.signIn(world.emailOf('admin', world.tenant))

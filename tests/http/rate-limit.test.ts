import { describe, expect, test } from 'bun:test'

import { createRateLimiter } from '../../src/http/rate-limit'
import { MovableClock } from '../support/clock'
import type { Client } from '../support/client'
import { World } from '../support/world'

/** The first moment of a minute, so that windows begin where the test begins. */
const MINUTE = Date.UTC(2026, 10, 21, 9, 30, 0)

describe('a sliding window', () => {
  const limiterAt = (perMinute: number, maxKeys?: number) => {
    const clock = new MovableClock(MINUTE)
    return { clock, limiter: createRateLimiter({ perMinute, clock, ...(maxKeys === undefined ? {} : { maxKeys }) }) }
  }

  test('lets so many through and tells what is left', () => {
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
    expect(answers[4]?.retryAfterS).toBe(60 + 20)
  })

  test('forgets no burst at the turn of the minute', () => {
    const { limiter, clock } = limiterAt(10)
    clock.advance({ seconds: 59 })
    for (let hit = 0; hit < 10; hit += 1) expect(limiter.hit('a')?.isAllowed).toBe(true)
    clock.advance({ seconds: 2 })
    expect(limiter.hit('a')?.isAllowed).toBe(false)
    clock.advance({ seconds: 6 })
    expect(limiter.hit('a')?.isAllowed).toBe(true)
    expect(limiter.hit('a')?.isAllowed).toBe(false)
  })

  test('is empty again after two minutes', () => {
    const { limiter, clock } = limiterAt(2)
    limiter.hit('a')
    limiter.hit('a')
    clock.advance({ minutes: 2 })
    expect(limiter.hit('a')).toMatchObject({ isAllowed: true, remaining: 1 })
  })

  test('does not count what it refused', () => {
    const { limiter, clock } = limiterAt(1)
    limiter.hit('a')
    for (let hit = 0; hit < 100; hit += 1) limiter.hit('a')
    clock.advance({ minutes: 2 })
    expect(limiter.hit('a')?.isAllowed).toBe(true)
  })

  test('whoever waits as long as it says is let through', () => {
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
        expect({ perMinute, startS, round, isAllowed: limiter.hit('a')?.isAllowed }).toEqual({ perMinute, startS, round, isAllowed: true })
      }
    }
  })

  test('counts callers apart', () => {
    const { limiter } = limiterAt(1)
    expect([limiter.hit('a')?.isAllowed, limiter.hit('b')?.isAllowed, limiter.hit('a')?.isAllowed]).toEqual([true, true, false])
  })

  test('remembers a bounded number of callers and forgets the one unseen for longest', () => {
    const { limiter } = limiterAt(1, 100)
    for (let caller = 0; caller < 100; caller += 1) limiter.hit(`caller-${caller}`)
    limiter.hit('caller-0')
    limiter.hit('one too many')
    expect(limiter.hit('caller-0')?.isAllowed).toBe(false)
    expect(limiter.hit('caller-1')?.isAllowed).toBe(true)
  })

  test('with 0 is switched off', () => {
    const { limiter } = limiterAt(0)
    expect(limiter.hit('a')).toBeNull()
  })
})

describe('over the limit', () => {
  test('the answer is 429 with Retry-After and nothing is done, for what is wrong as well', async () => {
    await using world = await World.create({ isConnected: false, tenants: 1, env: { RATE_STANDARD: '5' } })
    const admin = await world.as('admin')
    const statuses = [
      (await admin.get('/api/me')).status,
      (await admin.get('/api/contacts?limit=0')).status,
      (await admin.get('/api/no/such/route')).status,
      (await admin.post('/api/accounts', '{"')).status,
      (await admin.get('/api/me')).status,
    ]
    expect(statuses).toEqual([200, 400, 404, 400, 200])
    const refused = await admin.post('/api/accounts', { name: 'x', phone_id: '1', business_id: '2', access_token: 't', verify: false })
    expect(refused.status).toBe(429)
    expect(refused.body as unknown).toEqual({ status: 'error', data: null, message: expect.any(String), code: 'rate_limited' })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect([refused.headers.get('x-ratelimit-limit'), refused.headers.get('x-ratelimit-remaining')]).toEqual(['5', '0'])
    expect(world.rows('select id from accounts')).toEqual([])
    world.clock.advance({ minutes: 2 })
    expect((await admin.get('/api/me')).status).toBe(200)
  })

  test('each person is counted alone, and strangers by their address', async () => {
    await using world = await World.create({ isConnected: false, tenants: 1, env: { RATE_STANDARD: '6', TRUSTED_PROXIES: '127.0.0.1' } })
    const [admin, agent] = [await world.as('admin'), await world.as('agent')]
    for (let request = 0; request < 6; request += 1) expect((await admin.get('/api/me')).status).toBe(200)
    expect((await admin.get('/api/me')).status).toBe(429)
    expect((await agent.get('/api/me')).status).toBe(200)
    const again = await secondSignIn(world)
    expect((await again.get('/api/me')).status).toBe(429)
    const from = (address: string): Client => world.anyone.with({ 'x-forwarded-for': address, authorization: 'Bearer garbage' })
    for (let request = 0; request < 6; request += 1) expect((await from('203.0.113.1').get('/api/me')).status).toBe(401)
    expect((await from('203.0.113.1').get('/api/me')).status).toBe(429)
    expect((await from('203.0.113.2').get('/api/me')).status).toBe(401)
  })

  test('the platform and the operator are never throttled', async () => {
    await using world = await World.create({ isConnected: false, tenants: 1, env: { RATE_STANDARD: '1' } })
    const paths = ['/health', '/ready', '/openapi.json', '/docs']
    for (let request = 0; request < 5; request += 1) for (const path of paths) expect((await world.anyone.get(path)).status).toBe(200)
    for (let request = 0; request < 5; request += 1) expect((await world.anyone.post('/api/webhook', {})).status).toBe(401)
  })

  test('0 switches the limit and its headers off', async () => {
    await using world = await World.create({ isConnected: false, tenants: 1, env: { RATE_STANDARD: '0' } })
    const admin = await world.as('admin')
    const { status, headers } = await admin.get('/api/me')
    expect([status, headers.get('x-ratelimit-limit')]).toEqual([200, null])
  })
})

/** A second sign-in of the admin, whose requests count for the same person. */
const secondSignIn = (world: World): Promise<Client> => world.signIn(world.emailOf('admin', world.tenant))

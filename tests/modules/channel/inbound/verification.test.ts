import { describe, expect, test } from 'bun:test'

import { VERIFY_TOKEN, World } from '../../../support/world'

const GOOD = {
  'hub.mode': 'subscribe',
  'hub.verify_token': VERIFY_TOKEN,
  'hub.challenge': '1158201444',
}

const ask = (world: World, query: string | Record<string, string>): Promise<Response> =>
  fetch(
    `${world.url}/api/webhook?${typeof query === 'string' ? query : new URLSearchParams(query).toString()}`,
  )

describe("the platform's verification request", () => {
  test('returns only the challenge as plain text, without cookie, envelope or rate limit', async () => {
    await using world = await World.create({ isConnected: false })
    const answer = await ask(world, GOOD)
    expect([answer.status, await answer.text()]).toEqual([200, '1158201444'])
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/)
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect([...answer.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
    expect(await world.simulator.verifyCallback(VERIFY_TOKEN)).toEqual({
      verified: true,
      status: 200,
    })
  })

  test.each<[string, string | Record<string, string>, string]>([
    [
      'in another order',
      { 'hub.challenge': 'abc', 'hub.verify_token': VERIFY_TOKEN, 'hub.mode': 'subscribe' },
      'abc',
    ],
    [
      'with encoded dots',
      `hub%2Emode=subscribe&hub%2Echallenge=abc&hub%2Everify_token=${VERIFY_TOKEN}`,
      'abc',
    ],
    [
      'with other parameters beside',
      { ...GOOD, 'hub.other': 'x', mode: 'unsubscribe' },
      '1158201444',
    ],
    ['with a challenge that looks like JSON', { ...GOOD, 'hub.challenge': '{"a":1}' }, '{"a":1}'],
    ['with a challenge that looks like HTML', { ...GOOD, 'hub.challenge': '<b>&amp;' }, '<b>&amp;'],
    [
      'with a challenge of 512 characters',
      { ...GOOD, 'hub.challenge': 'c'.repeat(512) },
      'c'.repeat(512),
    ],
  ])('is good %s', async (_, query, challenge) => {
    await using world = await World.create({ isConnected: false })
    const answer = await ask(world, query)
    expect([answer.status, await answer.text()]).toEqual([200, challenge])
  })

  test.each<[string, string | Record<string, string>]>([
    ['another mode', { ...GOOD, 'hub.mode': 'unsubscribe' }],
    ['a mode in capitals', { ...GOOD, 'hub.mode': 'SUBSCRIBE' }],
    ['no mode', { 'hub.verify_token': VERIFY_TOKEN, 'hub.challenge': '1' }],
    ['a wrong token', { ...GOOD, 'hub.verify_token': 'wrong-token' }],
    ['a token that only begins right', { ...GOOD, 'hub.verify_token': VERIFY_TOKEN.slice(0, -1) }],
    ['an empty token', { ...GOOD, 'hub.verify_token': '' }],
    ['no token', { 'hub.mode': 'subscribe', 'hub.challenge': '1' }],
    ['an empty challenge', { ...GOOD, 'hub.challenge': '' }],
    ['no challenge', { 'hub.mode': 'subscribe', 'hub.verify_token': VERIFY_TOKEN }],
    ['a challenge of 513 characters', { ...GOOD, 'hub.challenge': 'c'.repeat(513) }],
    ['names without hub', { mode: 'subscribe', verify_token: VERIFY_TOKEN, challenge: '1' }],
    [
      'underscores for dots',
      { hub_mode: 'subscribe', hub_verify_token: VERIFY_TOKEN, hub_challenge: '1' },
    ],
    [
      'the token twice',
      `hub.mode=subscribe&hub.challenge=1&hub.verify_token=${VERIFY_TOKEN}&hub.verify_token=${VERIFY_TOKEN}`,
    ],
    [
      'the mode twice',
      `hub.mode=subscribe&hub.mode=subscribe&hub.challenge=1&hub.verify_token=${VERIFY_TOKEN}`,
    ],
    [
      'the challenge twice',
      `hub.mode=subscribe&hub.challenge=1&hub.challenge=2&hub.verify_token=${VERIFY_TOKEN}`,
    ],
    ['nothing at all', ''],
  ])('is refused with %s', async (_, query) => {
    await using world = await World.create({ isConnected: false })
    const answer = await ask(world, query)
    expect(answer.status).toBe(403)
    expect(await answer.json()).toMatchObject({
      status: 'error',
      data: null,
      code: 'verification_failed',
    })
    expect(world.logLines.join('')).not.toContain(VERIFY_TOKEN)
  })

  test("is good with a live account's own token, until the account is gone or the token is cleared", async () => {
    await using world = await World.create({ isConnected: false })
    await world.connect(world.tenant, { webhook_verify_token: 'token-of-acme-itself' })
    const own = { ...GOOD, 'hub.verify_token': 'token-of-acme-itself' }
    expect((await ask(world, own)).status).toBe(200)
    const admin = await world.as('admin')
    await admin.put(`/api/accounts/${world.tenant.accountId}`, { webhook_verify_token: null })
    expect((await ask(world, own)).status).toBe(403)
    await admin.put(`/api/accounts/${world.tenant.accountId}`, {
      webhook_verify_token: 'token-of-acme-itself',
    })
    expect((await ask(world, own)).status).toBe(200)
    await admin.delete(`/api/accounts/${world.tenant.accountId}`)
    expect((await ask(world, own)).status).toBe(403)
    expect((await ask(world, { ...GOOD, 'hub.verify_token': '' })).status).toBe(403)
  })

  test("tells the account of the token, and with the server's token those without an app of their own", async () => {
    await using world = await World.create({ tenants: 2 })
    const other = world.tenants[1] ?? world.tenant
    const changes = { webhook_verify_token: 'token-of-bolt-itself', app_secret: 'secret-of-bolt' }
    const admin = await world.as('admin', other)
    expect((await admin.put(`/api/accounts/${other.accountId}`, changes)).status).toBe(200)
    const told = async (token: string): Promise<unknown[]> => {
      const before = checks()
      await ask(world, { ...GOOD, 'hub.verify_token': token })
      return checks().slice(before.length)
    }
    const checks = (): unknown[] =>
      world
        .rows<{ payload: string }>(
          "select payload from events where type = 'account.changed' order by position",
        )
        .map(({ payload }) => JSON.parse(payload) as { accountId: string; changed: string[] })
        .filter(({ changed }) => changed.includes('callback'))
        .map(({ accountId }) => accountId)
    expect(await told(VERIFY_TOKEN)).toEqual([world.tenant.accountId])
    expect(await told('token-of-bolt-itself')).toEqual([other.accountId])
    expect(await told('wrong-token')).toEqual([])
  })

  test('throttles an address after 30 failures within 15 minutes, then unblocks it', async () => {
    await using world = await World.create({ isConnected: false })
    const wrong = { ...GOOD, 'hub.verify_token': 'wrong-token' }
    for (let nth = 1; nth <= 30; nth += 1) expect((await ask(world, wrong)).status).toBe(403)
    const refused = await ask(world, GOOD)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 901)
    expect(
      (await world.simulator.post({ object: 'whatsapp_business_account', entry: [] })).status,
    ).toBe(200)
    world.clock.advance({ minutes: 15, seconds: 1 })
    expect((await ask(world, GOOD)).status).toBe(200)
  })

  test('does not count successes', async () => {
    await using world = await World.create({ isConnected: false })
    for (let nth = 1; nth <= 40; nth += 1) expect((await ask(world, GOOD)).status).toBe(200)
  })
})

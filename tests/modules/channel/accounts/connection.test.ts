import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { personWith } from '../../../support/people'
import { World } from '../../../support/world'

const pathTo = (world: World, action = ''): string =>
  `/api/accounts/${world.tenant.accountId}${action}`

/** Changes the first tenant's number at the platform. */
const atPlatform = (world: World, facts: Loose): void =>
  void world.simulator.addPhone({ id: world.tenant.phoneId, ...facts })

const DAY_MS = 86_400_000

describe('testing a number', () => {
  test("returns and stores the platform's facts", async () => {
    await using world = await World.create()
    const endS = Math.floor(world.clock.nowMs() / 1_000) + 30 * 86_400
    atPlatform(world, {
      accountMode: 'SANDBOX',
      qualityRating: 'YELLOW',
      messagingLimit: 'TIER_10K',
      throughputLevel: 'HIGH',
      verifiedName: 'Acme Ltd',
      tokenExpiresAt: endS,
    })
    const socket = await world.socket('agent')
    const manager = await world.as('manager')
    const { data } = await manager.post(pathTo(world, '/test'))
    expect(data).toEqual({
      connected: true,
      phone_number: '15550100001',
      display_phone_number: '+1 555-010-0001',
      verified_name: 'Acme Ltd',
      quality_rating: 'YELLOW',
      messaging_limit_tier: 'TIER_10K',
      code_verification_status: 'VERIFIED',
      account_mode: 'SANDBOX',
      is_test_number: true,
      token: {
        valid: true,
        expires_at: new Date(endS * 1_000).toISOString(),
        scopes: ['whatsapp_business_management', 'whatsapp_business_messaging'],
      },
      can_send: 'AVAILABLE',
      subscribed: false,
      warnings: [
        'The app does not receive the webhooks of this business account. Subscribe the phone ' +
          'number.',
      ],
      error: null,
    })
    expect((await manager.get(pathTo(world))).data).toMatchObject({
      portfolio_id: '501000000000001',
      app_id: '601000000000001',
      verified_name: 'Acme Ltd',
      status: 'active',
      quality_rating: 'YELLOW',
      messaging_limit_tier: 'TIER_10K',
      throughput_level: 'HIGH',
      throughput_limit: 1_000,
      is_test_number: true,
      subscribed: false,
      subscribed_at: null,
      token_expires_at: new Date(endS * 1_000).toISOString(),
      has_flow_key: false,
      last_checked_at: new Date(world.clock.nowMs()).toISOString(),
    })
    await world.settle()
    await socket.caughtUp()
    const [frame] = socket.events('account:updated')
    expect(frame?.payload).toMatchObject({
      quality_rating: 'YELLOW',
      throughput_level: 'HIGH',
      token_state: 'valid',
    })
    expect(frame?.payload['changed']).toEqual(
      expect.arrayContaining([
        'quality_rating',
        'messaging_limit_tier',
        'throughput_level',
        'token_expires_at',
        'is_test_number',
      ]),
    )
  })

  test('of a phone that also uses the business app limits its throughput', async () => {
    await using world = await World.create()
    atPlatform(world, { isOnBizApp: true })
    const admin = await world.as('admin')
    await admin.post(pathTo(world, '/test'))
    expect((await admin.get(pathTo(world))).data).toMatchObject({
      throughput_level: 'COEXISTENCE',
      throughput_limit: 20,
    })
  })

  test.each<[string, (world: World) => void, RegExp]>([
    [
      'a token that ends soon',
      (world) =>
        atPlatform(world, { tokenExpiresAt: Math.floor((world.clock.nowMs() + DAY_MS) / 1_000) }),
      /expires at 2026-11-22/,
    ],
    [
      'a token without a right',
      (world) => atPlatform(world, { scopes: ['whatsapp_business_messaging'] }),
      /lacks whatsapp_business_management/,
    ],
    [
      'webhooks that go elsewhere',
      (world) => atPlatform(world, { callbackUrl: 'https://elsewhere.example.com/hook' }),
      /another URL/,
    ],
    [
      'an expired verification',
      (world) => atPlatform(world, { codeVerificationStatus: 'EXPIRED' }),
      /verification of this number has expired/,
    ],
    [
      'trouble the platform tells of',
      (world) =>
        atPlatform(world, {
          canSend: 'LIMITED',
          healthErrors: [
            {
              error_code: 141_006,
              error_description: 'Payment is due.',
              possible_solution: 'Pay.',
            },
          ],
        }),
      /Payment is due\. Pay\./,
    ],
    [
      'a business account out of reach',
      (world) => void world.simulator.fail({ code: 10 }, { route: 'subscribed_apps' }),
      /cannot read the business account/,
    ],
    [
      'a token nobody may look into',
      (world) => void world.simulator.fail({ code: 190 }, { route: 'debug_token' }),
      /when the access token expires/,
    ],
  ])('warns of %s', async (_, arrange, words) => {
    await using world = await World.create()
    const admin = await world.as('admin')
    arrange(world)
    const { data } = await admin.post(pathTo(world, '/test'))
    expect(data['connected']).toBe(true)
    expect((data['warnings'] as string[]).filter((warning) => words.test(warning))).toHaveLength(1)
  })

  test("asks as the number's or the installation's app, or with the token itself if it is for another app", async () => {
    await using world = await World.create({ env: { APP_ID: '601000000000001' } })
    const admin = await world.as('admin')
    const rights = (): string[] =>
      world.simulator
        .callsOf({ route: 'debug_token' })
        .map(({ query }) => new URLSearchParams(query).get('access_token') ?? '')
    world.simulator.reset()
    await admin.post(pathTo(world, '/test'))
    expect(rights()).toEqual(['601000000000001|world-app-secret'])
    await admin.put(pathTo(world), { app_id: '777', app_secret: 'secret-of-777' })
    world.simulator.reset()
    const { data } = await admin.post(pathTo(world, '/test'))
    expect(rights()).toEqual(['777|secret-of-777', world.tenant.token])
    expect(data['token']).toMatchObject({ valid: true })
  })

  test('with a rejected token returns not connected and disconnects the number with one notification', async () => {
    await using world = await World.create()
    atPlatform(world, { token: 'another-token' })
    const manager = await world.as('manager')
    const answer = await manager.post(pathTo(world, '/test'))
    expect(answer).toMatchObject({
      status: 200,
      data: {
        connected: false,
        token: null,
        can_send: null,
        warnings: [],
        error: { code: 'credential_rejected', platform_code: 190 },
      },
    })
    expect(JSON.stringify(answer.body)).not.toContain(world.tenant.token)
    await manager.post(pathTo(world, '/test'))
    expect((await manager.get(pathTo(world))).data).toMatchObject({
      status: 'disconnected',
      status_reason: 'credential_rejected',
      last_error: { code: 'credential_rejected' },
    })
    const notices = ((await manager.get('/api/me/notifications')).data['items'] as Loose[]).map(
      ({ kind }) => kind as string,
    )
    expect(notices).toEqual(['token_invalid'])
  })

  test('of a number that never worked leaves it pending, with the reason', async () => {
    await using world = await World.create({ isConnected: false })
    await world.connect(world.tenant, { verify: false, access_token: 'wrong' })
    const admin = await world.as('admin')
    expect((await admin.post(pathTo(world, '/test'))).data).toMatchObject({ connected: false })
    expect((await admin.get(pathTo(world))).data).toMatchObject({
      status: 'pending',
      last_error: { code: 'credential_rejected' },
    })
    await admin.put(pathTo(world), { access_token: world.tenant.token, verify: false })
    expect((await admin.post(pathTo(world, '/test'))).data).toMatchObject({ connected: true })
    expect((await admin.get(pathTo(world))).data).toMatchObject({
      status: 'active',
      last_error: null,
    })
  })

  test.each<[string, (world: World) => unknown]>([
    ['does not answer', (world) => world.simulator.stop()],
    ['answers with an error page', (world) => world.simulator.answerHtml(502, { route: 'phone' })],
    ['asks us to slow down', (world) => world.simulator.fail({ code: 4 }, { route: 'phone' })],
  ])('when the platform %s is 503, and nothing changes', async (_, trouble) => {
    await using world = await World.create()
    const admin = await world.as('admin')
    const before = (await admin.get(pathTo(world))).data
    await trouble(world)
    const answer = await admin.post(pathTo(world, '/test'))
    expect(answer).toMatchObject({ status: 503, body: { code: 'platform_unreachable' } })
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await admin.get(pathTo(world))).data).toEqual(before)
  })
})

describe('a number that the platform blocks', () => {
  test('stays pending when it is connected and becomes active once it works', async () => {
    await using world = await World.create({ isConnected: false })
    atPlatform(world, { status: 'PENDING' })
    await world.connect(world.tenant)
    const admin = await world.as('admin')
    expect((await admin.get(pathTo(world))).data).toMatchObject({
      status: 'pending',
      verified_name: 'Acme',
    })
    atPlatform(world, { status: 'CONNECTED' })
    await admin.post(pathTo(world, '/test'))
    expect((await admin.get(pathTo(world))).data).toMatchObject({ status: 'active' })
  })

  test('is suspended when it is banned, with one notification, and active again afterwards', async () => {
    await using world = await World.create()
    atPlatform(world, { status: 'BANNED' })
    const admin = await world.as('admin')
    await admin.post(pathTo(world, '/test'))
    await admin.post(pathTo(world, '/test'))
    expect((await admin.get(pathTo(world))).data).toMatchObject({
      status: 'suspended',
      status_reason: 'banned',
      last_error: { code: 'banned' },
    })
    expect(
      ((await admin.get('/api/me/notifications')).data['items'] as Loose[]).map(
        ({ kind }) => kind as string,
      ),
    ).toEqual(['account_suspended'])
    atPlatform(world, { status: 'CONNECTED' })
    await admin.post(pathTo(world, '/test'))
    expect((await admin.get(pathTo(world))).data).toMatchObject({
      status: 'active',
      status_reason: null,
      last_error: null,
    })
  })
})

describe('resuming a number', () => {
  /** A number whose token the platform refused once, with a message that waits. */
  async function held(): Promise<{ world: World; messageId: string }> {
    const world = await World.create()
    const contact = await world.contactOf()
    world.simulator.fail({ code: 190 })
    const manager = await world.as('manager')
    const { data } = await manager.post(`/api/contacts/${contact['id']}/messages`, {
      type: 'text',
      text: 'held',
    })
    await world.settle()
    return { world, messageId: data['id'] as string }
  }

  test('after a rejected token tests it, makes it active and sends waiting messages', async () => {
    const { world, messageId } = await held()
    await using _ = world
    const manager = await world.as('manager')
    expect((await manager.get(pathTo(world))).data).toMatchObject({ status: 'disconnected' })
    expect((await manager.get(`/api/messages/${messageId}`)).data).toMatchObject({
      status: 'pending',
    })
    const answer = await manager.post(pathTo(world, '/resume'))
    expect(answer).toMatchObject({
      status: 200,
      data: { id: world.tenant.accountId, status: 'active', status_reason: null, last_error: null },
    })
    await world.settle()
    expect((await manager.get(`/api/messages/${messageId}`)).data).toMatchObject({
      status: 'delivered',
    })
    const entries = (await (await world.as('admin')).get('/api/audit-logs?action=resumed')).data[
      'items'
    ] as Loose[]
    expect(entries).toMatchObject([
      { resource_type: 'account', resource_id: world.tenant.accountId },
    ])
  })

  test('ends a pause', async () => {
    await using world = await World.create()
    const contact = await world.contactOf()
    const manager = await world.as('manager')
    world.simulator.fail({ code: 131_048 })
    await manager.post(`/api/contacts/${contact['id']}/messages`, {
      type: 'text',
      text: 'too much',
    })
    await world.settle()
    expect((await manager.get(pathTo(world))).data['paused_until']).not.toBeNull()
    expect((await manager.post(pathTo(world, '/resume'))).data).toMatchObject({
      paused_until: null,
      last_error: null,
    })
    await world.settle()
    expect(world.simulator.messages).toHaveLength(1)
  })

  test('that still fails is 400 still_failing and changes nothing', async () => {
    const { world } = await held()
    await using _ = world
    atPlatform(world, { token: 'another-token' })
    const manager = await world.as('manager')
    expect(await manager.post(pathTo(world, '/resume'))).toMatchObject({
      status: 400,
      body: { code: 'still_failing', details: { platform_code: 190 } },
    })
    expect((await manager.get(pathTo(world))).data).toMatchObject({ status: 'disconnected' })
    atPlatform(world, { token: world.tenant.token, status: 'BANNED' })
    expect(await manager.post(pathTo(world, '/resume'))).toMatchObject({
      status: 400,
      body: { code: 'still_failing' },
    })
    await world.simulator.stop()
    expect(await manager.post(pathTo(world, '/resume'))).toMatchObject({
      status: 503,
      body: { code: 'platform_unreachable' },
    })
  })
})

test.each(['test', 'resume', 'register', 'subscribe'])(
  'to %s requires accounts:update, reading accounts:read',
  async (action) => {
    await using world = await World.create()
    const person = await personWith(world, ['accounts:read'])
    expect((await person.client.post(pathTo(world, `/${action}`))).status).toBe(403)
    for (const read of ['', '/health', '/business_profile', '/flow-key'])
      expect((await person.client.get(pathTo(world, read))).status).toBe(200)
    expect((await person.client.get(pathTo(world, '/webhook-config'))).status).toBe(403)
  },
)

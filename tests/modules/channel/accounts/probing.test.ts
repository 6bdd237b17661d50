import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { World } from '../../../support/world'

const shown = async (world: World): Promise<Loose> =>
  (await (await world.as('admin')).get(`/api/accounts/${world.tenant.accountId}`)).data

const atPlatform = (world: World, facts: Loose): void =>
  void world.simulator.addPhone({ id: world.tenant.phoneId, ...facts })

const questions = (world: World): number =>
  world.simulator.callsOf({ route: 'phone', object: world.tenant.phoneId }).length

const noticesOf = async (world: World): Promise<string[]> =>
  ((await (await world.as('admin')).get('/api/me/notifications')).data['items'] as Loose[]).map(
    ({ kind }) => kind as string,
  )

/** Lets the time pass in steps, working off what is due at each. */
async function pass(world: World, by: { minutes: number; stepMinutes: number }): Promise<void> {
  for (let minute = 0; minute < by.minutes; minute += by.stepMinutes) {
    world.clock.advance({ minutes: by.stepMinutes })
    await world.settle()
  }
}

describe('a health check', () => {
  test("runs once a day and stores and publishes the platform's facts", async () => {
    await using world = await World.create()
    await world.settle()
    world.simulator.reset()
    atPlatform(world, {
      qualityRating: 'YELLOW',
      messagingLimit: 'TIER_100K',
      throughputLevel: 'HIGH',
    })
    await pass(world, { minutes: 23 * 60, stepMinutes: 60 })
    expect(questions(world)).toBe(0)
    const socket = await world.socket('agent')
    await pass(world, { minutes: 60, stepMinutes: 60 })
    expect(questions(world)).toBe(1)
    expect(await shown(world)).toMatchObject({
      quality_rating: 'YELLOW',
      messaging_limit_tier: 'TIER_100K',
      throughput_limit: 1_000,
      last_checked_at: '2026-11-22T09:30:00.000Z',
      updated_at: '2026-11-22T09:30:00.000Z',
    })
    await socket.caughtUp()
    expect(socket.events('account:updated')).toMatchObject([
      { payload: { quality_rating: 'YELLOW', throughput_level: 'HIGH' } },
    ])
    await pass(world, { minutes: 24 * 60, stepMinutes: 120 })
    expect(questions(world)).toBe(2)
    await socket.caughtUp()
    expect(socket.events('account:updated')).toHaveLength(1) // nothing changed the second time
  })

  test('skips disconnected numbers and is repeated ten minutes later if the platform cannot answer', async () => {
    await using world = await World.create()
    await (await world.as('admin', world.other)).delete(`/api/accounts/${world.other.accountId}`)
    await world.settle()
    world.simulator.reset()
    world.simulator.answerHtml(502, { route: 'phone' })
    await pass(world, { minutes: 24 * 60, stepMinutes: 120 })
    expect(await shown(world)).toMatchObject({
      status: 'active',
      last_error: null,
      last_checked_at: '2026-11-21T09:30:00.000Z',
    })
    await pass(world, { minutes: 12, stepMinutes: 2 })
    expect(questions(world)).toBe(2)
    expect(await shown(world)).toMatchObject({
      status: 'active',
      last_checked_at: '2026-11-22T09:40:00.000Z',
    })
    expect(world.simulator.callsOf({ route: 'phone', object: world.other.phoneId })).toEqual([])
  })

  test('activates a number that was connected without verification within a day', async () => {
    await using world = await World.create({ isConnected: false })
    await world.connect(world.tenant, { verify: false })
    expect(await shown(world)).toMatchObject({ status: 'pending' })
    await pass(world, { minutes: 24 * 60, stepMinutes: 240 })
    expect(await shown(world)).toMatchObject({
      status: 'active',
      verified_name: 'Acme',
      portfolio_id: '501000000000001',
    })
  })

  test('notifies once about low quality', async () => {
    await using world = await World.create()
    atPlatform(world, { qualityRating: 'RED' })
    await pass(world, { minutes: 48 * 60, stepMinutes: 240 })
    expect(await noticesOf(world)).toEqual(['quality_drop'])
  })
})

describe('a number with a rejected token', () => {
  /** A number that the platform refused twenty messages of. */
  async function refused(): Promise<World> {
    const world = await World.create()
    const { id } = await world.contactOf()
    atPlatform(world, { token: 'another-token' })
    for (let nth = 0; nth < 20; nth += 1)
      await (
        await world.as('manager')
      ).post(`/api/contacts/${id}/messages`, { type: 'text', text: `held ${nth}` })
    await world.settle()
    return world
  }

  test('is checked every ten minutes, with one notification per incident, and sends waiting messages once it works', async () => {
    await using world = await refused()
    expect(await shown(world)).toMatchObject({
      status: 'disconnected',
      last_error: { code: 'credential_rejected' },
    })
    world.simulator.reset()
    await pass(world, { minutes: 60, stepMinutes: 5 })
    expect(questions(world)).toBe(6)
    expect(await noticesOf(world)).toEqual(['token_invalid'])
    expect(await shown(world)).toMatchObject({
      status: 'disconnected',
      last_checked_at: '2026-11-21T10:30:00.000Z',
    })
    const socket = await world.socket('agent')
    atPlatform(world, { token: world.tenant.token })
    await pass(world, { minutes: 10, stepMinutes: 5 })
    expect(await shown(world)).toMatchObject({
      status: 'active',
      status_reason: null,
      last_error: null,
    })
    expect(
      world.simulator.messages.map(
        ({ body }) => ((body as Loose)['text'] as Loose)['body'] as string,
      ),
    ).toEqual(Array.from({ length: 20 }, (_, nth) => `held ${nth}`))
    await socket.caughtUp()
    expect(socket.events('account:updated')[0]).toMatchObject({
      payload: { status: 'active', token_state: 'valid' },
    })
    await world.settle()
    world.simulator.reset()
    await pass(world, { minutes: 60, stepMinutes: 10 })
    expect(questions(world)).toBe(0)
  })

  test.each([
    ['proven', {}],
    ['believed', { verify: false }],
  ])('works again with a new token, %s', async (_, more) => {
    await using world = await refused()
    const { data } = await (
      await world.as('admin')
    ).put(`/api/accounts/${world.tenant.accountId}`, { access_token: 'another-token', ...more })
    expect(data).toMatchObject({ status: 'active', status_reason: null, last_error: null })
    await world.settle()
    expect(world.simulator.messages).toHaveLength(20)
  })

  test('that works and fails again is a new incident with a new notification', async () => {
    await using world = await refused()
    atPlatform(world, { token: world.tenant.token })
    await pass(world, { minutes: 10, stepMinutes: 10 })
    expect(await shown(world)).toMatchObject({ status: 'active' })
    atPlatform(world, { token: 'another-token' })
    await pass(world, { minutes: 24 * 60, stepMinutes: 240 })
    expect(await shown(world)).toMatchObject({ status: 'disconnected' })
    expect(await noticesOf(world)).toEqual(['token_invalid', 'token_invalid'])
  })
})

test.each([
  ['account', { code: 131_031 }, 'suspended'],
  ['credential', { code: 190 }, 'disconnected'],
  ['unknown object', { code: 100, subcode: 33 }, 'disconnected'],
] as const)(
  'a daily check with an error of class %s makes the number %p',
  async (_, failure, status) => {
    await using world = await World.create()
    world.simulator.fail(failure, { route: 'phone', phone: world.tenant.phoneId })
    await pass(world, { minutes: 24 * 60, stepMinutes: 24 * 60 })
    expect(await shown(world)).toMatchObject({ status })
    expect(
      await (await world.as('admin', world.other)).get(`/api/accounts/${world.other.accountId}`),
    ).toMatchObject({ status: 200 })
    expect(
      world.rows('select status from accounts where organization_id = ?', world.other.id),
    ).toEqual([{ status: 'active' }])
  },
)

test.each([4, 80_007, 131_016, 2])('a daily check with code %p changes nothing', async (code) => {
  await using world = await World.create()
  world.simulator.fail({ code }, { route: 'phone', times: Infinity })
  await pass(world, { minutes: 24 * 60, stepMinutes: 24 * 60 })
  expect(await shown(world)).toMatchObject({ status: 'active', last_error: null })
  expect(await noticesOf(world)).toEqual([])
})

test('a daily check activates a suspended number that works', async () => {
  await using world = await World.create()
  const { id } = await world.contactOf()
  world.simulator.fail({ code: 131_031 })
  await (
    await world.as('manager')
  ).post(`/api/contacts/${id}/messages`, { type: 'text', text: 'held' })
  await world.settle()
  expect(await shown(world)).toMatchObject({ status: 'suspended' })
  await pass(world, { minutes: 23 * 60, stepMinutes: 60 })
  expect(await shown(world)).toMatchObject({ status: 'suspended' })
  await pass(world, { minutes: 60, stepMinutes: 60 })
  expect(await shown(world)).toMatchObject({ status: 'active', last_error: null })
})

describe('a token that expires', () => {
  test('within seven days causes one notification and an event, and again for another expiry', async () => {
    await using world = await World.create()
    const inDays = (days: number): number => Math.floor(world.clock.nowMs() / 1_000) + days * 86_400
    atPlatform(world, { tokenExpiresAt: inDays(9) })
    const socket = await world.socket('agent')
    await pass(world, { minutes: 24 * 60, stepMinutes: 24 * 60 })
    expect(await noticesOf(world)).toEqual([])
    await pass(world, { minutes: 3 * 24 * 60, stepMinutes: 12 * 60 })
    expect(await noticesOf(world)).toEqual(['token_expiring'])
    await socket.caughtUp()
    const frames = socket.events('account:updated').map(({ payload }) => payload)
    expect(frames.map(({ token_state }) => token_state as string)).toEqual(['valid', 'expiring'])
    expect(frames.at(-1)?.['changed']).toContain('token_state')
    atPlatform(world, { tokenExpiresAt: inDays(6) })
    await pass(world, { minutes: 2 * 24 * 60, stepMinutes: 12 * 60 })
    expect(await noticesOf(world)).toEqual(['token_expiring', 'token_expiring'])
  })

  test('stops sending of the number when it has expired', async () => {
    await using world = await World.create()
    atPlatform(world, { tokenExpiresAt: Math.floor(world.clock.nowMs() / 1_000) + 3_600 })
    const socket = await world.socket('agent')
    await pass(world, { minutes: 24 * 60, stepMinutes: 24 * 60 })
    expect(await shown(world)).toMatchObject({ status: 'disconnected' })
    await socket.caughtUp()
    expect(socket.events('account:updated').at(-1)).toMatchObject({
      payload: { status: 'disconnected', token_state: 'invalid' },
    })
  })
})

test('a check during a change of the token stores nothing', async () => {
  await using world = await World.create()
  const admin = await world.as('admin')
  const path = `/api/accounts/${world.tenant.accountId}`
  world.simulator.slow(300, { route: 'phone' })
  world.simulator.fail({ code: 190 }, { route: 'phone' })
  const testing = admin.post(`${path}/test`)
  await world.simulator.waitForCalls(2, { route: 'phone', object: world.tenant.phoneId })
  await admin.put(path, { access_token: world.tenant.token, verify: false })
  expect((await testing).data).toMatchObject({ connected: false })
  expect(await shown(world)).toMatchObject({ status: 'active', last_error: null })
})

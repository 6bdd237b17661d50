import { describe, expect, test } from 'bun:test'

import { accountNews } from '../../../../src/simulator/coexistence'
import type { Loose } from '../../../support/client'
import { deliver, lineOf, secondsIn, textTo } from '../../../support/lines'
import { World, type Tenant } from '../../../support/world'
import { changeRows } from '../../../support/sql'

const pathOf = (tenant: Tenant, action = ''): string => `/api/accounts/${tenant.accountId}${action}`

const shown = async (world: World, tenant: Tenant): Promise<Loose> =>
  (await (await world.as('admin', tenant)).get(pathOf(tenant))).data

/** The titles of what an admin was told, newest first. */
const noticesOf = async (world: World, tenant: Tenant): Promise<string[]> =>
  (
    (await (await world.as('admin', tenant)).get('/api/me/notifications')).data['items'] as Loose[]
  ).map(({ title }) => String(title))

const journalOf = async (world: World, tenant: Tenant): Promise<string[]> =>
  (
    (await (await world.as('admin', tenant)).get('/api/inbound/events')).data['items'] as Loose[]
  ).map(({ field }) => String(field))

/** An alert of the first tenant's business account that names no number. */
const alert = (world: World) =>
  accountNews(
    'account_alerts',
    { alert_type: 'SECRET', alert_severity: 'CRITICAL' },
    { line: lineOf(world.tenant), time: secondsIn(world) },
  )

const ALERT = 'Platform alert'
const UNLINKED = 'Phone number not linked to its business account'

/** What the second tenant sends to bind its number to the business account of the first. */
const claim = (world: World, more: Loose = {}): Loose => ({
  name: 'Claim',
  phone_id: world.other.phoneId,
  business_id: world.tenant.wabaId,
  access_token: world.other.token,
  ...more,
})

describe("a number that claims another organization's business account", () => {
  test('is rejected when it is connected, and nothing is stored', async () => {
    await using world = await World.create({ isConnected: false })
    const bolt = await world.as('admin', world.other)
    expect(await bolt.post('/api/accounts', claim(world))).toMatchObject({
      status: 400,
      body: { code: 'business_account_unproven' },
    })
    expect((await bolt.get('/api/accounts')).data['total']).toBe(0)
  })

  test.each<[string, Loose]>([
    ['business_id', {}],
    ['waba_id', {}],
    ['business_id', { access_token: 'token-of-bolt' }],
  ])('is refused when it is changed by %s with %p, and nothing is changed', async (field, more) => {
    await using world = await World.create()
    const bolt = await world.as('admin', world.other)
    const before = await shown(world, world.other)
    const answer = await bolt.put(pathOf(world.other), {
      [field]: world.tenant.wabaId,
      name: 'Renamed',
      ...more,
    })
    expect(answer).toMatchObject({ status: 400, body: { code: 'business_account_unproven' } })
    expect(await shown(world, world.other)).toEqual(before)
    await deliver(world, alert(world))
    expect(await noticesOf(world, world.other)).toEqual([])
    expect(await journalOf(world, world.other)).toEqual([])
    expect(await noticesOf(world, world.tenant)).toEqual([`${ALERT}: Acme main`])
  })

  test.each<[string, (world: World) => Promise<unknown>]>([
    ['connected', (world) => world.connect(world.other, claim(world, { verify: false }))],
    [
      'changed',
      async (world) => {
        await world.connect(world.other)
        await (
          await world.as('admin', world.other)
        ).put(pathOf(world.other), { business_id: world.tenant.wabaId, verify: false })
      },
    ],
  ])(
    'without verifying is pending when it is %s, and hears of its own number only',
    async (_, arrange) => {
      await using world = await World.create({ isConnected: false })
      await world.connect(world.tenant)
      await arrange(world)
      expect(await shown(world, world.other)).toMatchObject({
        status: 'pending',
        business_proven: false,
        subscribed: false,
      })
      await deliver(world, alert(world))
      const named = {
        event: 'FLAGGED',
        display_phone_number: lineOf(world.other).displayPhoneNumber,
      }
      await deliver(
        world,
        accountNews('phone_number_quality_update', named, {
          line: lineOf(world.tenant),
          time: secondsIn(world),
        }),
      )
      expect(await journalOf(world, world.other)).toEqual([])
      await deliver(world, textTo(world, 'For Bolt', { line: lineOf(world.other) }))
      expect(await journalOf(world, world.other)).toEqual(['messages'])
      // A test that reads the number proves nothing of the business account.
      const bolt = await world.as('admin', world.other)
      const { data } = await bolt.post(pathOf(world.other, '/test'))
      expect(data).toMatchObject({ connected: true })
      expect((data['warnings'] as string[]).join(' ')).toContain('does not prove')
      expect(await shown(world, world.other)).toMatchObject({
        status: 'pending',
        status_reason: 'business_account_unproven',
        last_error: { code: 'business_account_unproven' },
      })
      expect(await bolt.post(pathOf(world.other, '/resume'))).toMatchObject({
        status: 400,
        body: { code: 'still_failing', details: { reason: 'business_account_unproven' } },
      })
      world.clock.advance({ minutes: 1 })
      await deliver(world, alert(world))
      expect(await journalOf(world, world.other)).toEqual(['messages'])
      expect(await noticesOf(world, world.other)).toEqual([])
    },
  )

  test('cannot use a verification of its own pair that is still running', async () => {
    await using world = await World.create()
    const bolt = await world.as('admin', world.other)
    world.simulator.slow(300, { route: 'debug_token' })
    const proven = bolt.put(pathOf(world.other), { access_token: world.other.token })
    await world.simulator.waitForCalls(2, { route: 'phone', object: world.other.phoneId })
    await bolt.put(pathOf(world.other), { business_id: world.tenant.wabaId, verify: false })
    expect((await proven).status).toBe(200)
    expect(await shown(world, world.other)).toMatchObject({
      business_id: world.tenant.wabaId,
      business_proven: false,
      status: 'pending',
    })
  })
})

describe('a business account is proven', () => {
  const without = (world: World): void =>
    void world.simulator.respondOnce('debug_token', { data: { is_valid: true, scopes: [] } })

  test('by the granular scopes of the token', async () => {
    await using world = await World.create({ isConnected: false })
    world.simulator.fail({ code: 200 }, { route: 'phone_numbers' })
    await world.connect(world.tenant)
    expect(await shown(world, world.tenant)).toMatchObject({
      status: 'active',
      business_proven: true,
    })
  })

  test('by the list of its numbers', async () => {
    await using world = await World.create({ isConnected: false })
    without(world)
    await world.connect(world.tenant)
    expect(await shown(world, world.tenant)).toMatchObject({
      status: 'active',
      business_proven: true,
    })
  })

  test('not by a list that is unavailable now: 503, and a number connected without verification is proven by the next test', async () => {
    await using world = await World.create({ isConnected: false })
    world.stays('the journal of webhooks')
    const admin = await world.as('admin')
    const number = {
      name: 'Support',
      phone_id: world.tenant.phoneId,
      business_id: world.tenant.wabaId,
      access_token: world.tenant.token,
    }
    without(world)
    world.simulator.fail({ code: 4 }, { route: 'phone_numbers' })
    expect(await admin.post('/api/accounts', number)).toMatchObject({
      status: 503,
      body: { code: 'platform_unreachable' },
    })
    await world.connect(world.tenant, { verify: false })
    await deliver(world, alert(world))
    expect(await journalOf(world, world.tenant)).toEqual([])
    without(world)
    await admin.post(pathOf(world.tenant, '/test'))
    expect(await shown(world, world.tenant)).toMatchObject({
      status: 'active',
      business_proven: true,
      last_error: null,
    })
    await world.settle()
    // What came meanwhile is not lost.
    expect(await journalOf(world, world.tenant)).toEqual(['account_alerts'])
    expect(await noticesOf(world, world.tenant)).toEqual([`${ALERT}: Acme main`])
  })
})

describe('numbers of an earlier version', () => {
  /** As the migration leaves them: nobody has asked the platform about their business accounts. */
  const upgraded = (world: World): void =>
    void world.program.http.db.sqlite.run("update accounts set business_link = 'unchecked'")

  test('are proven at the start or unlinked with one notification, and the others keep sending', async () => {
    await using world = await World.create()
    changeRows(
      world.program.http.db.sqlite,
      'update accounts set business_id = ? where organization_id = ?',
      [world.tenant.wabaId, world.other.id],
    )
    upgraded(world)
    await deliver(world, alert(world)) // before anybody was asked
    world.clock.advance({ minutes: 1 })
    await world.settle()
    expect(await shown(world, world.tenant)).toMatchObject({
      status: 'active',
      business_proven: true,
    })
    expect(await shown(world, world.other)).toMatchObject({
      status: 'active',
      business_proven: false,
    })
    expect(await noticesOf(world, world.tenant)).toEqual([`${ALERT}: Acme main`])
    expect(await noticesOf(world, world.other)).toEqual([`${UNLINKED}: Bolt main`])
    world.simulator.reset()
    world.clock.advance({ minutes: 30 })
    await deliver(world, alert(world))
    expect(world.simulator.callsOf({ route: 'phone' })).toEqual([])
    expect(await noticesOf(world, world.other)).toHaveLength(1)
    expect(await journalOf(world, world.other)).toEqual([])
  })

  test('are checked again until the platform answers', async () => {
    await using world = await World.create()
    upgraded(world)
    const trouble = world.simulator.answerHtml(502, { route: 'phone', times: Infinity })
    world.clock.advance({ minutes: 1 })
    await world.settle()
    expect(await shown(world, world.tenant)).toMatchObject({
      status: 'active',
      business_proven: false,
    })
    trouble.clear()
    world.clock.advance({ minutes: 11 })
    await world.settle()
    expect(await shown(world, world.tenant)).toMatchObject({
      status: 'active',
      business_proven: true,
    })
    expect(await noticesOf(world, world.tenant)).toEqual([])
  })

  test('with a rejected token are unlinked too; a proven link outlives its token', async () => {
    await using world = await World.create()
    changeRows(
      world.program.http.db.sqlite,
      "update accounts set business_link = 'unchecked' where organization_id = ?",
      [world.other.id],
    )
    for (const { phoneId } of world.tenants)
      world.simulator.addPhone({ id: phoneId, token: 'another' })
    world.clock.advance({ minutes: 1 })
    await world.settle()
    await (await world.as('admin')).post(pathOf(world.tenant, '/test'))
    expect(await shown(world, world.tenant)).toMatchObject({
      status: 'disconnected',
      business_proven: true,
    })
    expect(await shown(world, world.other)).toMatchObject({
      status: 'disconnected',
      business_proven: false,
    })
    expect(await noticesOf(world, world.other)).toContain(`${UNLINKED}: Bolt main`)
  })
})

test('a number that loses its business account at the platform is unlinked by the next health check', async () => {
  await using world = await World.create()
  world.simulator.addPhone({ id: world.tenant.phoneId, wabaId: '209000000000009' })
  world.clock.advance({ hours: 24, minutes: 1 })
  await world.settle()
  expect(await shown(world, world.tenant)).toMatchObject({
    status: 'active',
    business_proven: false,
  })
  expect(await noticesOf(world, world.tenant)).toContain(`${UNLINKED}: Acme main`)
})

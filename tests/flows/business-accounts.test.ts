import { describe, expect, test } from 'bun:test'

import { accountNews, preference } from '../../src/simulator/coexistence'
import { combine, type BusinessNumber, type Webhook } from '../../src/simulator/payloads'
import type { Loose } from '../support/client'
import { deliver, lineOf, personOf, secondsIn, textTo } from '../support/lines'
import { World, type Tenant } from '../support/world'

const OWN = 'the-own-secret-of-acme'
const BOLTS = 'the-own-secret-of-bolt'

/** Both tenants with a number under the business account of the first. */
async function underOneBusiness(secrets: { acme?: string; bolt?: string } = {}): Promise<World> {
  const world = await World.create({ isConnected: false })
  world.other.wabaId = world.tenant.wabaId
  await world.connect(world.tenant, secrets.acme === undefined ? {} : { app_secret: secrets.acme })
  world.simulator.addPhone({ id: world.other.phoneId, wabaId: world.tenant.wabaId })
  await world.connect(world.other, secrets.bolt === undefined ? {} : { app_secret: secrets.bolt })
  return world
}

const banned = (world: World, more: Loose = {}): Webhook =>
  accountNews(
    'account_update',
    {
      event: 'DISABLED_UPDATE',
      ban_info: { waba_ban_state: 'DISABLE', waba_ban_date: 'today' },
      ...more,
    },
    { line: lineOf(world.tenant), time: secondsIn(world) },
  )

const statusOf = async (world: World, tenant: Tenant): Promise<string> =>
  String(
    (await (await world.as('admin', tenant)).get(`/api/accounts/${tenant.accountId}`)).data[
      'status'
    ],
  )

const eventsOf = async (world: World, tenant: Tenant): Promise<Loose[]> =>
  (await (await world.as('admin', tenant)).get('/api/inbound/events')).data['items'] as Loose[]

const post = async (world: World, webhook: Webhook, secret?: string): Promise<number> => {
  const { status } = await world.simulator.post(webhook, secret === undefined ? {} : { secret })
  await world.settle()
  return status
}

describe('a webhook of a business account with numbers of two organizations', () => {
  test("signed with the installation's secret applies to the numbers of both, with one row each", async () => {
    await using world = await underOneBusiness()
    expect(await post(world, banned(world))).toBe(200)
    for (const tenant of world.tenants) {
      expect(await statusOf(world, tenant)).toBe('suspended')
      expect(await eventsOf(world, tenant)).toMatchObject([
        {
          field: 'account_update',
          state: 'done',
          account_id: tenant.accountId,
          phone_number_id: null,
          items: { other: 1 },
        },
      ])
    }
    expect((await (await world.as('super')).get('/api/inbound/events')).data['total']).toBe(2)
  })

  test("signed with one organization's secret applies only to that organization's numbers", async () => {
    await using world = await underOneBusiness({ bolt: BOLTS })
    expect(await post(world, banned(world), BOLTS)).toBe(200)
    expect([await statusOf(world, world.tenant), await statusOf(world, world.other)]).toEqual([
      'active',
      'suspended',
    ])
    expect(await eventsOf(world, world.tenant)).toEqual([])
    expect((await eventsOf(world, world.other)).length).toBe(1)
  })

  test('signed by an organization that only claims the business account changes nothing of the other organization', async () => {
    await using world = await underOneBusiness({ acme: OWN, bolt: BOLTS })
    const line: BusinessNumber = lineOf(world.tenant)
    // Named by display number, by nothing, and with everything the attacker can think of.
    for (const value of [
      {},
      { display_phone_number: line.displayPhoneNumber },
      { metadata: { display_phone_number: line.displayPhoneNumber } },
    ])
      await post(world, banned(world, value), BOLTS)
    expect(await statusOf(world, world.tenant)).toBe('active')
    expect(await eventsOf(world, world.tenant)).toEqual([])
    const lines = world.rows(
      "select organization_id from events where organization_id = ? and type = 'account.changed'",
      world.tenant.id,
    )
    expect(lines.length).toBe(1)
  })

  test('signed with a secret that two organizations share applies to both', async () => {
    await using world = await underOneBusiness({ acme: OWN, bolt: OWN })
    expect(await post(world, banned(world), OWN)).toBe(200)
    for (const tenant of world.tenants) expect(await statusOf(world, tenant)).toBe('suspended')
  })

  test('signed with a secret that two organizations shared when it came applies to both', async () => {
    await using world = await underOneBusiness({ acme: OWN, bolt: OWN })
    expect((await world.simulator.post(banned(world), { secret: OWN })).status).toBe(200)
    const changed = await (
      await world.as('admin')
    ).put(`/api/accounts/${world.tenant.accountId}`, { app_secret: 'another-secret' })
    expect(changed.status).toBe(200)
    await world.settle()
    for (const tenant of world.tenants) expect(await statusOf(world, tenant)).toBe('suspended')
  })

  test('that names a display phone number applies only to that number', async () => {
    await using world = await underOneBusiness()
    await post(world, banned(world, { display_phone_number: '15550100002' }))
    expect([await statusOf(world, world.tenant), await statusOf(world, world.other)]).toEqual([
      'active',
      'suspended',
    ])
    await post(world, banned(world, { display_phone_number: '15550100099' }))
    expect(world.rows('select state from inbound_events where organization_id is null')).toEqual([
      { state: 'unrouted' },
    ])
  })

  test('replayed by one organization applies only to that organization', async () => {
    await using world = await underOneBusiness()
    await post(world, banned(world))
    world.program.http.db.sqlite.run("update accounts set status = 'active'")
    const [event] = await eventsOf(world, world.tenant)
    await (await world.as('admin')).post(`/api/inbound/events/${event?.['id']}/replay`)
    await world.settle()
    expect([await statusOf(world, world.tenant), await statusOf(world, world.other)]).toEqual([
      'suspended',
      'active',
    ])
    expect((await eventsOf(world, world.other)).map(({ attempts }) => attempts as number)).toEqual([
      1,
    ])
    expect((await (await world.as('super')).get('/api/inbound/events')).data['total']).toBe(2)
  })

  test('with a forged quality warning reaches no other organization', async () => {
    await using world = await underOneBusiness({ bolt: BOLTS })
    const flagged = accountNews(
      'phone_number_quality_update',
      {
        display_phone_number: lineOf(world.tenant).displayPhoneNumber,
        event: 'FLAGGED',
        current_limit: 'TIER_50',
      },
      { line: lineOf(world.tenant), time: secondsIn(world) },
    )
    await post(world, flagged, BOLTS)
    expect(
      world.rows(
        'select platform_updates from accounts where organization_id = ?',
        world.tenant.id,
      ),
    ).toEqual([{ platform_updates: '{}' }])
  })
})

test("a delivery for two organizations signed with A's secret applies to A and is ignored for B", async () => {
  await using world = await World.create()
  await (
    await world.as('admin')
  ).put(`/api/accounts/${world.tenant.accountId}`, { app_secret: OWN })
  const body = combine(
    textTo(world, 'For Acme'),
    textTo(world, 'For Bolt', { line: lineOf(world.other) }),
  )
  expect(await post(world, body, OWN)).toBe(200)
  expect(world.rows('select content from messages')).toEqual([{ content: '{"text":"For Acme"}' }])
  expect(world.rows('select state, reason from inbound_events order by id')).toEqual([
    { state: 'done', reason: null },
    { state: 'ignored', reason: 'not_signed_for' },
  ])
})

test('a replay of a number that moved to another organization applies nothing of the former one', async () => {
  await using world = await World.create()
  await deliver(world, textTo(world, 'A private word to Acme'))
  const [event] = await eventsOf(world, world.tenant)
  await (await world.as('admin')).delete(`/api/accounts/${world.tenant.accountId}`)
  await deliver(world, textTo(world, 'Between two owners'))
  const bolt = await world.as('admin', world.other)
  await bolt.delete(`/api/accounts/${world.other.accountId}`)
  world.other.phoneId = world.tenant.phoneId
  world.other.token = world.tenant.token
  world.other.wabaId = world.tenant.wabaId
  await world.connect(world.other)
  await world.settle()
  await (await world.as('admin')).post(`/api/inbound/events/${event?.['id']}/replay`)
  await world.settle()
  await (await world.as('super')).post('/api/inbound/replay', {})
  await world.settle()
  const contents = world.rows<{ content: string }>(
    'select content from messages where organization_id = ?',
    world.other.id,
  )
  expect(contents.map(({ content }) => content)).toEqual(['{"text":"Between two owners"}'])
  expect((await eventsOf(world, world.tenant)).map(({ state }) => state as string)).toEqual([
    'unrouted',
  ])
})

test('a delivery that names another business account is processed, with a warning on the number', async () => {
  await using world = await World.create()
  const line = { ...lineOf(world.tenant), wabaId: '209000000000009' }
  const socket = await world.socket('admin')
  for (const text of ['One', 'Two']) await deliver(world, textTo(world, text, { line }))
  expect(world.rows('select content from messages')).toEqual([
    { content: '{"text":"One"}' },
    { content: '{"text":"Two"}' },
  ])
  const { data } = await (await world.as('admin')).get(`/api/accounts/${world.tenant.accountId}`)
  expect(data['last_error']).toMatchObject({ code: 'business_id_differs' })
  await socket.caughtUp()
  expect(socket.events('account:updated').length).toBe(1)
  await deliver(world, textTo(world, 'Test', { line: { ...lineOf(world.other), wabaId: '0' } }))
  expect(
    (await (await world.as('admin', world.other)).get(`/api/accounts/${world.other.accountId}`))
      .data['last_error'],
  ).toBeNull()
})

describe('a change of marketing preferences', () => {
  const ANA = personOf(1, 'Ana')
  const consents = async (world: World): Promise<Loose[]> => {
    const manager = await world.as('manager')
    const [contact] = (await manager.get('/api/contacts')).data['items'] as Loose[]
    return (await manager.get(`/api/contacts/${contact?.['id']}/consents`)).data['items'] as Loose[]
  }
  const told = (
    world: World,
    value: string,
    at: number,
    placed?: 'value' | 'element' | 'nowhere',
  ) =>
    preference(value, {
      line: lineOf(world.tenant),
      person: ANA,
      timestamp: secondsIn(world) + at,
      ...(placed ? { placed } : {}),
    })

  test.each(['value', 'element', 'nowhere'] as const)(
    'is applied wherever the number is placed (%s), and creates a contact',
    async (placed) => {
      await using world = await World.create()
      await deliver(world, told(world, 'stop', 0, placed))
      const [contact] = (await (await world.as('manager')).get('/api/contacts')).data[
        'items'
      ] as Loose[]
      expect(contact).toMatchObject({
        marketing_consent: 'opted_out',
        wa_id: ANA.waId,
        user_id: ANA.userId,
        unread_count: 0,
      })
      expect(await consents(world)).toMatchObject([{ state: 'opted_out', source: 'platform' }])
      expect(world.rows('select state, other from inbound_events')).toEqual([
        { state: 'done', other: 1 },
      ])
    },
  )

  test("counts by the platform's time, in any order and however often it arrives", async () => {
    await using world = await World.create()
    for (const [nth, [value, at]] of (
      [
        ['resume', 20],
        ['stop', 10],
        ['resume', 20],
        ['stop', 10],
      ] as const
    ).entries()) {
      const webhook = told(world, value, at)
      await deliver(world, {
        ...webhook,
        entry: webhook.entry.map((entry) => ({ ...entry, time: nth })),
      })
    }
    const [contact] = (await (await world.as('manager')).get('/api/contacts')).data[
      'items'
    ] as Loose[]
    expect(contact?.['marketing_consent']).toBe('opted_in')
    expect((await consents(world)).map(({ state }) => state as string)).toEqual([
      'opted_in',
      'opted_out',
    ])
  })

  test.each(['signup', 'dance', ''])('with the unknown value %p changes nothing', async (value) => {
    await using world = await World.create()
    await deliver(world, told(world, value, 0))
    expect(world.rows('select id from contacts')).toEqual([])
  })

  test('for a number nobody connected belongs to no organization', async () => {
    await using world = await World.create({ isConnected: false })
    await deliver(world, told(world, 'stop', 0))
    expect(world.rows('select state from inbound_events')).toEqual([{ state: 'unrouted' }])
  })
})

test.each([
  'group_lifecycle_update',
  'group_participants_update',
  'payment_configuration_update',
  'never_heard_of',
])('%s is stored, listed as ignored with its field, and can be replayed', async (field) => {
  await using world = await World.create()
  const statuses = [{ id: 'wacid.1', type: 'call', status: 'RINGING', timestamp: '1790000000' }]
  await deliver(
    world,
    accountNews(
      field,
      { event: 'X', statuses, messages: [{ id: 'x' }] },
      { line: lineOf(world.tenant) },
    ),
  )
  const [event] = await eventsOf(world, world.tenant)
  expect(event).toMatchObject({
    field,
    state: 'ignored',
    items: { messages: 0, statuses: 0, errors: 0, other: 0 },
  })
  expect(world.rows('select * from message_statuses')).toEqual([])
  const again = await (await world.as('admin')).post(`/api/inbound/events/${event?.['id']}/replay`)
  expect(again.status).toBe(202)
  await world.settle()
  expect((await eventsOf(world, world.tenant))[0]).toMatchObject({ state: 'ignored', attempts: 2 })
})

import { describe, expect, test } from 'bun:test'

import { CampaignFixture, setPrice } from '../../../support/campaigns'
import type { Client, Loose } from '../../../support/client'
import { deliver, textTo } from '../../../support/lines'
import { secondNumber } from '../../../support/second-number'
import { changeRows } from '../../../support/sql'
import { World } from '../../../support/world'

/** A campaign to three people, two texts of a manager and one of an API key, all charged. */
async function spent(): Promise<CampaignFixture & { campaignId: string; contacts: Loose[] }> {
  const fixture = await CampaignFixture.open()
  const { world } = fixture
  setPrice(world, { category: 'MARKETING', micros: 25_000, country: 'US' })
  setPrice(world, { category: 'MARKETING', micros: 90_000, country: 'DE' })
  setPrice(world, { category: 'SERVICE', micros: 8_000 })
  world.simulator.freeServiceMessages(0)
  const contacts = [
    await world.contactOf(world.tenant, 'Hello!', '12025550101'),
    await world.contactOf(world.tenant, 'Hallo!', '4915123456702'),
  ]
  const manager = await fixture.manager
  for (const contact of [...contacts, contacts[0] as Loose])
    await manager.post(`/api/contacts/${String(contact['id'])}/messages`, {
      type: 'text',
      text: 'Hi',
    })
  const admin = await world.as('admin')
  const { data: key } = await admin.post('/api/api-keys', {
    name: 'Shop',
    permissions: ['messages:create', 'contacts:read', 'contacts:read_all'],
  })
  const program = manager.with({ 'x-api-key': String(key['key']), authorization: '' })
  const sent = await program.post('/api/messages', {
    contact_id: contacts[0]?.['id'],
    type: 'text',
    text: 'Your order is on its way',
  })
  expect(sent.status).toBe(201)
  await world.settle()
  const campaignId = await fixture.draftFor(['12025550111', '12025550112', '4915123456713'])
  await fixture.do(campaignId, 'start')
  await fixture.run(campaignId)
  return Object.assign(fixture, { campaignId, contacts })
}

const reportOf = async (fixture: CampaignFixture, query = ''): Promise<Loose> =>
  (await (await fixture.manager).get(`/api/analytics/costs?${query}`)).data

/** What a report adds up of each group and of all. */
const ADDED_UP = [
  'billable_messages',
  'free_messages',
  'unpriced_messages',
  'estimated_messages',
] as const

/** Expects that the stored messages of conversations explain all costs, and returns their groups. */
async function expectExplained(client: Client, query = ''): Promise<Loose[]> {
  const { data } = await client.get(`/api/analytics/costs?group_by=conversation&${query}`)
  const groups = data['groups'] as Loose[]
  expect(groups.map(({ key }) => key)).not.toContain(null)
  const summary = data['summary'] as Loose
  for (const field of ADDED_UP)
    expect([field, groups.reduce((sum, group) => sum + Number(group[field]), 0)]).toEqual([
      field,
      Number(summary[field]),
    ])
  const main = groups.filter(({ currency }) => currency === summary['currency'])
  for (const field of ['cost', 'estimated_cost'])
    expect(main.reduce((sum, group) => sum + Number(group[field]), 0)).toBeCloseTo(
      Number(summary[field]),
      6,
    )
  return groups
}

/** The groups of a report as `[key, messages, cost]`. */
const groupsOf = (report: Loose): unknown[] =>
  (report['groups'] as Loose[]).map((group) => [
    group['key'],
    Number(group['billable_messages']) + Number(group['free_messages']),
    group['cost'],
  ])

describe('the costs of messages', () => {
  test('are grouped by everything a message has', async () => {
    await using fixture = await spent()
    const { world, campaignId, contacts, templateId } = fixture
    const by = async (group: string): Promise<unknown[]> =>
      groupsOf(await reportOf(fixture, `group_by=${group}`))
    expect(await by('category')).toEqual([
      ['MARKETING', 3, '0.14'],
      ['SERVICE', 4, '0.032'],
    ])
    expect(await by('country')).toEqual([
      ['DE', 2, '0.098'],
      ['US', 5, '0.074'],
    ])
    expect(await by('source')).toEqual([
      ['campaign', 3, '0.14'],
      ['agent', 3, '0.024'],
      ['api', 1, '0.008'],
    ])
    expect(await by('account')).toEqual([[world.tenant.accountId, 7, '0.172']])
    expect(await by('campaign')).toEqual([
      [campaignId, 3, '0.14'],
      [null, 4, '0.032'],
    ])
    expect(await by('template')).toEqual([
      [templateId, 3, '0.14'],
      [null, 4, '0.032'],
    ])
    expect(await by('agent')).toEqual([
      [null, 4, '0.148'],
      [world.tenant.userIds.manager, 3, '0.024'],
    ])
    expect(await by('bot_flow')).toEqual([[null, 7, '0.172']])
    const conversations = (await by('conversation')) as [string, number, string][]
    expect(conversations.map(([, , cost]) => cost)).toEqual([
      '0.09',
      '0.025',
      '0.025',
      '0.024',
      '0.008',
    ])
    expect(contacts).toHaveLength(2)
    const agents = await reportOf(fixture, 'group_by=agent')
    expect((agents['groups'] as Loose[]).map(({ name }) => name)).toEqual([null, 'Acme manager'])
  })

  test('of one campaign or one person are those of their groups, by point as well', async () => {
    await using fixture = await spent()
    const { world, campaignId } = fixture
    const managerId = world.tenant.userIds.manager
    // a call to an AI provider belongs to no campaign and nobody
    changeRows(
      world.program.http.db.sqlite,
      `insert into ai_call_counts select organization_id, part, 0, ?, zeroblob(16), 1, 0, 9, 9, 70000
       from rollup_parts where organization_id = (select organization_id from campaigns)`,
      [Math.floor(world.clock.nowMs() / 900_000)],
    )
    expect((await reportOf(fixture))['summary']).toMatchObject({ ai_cost: '0.07' })
    for (const [query, group, key] of [
      [`campaign_id=${campaignId}`, 'campaign', campaignId],
      [`user_id=${managerId}`, 'agent', managerId],
    ] as const)
      // before and after the counts are moved to days
      for (const days of [0, 3]) {
        world.clock.advance({ hours: 24 * days })
        await world.settle()
        const all = await reportOf(fixture, `group_by=${group}`)
        const wanted = (all['groups'] as Loose[]).find((one) => one['key'] === key) ?? {}
        const { name: _, key: _key, ...figures } = wanted
        const own = await reportOf(fixture, `group_by=${group}&${query}`)
        expect(own['summary']).toMatchObject({ ...figures, ai_cost: '0.00' })
        expect(own['groups']).toEqual([wanted])
        const points = (own['timeline'] as Loose[]).filter((one) => one['billable_messages'] !== 0)
        expect(points).toMatchObject([figures])
        const byNumber = await reportOf(fixture, `group_by=account&${query}`)
        expect(byNumber['groups']).toMatchObject([{ key: world.tenant.accountId, ...figures }])
      }
    const refusalOf = async (query: string): Promise<unknown[]> => {
      const manager = await world.as('manager')
      const { status, body } = await manager.get(`/api/analytics/costs?${query}`)
      return [status, body.errors?.[0]?.path]
    }
    expect(await refusalOf(`campaign_id=${campaignId}&group_by=country`)).toEqual([
      ...[400, 'query.group_by'],
    ])
    expect(await refusalOf(`campaign_id=${campaignId}&user_id=${managerId}`)).toEqual([
      ...[400, 'query.user_id'],
    ])
    for (const name of ['campaign_id', 'user_id'])
      expect(await refusalOf(`group_by=account&${name}=${crypto.randomUUID()}`)).toEqual([
        ...[404, undefined],
      ])
  })

  test('are what the campaign and the number say', async () => {
    await using fixture = await spent()
    const { world, campaignId } = fixture
    const report = await reportOf(fixture)
    const { data: health } = await (
      await fixture.manager
    ).get(`/api/accounts/${world.tenant.accountId}/health`)
    expect(report['summary']).toEqual({
      billable_messages: 7,
      free_messages: 0,
      unpriced_messages: 0,
      estimated_messages: 0,
      cost: '0.172',
      estimated_cost: '0.00',
      currency: 'USD',
      other_costs: [],
      ai_cost: '0.00',
      ai_cost_currency: 'USD',
      month_to_date: health['cost_month'],
      budget: null,
    })
    expect((await fixture.campaign(campaignId))['actual_cost']).toBe('0.14')
  })

  test('have a point for each hour, day, week and month, each in the local time', async () => {
    await using fixture = await spent()
    const points = async (query: string): Promise<unknown[]> =>
      ((await reportOf(fixture, query))['timeline'] as Loose[]).map(({ date, cost }) => [
        date,
        cost,
      ])
    const days = await points('')
    expect([days.length, days.at(-1), days[0]]).toEqual([
      30,
      ['2026-11-21', '0.172'],
      ['2026-10-23', '0.00'],
    ])
    expect(await points('granularity=week&start_date=2026-11-02&end_date=2026-11-21')).toEqual([
      ['2026-11-02', '0.00'],
      ['2026-11-09', '0.00'],
      ['2026-11-16', '0.172'],
    ])
    expect(await points('granularity=month&start_date=2026-10-05')).toEqual([
      ['2026-10-01', '0.00'],
      ['2026-11-01', '0.172'],
    ])
    const hours = await points('granularity=hour&start_date=2026-11-21&end_date=2026-11-21')
    expect([hours.length, hours[9]]).toEqual([24, ['2026-11-21T09:00:00+00:00', '0.172']])
    const admin = await fixture.world.as('admin')
    await admin.put('/api/organizations/settings', { timezone: 'Europe/Berlin' })
    const autumn = 'granularity=hour&start_date=2026-10-25&end_date=2026-10-25'
    const spring = 'granularity=hour&start_date=2026-03-29&end_date=2026-03-29'
    expect((await points(autumn)).length).toBe(25)
    expect((await points(spring)).length).toBe(23)
  })

  test('are paged, filtered, and of messages sent in the period only', async () => {
    await using fixture = await spent()
    const first = await reportOf(fixture, 'group_by=conversation&limit=2&page=2')
    expect([first['total'], first['total_pages'], (first['groups'] as Loose[]).length]).toEqual([
      5, 3, 2,
    ])
    expect(groupsOf(await reportOf(fixture, 'end_date=2026-11-20'))).toEqual([])
    const { world } = fixture
    const mine = await reportOf(fixture, `account_id=${world.tenant.accountId}`)
    expect((mine['summary'] as Loose)['cost']).toBe('0.172')
    const manager = await fixture.manager
    const refused = async (query: string): Promise<unknown> =>
      (await manager.get(`/api/analytics/costs?${query}`)).status
    expect(await refused(`account_id=${world.other.accountId}`)).toBe(404)
    expect(await refused('group_by=weather')).toBe(400)
    expect(await refused('granularity=year')).toBe(400)
    expect(await refused('granularity=hour&start_date=2026-10-01')).toBe(400)
    expect(await refused('start_date=2026-11-20&end_date=2026-11-19')).toBe(400)
    expect((await (await world.as('agent')).get('/api/analytics/costs')).status).toBe(403)
  })

  test('tell estimates, free messages, messages without a price and other currencies', async () => {
    await using world = await World.create()
    setPrice(world, { category: 'SERVICE', micros: 8_000, free: 1 })
    const contact = await world.contactOf()
    const manager = await world.as('manager')
    const send = async (): Promise<unknown> => {
      world.simulator.swallowStatuses()
      const path = `/api/contacts/${String(contact['id'])}/messages`
      const { data } = await manager.post(path, { type: 'text', text: 'Hi' })
      await world.settle()
      return data['id']
    }
    await send()
    await send()
    await send()
    await send()
    const { sqlite } = world.program.http.db
    const last = world.rows<{ row: number }>(
      "select rowid as row from messages where direction = 'outgoing' order by rowid",
    )
    changeRows(sqlite, 'update messages set cost_micros = null where rowid = ?', [
      last[2]?.row ?? 0,
    ])
    changeRows(
      sqlite,
      "update messages set cost_currency = 'EUR', cost_micros = 7000, is_cost_estimate = 0 where rowid = ?",
      [last[3]?.row ?? 0],
    )
    const { data } = await manager.get('/api/analytics/costs')
    expect(data['summary']).toMatchObject({
      billable_messages: 2,
      free_messages: 1,
      unpriced_messages: 1,
      estimated_messages: 3,
      cost: '0.008',
      estimated_cost: '0.008',
      currency: 'USD',
      other_costs: [{ cost: '0.007', currency: 'EUR' }],
    })
    expect(
      (data['groups'] as Loose[]).map(({ key, cost, currency }) => [key, cost, currency]),
    ).toEqual([
      ['SERVICE', '0.008', 'USD'],
      ['SERVICE', '0.007', 'EUR'],
    ])
    await expectExplained(manager)
  })

  test('of erased messages stay if they were sent', async () => {
    await using world = await World.create()
    world.stays('rows that no server writes')
    setPrice(world, { category: 'SERVICE', micros: 8_000, free: 0 })
    const admin = await world.as('admin')
    const messagesOf = async (): Promise<unknown> =>
      ((await admin.get('/api/analytics/costs')).data['summary'] as Loose)['estimated_messages']
    const contact = await world.contactOf()
    const path = `/api/contacts/${String(contact['id'])}`
    world.simulator.swallowStatuses()
    await admin.post(`${path}/messages`, { type: 'text', text: 'Sent' })
    await world.settle()
    await admin.post(`${path}/messages`, { type: 'text', text: 'Not sent yet' })
    expect(await messagesOf()).toBe(2)
    const { sqlite } = world.program.http.db
    sqlite.run('pragma foreign_keys = off')
    changeRows(sqlite, "delete from messages where direction = 'outgoing'")
    expect(await messagesOf()).toBe(1)
  })

  test('are those of the conversations, in every period and of every number', async () => {
    await using world = await World.create()
    setPrice(world, { category: 'SERVICE', micros: 8_000, free: 1 })
    const contact = await world.contactOf()
    const { tenant, simulator } = world
    const second = await secondNumber(world)
    const write = async (more: Loose = {}): Promise<unknown> => {
      const path = `/api/contacts/${String(contact['id'])}/messages`
      const client = await world.as('manager')
      return (await client.post(path, { type: 'text', text: 'Hi', ...more })).status
    }
    const send = async (more: Loose = {}): Promise<void> => {
      expect(await write(more)).toBe(201)
      await world.settle()
    }
    await send()
    await send()
    simulator.swallowStatuses()
    await send()
    simulator.followWith(['failed'])
    await send()
    const person = { waId: String(contact['wa_id']), userId: String(contact['user_id']) }
    await deliver(world, textTo(world, 'And here?', { line: second, person }))
    await send({ account_id: second.accountId })
    // Written just before midnight, and sent after it.
    world.clock.advance({ ms: Date.parse('2026-11-21T23:59:59Z') - world.clock.nowMs() })
    const account_id = tenant.accountId
    expect(await write({ account_id })).toBe(201)
    world.clock.advance({ seconds: 2 })
    await world.settle()
    world.clock.advance({ hours: 8 })
    await send({ account_id })
    const groupsIn = async (query: string): Promise<unknown[]> =>
      (await expectExplained(await world.as('manager'), query)).map(
        ({ billable_messages, free_messages }) => Number(billable_messages) + Number(free_messages),
      )
    expect(await groupsIn('')).toEqual([5, 1])
    expect(await groupsIn('end_date=2026-11-21')).toEqual([3, 1])
    expect(await groupsIn('start_date=2026-11-22')).toEqual([2])
    expect(await groupsIn(`account_id=${second.accountId}`)).toEqual([1])
    expect(await groupsIn(`account_id=${account_id}`)).toEqual([5])
  })
})

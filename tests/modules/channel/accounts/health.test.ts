import { describe, expect, test } from 'bun:test'

import { accountNews } from '../../../../src/simulator/coexistence'
import { systemCtx } from '../../../../src/infra/ctx'
import { ReadAccountHealth } from '../../../../src/modules/channel/accounts/readers'
import { approvedTemplate } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'
import { deliver, lineOf, secondsIn, textTo } from '../../../support/lines'
import { secondNumber } from '../../../support/second-number'
import { World } from '../../../support/world'

const healthOf = async (world: World): Promise<Loose> =>
  (await (await world.as('agent')).get(`/api/accounts/${world.tenant.accountId}/health`)).data

async function send(world: World, contactId: string, text: string): Promise<void> {
  const answer = await (
    await world.as('manager')
  ).post(`/api/contacts/${contactId}/messages`, { type: 'text', text })
  expect(answer.status).toBe(201)
}

const quality = (world: World, event: string): Promise<void> => {
  const value = {
    display_phone_number: lineOf(world.tenant).displayPhoneNumber,
    event,
    current_limit: 'TIER_10K',
  }
  return deliver(
    world,
    accountNews('phone_number_quality_update', value, {
      line: lineOf(world.tenant),
      time: secondsIn(world),
    }),
  )
}

describe('the health of a number', () => {
  test('of a new number is empty', async () => {
    await using world = await World.create()
    expect(await healthOf(world)).toEqual({
      status: 'active',
      last_error: null,
      last_inbound_at: null,
      last_send_ok_at: null,
      queue_depth: 0,
      oldest_pending_at: null,
      unrouted_24h: 0,
      failed_rate_1h: 0,
      quality_history: [],
      limits: { tier: 'TIER_2K', used_24h: 0 },
      billing_timezone: 'UTC',
      funding: {
        state: 'unknown',
        source: null,
        checked_at: null,
        billing_url: expect.stringContaining(`asset_id=${world.tenant.wabaId}`),
      },
      service_allowance: {
        free: 1_000,
        used: 0,
        resets_at: '2026-12-01T00:00:00.000Z',
        held: false,
      },
      cost_month: null,
      unknown_fields: [],
    })
    expect(
      (
        await (
          await world.as('agent')
        ).get('/api/accounts/01900000-0000-7000-8000-ffffffffffff/health')
      ).status,
    ).toBe(404)
  })

  test('counts waiting messages and their age, and failures of the last hour', async () => {
    await using world = await World.create()
    const { id } = await world.contactOf()
    world.simulator.fail({ code: 131_026 })
    await send(world, id, 'fails')
    await world.settle()
    for (const text of ['one', 'two', 'three']) await send(world, id, text)
    await world.settle()
    expect(await healthOf(world)).toMatchObject({
      last_inbound_at: '2026-11-21T09:30:00.000Z',
      last_send_ok_at: '2026-11-21T09:30:00.000Z',
      queue_depth: 0,
      failed_rate_1h: 0.25,
    })
    world.clock.advance({ minutes: 30 })
    await (
      await world.as('manager')
    ).post('/api/outbox/pause', { account_id: world.tenant.accountId })
    for (const text of ['waits', 'waits too']) await send(world, id, text)
    world.clock.advance({ minutes: 20 })
    expect(await healthOf(world)).toMatchObject({
      queue_depth: 2,
      oldest_pending_at: '2026-11-21T10:00:00.000Z',
      failed_rate_1h: 0.1667,
    })
    world.clock.advance({ minutes: 20 })
    expect(await healthOf(world)).toMatchObject({ failed_rate_1h: 0 })
  })

  test('counts nothing of other numbers and organizations', async () => {
    await using world = await World.create()
    const { id } = await world.contactOf(world.other)
    world.simulator.fail({ code: 131_026 })
    await (
      await world.as('manager', world.other)
    ).post(`/api/contacts/${id}/messages`, { type: 'text', text: 'fails' })
    await world.settle()
    expect(await healthOf(world)).toMatchObject({
      failed_rate_1h: 0,
      last_send_ok_at: null,
      last_inbound_at: null,
    })
  })

  test('shows quality changes, newest first, and no other changes', async () => {
    await using world = await World.create()
    await quality(world, 'FLAGGED')
    world.clock.advance({ hours: 2 })
    world.simulator.addPhone({
      id: world.tenant.phoneId,
      qualityRating: 'YELLOW',
      messagingLimit: 'TIER_10K',
    })
    await quality(world, 'UNFLAGGED')
    expect(await healthOf(world)).toMatchObject({
      quality_history: [
        { at: '2026-11-21T11:30:00.000Z', from: 'RED', to: 'YELLOW' },
        { at: '2026-11-21T09:30:00.000Z', from: 'GREEN', to: 'RED' },
      ],
      limits: { tier: 'TIER_10K' },
    })
  })

  test('counts the unrouted deliveries of a day for this number only', async () => {
    await using world = await World.create({ isConnected: false })
    for (const text of ['one', 'two']) await deliver(world, textTo(world, text))
    await deliver(world, textTo(world, 'for Bolt', { line: lineOf(world.other) }))
    world.clock.advance({ hours: 23 })
    await world.connect(world.tenant)
    expect(await healthOf(world)).toMatchObject({ unrouted_24h: 2 })
    await world.settle()
    expect(await healthOf(world)).toMatchObject({ unrouted_24h: 0 })
  })

  test('counts webhook fields that the server does not know, by hour, and notifies once per field', async () => {
    await using world = await World.create()
    const told = (field: string): Promise<void> =>
      deliver(
        world,
        accountNews(field, { at: world.clock.nowMs() }, { line: lineOf(world.tenant) }),
      )
    for (const field of ['brand_new_field', 'brand_new_field', 'another_field']) {
      world.clock.advance({ minutes: 20 })
      await told(field)
    }
    const lastAt = '2026-11-21T10:30:00.000Z'
    expect((await healthOf(world))['unknown_fields']).toEqual([
      { field: 'another_field', count_24h: 1, last_at: lastAt },
      { field: 'brand_new_field', count_24h: 2, last_at: '2026-11-21T10:10:00.000Z' },
    ])
    world.clock.advance({ hours: 30 })
    await told('brand_new_field')
    expect((await healthOf(world))['unknown_fields']).toEqual([
      { field: 'brand_new_field', count_24h: 1, last_at: '2026-11-22T16:30:00.000Z' },
      { field: 'another_field', count_24h: 0, last_at: lastAt },
    ])
    const listed = (await (await world.as('manager')).get('/api/me/notifications')).data['items']
    expect((listed as Loose[]).map(({ body }) => /field "(\w+)"/.exec(String(body))?.[1])).toEqual([
      'another_field',
      'brand_new_field',
    ])
    const bolt = await world.as('manager', world.other)
    expect((await bolt.get(`/api/accounts/${world.other.accountId}/health`)).data).toMatchObject({
      unknown_fields: [],
    })
  })

  test('counts an unknown field once when its deliveries are replayed, and keeps a hundred fields', async () => {
    await using world = await World.create()
    for (let nth = 0; nth < 102; nth += 1) {
      world.clock.advance({ seconds: 1 })
      await deliver(world, accountNews(`field_${nth}`, {}, { line: lineOf(world.tenant) }))
    }
    await (await world.as('super')).post('/api/inbound/replay', { state: 'ignored' })
    await world.settle()
    const fields = (await healthOf(world))['unknown_fields'] as Loose[]
    expect(fields).toHaveLength(100)
    expect(fields[0]).toMatchObject({ field: 'field_101', count_24h: 1 })
    expect(fields.at(-1)).toMatchObject({ field: 'field_2', count_24h: 1 })
  })

  test('counts each customer written to outside the window by any number of the portfolio once, as campaigns do', async () => {
    await using world = await World.create()
    const templateId = await approvedTemplate(world)
    const { accountId: second } = await secondNumber(world)
    const people = [
      await world.contactOf(world.tenant, 'Hello!', '15550107001'),
      await world.contactOf(world.tenant, 'Hello!', '15550107002'),
    ]
    const offer = async (to: Loose | undefined, more: Loose = {}): Promise<void> => {
      const answer = await (
        await world.as('manager')
      ).post(`/api/contacts/${to?.['id']}/messages`, {
        ...{ type: 'template', template_id: templateId, template_params: { '1': 'Ann' } },
        ...more,
      })
      expect(answer.status).toBe(201)
      await world.settle()
    }
    const used = async (): Promise<unknown> => (await healthOf(world))['limits']
    await offer(people[0])
    await offer(people[1])
    // their windows were open
    expect(await used()).toEqual({ tier: 'TIER_2K', used_24h: 0 })
    world.clock.advance({ hours: 25 })
    await offer(people[0])
    await offer(people[0])
    await offer(people[0], { account_id: second })
    expect(await used()).toEqual({ tier: 'TIER_2K', used_24h: 1 })
    world.clock.advance({ hours: 2 })
    await offer(people[1], { account_id: second })
    expect(await used()).toEqual({ tier: 'TIER_2K', used_24h: 2 })
    const manager = await world.as('manager')
    const { data: campaign } = await manager.post('/api/campaigns', {
      ...{ name: 'Offer', account_id: world.tenant.accountId, template_id: templateId },
    })
    expect((await manager.post(`/api/campaigns/${campaign['id']}/dry-run`)).data['quota']).toEqual({
      tier: 'TIER_2K',
      remaining: 1_998,
    })
    world.clock.advance({ hours: 23 })
    expect(await used()).toEqual({ tier: 'TIER_2K', used_24h: 1 })
    world.clock.advance({ hours: 2 })
    expect(await used()).toEqual({ tier: 'TIER_2K', used_24h: 0 })
  })

  test('is read from indexes, and asks nothing again for each message', async () => {
    await using world = await World.create()
    const { sqlite } = world.program.http.db
    const statements = new Set<string>()
    const query = sqlite.query.bind(sqlite)
    sqlite.query = ((statement: string) => {
      statements.add(statement)
      return query(statement)
    }) as typeof query
    ReadAccountHealth.read(
      systemCtx(world.program.http, world.tenant.id),
      String(world.tenant.accountId),
    )
    sqlite.query = query
    const plansOf = (table: string): string[] =>
      [...statements]
        .filter((statement) => statement.includes(`from "${table}"`))
        .map((statement) =>
          world
            .rows<{ detail: string }>(`explain query plan ${statement}`)
            .map(({ detail }) => detail.replace(/ \(.*/, ''))
            .join(),
        )
    expect(plansOf('messages')).toEqual([
      'SEARCH messages USING COVERING INDEX messages_unsettled',
      'SEARCH messages USING INDEX messages_of_number',
    ])
    expect(plansOf('portfolio_reach')).toEqual([
      'SEARCH portfolio_reach USING COVERING INDEX portfolio_reach_recent',
    ])
  })
})

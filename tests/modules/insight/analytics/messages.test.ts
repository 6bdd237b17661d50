import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { deliver, textTo } from '../../../support/lines'
import { World } from '../../../support/world'

let world: World

beforeAll(async () => {
  world = await World.create()
})

afterAll(() => world.stop())

const reportOf = async (query = ''): Promise<Loose> =>
  (await (await world.as('manager')).get(`/api/analytics/messages?${query}`)).data

const sumOf = (report: Loose, field: string): number =>
  (report['timeline'] as Loose[]).reduce((sum, point) => sum + Number(point[field]), 0)

test('messages count by type, source and day, and delivered ones when they were sent', async () => {
  const contact = await world.contactOf()
  const manager = await world.as('manager')
  world.clock.advance({ seconds: 40 })
  world.simulator.swallowStatuses()
  await manager.post(`/api/contacts/${contact['id']}/messages`, { type: 'text', text: 'Hello' })
  await world.settle()
  const before = await reportOf()
  expect(before['summary']).toMatchObject({
    total_sent: 1,
    total_received: 1,
    total_delivered: 0,
    total_failed: 0,
    delivery_rate: 0,
    read_rate: 0,
    unique_contacts: 1,
    avg_first_response_seconds: 40,
  })
  expect(before['by_type']).toEqual({ text: 2 })
  expect(before['timeline']).toHaveLength(30)
  expect((before['timeline'] as Loose[]).at(-1)).toEqual({
    ...{ date: '2026-11-21', sent: 1, received: 1, delivered: 0, read: 0, failed: 0 },
  })
  expect((await reportOf('direction=incoming'))['summary']).toMatchObject({
    ...{ total_sent: 0, total_received: 1, unique_contacts: 1 },
  })
  expect((await reportOf('source=chatbot'))['summary']).toMatchObject({
    ...{ total_sent: 0, total_received: 0, unique_contacts: 0 },
  })
  expect((await reportOf(`account_id=${world.tenant.accountId}`))['summary']).toEqual(
    before['summary'],
  )
})

test('a time stands for its hour', async () => {
  const at = (time: string): string => encodeURIComponent(`2026-11-21T${time}Z`)
  const inside = await reportOf(`start_date=${at('00:00:00')}&end_date=${at('23:59:00')}`)
  expect([sumOf(inside, 'sent'), sumOf(inside, 'received')]).toEqual([1, 1])
  const outside = await reportOf(`start_date=${at('00:00:00')}&end_date=${at('01:00:00')}`)
  expect([sumOf(outside, 'sent'), sumOf(outside, 'received')]).toEqual([0, 0])
})

test('the same figures are there when the hours were folded into days, and hours stay', async () => {
  const before = await reportOf()
  const hours = await reportOf('granularity=hour&start_date=2026-11-21&end_date=2026-11-21')
  world.clock.advance({ hours: 24 * 4 })
  await world.settle()
  const rows = world.rows<{ unit: number; n: number }>(
    'select unit, sum(messages) as n from message_rollups group by unit order by unit',
  )
  expect(rows).toEqual([
    { unit: 1, n: 2 },
    { unit: 2, n: 2 },
  ])
  const after = await reportOf('start_date=2026-10-23&end_date=2026-11-21')
  expect([after['summary'], after['timeline'], after['by_type']]).toEqual([
    before['summary'],
    before['timeline'],
    before['by_type'],
  ])
  const later = await reportOf('granularity=hour&start_date=2026-11-21&end_date=2026-11-21')
  expect(later['timeline']).toEqual(hours['timeline'])
})

test('the share that was read is one of what was delivered, that of delivered one of what was sent', async () => {
  const tenant = world.other
  const contact = await world.contactOf(tenant)
  const manager = await world.as('manager', tenant)
  for (const statuses of [
    ['sent', 'delivered', 'read'],
    ['sent', 'delivered'],
    ['sent', 'delivered'],
    ['sent'],
    ['sent'],
  ] as const) {
    world.simulator.followWith(statuses)
    await manager.post(`/api/contacts/${contact['id']}/messages`, { type: 'text', text: 'Hello' })
    await world.settle()
  }
  const { data } = await manager.get('/api/analytics/messages')
  expect(data['summary']).toMatchObject({
    ...{ total_sent: 5, total_delivered: 3, total_read: 1 },
    ...{ delivery_rate: 60, read_rate: 33.3 },
  })
})

test('a message that was refused at once makes no contact', async () => {
  await using own = await World.create()
  const contact = await own.contactOf()
  own.clock.advance({ hours: 16 })
  own.simulator.fail({ code: 131_026 })
  const admin = await own.as('admin')
  await admin.post(`/api/contacts/${contact['id']}/messages`, { type: 'text', text: 'Refused' })
  await own.settle()
  const manager = await own.as('manager')
  const ofDay = async (): Promise<unknown> => {
    const query = 'start_date=2026-11-22&end_date=2026-11-22'
    return (await manager.get(`/api/analytics/messages?${query}`)).data['summary']
  }
  expect(await ofDay()).toMatchObject({ total_sent: 0, total_failed: 1, unique_contacts: 0 })
  // A status that was lost tells that it was accepted all the same.
  const { sqlite } = own.program.http.db
  sqlite.run("update messages set sent_at_ms = created_at_ms where status = 'failed'")
  expect(await ofDay()).toMatchObject({ total_sent: 1, total_failed: 1, unique_contacts: 1 })
  await admin.post(`/api/contacts/${contact['id']}/erase`, { confirm: contact['id'] })
  await own.settle()
  expect(await ofDay()).toMatchObject({ total_sent: 1, total_failed: 1, unique_contacts: 1 })
})

test('a message that arrives late reopens nothing that was answered since', async () => {
  await using own = await World.create()
  const contact = await own.contactOf()
  const admin = await own.as('admin')
  const path = `/api/contacts/${contact['id']}/messages`
  const mean = async (): Promise<unknown> =>
    ((await (await own.as('manager')).get('/api/analytics/messages')).data['summary'] as Loose)[
      'avg_first_response_seconds'
    ]
  const writtenMs = own.clock.nowMs()
  own.clock.advance({ seconds: 40 })
  await admin.post(path, { type: 'text', text: 'Hello' })
  await own.settle()
  expect(await mean()).toBe(40)
  own.clock.advance({ seconds: 3_600 })
  const message = {
    from: String(contact['phone_number']),
    id: 'wamid.LATE',
    timestamp: String(Math.floor(writtenMs / 1_000) + 20),
    type: 'text',
    text: { body: 'Are you there?' },
  }
  const { wabaId, phoneId } = own.tenant
  const metadata = { display_phone_number: '15550100001', phone_number_id: phoneId }
  const value = { messaging_product: 'whatsapp', metadata, messages: [message] }
  await own.simulator.post({
    object: 'whatsapp_business_account',
    entry: [{ id: wabaId, changes: [{ field: 'messages', value }] }],
  })
  await own.settle()
  expect(own.rows('select unanswered_since_ms as since from conversations')).toEqual([
    { since: null },
  ])
  own.clock.advance({ seconds: 60 })
  await admin.post(path, { type: 'text', text: 'Yes' })
  await own.settle()
  expect(await mean()).toBe(40)
})

test('refuses foreign numbers and unknown words', async () => {
  const manager = await world.as('manager')
  const status = async (query: string): Promise<number> =>
    (await manager.get(`/api/analytics/messages?${query}`)).status
  expect(await status(`account_id=${world.other.accountId}`)).toBe(404)
  expect(await status('granularity=minute')).toBe(400)
  expect(await status('source=pigeon')).toBe(400)
  expect(await status('start_date=2026-02-30')).toBe(400)
  expect(await status('granularity=hour&start_date=2026-10-01')).toBe(400)
  expect((await (await world.as('agent')).get('/api/analytics/messages')).status).toBe(403)
})

test('the dashboard shows messages and contacts', async () => {
  const manager = await world.as('manager')
  const { data } = await manager.get('/api/analytics/dashboard?period=week')
  expect(data).toMatchObject({
    contacts: { total: 1, new_today: 0, new_this_week: 0 },
    messages: { total: 0, today: 0 },
    period: { start: '2026-11-23', end: '2026-11-25' },
    rebuilding: false,
  })
  const { data: month } = await manager.get(
    `/api/analytics/dashboard?account_id=${world.tenant.accountId}`,
  )
  expect(month).toMatchObject({
    contacts: { total: 1, new_in_period: 1, growth_percent: 100 },
    messages: { total: 2, sent: 1, received: 1, today: 0, failed: 0 },
    campaigns: { total: 0, active: 0, completed_this_month: 0 },
    chatbot: { conversations: 0, resolution_rate: 0 },
    transfers: { waiting: 0, oldest_waiting_seconds: 0, sla_breached: 0 },
  })
  expect((await manager.get('/api/analytics/dashboard?period=decade')).status).toBe(400)
  const foreign = `/api/analytics/dashboard?account_id=${world.other.accountId}`
  expect((await manager.get(foreign)).status).toBe(404)
})

test('new contacts of the week are the same in every period', async () => {
  await using own = await World.create({ startMs: Date.UTC(2027, 5, 28, 9) }) // a Monday
  await own.contactOf(own.tenant, 'Hello', '15550107001')
  own.clock.advance({ hours: 72 })
  await own.contactOf(own.tenant, 'Hello', '15550107002')
  const manager = await own.as('manager')
  const seen: unknown[] = []
  for (const period of ['today', 'week', 'month', 'year']) {
    const { data } = await manager.get(`/api/analytics/dashboard?period=${period}`)
    const contacts = data['contacts'] as Loose
    seen.push([contacts['new_today'], contacts['new_this_week'], contacts['new_in_period']])
  }
  // The first of July is a Thursday.
  expect(seen).toEqual([
    [1, 2, 1],
    [1, 2, 2],
    [1, 2, 1],
    [1, 2, 2],
  ])
})

test('what a blocked customer writes is received, and not read by anybody', async () => {
  await using blocked = await World.create()
  const contact = await blocked.contactOf()
  const manager = await blocked.as('manager')
  expect((await manager.post(`/api/contacts/${contact['id']}/block`)).status).toBe(200)
  await deliver(blocked, textTo(blocked, 'Hello?'))
  const { data } = await manager.get('/api/analytics/messages')
  expect([sumOf(data, 'received'), sumOf(data, 'read')]).toEqual([2, 0])
})

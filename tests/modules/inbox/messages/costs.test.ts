import { afterEach, expect, test } from 'bun:test'

import { approvedTemplate, setPrice } from '../../../support/campaigns'
import { echoText } from '../../../../src/simulator/coexistence'
import type { About } from '../../../../src/simulator/payloads'
import { asStandby, standbyEcho } from '../../../../src/simulator/standby'
import type { Loose } from '../../../support/client'
import {
  deliver,
  lineOf,
  personOf,
  secondsIn,
  statusTo,
  textTo,
  valueOf,
} from '../../../support/lines'
import { World } from '../../../support/world'

const OCTOBER_MS = Date.UTC(2026, 9, 1)
const HOUR_MS = 3_600_000

let world: World

afterEach(() => world.stop())

/** The price list of the platform: replies are free until October 2026 and charged from then on. */
function loadPrices(free = 1_000): void {
  setPrice(world, { category: 'SERVICE', micros: 0 })
  setPrice(world, { category: 'SERVICE', micros: 8_000, fromMs: OCTOBER_MS, free })
  setPrice(world, { category: 'UTILITY', micros: 8_000, applies: 'outside_window' })
  setPrice(world, { category: 'UTILITY', micros: 0, applies: 'inside_window' })
  setPrice(world, {
    category: 'UTILITY',
    micros: 9_000,
    applies: 'inside_window',
    fromMs: OCTOBER_MS,
  })
  setPrice(world, { category: 'MARKETING', micros: 25_000 })
}

const aboutIn = (): About => ({ line: lineOf(world.tenant) })

const manager = () => world.as('manager')
const show = async (id: unknown): Promise<Loose> =>
  (await (await manager()).get(`/api/messages/${String(id)}`)).data
const costOf = async (id: unknown): Promise<unknown> => (await show(id))['cost']
const health = async (): Promise<Loose> =>
  (await (await manager()).get(`/api/accounts/${world.tenant.accountId}/health`)).data
const conversationOf = async (message: Loose): Promise<Loose> =>
  (await (await manager()).get(`/api/conversations/${String(message['conversation_id'])}`)).data

/** Sends a text that the platform takes and says nothing more of. */
function sendSilently(contactId: unknown, text?: string): Promise<Loose> {
  world.simulator.swallowStatuses()
  return sendText(contactId, text)
}

/** Sends a text; returns the message once the platform has taken it. */
async function sendText(contactId: unknown, text = 'Hi'): Promise<Loose> {
  const answer = await (
    await manager()
  ).post(`/api/contacts/${String(contactId)}/messages`, { type: 'text', text })
  expect(answer.status).toBe(201)
  await world.settle()
  return show(answer.data['id'])
}

/** Reports a status of a message, so many seconds from now. */
const report = (
  message: Loose,
  status: string,
  at: { seconds?: number; type?: string; category?: string } = {},
): Promise<void> =>
  deliver(
    world,
    statusTo(world, String(message['wa_message_id']), status, {
      timestamp: secondsIn(world) + (at.seconds ?? 0),
      facts:
        at.type === undefined
          ? {}
          : {
              pricing: {
                category: at.category ?? 'service',
                type: at.type,
                billable: at.type === 'regular',
              },
            },
    }),
  )

test('a reply costs what the price list of its day says, before and after October 2026', async () => {
  world = await World.create({ startMs: OCTOBER_MS - 2 * HOUR_MS })
  loadPrices(0)
  world.simulator.freeServiceMessages(0)
  const contact = await world.contactOf()
  const before = await sendText(contact['id'])
  expect(before['cost']).toEqual({
    amount: '0.00',
    currency: 'USD',
    category: 'SERVICE',
    is_estimate: false,
    free_reason: 'free_customer_service',
  })
  world.clock.advance({ hours: 3 })
  const after = await sendText(contact['id'])
  expect(after['cost']).toEqual({
    amount: '0.008',
    currency: 'USD',
    category: 'SERVICE',
    is_estimate: false,
    free_reason: null,
  })
  expect((await conversationOf(after))['cost_month']).toEqual({
    amount: '0.008',
    estimated_amount: '0.00',
    currency: 'USD',
    is_estimate: false,
    unpriced_messages: 0,
  })
})

test('a utility template inside the window is free before October 2026 and charged after', async () => {
  world = await World.create({ startMs: OCTOBER_MS - 2 * HOUR_MS })
  loadPrices()
  const contact = await world.contactOf()
  const template_id = await approvedTemplate(world, {
    name: 'parcel',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'Your parcel is on its way' }],
  })
  const send = async (): Promise<unknown> => {
    const answer = await (
      await manager()
    ).post('/api/messages/template', { contact_id: contact['id'], template_id })
    expect(answer.status).toBe(201)
    expect(answer.data['cost']).toMatchObject({ is_estimate: true })
    await world.settle()
    return costOf(answer.data['id'])
  }
  expect(await send()).toMatchObject({ amount: '0.00', is_estimate: false })
  world.clock.advance({ hours: 3 })
  expect(await send()).toMatchObject({ amount: '0.009', category: 'UTILITY', is_estimate: false })
})

test('a message has an estimate until the platform reports how it charges it', async () => {
  world = await World.create()
  loadPrices(0)
  const contact = await world.contactOf()
  const message = await sendSilently(contact['id'])
  expect(message['cost']).toEqual({
    amount: '0.008',
    currency: 'USD',
    category: 'SERVICE',
    is_estimate: true,
    free_reason: null,
  })
  expect((await health())['cost_month']).toMatchObject({ amount: '0.008', is_estimate: true })
  await report(message, 'delivered', { type: 'free_customer_service' })
  expect(await costOf(message['id'])).toMatchObject({
    amount: '0.00',
    is_estimate: false,
    free_reason: 'free_customer_service',
  })
  expect((await health())['cost_month']).toMatchObject({ amount: '0.00', is_estimate: false })
})

test('a message that was not delivered costs nothing', async () => {
  world = await World.create()
  loadPrices(0)
  const contact = await world.contactOf()
  const message = await sendSilently(contact['id'])
  await report(message, 'sent', { type: 'regular' })
  expect(await costOf(message['id'])).toMatchObject({ amount: '0.008' })
  await report(message, 'failed')
  expect(await costOf(message['id'])).toMatchObject({
    amount: '0.00',
    free_reason: 'not_delivered',
  })
})

test('a message that failed leaves its place among the free ones to the next', async () => {
  world = await World.create()
  loadPrices(1)
  const contact = await world.contactOf()
  world.simulator.fail({ code: 131_026, message: 'undeliverable' })
  const failed = await sendText(contact['id'])
  expect(failed['status']).toBe('failed')
  expect((await sendSilently(contact['id']))['cost']).toMatchObject({ amount: '0.00' })
  expect((await sendSilently(contact['id']))['cost']).toMatchObject({ amount: '0.008' })
})

test('the cost is unknown without a price, and never zero', async () => {
  world = await World.create()
  setPrice(world, { category: 'MARKETING', micros: 25_000 })
  world.simulator.freeServiceMessages(0)
  const contact = await world.contactOf()
  const message = await sendText(contact['id'])
  expect(message['cost']).toBeNull()
  expect((await conversationOf(message))['cost_month']).toMatchObject({
    amount: '0.00',
    unpriced_messages: 1,
  })
})

test('the first service messages of a month are free, in the order of delivery', async () => {
  world = await World.create()
  loadPrices(3)
  const contact = await world.contactOf()
  const sent: Loose[] = []
  for (let nth = 0; nth < 5; nth += 1) sent.push(await sendSilently(contact['id'], `Text ${nth}`))
  expect(sent.map(({ cost }) => (cost as Loose)['free_reason'])).toEqual([
    'service_allowance',
    'service_allowance',
    'service_allowance',
    null,
    null,
  ])
  expect((await health())['service_allowance']).toEqual({
    free: 3,
    used: 0,
    resets_at: '2026-12-01T00:00:00.000Z',
    held: false,
  })
  // Reported in the order of sending, delivered in the opposite order.
  for (const [nth, message] of sent.entries())
    await report(message, 'delivered', { seconds: 10 - nth })
  const amounts = await Promise.all(
    sent.map(async ({ id }) => ((await costOf(id)) as Loose)['amount']),
  )
  expect(amounts).toEqual(['0.008', '0.008', '0.00', '0.00', '0.00'])
  expect(await health()).toMatchObject({
    service_allowance: { free: 3, used: 3 },
    cost_month: { amount: '0.016' },
  })
})

test('a message whose delivery turns out to be later makes room for the next one', async () => {
  world = await World.create()
  loadPrices(2)
  const contact = await world.contactOf()
  const sent: Loose[] = []
  for (let nth = 0; nth < 3; nth += 1) sent.push(await sendSilently(contact['id'], `Text ${nth}`))
  // A message that was read counts as delivered then, until its delivery is reported.
  for (const [nth, message] of sent.entries()) await report(message, 'read', { seconds: nth })
  const amounts = () =>
    Promise.all(sent.map(async ({ id }) => ((await costOf(id)) as Loose)['amount']))
  expect(await amounts()).toEqual(['0.00', '0.00', '0.008'])
  await report(sent[1] ?? {}, 'delivered', { seconds: 2 })
  expect(await amounts()).toEqual(['0.00', '0.00', '0.008'])
  await report(sent[0] ?? {}, 'delivered', { seconds: 3 })
  expect(await amounts()).toEqual(['0.008', '0.00', '0.00'])
  expect(await health()).toMatchObject({
    service_allowance: { free: 2, used: 2 },
    cost_month: { amount: '0.008' },
  })
})

test('the allowance starts again with the month of the organization’s time zone', async () => {
  world = await World.create({ startMs: Date.UTC(2026, 10, 30, 17, 0, 0) })
  loadPrices(1)
  const admin = await world.as('admin')
  expect(
    (await admin.put('/api/organizations/settings', { timezone: 'Asia/Kolkata' })).status,
  ).toBe(200)
  const contact = await world.contactOf()
  expect((await sendSilently(contact['id']))['cost']).toMatchObject({ amount: '0.00' })
  expect((await sendSilently(contact['id']))['cost']).toMatchObject({ amount: '0.008' })
  expect((await health())['service_allowance']).toMatchObject({
    resets_at: '2026-11-30T18:30:00.000Z',
  })
  world.clock.advance({ hours: 2 })
  expect((await sendSilently(contact['id']))['cost']).toMatchObject({ amount: '0.00' })
})

test('months are those of the business account’s time zone once the platform reports it', async () => {
  world = await World.create({ startMs: Date.UTC(2026, 10, 30, 17, 0, 0) })
  loadPrices(1)
  const admin = await world.as('admin')
  const budget = { monthly: '0.01', currency: 'USD', at_limit: 'stop_bots' }
  expect((await admin.put('/api/organizations/settings', { spend: budget })).status).toBe(200)
  expect((await health())['billing_timezone']).toBe('UTC')
  world.simulator.addPhone({ id: world.tenant.phoneId, timezoneId: '71' })
  expect((await admin.post(`/api/accounts/${world.tenant.accountId}/test`)).status).toBe(200)
  expect(await health()).toMatchObject({
    billing_timezone: 'Asia/Kolkata',
    service_allowance: { resets_at: '2026-11-30T18:30:00.000Z' },
  })
  const contact = await world.contactOf()
  await sendSilently(contact['id'])
  const charged = await sendSilently(contact['id'])
  await sendSilently(contact['id'])
  expect(await health()).toMatchObject({ cost_month: { amount: '0.016' } })
  const warnings = async () =>
    (
      (await (await world.as('admin')).get('/api/me/notifications')).data['items'] as Loose[]
    ).filter(({ kind }) => kind === 'budget_warning').length
  expect(await warnings()).toBe(2)
  world.clock.advance({ hours: 2 })
  expect((await sendSilently(contact['id']))['cost']).toMatchObject({
    free_reason: 'service_allowance',
  })
  expect((await conversationOf(charged))['cost_month']).toMatchObject({ amount: '0.00' })
  expect(await health()).toMatchObject({
    cost_month: { amount: '0.00' },
    service_allowance: { resets_at: '2026-12-31T18:30:00.000Z' },
  })
  await sendSilently(contact['id'])
  expect(await warnings()).toBe(3)
  // A late report of the former month warns of nothing again.
  await report(charged, 'delivered', { type: 'regular' })
  expect(await warnings()).toBe(3)
})

test('messages are free for 72 hours after the first answer to an ad click', async () => {
  world = await World.create()
  loadPrices(0)
  world.simulator.freeServiceMessages(0)
  const person = personOf(1)
  const click = textTo(world, 'Hi', { person })
  const referral = { source_url: 'https://fb.me/x', source_id: '1', source_type: 'ad' }
  Object.assign((valueOf(click)['messages'] as Loose[])[0] as Loose, { referral })
  await deliver(world, click)
  const { data } = await (await manager()).get(`/api/contacts?search=${person.waId}`)
  const contact = (data['items'] as Loose[])[0] as Loose
  world.clock.advance({ hours: 1 })
  const answeredMs = world.clock.nowMs()
  const first = await sendText(contact['id'])
  expect(first['cost']).toMatchObject({ amount: '0.00', free_reason: 'free_entry_point' })
  expect((await conversationOf(first))['free_entry_point_until']).toBe(
    new Date(answeredMs + 72 * HOUR_MS).toISOString(),
  )
  world.clock.advance({ hours: 71 })
  await deliver(world, textTo(world, 'Still there?', { person }))
  expect((await sendText(contact['id']))['cost']).toMatchObject({
    free_reason: 'free_entry_point',
  })
  world.clock.advance({ hours: 2 })
  expect((await sendText(contact['id']))['cost']).toMatchObject({
    amount: '0.008',
    free_reason: null,
  })
})

test('a message from the phone app has no cost', async () => {
  world = await World.create()
  loadPrices(0)
  const person = personOf(3)
  await deliver(
    world,
    echoText('Written on the phone', {
      line: lineOf(world.tenant),
      person,
      timestamp: secondsIn(world),
      id: 'wamid.echo',
    }),
  )
  await deliver(
    world,
    statusTo(world, 'wamid.echo', 'delivered', {
      person,
      facts: { pricing: { category: 'service', type: 'regular', billable: true } },
    }),
  )
  const { data } = await (await manager()).get(`/api/contacts?search=${person.waId}`)
  const contact = (data['items'] as Loose[])[0] as Loose
  const thread = await (await manager()).get(`/api/contacts/${String(contact['id'])}/messages`)
  expect(thread.data['items']).toMatchObject([{ source: 'phone_app', cost: null }])
  expect(await health()).toMatchObject({
    cost_month: null,
  })
})

test('the platform can report a later end of the free messages after an ad click', async () => {
  world = await World.create()
  loadPrices(0)
  const contact = await world.contactOf()
  const message = await sendSilently(contact['id'])
  const reportEnd = (hours: number): Promise<void> =>
    deliver(
      world,
      statusTo(world, String(message['wa_message_id']), 'delivered', {
        facts: {
          pricing: { billable: false, type: 'free_entry_point', category: 'service' },
          conversation: {
            id: 'c1',
            expiration_timestamp: String(secondsIn(world) + hours * 3_600),
          },
        },
      }),
    )
  const untilMs = async (): Promise<number | null> => {
    const until = (await conversationOf(message))['free_entry_point_until'] as string | null
    return until === null ? null : Date.parse(until)
  }
  await reportEnd(1_000)
  expect(await untilMs()).toBeNull()
  const later = world.clock.nowMs() + 50 * HOUR_MS
  await reportEnd(50)
  expect(await untilMs()).toBe(later)
  await reportEnd(20)
  expect(await untilMs()).toBe(later)
  expect(await costOf(message['id'])).toMatchObject({ amount: '0.00', is_estimate: false })
  expect((await sendSilently(contact['id']))['cost']).toMatchObject({
    free_reason: 'free_entry_point',
    is_estimate: true,
  })
})

test('a message of another app costs us nothing and uses up the free service messages', async () => {
  world = await World.create()
  loadPrices(1)
  const contact = await world.contactOf()
  const message = await sendSilently(contact['id'])
  await report(message, 'delivered', { seconds: 5 })
  expect(await costOf(message['id'])).toMatchObject({ free_reason: 'service_allowance' })
  await deliver(
    world,
    standbyEcho('From the other app', {
      ...aboutIn(),
      id: 'wamid.other',
      timestamp: secondsIn(world),
    }),
  )
  await deliver(
    world,
    asStandby(
      statusTo(world, 'wamid.other', 'delivered', {
        timestamp: secondsIn(world) + 1,
        facts: {
          pricing: { category: 'service', type: 'free_customer_service', billable: false },
        },
      }),
    ),
  )
  const thread = await (await manager()).get(`/api/contacts/${String(contact['id'])}/messages`)
  expect((thread.data['items'] as Loose[]).at(-1)).toMatchObject({ observed: true, cost: null })
  expect(await costOf(message['id'])).toMatchObject({ amount: '0.008', free_reason: null })
})

test('erased messages stay in the costs of the month and among the sent ones', async () => {
  world = await World.create()
  loadPrices(1)
  const erased = await world.contactOf(world.tenant, 'Hello!', '15550700001')
  await sendSilently(erased['id'])
  await sendSilently(erased['id'])
  const admin = await world.as('admin')
  const confirm = { confirm: erased['id'] }
  await admin.post(`/api/contacts/${String(erased['id'])}/erase`, confirm)
  await world.settle()
  expect(await health()).toMatchObject({ cost_month: { amount: '0.008' } })
  const contact = await world.contactOf(world.tenant, 'Hello!', '15550700002')
  expect((await sendSilently(contact['id']))['cost']).toMatchObject({ amount: '0.008' })
})

test('erased messages stay counted as used', async () => {
  world = await World.create()
  loadPrices(2)
  const erased = await world.contactOf(world.tenant, 'Hello!', '15550700001')
  for (let nth = 0; nth < 2; nth += 1)
    await report(await sendSilently(erased['id']), 'delivered', { seconds: nth })
  const admin = await world.as('admin')
  const gone = await admin.post(`/api/contacts/${String(erased['id'])}/erase`, {
    confirm: erased['id'],
  })
  expect(gone.status).toBeLessThan(300)
  await world.settle()
  const contact = await world.contactOf(world.tenant, 'Hello!', '15550700002')
  const message = await sendSilently(contact['id'])
  await report(message, 'delivered', { seconds: 5 })
  expect(await costOf(message['id'])).toMatchObject({ amount: '0.008', is_estimate: true })
  expect(await health()).toMatchObject({
    service_allowance: { free: 2, used: 2 },
    cost_month: { amount: '0.008' },
  })
})

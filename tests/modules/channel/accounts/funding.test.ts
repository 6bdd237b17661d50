import { expect, test } from 'bun:test'

import { statusChange } from '../../../../src/simulator/payloads'
import { approvedTemplate, setPrice } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'
import { deliver, personOf, secondsIn } from '../../../support/lines'
import { PayingLines, type PayingLine } from '../../../support/lines-that-pay'

const START = '2026-11-21T09:30:00.000Z'
const UNKNOWN = { state: 'unknown', source: null, checked_at: null }
const PAYMENT_ERROR = {
  error_code: 141_006,
  error_description: 'There is an error with the payment method.',
  possible_solution: 'Add a payment method.',
}

/** How often the platform was asked for the payment method of a business account. */
const asked = ({ world }: PayingLines, { wabaId }: PayingLine): number =>
  world.simulator.calls.filter(
    ({ object, query }) => object === wabaId && query.includes('primary_funding_id'),
  ).length

/** A template of a line, approved. */
async function templateOf(shop: PayingLines, line: PayingLine): Promise<string> {
  const { world } = shop
  const tenant = {
    ...world.tenant,
    accountId: line.accountId,
    phoneId: line.phoneId,
    wabaId: line.wabaId,
  }
  return approvedTemplate(world, {
    name: `parcel_${line.phoneId}`,
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'Your parcel is on its way' }],
    tenant,
  })
}

/** Sends a template from its line. Returns the message when all work is done. */
async function sendTemplate(
  shop: PayingLines,
  line: PayingLine,
  to: { contact: Loose; templateId: string },
): Promise<Loose> {
  const { status, body, data } = await (
    await shop.world.as('manager')
  ).post('/api/messages/template', {
    contact_id: to.contact['id'],
    template_id: to.templateId,
    account_id: line.accountId,
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  await shop.world.settle()
  return shop.message(data['id'])
}

/** WhatsApp reports a status of a message of a line, by default now. */
const report = (
  { world }: PayingLines,
  line: PayingLine,
  at: { message: Loose; status: string; facts?: Loose; timestamp?: number },
): Promise<void> =>
  deliver(
    world,
    statusChange(String(at.message['wa_message_id']), at.status, at.facts ?? {}, {
      line: {
        wabaId: line.wabaId,
        phoneNumberId: line.phoneId,
        displayPhoneNumber: line.digits,
      },
      person: personOf(1),
      timestamp: at.timestamp ?? secondsIn(world),
    }),
  )

const UNPAID = { error: { code: 131_042, title: 'No', details: 'No' } }
const BILLED = { pricing: { category: 'service', type: 'regular', billable: true } }
const FREE = { pricing: { category: 'service', type: 'free_customer_service', billable: false } }

test('is unknown where the platform does not say it, is asked once, and again with a new token', async () => {
  await using shop = await PayingLines.open()
  const line = await shop.line('Shop')
  expect(await shop.funding(line)).toMatchObject({
    ...UNKNOWN,
    billing_url:
      'https://business.facebook.com/billing_hub/accounts/details/?' +
      `business_id=501000000000001&asset_id=${line.wabaId}`,
  })
  expect(await shop.test(line)).toMatchObject(UNKNOWN)
  expect(asked(shop, line)).toBe(1)
  shop.change(line, { token: 'next', fundingId: '77' })
  await (
    await shop.world.as('admin')
  ).put(`/api/accounts/${line.accountId}`, { access_token: 'next' })
  expect(asked(shop, line)).toBe(2)
  expect(await shop.funding(line)).toMatchObject({
    state: 'attached',
    source: 'funding_id',
    checked_at: START,
  })
})

test('is attached when the platform names the payment method, for all numbers of the business account', async () => {
  await using shop = await PayingLines.open()
  const first = await shop.line('First', { fundingId: null })
  const second = await shop.line('Second', { wabaId: first.wabaId, token: 'token-of-First' })
  const other = await shop.line('Other')
  // An answer without it says nothing.
  expect(await shop.funding(first)).toMatchObject(UNKNOWN)
  shop.world.clock.advance({ minutes: 5 })
  const third = await shop.line('Third', {
    wabaId: first.wabaId,
    token: 'token-of-First',
    fundingId: '77',
  })
  shop.change(first, { fundingId: '77' })
  await (
    await shop.world.as('admin')
  ).put(`/api/accounts/${first.accountId}`, { access_token: 'token-of-First' })
  const attached = {
    state: 'attached',
    source: 'funding_id',
    checked_at: '2026-11-21T09:35:00.000Z',
  }
  expect(await shop.funding(first)).toMatchObject(attached)
  expect(await shop.funding(second)).toMatchObject(attached)
  expect(await shop.funding(third)).toMatchObject(attached)
  expect(await shop.funding(other)).toMatchObject(UNKNOWN)
  shop.world.clock.advance({ minutes: 5 })
  shop.change(first, { fundingId: null })
  expect(await shop.test(first)).toMatchObject({
    state: 'unknown',
    source: 'funding_id',
    checked_at: '2026-11-21T09:40:00.000Z',
  })
  shop.change(first, { fundingId: '78' })
  expect(await shop.test(first)).toMatchObject({ state: 'attached' })
  // A permission that was lost is unknown, and asked for again.
  shop.world.simulator.fail({ code: 10 }, { route: 'waba', times: 3 })
  expect(await shop.test(first)).toMatchObject({ state: 'unknown' })
  expect(await shop.test(first)).toMatchObject({ state: 'attached' })
})

test('is missing while the health report has a payment problem, which does not suspend the number', async () => {
  await using shop = await PayingLines.open()
  const line = await shop.line('Shop', { businessErrors: [PAYMENT_ERROR] })
  const admin = await shop.world.as('admin')
  expect((await admin.get(`/api/accounts/${line.accountId}`)).data).toMatchObject({
    status: 'active',
    funding: { state: 'missing', source: 'health', checked_at: START },
  })
  await shop.test(line)
  expect(await shop.notices(line, 'funding_missing')).toMatchObject([
    {
      severity: 'critical',
      title: 'Payment method missing: Shop',
      body: expect.stringMatching(
        /^The business account has no valid payment method\. Campaigns wait\./,
      ),
    },
  ])
  expect((await shop.resume(line)).body).toMatchObject({
    code: 'still_failing',
    details: { reason: 'payment_required' },
  })
  const other = await shop.line('Other', {
    businessErrors: [{ error_code: 1, error_description: 'Business verification is due.' }],
  })
  expect((await admin.get(`/api/accounts/${other.accountId}`)).data).toMatchObject({
    status: 'pending',
    funding: UNKNOWN,
  })
  shop.world.clock.advance({ minutes: 5 })
  shop.change(line, { businessErrors: [] })
  expect(await shop.test(line)).toMatchObject({
    state: 'unknown',
    source: 'health',
    checked_at: '2026-11-21T09:35:00.000Z',
  })
})

test('is missing after a refused template (131042), which fails at once, for the numbers of the business account', async () => {
  await using shop = await PayingLines.open({ tenants: 2 })
  const { world } = shop
  const line = await shop.line('Shop', { unpaid: 'fails' })
  const neighbor = await shop.line('Neighbor', { wabaId: line.wabaId, token: line.token })
  const other = await shop.line('Other')
  const contact = await shop.customer(line, 1)
  const templateId = await templateOf(shop, line)
  const message = await sendTemplate(shop, line, { contact, templateId })
  expect(message).toMatchObject({
    status: 'failed',
    error: { code: 'payment_required', platform_code: 131_042, retryable: true },
  })
  const missing = { state: 'missing', source: 'refused' }
  expect(await shop.funding(line)).toMatchObject(missing)
  expect(await shop.funding(neighbor)).toMatchObject(missing)
  expect(await shop.funding(other)).toMatchObject(UNKNOWN)
  const admin = await world.as('admin')
  expect((await admin.get(`/api/accounts/${line.accountId}`)).data).toMatchObject({
    status: 'active',
    last_error: null,
  })
  expect(await shop.notices(line, 'funding_missing', 'number_silent')).toMatchObject([
    {
      kind: 'funding_missing',
      body: expect.stringContaining('This concerns 2 numbers of the business account.'),
    },
  ])
  expect(await shop.notices(neighbor, 'funding_missing')).toEqual([])
  await sendTemplate(shop, line, { contact, templateId })
  expect(await shop.notices(line, 'funding_missing')).toHaveLength(1)
  // Replies are free.
  expect(await shop.answer(line, contact)).toMatchObject({ status: 'delivered' })
  expect(await shop.allowance(line)).toMatchObject({ held: false, used: 1 })
  const bolt = await world.as('admin', world.other)
  expect((await bolt.get('/api/accounts')).data['items']).toMatchObject([{ funding: UNKNOWN }])
})

test('a reply that fails with 131042 silences its number until somebody resumes it, and no other', async () => {
  await using shop = await PayingLines.open()
  const { world } = shop
  world.simulator.freeServiceMessages(1)
  const line = await shop.line('Shop', { unpaid: 'fails' })
  const neighbor = await shop.line('Neighbor', {
    wabaId: line.wabaId,
    token: line.token,
    unpaid: 'fails',
  })
  const contact = await shop.customer(line, 1)
  await shop.customer(neighbor, 1)
  expect(await shop.answer(line, contact, 'One')).toMatchObject({ status: 'delivered' })
  expect(await shop.answer(line, contact, 'Two')).toMatchObject({
    status: 'failed',
    error: { code: 'payment_required', platform_code: 131_042 },
  })
  expect(await shop.notices(line, 'number_silent', 'funding_missing')).toMatchObject([
    { kind: 'number_silent', severity: 'critical', title: 'Customers get no answers: Shop' },
  ])
  const held = await shop.answer(line, contact, 'Three')
  expect(held).toMatchObject({ status: 'pending', warnings: ['payment_missing'] })
  expect(await shop.heldReason(held)).toBe('funding')
  expect(await shop.allowance(line)).toMatchObject({ held: true })
  // Its free messages are not used up, and none of its replies was refused.
  expect(await shop.answer(neighbor, contact, 'Next door')).toMatchObject({
    status: 'delivered',
    warnings: [],
  })
  expect(await shop.allowance(neighbor)).toMatchObject({ held: false })
  world.clock.advance({ hours: 5 })
  await world.settle()
  expect(await shop.heldReason(held)).toBe('funding')
  shop.change(line, { unpaid: 'no' })
  expect((await shop.resume(line)).data).toMatchObject({
    funding: { state: 'unknown', source: 'person', checked_at: '2026-11-21T14:30:00.000Z' },
  })
  expect(await shop.message(held['id'])).toMatchObject({ status: 'delivered' })
  expect(await shop.funding(line)).toMatchObject({ state: 'attached', source: 'billed' })
  expect(await shop.funding(neighbor)).toMatchObject({ state: 'attached', source: 'billed' })
  expect(await shop.allowance(line)).toMatchObject({ held: false })
  const admin = await world.as('admin')
  expect((await admin.get('/api/audit-logs?action=resumed')).data['items']).toMatchObject([
    { resource_id: line.accountId },
  ])
})

test('holds replies only where it is missing, once the free ones are used up, and none where it is unknown', async () => {
  await using shop = await PayingLines.open()
  const { world } = shop
  setPrice(world, { category: 'SERVICE', micros: 8_000, free: 2 })
  world.simulator.freeServiceMessages(1_000)
  const missing = await shop.line('Missing', { businessErrors: [PAYMENT_ERROR] })
  const attached = await shop.line('Attached', { fundingId: '77' })
  const unknown = await shop.line('Unknown')
  expect(
    await Promise.all(
      [missing, attached, unknown].map(async (line) => (await shop.funding(line))['state']),
    ),
  ).toEqual(['missing', 'attached', 'unknown'])
  for (const line of [missing, attached, unknown]) {
    const contact = await shop.customer(line, 1)
    const sent = []
    for (const text of ['One', 'Two', 'Three'])
      sent.push((await shop.answer(line, contact, text))['status'])
    expect([line.name, ...sent]).toEqual([
      line.name,
      'delivered',
      'delivered',
      line === missing ? 'pending' : 'delivered',
    ])
    expect(await shop.allowance(line)).toMatchObject({
      free: 2,
      used: 2,
      held: line === missing,
    })
  }
  shop.change(missing, { businessErrors: [] })
  await shop.test(missing)
  expect(world.rows("select count(*) as held from messages where stage = 'held'")).toEqual([
    { held: 0 },
  ])
})

test('free messages of the next month end the hold, in the time zone of the business account', async () => {
  // 30 November, 22:30 in UTC is 23:30 in Berlin.
  await using shop = await PayingLines.open({ startMs: Date.UTC(2026, 10, 30, 22, 30) })
  const { world } = shop
  setPrice(world, { category: 'SERVICE', micros: 8_000, free: 1 })
  const berlin = await shop.line('Berlin', { timezoneId: '47', businessErrors: [PAYMENT_ERROR] })
  const refused = await shop.line('Refused', { timezoneId: '47', unpaid: 'fails' })
  const utc = await shop.line('UTC', { businessErrors: [PAYMENT_ERROR] })
  const admin = await world.as('admin')
  expect(
    (await admin.get(`/api/accounts/${berlin.accountId}/health`)).data['billing_timezone'],
  ).toBe('Europe/Berlin')
  const held: Loose[] = []
  world.simulator.freeServiceMessages(0)
  held.push(await shop.answer(refused, await shop.customer(refused, 3), 'Refused'))
  world.simulator.freeServiceMessages(1_000)
  held[0] = await shop.answer(refused, await shop.customer(refused, 3), 'Held')
  for (const line of [berlin, utc]) {
    const contact = await shop.customer(line, 2)
    await shop.answer(line, contact, 'Free')
    held.push(await shop.answer(line, contact, 'Held'))
  }
  const states = async (): Promise<unknown[]> =>
    Promise.all(held.map(async ({ id }) => (await shop.message(id))['status'] as unknown))
  expect(await states()).toEqual(['pending', 'pending', 'pending'])
  world.clock.advance({ minutes: 29, seconds: 59 })
  await world.settle()
  expect(await states()).toEqual(['pending', 'pending', 'pending'])
  world.clock.advance({ seconds: 1 })
  await world.settle()
  expect(await states()).toEqual(['delivered', 'delivered', 'pending'])
  expect(await shop.allowance(berlin)).toEqual({
    free: 1,
    used: 1,
    resets_at: '2026-12-31T23:00:00.000Z',
    held: true,
  })
  // The payment method is still missing, so the second one of the new month waits again.
  expect(await shop.funding(berlin)).toMatchObject({ state: 'missing' })
  expect(await shop.answer(berlin, await shop.customer(berlin, 2))).toMatchObject({
    status: 'pending',
  })
  world.clock.advance({ hours: 1 })
  await world.settle()
  expect(await states()).toEqual(['delivered', 'delivered', 'delivered'])
})

test('messages after an ad click are free and wait for nothing', async () => {
  await using shop = await PayingLines.open()
  setPrice(shop.world, { category: 'SERVICE', micros: 8_000, free: 0 })
  const line = await shop.line('Shop', { businessErrors: [PAYMENT_ERROR] })
  const referral = { source_url: 'https://fb.me/x', source_id: '1', source_type: 'ad' }
  const clicked = await shop.customer(line, 1, { referral })
  const wrote = await shop.customer(line, 2)
  expect(await shop.answer(line, clicked)).toMatchObject({ status: 'delivered' })
  expect(await shop.answer(line, wrote)).toMatchObject({ status: 'pending' })
})

test('bots wait like people', async () => {
  await using shop = await PayingLines.open()
  const { world } = shop
  setPrice(world, { category: 'SERVICE', micros: 8_000, free: 1 })
  const admin = await world.as('admin')
  await admin.put('/api/chatbot/settings', { chatbot_enabled: true })
  const rule = { keywords: ['hi'], response: 'We open at nine.' }
  expect((await admin.post('/api/chatbot/keywords', rule)).status).toBe(201)
  const missing = await shop.line('Missing', { businessErrors: [PAYMENT_ERROR] })
  const unknown = await shop.line('Unknown')
  const replies = async (line: PayingLine): Promise<unknown[]> =>
    (
      world.rows(
        "select status, held_reason from messages where account_id = ? and source = 'chatbot' order by created_at_ms, id",
        line.accountId,
      ) as Loose[]
    ).map(({ status, held_reason }) => [status, held_reason])
  for (const line of [missing, unknown]) {
    for (const nth of [1, 2]) {
      await shop.customer(line, nth)
      world.clock.advance({ minutes: 1 })
      await world.settle()
    }
  }
  expect(await replies(unknown)).toEqual([
    ['delivered', null],
    ['delivered', null],
  ])
  expect(await replies(missing)).toEqual([
    ['delivered', null],
    ['pending', 'funding'],
  ])
})

test('a charged message that is delivered proves it and releases what waits; older news change nothing', async () => {
  await using shop = await PayingLines.open()
  const { world } = shop
  setPrice(world, { category: 'SERVICE', micros: 8_000, free: 1 })
  const line = await shop.line('Shop', { unpaid: 'fails' })
  const contact = await shop.customer(line, 1)
  const templateId = await templateOf(shop, line)
  const first = await shop.answer(line, contact, 'One')
  await sendTemplate(shop, line, { contact, templateId })
  const held = await shop.answer(line, contact, 'Two')
  expect(held).toMatchObject({ status: 'pending' })
  // A free message proves nothing.
  world.clock.advance({ minutes: 2 })
  await report(shop, line, { message: first, status: 'read', facts: FREE })
  expect(await shop.funding(line)).toMatchObject({ state: 'missing', checked_at: START })
  // A template is tried although the payment method is missing, also behind a held reply.
  shop.change(line, { unpaid: 'no' })
  const other = await shop.customer(line, 2)
  expect(await sendTemplate(shop, line, { contact: other, templateId })).toMatchObject({
    status: 'delivered',
  })
  expect(await shop.funding(line)).toMatchObject({
    state: 'attached',
    source: 'billed',
    checked_at: '2026-11-21T09:32:00.000Z',
  })
  expect(await shop.message(held['id'])).toMatchObject({ status: 'delivered' })
  const old = { timestamp: secondsIn(world) - 60 }
  world.clock.advance({ minutes: 2 })
  world.simulator.swallowStatuses()
  const late = await shop.answer(line, contact, 'Three')
  await report(shop, line, { message: late, status: 'failed', facts: UNPAID, ...old })
  expect(await shop.funding(line)).toMatchObject({ state: 'attached' })
  expect(await shop.notices(line, 'number_silent')).toEqual([])
  world.simulator.swallowStatuses()
  const next = await shop.answer(line, contact, 'Four')
  await report(shop, line, { message: next, status: 'failed', facts: UNPAID })
  expect(await shop.funding(line)).toMatchObject({ state: 'missing', source: 'refused' })
  world.clock.advance({ minutes: 2 })
  await report(shop, line, {
    message: late,
    status: 'delivered',
    facts: BILLED,
    timestamp: secondsIn(world) - 180,
  })
  expect(await shop.funding(line)).toMatchObject({ state: 'missing', source: 'refused' })
})

test('stays missing while the platform shows the payment method that was refused', async () => {
  await using shop = await PayingLines.open()
  const line = await shop.line('Shop', { fundingId: '77', unpaid: 'fails' })
  const contact = await shop.customer(line, 1)
  const templateId = await templateOf(shop, line)
  shop.world.clock.advance({ minutes: 2 })
  await sendTemplate(shop, line, { contact, templateId })
  expect(await shop.funding(line)).toMatchObject({ state: 'missing', source: 'refused' })
  expect(await shop.test(line)).toMatchObject({ state: 'missing', source: 'refused' })
  shop.change(line, { fundingId: '78' })
  expect(await shop.test(line)).toMatchObject({ state: 'attached', source: 'funding_id' })
})

test('another business account or phone number begins anew', async () => {
  await using shop = await PayingLines.open()
  const line = await shop.line('Shop', { businessErrors: [PAYMENT_ERROR] })
  const next = shop.world.simulator.addPhone({
    id: line.phoneId,
    wabaId: '209000000000777',
    businessErrors: [],
  })
  await (
    await shop.world.as('admin')
  ).put(`/api/accounts/${line.accountId}`, { business_id: next.wabaId })
  expect(await shop.funding(line)).toMatchObject({
    ...UNKNOWN,
    billing_url: expect.stringContaining('asset_id=209000000000777'),
  })
})

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { CampaignFixture, setPrice, approvedTemplate } from '../../../support/campaigns'
import type { Client, Loose } from '../../../support/client'
import { keyOf } from '../../../support/keys'

let office: CampaignFixture
let admin: Client

beforeEach(async () => {
  office = await CampaignFixture.open()
  admin = await office.world.as('admin')
  setPrice(office.world, { micros: 1_000_000 })
  setPrice(office.world, { category: 'SERVICE', micros: 100_000 })
  office.world.simulator.freeServiceMessages(0)
})

afterEach(() => office.world.stop())

const budget = (spend: Loose | null) => admin.put('/api/organizations/settings', { spend })

async function sendTexts(count: number): Promise<Loose> {
  const contact = await office.world.contactOf()
  for (let nth = 0; nth < count; nth += 1) {
    const path = `/api/contacts/${String(contact['id'])}/messages`
    expect((await admin.post(path, { type: 'text', text: `Text ${nth}` })).status).toBe(201)
  }
  await office.world.settle()
  return contact
}

const warnings = async (): Promise<string[]> =>
  ((await admin.get('/api/me/notifications?limit=100')).data['items'] as Loose[])
    .filter(({ kind }) => kind === 'budget_warning')
    .map(({ title, severity }) => `${String(severity)}: ${String(title)}`)
    .toReversed()

describe('the monthly budget', () => {
  test('is set with defaults and removed, and is recorded in the audit log', async () => {
    const { data } = await budget({ monthly: '250', currency: 'USD' })
    expect((data['settings'] as Loose)['spend']).toEqual({
      monthly: '250.00',
      currency: 'USD',
      warn_at: [50, 80, 100],
      at_limit: 'warn',
    })
    expect(((await budget(null)).data['settings'] as Loose)['spend']).toBeNull()
  })

  test.each([
    { monthly: '0', currency: 'USD' },
    { monthly: '-1', currency: 'USD' },
    { monthly: '1.1234567', currency: 'USD' },
    { monthly: '1', currency: 'usd' },
    { monthly: '1', currency: 'USD', warn_at: [0] },
    { monthly: '1', currency: 'USD', warn_at: [101] },
    { monthly: '1', currency: 'USD', warn_at: [50.5] },
    { monthly: '1', currency: 'USD', warn_at: [100, 50] },
    { monthly: '1', currency: 'USD', warn_at: [50, 50] },
    { monthly: '1', currency: 'USD', at_limit: 'stop_people' },
    { monthly: '1' },
  ])('rejects %p', async (spend) => {
    expect((await budget(spend)).status).toBe(400)
  })

  test('rejects a currency without prices, in which nothing would ever be spent', async () => {
    const refused = await budget({ monthly: '250', currency: 'EUR' })
    expect([refused.status, refused.body.errors]).toMatchObject([
      400,
      [{ path: 'body.spend.currency' }],
    ])
    setPrice(office.world, { micros: 1_000_000, currency: 'EUR' })
    expect((await budget({ monthly: '250', currency: 'EUR' })).status).toBe(200)
  })

  test('warns once at each percentage, again after a change and in the next month', async () => {
    await budget({ monthly: '1', currency: 'USD', warn_at: [50, 100] })
    await sendTexts(4)
    expect(await warnings()).toEqual([])
    await sendTexts(2)
    expect(await warnings()).toEqual(['warning: 50% of the monthly budget is used'])
    await sendTexts(6)
    expect(await warnings()).toEqual([
      'warning: 50% of the monthly budget is used',
      'critical: 100% of the monthly budget is used',
    ])
    await budget({ monthly: '2', currency: 'USD', warn_at: [50] })
    await sendTexts(1)
    expect(await warnings()).toHaveLength(3)
    office.world.clock.advance({ hours: 24 * 15 })
    admin = await office.world.as('admin')
    await sendTexts(9)
    expect(await warnings()).toHaveLength(3)
    await sendTexts(1)
    expect(await warnings()).toHaveLength(4)
  })

  test('never stops people', async () => {
    await budget({ monthly: '0.1', currency: 'USD', at_limit: 'stop_marketing' })
    const contact = await sendTexts(2)
    const answer = await admin.post('/api/messages/template', {
      contact_id: contact['id'],
      template_id: office.templateId,
      template_params: { '1': 'Ann' },
    })
    expect(answer.status).toBe(201)
  })
})

describe('a used-up budget with stop_marketing', () => {
  beforeEach(async () => {
    await budget({ monthly: '0.1', currency: 'USD', at_limit: 'stop_marketing' })
    await sendTexts(1)
  })

  test('stops marketing templates of API keys and no other messages', async () => {
    const { client: shop } = await keyOf(office.world, {
      permissions: ['messages:create', 'messages:read', 'contacts:read', 'contacts:read_all'],
    })
    const contact = await office.world.contactOf()
    const send = (template_id: string, params: Loose) =>
      shop.post('/api/messages/template', { contact_id: contact['id'], template_id, ...params })
    const refused = await send(office.templateId, { template_params: { '1': 'Ann' } })
    expect([refused.status, refused.body.code]).toEqual([409, 'budget_reached'])
    const previewed = await shop.post('/api/messages/preview', {
      ...{ contact_id: contact['id'], type: 'template', template_id: office.templateId },
      template_params: { '1': 'Ann' },
    })
    expect([previewed.status, previewed.body.code]).toEqual([409, 'budget_reached'])
    const utility = await approvedTemplate(office.world, {
      name: 'parcel',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Your parcel is on its way' }],
    })
    expect((await send(utility, {})).status).toBe(201)
    const path = `/api/contacts/${String(contact['id'])}/messages`
    expect((await shop.post(path, { type: 'text', text: 'Hi' })).status).toBe(201)
  })

  test('does not start marketing campaigns until the budget is raised or the month is over', async () => {
    const id = await office.draftFor(2)
    const refused = await office.do(id, 'start')
    expect([refused.status, refused.body.code]).toEqual([409, 'budget_reached'])
    await budget({ monthly: '1.5', currency: 'USD', at_limit: 'stop_marketing' })
    expect((await office.do(id, 'start')).status).toBe(200)
    expect(await office.run(id)).toMatchObject({ sent_count: 2, status: 'completed' })
  })

  test('pauses a running campaign and resumes it in the next month', async () => {
    await budget({ monthly: '3', currency: 'USD', at_limit: 'stop_marketing' })
    const id = await office.draftFor(30)
    await office.do(id, 'start')
    const paused = await office.run(id)
    // 0.1 are spent on a reply: the third message reaches the limit.
    expect(paused).toMatchObject({ status: 'paused', pause_reason: 'budget', sent_count: 3 })
    office.world.clock.advance({ hours: 24 * 12 })
    await office.world.settle()
    expect(Number((await office.campaign(id))['sent_count'])).toBeGreaterThan(
      Number(paused['sent_count']),
    )
  }, 60_000)
})

test('a used-up budget with stop_bots stops automatic replies only', async () => {
  const { world } = office
  const optOut = async (waId: string): Promise<number> => {
    await world.simulator.customer({ phone: world.tenant.phoneId, waId }).says('STOP')
    await world.settle()
    const [row] = world.rows<{ rows: number }>(
      "select count(*) as rows from messages where source = 'system' and direction = 'outgoing'",
    )
    return row?.rows ?? 0
  }
  await admin.put('/api/consent-settings', { opt_out_reply: 'You get no more offers.' })
  const before = await optOut('15550707001')
  expect(before).toBe(1)
  await budget({ monthly: '0.1', currency: 'USD', at_limit: 'stop_bots' })
  await sendTexts(1)
  expect(await optOut('15550707002')).toBe(before)
  await sendTexts(1)
})

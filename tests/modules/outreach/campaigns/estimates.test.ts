import { afterAll, beforeAll, expect, test } from 'bun:test'

import { approvedTemplate, numbersOf, CampaignFixture, setPrice } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'
import { deliver, textTo, valueOf } from '../../../support/lines'
import { changeRows } from '../../../support/sql'

const OCTOBER_MS = Date.UTC(2026, 9, 1)

let fixture: CampaignFixture
let utility: string
let second: string

beforeAll(async () => {
  fixture = await CampaignFixture.open()
  utility = await approvedTemplate(fixture.world, { name: 'parcel', category: 'UTILITY' })
  // What the platform charges in the United States: until October 2026 nothing for utility
  // templates while the customer's window is open, less than outside of it since then.
  setPrice(fixture.world, {
    country: 'US',
    category: 'UTILITY',
    micros: 40_000,
    applies: 'outside_window',
  })
  setPrice(fixture.world, {
    country: 'US',
    category: 'UTILITY',
    micros: 0,
    applies: 'inside_window',
  })
  setPrice(fixture.world, {
    country: 'US',
    category: 'UTILITY',
    micros: 10_000,
    applies: 'inside_window',
    fromMs: OCTOBER_MS,
  })
  setPrice(fixture.world, { country: 'US', micros: 25_000 })
  setPrice(fixture.world, { country: 'FR', category: 'UTILITY', micros: 30_000 })
  second = await connectSecond()
})

/** Connects another phone number of the same business account. */
async function connectSecond(): Promise<string> {
  const { wabaId, token } = fixture.world.tenant
  const answer = await (
    await fixture.world.as('admin')
  ).post('/api/accounts', {
    name: 'Second',
    phone_id: fixture.world.simulator.addPhone({ wabaId, token }).id,
    business_id: wabaId,
    access_token: token,
  })
  return String(answer.data['id'])
}

afterAll(() => fixture[Symbol.asyncDispose]())

/** Somebody writes to our number now: the window opens. */
async function writes(waId: string): Promise<void> {
  await fixture.world.simulator.customer({ phone: fixture.world.tenant.phoneId, waId }).says('Hi')
  await fixture.world.settle()
}

const trialOf = async (id: string): Promise<Loose> => (await fixture.do(id, 'dry-run')).data

test('dry run and start use the in-window price for contacts who wrote within 24 hours', async () => {
  const [near = '', far = '', stranger = ''] = numbersOf(3, 15_550_900_000)
  await writes(far)
  fixture.world.clock.advance({ hours: 25 })
  await writes(near)
  const id = await fixture.draftFor([near, far, stranger, '33612345678'], { template_id: utility })
  expect(await trialOf(id)).toMatchObject({
    eligible: 4,
    by_country: [
      {
        country: 'US',
        count: 3,
        unit_price: '0.04',
        inside_window_count: 1,
        inside_window_price: '0.01',
        free_count: 0,
        cost: '0.09',
      },
      {
        country: 'FR',
        count: 1,
        unit_price: '0.03',
        inside_window_count: 0,
        inside_window_price: '0.03',
        free_count: 0,
        cost: '0.03',
      },
    ],
    billable: 4,
    estimated_cost: '0.12',
  })
  await fixture.do(id, 'start')
  expect(await fixture.run(id)).toMatchObject({
    status: 'completed',
    sent_count: 4,
    estimated_cost: '0.12',
  })
})

test('charges utility templates inside the window since October 2026, also with an older price list', async () => {
  setPrice(fixture.world, {
    country: 'GB',
    category: 'UTILITY',
    micros: 50_000,
    applies: 'outside_window',
  })
  setPrice(fixture.world, {
    country: 'GB',
    category: 'UTILITY',
    micros: 0,
    applies: 'inside_window',
  })
  const people = ['447400123456', '447400123457']
  await writes('447400123456')
  const id = await fixture.draftFor(people, { template_id: utility })
  expect(await trialOf(id)).toMatchObject({
    by_country: [
      {
        country: 'GB',
        count: 2,
        unit_price: '0.05',
        inside_window_count: 1,
        inside_window_price: '0.05',
        cost: '0.10',
      },
    ],
    billable: 2,
    estimated_cost: '0.10',
  })
  await fixture.do(id, 'start')
  expect(await fixture.run(id)).toMatchObject({ status: 'completed', actual_cost: '0.10' })
})

test('counts people who came from an ad within 72 hours as free, in the dry run and in the budget', async () => {
  const [clicked = '', wrote = '', stranger = ''] = numbersOf(3, 15_550_906_000)
  const { world } = fixture
  const click = textTo(world, 'Hi', { person: { waId: clicked } })
  const referral = { source_url: 'https://fb.me/x', source_id: '1', source_type: 'ad' }
  Object.assign((valueOf(click)['messages'] as Loose[])[0] as Loose, { referral })
  await deliver(world, click)

  world.clock.advance({ hours: 23 })
  await writes(wrote)
  const people = [clicked, wrote, stranger]
  const budget = { amount: '0.05', currency: 'USD' }
  const id = await fixture.draftFor(people, { template_id: utility, budget })
  const free = {
    count: 3,
    free_count: 1,
    inside_window_count: 1,
    cost: '0.05',
  }
  expect(await trialOf(id)).toMatchObject({
    by_country: [free],
    billable: 2,
    estimated_cost: '0.05',
  })
  // An ad click concerns the number it leads to.
  const elsewhere = await fixture.draftFor(people, { template_id: utility, account_id: second })
  expect(await trialOf(elsewhere)).toMatchObject({
    by_country: [{ count: 3, free_count: 0, inside_window_count: 0, cost: '0.12' }],
    billable: 3,
  })
  await fixture.do(id, 'start')
  expect(await fixture.run(id)).toMatchObject({
    status: 'completed',
    sent_count: 3,
    estimated_cost: '0.05',
  })
  world.clock.advance({ hours: 73 })
  const later = await fixture.draftFor(people, { template_id: utility })
  expect(await trialOf(later)).toMatchObject({
    by_country: [{ count: 3, free_count: 0, inside_window_count: 0 }],
    billable: 3,
  })
})

test('ignores windows of other phone numbers and of categories with one price', async () => {
  const [near = ''] = numbersOf(1, 15_550_901_000)
  await writes(near)
  const there = await fixture.draftFor([near], { template_id: utility, account_id: second })
  expect(await trialOf(there)).toMatchObject({
    by_country: [{ count: 1, inside_window_count: 0, cost: '0.04' }],
  })
  const marketing = await fixture.draftFor([near])
  expect(await trialOf(marketing)).toMatchObject({
    by_country: [
      {
        count: 1,
        unit_price: '0.025',
        inside_window_count: 1,
        inside_window_price: '0.025',
        cost: '0.025',
      },
    ],
  })
})

test('uses windows and prices of the scheduled start', async () => {
  const [near = ''] = numbersOf(1, 15_550_902_000)
  await writes(near)
  const id = await fixture.draftFor([near], { template_id: utility })
  expect(await trialOf(id)).toMatchObject({ estimated_cost: '0.01' })
  const inHours = (hours: number): string =>
    new Date(fixture.world.clock.nowMs() + hours * 3_600_000).toISOString()
  await fixture.do(id, 'schedule', { scheduled_at: inHours(23) })
  expect(await trialOf(id)).toMatchObject({ estimated_cost: '0.01' })
  await (await fixture.manager).put(`/api/campaigns/${id}`, { scheduled_at: inHours(30) })
  expect(await trialOf(id)).toMatchObject({ estimated_cost: '0.04' })
  setPrice(fixture.world, {
    country: 'US',
    category: 'UTILITY',
    micros: 50_000,
    applies: 'outside_window',
    fromMs: fixture.world.clock.nowMs() + 26 * 3_600_000,
  })
  expect(await trialOf(id)).toMatchObject({ estimated_cost: '0.05' })
})

test('charges in-window messages to the budget at their price', async () => {
  const people = numbersOf(4, 15_550_903_000)
  for (const waId of people.slice(0, 2)) await writes(waId)
  const id = await fixture.draftFor(people, {
    template_id: utility,
    budget: { amount: '0.06', currency: 'USD' },
  })
  const trial = await trialOf(id)
  expect(trial).toMatchObject({ estimated_cost: '0.10' })
  await fixture.do(id, 'start')
  expect(await fixture.run(id)).toMatchObject({
    status: 'paused',
    pause_reason: 'budget',
    sent_count: 3,
    estimated_cost: '0.10',
  })
})

test('counts only recipients outside the window against the messaging limit in a dry run', async () => {
  const { sqlite } = fixture.world.program.http.db
  sqlite.run('delete from portfolio_reach')
  changeRows(sqlite, "update accounts set messaging_limit_tier = 'TIER_2' where id = ?", [
    fixture.world.tenant.accountId,
  ])
  const people = numbersOf(3, 15_550_904_000)
  const id = await fixture.draftFor(people, { template_id: utility })
  const warned = async (): Promise<boolean> =>
    ((await trialOf(id))['warnings'] as string[]).some((words) =>
      words.includes('daily messaging limit'),
    )
  expect(await warned()).toBe(true)
  await writes(people[0] ?? '')
  expect(await warned()).toBe(false)
  sqlite.run('update accounts set messaging_limit_tier = null')
})

test('previews a template with the price for the window of the contact', async () => {
  const manager = await fixture.manager
  const { data: contact } = await manager.post('/api/contacts', { phone_number: '15550905000' })
  const cost = async (): Promise<unknown> =>
    (await manager.post(`/api/templates/${utility}/preview`, { contact_id: contact['id'] })).data[
      'estimated_cost'
    ]
  expect(await cost()).toEqual({ amount: '0.04', currency: 'USD' })
  await writes('15550905000')
  expect(await cost()).toEqual({ amount: '0.01', currency: 'USD' })
})

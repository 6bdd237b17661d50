import { expect, test } from 'bun:test'

import { seededRandom, shuffled } from '../../src/simulator/random'
import { combine } from '../../src/simulator/payloads'
import { numbersOf, CampaignFixture, setPrice } from '../support/campaigns'
import type { Client, Loose } from '../support/client'
import { deliver, secondsIn, statusTo } from '../support/lines'
import { changeRows } from '../support/sql'

/** Messages of a run; `COST_MESSAGES=100000` for a whole month of a busy number. */
const COUNT = Number(process.env['COST_MESSAGES'] ?? 30)

/** One message in this many belongs to the campaign. */
const CAMPAIGN_SHARE = 4

/** Recipients of the campaign; one import takes 10,000 at most. */
const campaignSize = (count: number): number => Math.min(10_000, Math.floor(count / CAMPAIGN_SHARE))

/** Texts to one customer, whom a number can write to only so fast. */
const TEXTS_EACH = 25

/** The platform posts at most 1,000 updates at once. */
const AT_ONCE = 500

const TYPES = ['regular', 'regular', 'free_customer_service', 'free_entry_point', null] as const

/** What is told of one message: its statuses with their times and prices. */
interface Told {
  index: number
  statuses: { status: string; second: number; type: (typeof TYPES)[number] }[]
}

/** Invents the fate of each message from a seed. */
function fates(count: number, seed: number): Told[] {
  const random = seededRandom(seed)
  const oneOf = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  return Array.from({ length: count }, (_, index) => {
    const type = oneOf(TYPES)
    const second = Math.floor(random() * 5_000)
    const told = (status: string, after: number, priced: boolean) => ({
      status,
      second: second + after,
      type: priced ? type : null,
    })
    const sent = told('sent', 0, random() < 0.5)
    const delivered = told('delivered', 2, true)
    const failed = told('failed', 1, false)
    const fate = random()
    const statuses =
      fate < 0.1
        ? [sent, failed]
        : fate < 0.2
          ? [failed, delivered]
          : fate < 0.5
            ? [sent, delivered, told('read', 9, false)]
            : [sent, delivered]
    return { index, statuses }
  })
}

interface Sums {
  messages: number
  totals: number
  conversations: number
  campaign: number
  /** Sums of the cost report by what it groups by. */
  reports: number[]
  health: Loose
  rows: Loose[]
}

const FAILURE = { code: 131026, title: 'Message undeliverable', details: 'Nobody there.' }

/** Sends the messages, tells their statuses in an order of `disorder`, and adds everything up. */
async function sumsAfter(count: number, seed: number, disorder: number): Promise<Sums> {
  await using fixture = await CampaignFixture.open()
  const { world } = fixture
  setPrice(world, { category: 'MARKETING', micros: 25_001 })
  setPrice(world, { category: 'SERVICE', micros: 8_003, free: Math.floor(count / 5) })
  const { sqlite } = world.program.http.db
  changeRows(sqlite, "update accounts set messaging_limit_tier = 'TIER_UNLIMITED'", [])
  const inCampaign = campaignSize(count)
  const people = numbersOf(Math.ceil(count / TEXTS_EACH), 15_550_600_000)
  const contacts: Loose[] = []
  for (const phone of people) contacts.push(await world.contactOf(world.tenant, 'Hello!', phone))
  const manager = await fixture.manager
  world.simulator.swallowStatuses({ times: Infinity })
  const campaignId = await fixture.draftFor(numbersOf(inCampaign))
  await fixture.do(campaignId, 'start')
  await fixture.run(campaignId, { seconds: count })
  for (let nth = inCampaign; nth < count; nth += 1) {
    const contact = contacts[nth % contacts.length]
    const { status } = await manager.post(`/api/contacts/${String(contact?.['id'])}/messages`, {
      type: 'text',
      text: `Text ${nth}`,
    })
    expect(status).toBe(201)
    if (nth % 100 === 0) {
      await world.settle()
      world.clock.advance({ seconds: 3 })
    }
  }
  for (let step = 0; step < count; step += 1) {
    await world.settle()
    const [waiting] = world.rows<{ rows: number }>(
      "select count(*) as rows from messages where direction = 'outgoing' and wa_message_id is null",
    )
    if (waiting?.rows === 0) break
    world.clock.advance({ seconds: 1 })
  }
  const sent = world.rows<{ wa: string }>(
    "select wa_message_id as wa from messages where direction = 'outgoing' order by source desc, created_at_ms, id",
  )
  expect(sent.length).toBe(count)
  const start = secondsIn(world)
  const told = fates(count, seed).flatMap(({ index, statuses }) =>
    statuses.map(({ status, second, type }) =>
      statusTo(world, sent[index]?.wa ?? '', status, {
        timestamp: start + second - 5_000,
        facts: {
          ...(type === null
            ? {}
            : { pricing: { billable: type === 'regular', type, category: categoryOf(index) } }),
          ...(status === 'failed' ? { error: FAILURE } : {}),
        },
      }),
    ),
  )
  const order = disorder === 0 ? told : shuffled(seededRandom(disorder), told)
  for (let at = 0; at < order.length; at += AT_ONCE)
    await deliver(world, combine(...order.slice(at, at + AT_ONCE)))
  return await readSums(fixture, campaignId)

  function categoryOf(index: number): string {
    return index < inCampaign ? 'marketing' : 'service'
  }
}

/** Millionths of a decimal amount. */
const microsOf = (amount: unknown): number => Math.round(Number(amount) * 1_000_000)

async function readSums({ world, manager }: CampaignFixture, campaignId: string): Promise<Sums> {
  const client = await manager
  const [sum] = world.rows<{ micros: number }>('select sum(cost_micros) as micros from messages')
  const [totals] = world.rows<{ micros: number }>(
    'select sum(settled_micros + estimated_micros) as micros from cost_totals',
  )
  let conversations = 0
  for (let cursor = ''; ;) {
    const { data } = await client.get(`/api/conversations?limit=100${cursor}`)
    for (const row of data['items'] as Loose[])
      conversations += microsOf((row['cost_month'] as Loose | null)?.['amount'] ?? 0)
    if (data['next_cursor'] == null) break
    cursor = `&cursor=${encodeURIComponent(String(data['next_cursor']))}`
  }
  const campaign = (await client.get(`/api/campaigns/${campaignId}`)).data
  const { data: health } = await client.get(`/api/accounts/${world.tenant.accountId}/health`)
  const reports: number[] = []
  for (const group of ['source', 'campaign', 'conversation', 'agent'])
    reports.push(await sumOfReport(client, group))
  return {
    messages: sum?.micros ?? 0,
    totals: totals?.micros ?? 0,
    conversations,
    campaign: microsOf(campaign['actual_cost']),
    reports,
    health: {
      cost_month: health['cost_month'] as unknown,
      service_allowance: health['service_allowance'] as unknown,
    },
    rows: world.rows<Loose>(
      "select cost_micros, cost_free_reason, is_cost_estimate, cost_month, allowance_month from messages where direction = 'outgoing' order by source desc, created_at_ms, id",
    ),
  }
}

/** Adds up all groups of the cost report. */
async function sumOfReport(client: Client, group: string): Promise<number> {
  let sum = 0
  for (let page = 1; ; page += 1) {
    const { data } = await client.get(
      `/api/analytics/costs?group_by=${group}&limit=100&page=${page}`,
    )
    for (const { cost } of data['groups'] as Loose[]) sum += microsOf(cost)
    if (page >= Number(data['total_pages'])) return sum
  }
}

test.each([1, 2])(
  'costs add up to the same sum everywhere, whatever the order of the statuses (seed %p)',
  async (seed) => {
    const inOrder = await sumsAfter(COUNT, seed, 0)
    expect(inOrder.messages).toBeGreaterThan(0)
    expect(inOrder.totals).toBe(inOrder.messages)
    expect(inOrder.conversations).toBe(inOrder.messages)
    expect(inOrder.reports).toEqual(inOrder.reports.map(() => inOrder.messages))
    expect(microsOf((inOrder.health['cost_month'] as Loose)['amount'])).toBe(inOrder.messages)
    const settledCampaign = inOrder.rows
      .slice(0, campaignSize(COUNT))
      .filter(({ is_cost_estimate }) => is_cost_estimate === 0)
      .reduce((sum, { cost_micros }) => sum + Number(cost_micros), 0)
    expect(inOrder.campaign).toBe(settledCampaign)
    const shuffledOnce = await sumsAfter(COUNT, seed, 100 + seed)
    expect(shuffledOnce).toEqual(inOrder)
  },
  { timeout: 3_600_000 },
)

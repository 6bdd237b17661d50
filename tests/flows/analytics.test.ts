import { expect, test } from 'bun:test'

import {
  atOf,
  dateIn,
  History,
  isFailed,
  PRICES,
  slotOf,
  SLOT_MS,
  type Fact,
} from '../support/analytics-history'
import type { Loose } from '../support/client'
import { amountOf } from '../../src/lib/money'

/** Steps of each history; `ANALYTICS_STEPS=2000` for a long one. */
const STEPS = Number(process.env['ANALYTICS_STEPS'] ?? 40)

/** Histories, in spring and in autumn by turns; `ANALYTICS_HISTORIES=20` for more. */
const HISTORIES = Number(process.env['ANALYTICS_HISTORIES'] ?? 2)

type Get = (path: string) => Promise<Loose>

/** Compares the reports with the model of a history. */
class Comparison {
  private readonly today: string
  private readonly range: string

  constructor(
    private readonly history: History,
    private readonly get: Get,
  ) {
    this.today = dateIn(history.world.clock.nowMs(), history.zone)
    const start = Temporal.PlainDate.from(this.today).subtract({ days: 80 }).toString()
    this.range = `start_date=${start}&end_date=${this.today}`
  }

  private get facts(): Fact[] {
    return this.history.facts
  }

  async messages(): Promise<void> {
    for (const granularity of ['day', 'week', 'month']) {
      const report = await this.get(`messages?${this.range}&granularity=${granularity}`)
      expect({ granularity, timeline: nonZero(report) }).toEqual({
        granularity,
        timeline: this.timeline(granularity),
      })
      expect(report['summary']).toMatchObject(this.summary())
      expect(report['by_type']).toEqual(this.byType())
      expect(report['rebuilding']).toBe(false)
    }
    for (const { accountId } of this.history.lines) {
      const { summary } = await this.get(`messages?${this.range}&account_id=${accountId}`)
      const own = this.facts.filter((fact) => fact.accountId === accountId)
      expect(summary).toMatchObject({
        total_sent: own.filter(({ isIncoming }) => !isIncoming).length,
        total_received: own.filter(({ isIncoming }) => isIncoming).length,
      })
    }
  }

  async hours(): Promise<void> {
    const { zone } = this.history
    const start = Temporal.PlainDate.from(this.today).subtract({ days: 20 }).toString()
    const report = await this.get(
      `messages?start_date=${start}&end_date=${this.today}&granularity=hour`,
    )
    const fromMs = Temporal.PlainDate.from(start).toZonedDateTime(zone).epochMilliseconds
    const hours = new Map<number, number>()
    for (const fact of this.facts)
      if (atOf(fact) >= fromMs) {
        const at = Temporal.Instant.fromEpochMilliseconds(slotOf(atOf(fact)) * SLOT_MS)
        const dayMs = at.toZonedDateTimeISO(zone).startOfDay().epochMilliseconds
        const since = Math.floor((at.epochMilliseconds - dayMs) / 3_600_000)
        const hourMs = dayMs + since * 3_600_000
        hours.set(hourMs, (hours.get(hourMs) ?? 0) + 1)
      }
    const found = (report['timeline'] as Loose[])
      .map(({ date, sent, received }) => [Date.parse(date), Number(sent) + Number(received)])
      .filter(([, count]) => count !== 0)
    expect(found).toEqual([...hours].toSorted(([a], [b]) => a - b))
  }

  /** All histories begin and end in the same year. */
  async dashboards(): Promise<void> {
    const contacts = [...this.history.contacts.values()].filter(
      ({ mergedInto }) => mergedInto === null,
    )
    for (const accountId of [undefined, ...this.history.lines.map((line) => line.accountId)]) {
      const isOwn = (fact: Fact): boolean => accountId === undefined || fact.accountId === accountId
      const own = this.facts.filter(isOwn)
      const people = contacts.filter(
        ({ accounts }) => accountId === undefined || accounts.has(accountId),
      )
      const ofNumber = accountId === undefined ? '' : `&account_id=${accountId}`
      const found = await this.get(`dashboard?period=year${ofNumber}`)
      expect({ accountId, ...found }).toMatchObject({
        accountId,
        contacts: {
          total: people.filter(({ isErased }) => !isErased).length,
          new_in_period: people.length,
          growth_percent: people.length === 0 ? 0 : 100,
        },
        messages: {
          total: own.length,
          sent: own.filter(({ isIncoming }) => !isIncoming).length,
          received: own.filter(({ isIncoming }) => isIncoming).length,
          today: own.filter((fact) => this.dateOf(fact) === this.today).length,
          failed: own.filter(isFailed).length,
        },
      })
    }
    const { contacts: seen } = await this.get('dashboard?period=today')
    const isToday = ({ seenMs }: { seenMs: number }): boolean =>
      dateIn(seenMs, this.history.zone) === this.today
    expect(seen).toMatchObject({ new_today: contacts.filter(isToday).length })
  }

  async costs(): Promise<void> {
    const expected = this.costsOf(this.facts)
    const grouped = async (by: string): Promise<Loose> =>
      await this.get(`costs?${this.range}&granularity=day&group_by=${by}&limit=100`)
    const countries = await grouped('country')
    expect(countries['summary']).toMatchObject(expected)
    expect((await grouped('source'))['summary']).toEqual(countries['summary'])
    expect(microsOf(countries['timeline'] as Loose[])).toBe(microsOf([expected]))
    const accounts = await grouped('account')
    for (const { accountId } of this.history.lines) {
      const own = this.facts.filter((fact) => fact.accountId === accountId)
      const group = (accounts['groups'] as Loose[]).find(({ key }) => key === accountId)
      const { unpriced_messages: _, ...figures } = this.costsOf(own)
      if (own.some((fact) => !fact.isIncoming && !isFailed(fact)))
        expect(group).toMatchObject(figures)
    }
    const days = `start_date=${Temporal.PlainDate.from(this.today).subtract({ days: 30 }).toString()}`
    const threads = await this.get(`costs?${days}&group_by=conversation&limit=100`)
    expect(microsOf(threads['groups'] as Loose[])).toBe(microsOf([threads['summary'] as Loose]))
  }

  /** What the platform has charged for a campaign is the same everywhere. */
  async campaign(): Promise<void> {
    const { campaignId } = this.history
    const { items, summary } = await this.get(`campaigns?${this.range}`)
    const [row = {}] = items as Loose[]
    const charged = this.facts.filter(
      (fact) => fact.category === 'marketing' && fact.pricing === 'regular' && !isFailed(fact),
    )
    const own = this.facts.filter(({ category }) => category === 'marketing')
    expect(row).toMatchObject({
      campaign_id: campaignId,
      recipients: own.length,
      delivered: own.filter(({ isDelivered }) => isDelivered).length,
      read: own.filter(({ isRead }) => isRead).length,
    })
    const micros = charged.length * PRICES.marketing
    expect(Math.round(Number(row['actual_cost']) * 1e6)).toBe(micros)
    expect(Math.round(Number((summary as Loose)['actual_cost']) * 1e6)).toBe(micros)
    const { groups } = await this.get(`costs?${this.range}&group_by=campaign`)
    const group = (groups as Loose[]).find(({ key }) => key === campaignId) ?? { cost: 0 }
    const settled = Number(group['cost']) - Number(group['estimated_cost'] ?? 0)
    expect(Math.round(settled * 1e6)).toBe(micros)
  }

  private dateOf(fact: Fact): string {
    return fact.date ?? dateIn(atOf(fact), this.history.zone)
  }

  private timeline(granularity: string): Loose[] {
    const points = new Map<string, Loose>()
    for (const fact of this.facts) {
      const day = Temporal.PlainDate.from(this.dateOf(fact))
      const date =
        granularity === 'day'
          ? day
          : granularity === 'week'
            ? day.subtract({ days: day.dayOfWeek - 1 })
            : day.with({ day: 1 })
      const point = points.get(date.toString()) ?? {
        ...{ date: date.toString(), sent: 0, received: 0, delivered: 0, read: 0, failed: 0 },
      }
      points.set(date.toString(), point)
      point[fact.isIncoming ? 'received' : 'sent'] += 1
      point['delivered'] += Number(fact.isDelivered)
      point['read'] += Number(fact.isRead)
      point['failed'] += Number(isFailed(fact))
    }
    return [...points.values()].toSorted((a, b) => (a['date'] < b['date'] ? -1 : 1))
  }

  private summary(): Loose {
    const count = (has: (fact: Fact) => boolean): number => this.facts.filter(has).length
    const waits = this.facts.flatMap(({ waitedMs }) => (waitedMs === null ? [] : [waitedMs]))
    const mean = waits.reduce((sum, ms) => sum + ms, 0) / Math.max(1, waits.length)
    return {
      total_sent: count(({ isIncoming }) => !isIncoming),
      total_received: count(({ isIncoming }) => isIncoming),
      total_delivered: count(({ isDelivered }) => isDelivered),
      total_read: count(({ isRead }) => isRead),
      total_failed: count(isFailed),
      unique_contacts: new Set(this.facts.map(({ contactId }) => this.history.personOf(contactId)))
        .size,
      avg_first_response_seconds: Math.round(mean / 100) / 10,
    }
  }

  private byType(): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const { type } of this.facts) counts[type] = (counts[type] ?? 0) + 1
    return counts
  }

  private costsOf(facts: Fact[]): Loose {
    const counted = facts.filter((fact) => !fact.isIncoming && !isFailed(fact))
    const billable = counted.filter(({ pricing }) => !(pricing?.startsWith('free') ?? false))
    const micros = billable.reduce((sum, { category }) => sum + PRICES[category], 0)
    return {
      billable_messages: billable.length,
      free_messages: counted.length - billable.length,
      unpriced_messages: 0,
      cost: micros === 0 ? '0.00' : amountOf(micros),
    }
  }
}

const microsOf = (rows: readonly Loose[]): number =>
  rows.reduce((sum, { cost }) => sum + Math.round(Number(cost) * 1e6), 0)

const nonZero = (report: Loose): Loose[] =>
  (report['timeline'] as Loose[]).filter((point) =>
    Object.entries(point).some(([field, value]) => field !== 'date' && value !== 0),
  )

async function compare(history: History): Promise<void> {
  const manager = await history.world.as('manager')
  const get: Get = async (path) => (await manager.get(`/api/analytics/${path}`)).data
  const comparison = new Comparison(history, get)
  await comparison.messages()
  await comparison.hours()
  await comparison.dashboards()
  await comparison.costs()
  await comparison.campaign()
}

test.each(Array.from({ length: HISTORIES }, (_, nth) => nth + 1))(
  'reports add up after random history %d',
  async (seed) => {
    const history = await History.begin(seed)
    await using world = history.world
    expect(world).toBe(history.world)
    for (let step = 1; step <= STEPS; step += 1) {
      await history.step()
      if (step % 10 === 0) await compare(history)
    }
    expect(history.facts.length).toBeGreaterThan(10)
  },
  180_000,
)

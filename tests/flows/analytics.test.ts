import { expect, test } from 'bun:test'

import {
  atOf,
  dateIn,
  hourIn,
  isFailed,
  isSent,
  PRICES,
  UNPRICED,
  type Fact,
} from '../support/analytics-facts'
import { History } from '../support/analytics-history'
import type { Loose } from '../support/client'
import { amountOf } from '../../src/lib/money'

/** Steps of each history; `ANALYTICS_STEPS=2000` for a long one. */
const STEPS = Number(process.env['ANALYTICS_STEPS'] ?? 20)

/** Histories, in spring and in autumn by turns; `ANALYTICS_HISTORIES=20` for more. */
const HISTORIES = Number(process.env['ANALYTICS_HISTORIES'] ?? 2)

/** Steps between two comparisons. */
const COMPARED_EVERY = 20

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
        total_sent: own.filter(isSent).length,
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
    for (const fact of this.facts) {
      if (fact.isRefused) continue
      const atMs = fact.hourMs ?? atOf(fact)
      const hourMs = hourIn(atMs, zone)
      if (atMs >= fromMs) hours.set(hourMs, (hours.get(hourMs) ?? 0) + 1)
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
          total: own.filter(({ isRefused }) => !isRefused).length,
          sent: own.filter(isSent).length,
          received: own.filter(({ isIncoming }) => isIncoming).length,
          today: own.filter((fact) => !fact.isRefused && this.dateOf(fact) === this.today).length,
          failed: own.filter(isFailed).length,
        },
      })
    }
    await this.periods(contacts.map(({ seenMs }) => dateIn(seenMs, this.history.zone)))
  }

  /** Compares every period of the dashboard. `seen` are the days on which contacts were first seen. */
  private async periods(seen: readonly string[]): Promise<void> {
    const day = Temporal.PlainDate.from(this.today)
    const monday = day.subtract({ days: day.dayOfWeek - 1 })
    const seenFrom = (first: Temporal.PlainDate, before: Temporal.PlainDate): number =>
      seen.filter((date) => date >= first.toString() && date < before.toString()).length
    const tomorrow = day.add({ days: 1 })
    for (const [period, start] of Object.entries({
      ...{ today: day, week: monday, month: day.with({ day: 1 }) },
      year: day.with({ day: 1, month: 1 }),
    })) {
      const own = this.facts.filter((fact) => this.dateOf(fact) >= start.toString())
      const [now, before] = [
        seenFrom(start, tomorrow),
        seenFrom(start.subtract(start.until(tomorrow)), start),
      ]
      const growth = before === 0 ? (now === 0 ? 0 : 100) : ((now - before) / before) * 100
      const found = await this.get(`dashboard?period=${period}`)
      expect({ of: period, ...found }).toMatchObject({
        of: period,
        period: { start: start.toString(), end: this.today },
        contacts: {
          new_today: seenFrom(day, tomorrow),
          new_this_week: seenFrom(monday, tomorrow),
          new_in_period: now,
          growth_percent: Math.round(growth * 10) / 10,
        },
        messages: {
          total: own.filter(({ isRefused }) => !isRefused).length,
          sent: own.filter(isSent).length,
          failed: own.filter(isFailed).length,
        },
        campaigns: { total: 1 },
      })
    }
  }

  async costs(): Promise<void> {
    const expected = this.costsOf(this.facts)
    for (const granularity of ['day', 'week', 'month'] as const) {
      const report = await this.get(`costs?${this.range}&granularity=${granularity}`)
      expect(report['summary']).toMatchObject(expected)
      const own = Map.groupBy(this.facts, (fact) => this.startOf(fact, granularity))
      for (const point of report['timeline'] as Loose[])
        expect({ granularity, ...point }).toMatchObject({
          ...{ granularity, date: point['date'] },
          ...this.costsOf(own.get(String(point['date'])) ?? []),
        })
    }
    const { campaignId, templateId, world } = this.history
    const isOfCampaign = ({ isOfCampaign: is }: Fact): boolean => is
    for (const [by, keyOf] of [
      ['category', ({ category }) => category.toUpperCase()],
      ['source', (fact) => (isOfCampaign(fact) ? 'campaign' : 'agent')],
      ['campaign', (fact) => (isOfCampaign(fact) ? campaignId : null)],
      ['template', (fact) => (isOfCampaign(fact) ? templateId : null)],
      ['agent', (fact) => (isOfCampaign(fact) ? null : world.tenant.userIds.manager)],
      ['account', ({ accountId }) => accountId],
      ['bot_flow', () => null],
      ['country', () => 'US'],
    ] as readonly [string, (fact: Fact) => string | null][]) {
      const { groups } = await this.get(`costs?${this.range}&group_by=${by}&limit=100`)
      const wanted = [...Map.groupBy(this.facts.filter(isCosted), keyOf)]
        .map(([key, facts]) => ({ key, ...this.costsOf(facts) }))
        .toSorted(byKey)
      expect({ by, groups: sumByKey(groups as Loose[]) }).toEqual({ by, groups: wanted })
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
      (fact) => fact.isOfCampaign && fact.pricing === 'regular' && !isFailed(fact),
    )
    const own = this.facts.filter(({ isOfCampaign }) => isOfCampaign)
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

  /** Returns the start of the point of a timeline that holds a message. */
  private startOf(fact: Fact, granularity: string): string {
    const day = Temporal.PlainDate.from(this.dateOf(fact))
    if (granularity === 'day') return day.toString()
    const start =
      granularity === 'week' ? day.subtract({ days: day.dayOfWeek - 1 }) : day.with({ day: 1 })
    return start.toString()
  }

  private timeline(granularity: string): Loose[] {
    const points = new Map<string, Loose>()
    for (const fact of this.facts) {
      const date = this.startOf(fact, granularity)
      const point = points.get(date) ?? {
        ...{ date, sent: 0, received: 0, delivered: 0, read: 0, failed: 0 },
      }
      points.set(date, point)
      if (!fact.isRefused) point[fact.isIncoming ? 'received' : 'sent'] += 1
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
      total_sent: count(isSent),
      total_received: count(({ isIncoming }) => isIncoming),
      total_delivered: count(({ isDelivered }) => isDelivered),
      total_read: count(({ isRead }) => isRead),
      total_failed: count(isFailed),
      unique_contacts: new Set(
        this.facts
          .filter(({ isRefused }) => !isRefused)
          .map(({ contactId }) => this.history.personOf(contactId)),
      ).size,
      avg_first_response_seconds: Math.round(mean / 100) / 10,
    }
  }

  private byType(): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const { type, isRefused } of this.facts)
      if (!isRefused) counts[type] = (counts[type] ?? 0) + 1
    return counts
  }

  private costsOf(facts: Fact[]): Loose {
    const counted = facts.filter(isCosted)
    const billable = counted.filter(({ pricing }) => !(pricing?.startsWith('free') ?? false))
    const priced = billable.filter(({ category }) => category !== UNPRICED)
    return {
      billable_messages: priced.length,
      free_messages: counted.length - billable.length,
      unpriced_messages: billable.length - priced.length,
      cost: amountOf(priced.reduce((sum, { category }) => sum + priceOf(category), 0)),
    }
  }
}

const priceOf = (category: Fact['category']): number =>
  category === UNPRICED ? 0 : PRICES[category]

/** Whether a message can cost something: it was sent, and did not fail. */
const isCosted = (fact: Fact): boolean => !fact.isIncoming && !isFailed(fact)

const byKey = (a: Loose, b: Loose): number => (String(a['key']) < String(b['key']) ? -1 : 1)

/** Adds up groups with the same key: those without a price are apart. */
const sumByKey = (groups: readonly Loose[]): Loose[] =>
  [...Map.groupBy(groups, ({ key }) => key as unknown)]
    .map(([key, own]) => ({
      key,
      ...Object.fromEntries(
        ['billable_messages', 'free_messages', 'unpriced_messages'].map((field) => [
          field,
          own.reduce((sum, group) => sum + Number(group[field]), 0),
        ]),
      ),
      cost: amountOf(microsOf(own)),
    }))
    .toSorted(byKey)

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
    await using history = await History.begin(seed)
    for (let step = 1; step <= STEPS; step += 1) {
      await history.step()
      if (step % COMPARED_EVERY === 0) await compare(history)
    }
    expect(history.facts.length).toBeGreaterThan(8)
  },
  600_000,
)

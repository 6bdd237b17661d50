import { expect, test } from 'bun:test'

import { dateIn, hourIn } from '../support/analytics-facts'
import type { Loose } from '../support/client'
import type { Fact, Response, Session, Transfer, Write } from '../support/work-facts'
import { WorkHistory } from '../support/work-history'

/** Steps of each history; `ANALYTICS_STEPS=2000` for a long one. */
const STEPS = Number(process.env['ANALYTICS_STEPS'] ?? 20)

/** Histories, in spring and in autumn by turns; `ANALYTICS_HISTORIES=20` for more. */
const HISTORIES = Number(process.env['ANALYTICS_HISTORIES'] ?? 1)

/** Steps between two comparisons. */
const COMPARED_EVERY = 20

type Get = (path: string) => Promise<Loose>

/** Lengths of points that each report is compared in. */
const GRANULARITIES = ['hour', 'day', 'week', 'month'] as const
type Granularity = (typeof GRANULARITIES)[number]

const oneDecimal = (value: number): number => Math.round(value * 10) / 10
const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : oneDecimal((part / whole) * 100)
const sum = <T>(items: readonly T[], value: (item: T) => number): number =>
  items.reduce((total, item) => total + value(item), 0)
const meanSeconds = (values: readonly number[]): number =>
  values.length === 0 ? 0 : Math.round(sum(values, (value) => value) / values.length / 100) / 10

/** Returns the exact median, in seconds. */
function medianSeconds(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [lower = 0, upper = 0] = [
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted[Math.floor(sorted.length / 2)],
  ]
  return (lower + upper) / 2 / 1_000
}

/** Compares the reports on agents and the bot with the model of a history. */
class WorkComparison {
  private readonly today: string

  constructor(
    private readonly history: WorkHistory,
    private readonly get: Get,
  ) {
    this.today = dateIn(this.nowMs, history.zone)
  }

  private get nowMs(): number {
    return this.history.world.clock.nowMs()
  }

  /** Hours are asked for few days, which are all kept by the hour. */
  private firstDay(granularity: Granularity): string {
    const days = granularity === 'hour' ? 12 : 80
    return Temporal.PlainDate.from(this.today).subtract({ days }).toString()
  }

  private rangeOf(granularity: Granularity): string {
    return `start_date=${this.firstDay(granularity)}&end_date=${this.today}&granularity=${granularity}`
  }

  private startMs(date: string): number {
    return Temporal.PlainDate.from(date).toZonedDateTime(this.history.zone).epochMilliseconds
  }

  /** Returns the point of a fact; `null` before the range. */
  private pointOf(fact: Fact, granularity: Granularity): string | null {
    const { zone } = this.history
    const first = this.firstDay(granularity)
    if (granularity === 'hour') {
      const atMs = fact.hourMs ?? fact.atMs
      return atMs < this.startMs(first) ? null : String(hourIn(atMs, zone))
    }
    const date = fact.date ?? dateIn(fact.atMs, zone)
    if (date < first) return null
    const day = Temporal.PlainDate.from(date)
    if (granularity === 'day') return date
    const start =
      granularity === 'week' ? day.subtract({ days: day.dayOfWeek - 1 }) : day.with({ day: 1 })
    return start.toString()
  }

  private inRange<T extends Fact>(facts: readonly T[], granularity: Granularity): T[] {
    return facts.filter((fact) => this.pointOf(fact, granularity) !== null)
  }

  /** Returns the points of a timeline by their start, and what is in each of them by the model. */
  private pairs<T extends Fact>(
    report: Loose,
    granularity: Granularity,
    facts: readonly T[],
  ): [point: Loose, facts: T[]][] {
    const groups = Map.groupBy(facts, (fact) => this.pointOf(fact, granularity))
    const points = report['timeline'] as Loose[]
    const pairs = points.map((point): [Loose, T[]] => {
      const date = String(point['date'])
      return [point, groups.get(granularity === 'hour' ? String(Date.parse(date)) : date) ?? []]
    })
    expect(sum(pairs, ([, own]) => own.length)).toBe(this.inRange(facts, granularity).length)
    return pairs
  }

  async chatbot(): Promise<void> {
    const { history } = this
    for (const granularity of GRANULARITIES) {
      const report = await this.get(`chatbot?${this.rangeOf(granularity)}`)
      const sessions = this.inRange(history.sessions, granularity)
      expect({ granularity, ...(report['summary'] as Loose) }).toEqual({
        granularity,
        ...summaryOf(sessions),
      })
      expect(report['by_flow']).toEqual(this.flows(sessions))
      expect(report['top_keywords']).toEqual(this.keywords(this.inRange(history.hits, granularity)))
      expect(report['ai_usage']).toEqual(this.ai(granularity))
      for (const [point, own] of this.pairs(report, granularity, history.sessions))
        expect({ granularity, ...point }).toEqual({
          ...{ granularity, date: point['date'], ...outcomesOf(own) },
        })
    }
    const { accountId } = history.world.tenant
    const own = await this.get(`chatbot?${this.rangeOf('day')}&account_id=${accountId}`)
    expect(own['summary']).toEqual(summaryOf(this.inRange(history.sessions, 'day')))
    const flow = await this.get(`chatbot?${this.rangeOf('day')}&flow_id=${history.flowId}`)
    expect(flow['summary']).toEqual(
      summaryOf(this.inRange(history.sessions, 'day').filter(({ isFlow }) => isFlow)),
    )
    const costs = await this.get(`costs?${this.rangeOf('day')}`)
    const micros = sum(this.inRange(history.calls, 'day'), (call) => call.micros)
    expect(Math.round(Number((costs['summary'] as Loose)['ai_cost']) * 1e6)).toBe(micros)
  }

  private flows(sessions: Session[]): Loose[] {
    const own = sessions.filter(({ isFlow }) => isFlow)
    if (own.length === 0) return []
    const { abandoned, transferred_to_agent: transferred } = outcomesOf(own)
    const completed = own.filter(({ isCompleted }) => isCompleted).length
    return [
      {
        ...{ flow_id: this.history.flowId, flow_name: 'Colors', conversations: own.length },
        ...{ completed, transferred, abandoned },
        completion_rate: percent(completed, own.length),
        drop_off: abandoned === 0 ? [] : [{ node_id: 'color', label: null, count: abandoned }],
      },
    ]
  }

  private keywords(hits: readonly { keyword: string }[]): Loose[] {
    const { flowId, ruleId } = this.history
    const of = (keyword: string, ids: Loose): Loose => ({
      ...{ keyword, ...ids, count: hits.filter((hit) => hit.keyword === keyword).length },
    })
    return [
      of('colors', { rule_id: null, flow_id: flowId }),
      of('hours', { rule_id: ruleId, flow_id: null }),
    ]
      .filter(({ count }) => count > 0)
      .toSorted((a, b) => b['count'] - a['count'])
  }

  private ai(granularity: Granularity): Loose {
    const calls = this.inRange(this.history.calls, granularity)
    const input = sum(calls, ({ tokens: [tokens] }) => tokens)
    const output = sum(calls, ({ tokens: [, tokens] }) => tokens)
    return {
      total_requests: calls.length,
      failed_requests: calls.filter(({ hasFailed }) => hasFailed).length,
      input_tokens: input,
      output_tokens: output,
      total_tokens: input + output,
      avg_tokens_per_request: calls.length === 0 ? 0 : oneDecimal((input + output) / calls.length),
      estimated_cost: sum(calls, ({ micros }) => micros) / 1e6,
      currency: 'USD',
    }
  }

  /** Returns the work of the model by the points of a timeline. */
  private workBy(granularity: Granularity): Map<string, Work> {
    const points = new Map<string, Work>()
    const at = (fact: Fact): Work => {
      const point = this.pointOf(fact, granularity)
      const work = points.get(point ?? '') ?? { handled: [], responses: [], writes: [] }
      if (point !== null) points.set(point, work)
      return work
    }
    for (const transfer of this.history.transfers)
      if (transfer.endedMs !== null && transfer.agentId !== null)
        at(transfer).handled.push(transfer)
    for (const response of this.history.responses) at(response).responses.push(response)
    for (const write of this.history.writes) at(write).writes.push(write)
    return points
  }

  async agents(): Promise<void> {
    const { agents, world } = this.history
    const people = [...agents.map(({ userId }) => userId), world.tenant.userIds.manager]
    const dates = `start_date=${this.firstDay('day')}`
    const list = await this.get(`agents?${dates}`)
    const compared = await this.get(`agents/comparison?user_ids=${people.join(',')}&${dates}`)
    for (const granularity of GRANULARITIES) {
      const points = this.workBy(granularity)
      const all = workOf([...points.values()])
      if (granularity === 'day') expectWork(list['summary'] as Loose, all, null)
      for (const [nth, userId] of people.entries()) {
        const one = await this.get(`agents/${userId}?${this.rangeOf(granularity)}`)
        expectWork(one['agent'] as Loose, all, userId)
        const timeline = one['timeline'] as Loose[]
        for (const point of timeline) {
          const date = String(point['date'])
          const start = granularity === 'hour' ? String(Date.parse(date)) : date
          expectWork(point, points.get(start) ?? workOf([]), userId)
        }
        for (const field of ['away_seconds', 'available_seconds'])
          expect(sum(timeline, (point) => Number(point[field]))).toBeCloseTo(
            Number((one['agent'] as Loose)[field]),
            3,
          )
        if (granularity !== 'day') continue
        const row = (list['items'] as Loose[]).find(({ user_id }) => user_id === userId)
        expect([row, (compared['agents'] as Loose[])[nth]]).toEqual([one['agent'], one['agent']])
        expect(row).toMatchObject(this.presenceOf(userId))
      }
    }
  }

  private presenceOf(userId: string): Loose {
    const fromMs = this.startMs(this.firstDay('day'))
    const breaks = this.history.breaks
      .filter((each) => each.userId === userId)
      .map((each) => (each.beforeMs ?? this.nowMs) - Math.max(each.fromMs, fromMs))
      .filter((ms) => ms > 0)
    return {
      breaks: breaks.length,
      away_seconds: sum(breaks, (ms) => ms) / 1_000,
      active_transfers: this.history.transfers.filter(
        ({ agentId, endedMs }) => agentId === userId && endedMs === null,
      ).length,
    }
  }

  async dashboard(): Promise<void> {
    const { history } = this
    const day = Temporal.PlainDate.from(this.today)
    const starts = {
      today: day,
      week: day.subtract({ days: day.dayOfWeek - 1 }),
      month: day.with({ day: 1 }),
      year: day.with({ day: 1, month: 1 }),
    }
    const dateOf = (fact: Fact): string => fact.date ?? dateIn(fact.atMs, history.zone)
    for (const [period, start] of Object.entries(starts)) {
      const within = <T extends Fact>(facts: readonly T[]): T[] =>
        facts.filter((fact) => dateOf(fact) >= start.toString())
      const sessions = within(history.sessions)
      const { conversations, ...outcomes } = outcomesOf(sessions)
      const waiting = history.transfers.filter(
        ({ agentId, endedMs }) => agentId === null && endedMs === null,
      )
      const oldestMs = Math.min(this.nowMs, ...waiting.map(({ transferredMs }) => transferredMs))
      expect({ of: period, ...(await this.get(`dashboard?period=${period}`)) }).toMatchObject({
        of: period,
        chatbot: {
          conversations_today: history.sessions.filter((each) => dateOf(each) === this.today)
            .length,
          conversations,
          auto_resolved: outcomes.auto_resolved,
          transferred_to_agent: outcomes.transferred_to_agent,
          resolution_rate: summaryOf(sessions)['resolution_rate'],
        },
        transfers: {
          waiting: waiting.length,
          oldest_waiting_seconds: (this.nowMs - oldestMs) / 1_000,
          sla_breached: within(history.transfers.flatMap(({ breach }) => (breach ? [breach] : [])))
            .length,
        },
      })
    }
  }
}

/** What people did in some time. */
interface Work {
  handled: Transfer[]
  responses: Response[]
  writes: Write[]
}

const workOf = (all: readonly Work[]): Work => ({
  handled: all.flatMap(({ handled }) => handled),
  responses: all.flatMap(({ responses }) => responses),
  writes: all.flatMap(({ writes }) => writes),
})

/** Compares figures of a person, or of all, with the work of the model. */
function expectWork(figures: Loose, work: Work, userId: string | null): void {
  const isOwn = (id: string | null): boolean => userId === null || id === userId
  const handled = work.handled.filter(({ agentId }) => isOwn(agentId))
  const waits = work.responses.filter((each) => isOwn(each.userId)).map(({ waitedMs }) => waitedMs)
  expect(figures).toMatchObject({
    transfers_handled: handled.length,
    avg_queue_seconds: meanSeconds(handled.map(queuedMs)),
    avg_resolution_seconds: meanSeconds(
      handled.map(({ endedMs, transferredMs }) => (endedMs ?? 0) - transferredMs),
    ),
    sla_breached: handled.filter(({ breach }) => breach !== null).length,
    messages_sent: work.writes.filter((each) => isOwn(each.userId)).length,
    avg_first_response_seconds: meanSeconds(waits),
  })
  const median = medianSeconds(waits)
  const found = Number(figures['median_first_response_seconds'])
  expect(Math.abs(found - median)).toBeLessThanOrEqual(median * 0.02 + 0.051)
}

const queuedMs = ({ pickedUpMs, transferredMs }: Transfer): number =>
  (pickedUpMs ?? 0) - transferredMs

function outcomesOf(sessions: readonly Session[]) {
  const count = (wanted: Session['outcome']): number =>
    sessions.filter(({ outcome }) => outcome === wanted).length
  return {
    conversations: sessions.length,
    auto_resolved: count('auto_resolved'),
    transferred_to_agent: count('transferred'),
    abandoned: count('abandoned'),
  }
}

function summaryOf(sessions: readonly Session[]): Loose {
  const { conversations, ...outcomes } = outcomesOf(sessions)
  const ended = sessions.filter(({ outcome }) => outcome !== 'open')
  const resolved = sessions.filter(({ outcome }) => outcome === 'auto_resolved')
  const botMessages = sum(ended, (session) => session.botMessages)
  return {
    total_conversations: conversations,
    ...outcomes,
    open: sessions.length - ended.length,
    resolution_rate: percent(resolved.length, ended.length),
    avg_messages_per_conversation:
      ended.length === 0 ? 0 : oneDecimal(sum(ended, ({ messages }) => messages) / ended.length),
    // Every turn of this bot is one message.
    messages_per_turn: botMessages === 0 ? 0 : 1,
    avg_resolution_time_seconds: meanSeconds(
      resolved.map(({ endedMs, atMs }) => (endedMs ?? 0) - atMs),
    ),
  }
}

async function compare(history: WorkHistory): Promise<void> {
  const manager = await history.world.as('manager')
  const get: Get = async (path) => (await manager.get(`/api/analytics/${path}`)).data
  const comparison = new WorkComparison(history, get)
  await comparison.chatbot()
  await comparison.agents()
  await comparison.dashboard()
}

test.each(Array.from({ length: HISTORIES }, (_, nth) => nth + 1))(
  'reports on people and the bot add up after random history %d',
  async (seed) => {
    const history = await WorkHistory.begin(seed)
    await using world = history.world
    expect(world).toBe(history.world)
    for (let step = 1; step <= STEPS; step += 1) {
      await history.step()
      if (step % COMPARED_EVERY === 0) await compare(history)
    }
    expect(history.sessions.length).toBeGreaterThan(2)
  },
  600_000,
)

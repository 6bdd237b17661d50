import { expect, test } from 'bun:test'

import { seededRandom, shuffled } from '../simulator/random'
import { setPrice } from '../support/campaigns'
import type { Loose } from '../support/client'
import { deliver, personOf, secondsIn, statusTo, textTo } from '../support/lines'
import { World } from '../support/world'
import { startRebuilds } from '../../src/modules/analytics/rollups/rebuild'

/** Steps of each history; `ANALYTICS_STEPS=2000` for a long one. */
const STEPS = Number(process.env['ANALYTICS_STEPS'] ?? 40)

/** Time zones with clock changes at different days, and with offsets of half and quarter hours. */
const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe']

const SLOT_MS = 900_000
const DAY_MS = 86_400_000
const PRICE = 8_003
const FAILURE = { code: 131026, title: 'Message undeliverable', details: 'Nobody there.' }

/** A message as the model remembers it. */
interface Fact {
  id: string
  wa: string
  contactId: string
  isIncoming: boolean
  /** When the platform accepted it, or the platform's time of an incoming one. */
  acceptedMs: number
  sentMs: number | null
  isDelivered: boolean
  isRead: boolean
  hasFailed: boolean
  pricing: string | null
  waitedMs: number | null
  /** For a message that is not stored any more: the local date on which it was counted. */
  isGone: boolean
  date: string | null
}

const atOf = (fact: Fact): number =>
  fact.isIncoming ? fact.acceptedMs : (fact.sentMs ?? fact.acceptedMs)
const isFailed = (fact: Fact): boolean => fact.hasFailed && !fact.isDelivered
const slotOf = (ms: number): number => Math.floor(ms / SLOT_MS)

const dateIn = (ms: number, zone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDate().toString()

/** Plays a random history against a world and remembers what happened. */
class History {
  readonly facts: Fact[] = []
  zone = 'UTC'
  private people = 0
  private readonly customers: { contactId: string; nth: number; wroteMs: number }[] = []

  private constructor(
    readonly world: World,
    private readonly random: () => number,
  ) {}

  static async begin(seed: number): Promise<History> {
    // Shortly before clocks change in New York, and two weeks before they do in Berlin.
    const world = await World.create({ startMs: Date.UTC(2027, 2, 12, 9) })
    setPrice(world, { category: 'SERVICE', micros: PRICE })
    world.simulator.swallowStatuses({ times: Infinity })
    const history = new History(world, seededRandom(seed))
    const admin = await world.as('admin')
    expect((await admin.put('/api/retention', { messages_days: 9 })).status).toBe(200)
    return history
  }

  private oneOf<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.random() * items.length)]
  }

  async step(): Promise<void> {
    const chance = this.random()
    if (chance < 0.3) await this.receive()
    else if (chance < 0.5) await this.send()
    else if (chance < 0.75) await this.report()
    else if (chance < 0.88) await this.wait()
    else if (chance < 0.91) await this.move()
    else if (chance < 0.94) await this.merge()
    else if (chance < 0.97) await this.erase()
    else await this.rebuild()
    this.forget()
  }

  /** A customer writes; some messages arrive days late, some twice. */
  private async receive(): Promise<void> {
    const known = this.random() < 0.6 ? this.oneOf(this.customers) : undefined
    const nth = known?.nth ?? (this.people += 1)
    const lateS = this.random() < 0.2 ? Math.floor(this.random() * 4 * 86_400) : 0
    const timestamp = secondsIn(this.world) - lateS
    const webhook = textTo(this.world, `Text ${this.facts.length}`, {
      person: personOf(nth),
      timestamp,
    })
    await deliver(this.world, webhook)
    if (this.random() < 0.3) await deliver(this.world, webhook)
    const [row] = this.world.rows<Loose>(
      "select lower(hex(id)) as id, wa_message_id as wa, lower(hex(contact_id)) as contact from messages where direction = 'incoming' order by row desc limit 1",
    )
    if (this.facts.some(({ id }) => id === row?.['id'])) return // a blocked repetition
    this.facts.push(
      this.factOf(row ?? {}, { isIncoming: true, acceptedMs: timestamp * 1_000, waitedMs: null }),
    )
    const customer = { contactId: String(row?.['contact']), nth, wroteMs: timestamp * 1_000 }
    const index = this.customers.findIndex((each) => each.nth === nth)
    if (index < 0) this.customers.push(customer)
    else if ((this.customers[index]?.wroteMs ?? 0) < customer.wroteMs)
      this.customers[index] = customer
  }

  private factOf(row: Loose, facts: Pick<Fact, 'isIncoming' | 'acceptedMs' | 'waitedMs'>): Fact {
    return {
      ...{ id: String(row['id']), wa: String(row['wa']), contactId: String(row['contact']) },
      ...{ sentMs: null, isDelivered: false, isRead: false, hasFailed: false, pricing: null },
      ...{ isGone: false, date: null, ...facts },
    }
  }

  /** A member answers a customer whose window is open. */
  private async send(): Promise<void> {
    const nowMs = this.world.clock.nowMs()
    const open = this.customers.filter(({ wroteMs }) => nowMs - wroteMs < DAY_MS / 2)
    const customer = this.oneOf(open)
    if (!customer) return
    const manager = await this.world.as('manager')
    const id = this.uuidOf(customer.contactId)
    const { status } = await manager.post(`/api/contacts/${id}/messages`, {
      type: 'text',
      text: 'Hi',
    })
    if (status !== 201) return // the contact was merged into another one
    const acceptedMs = this.world.clock.nowMs()
    await this.world.settle()
    const [row] = this.world.rows<Loose>(
      "select lower(hex(id)) as id, wa_message_id as wa, lower(hex(contact_id)) as contact, answered_after_ms as waited from messages where direction = 'outgoing' order by row desc limit 1",
    )
    this.facts.push(
      this.factOf(row ?? {}, {
        ...{ isIncoming: false, acceptedMs, waitedMs: (row?.['waited'] as number | null) ?? null },
      }),
    )
  }

  private uuidOf(hex: string): string {
    const full = hex.padEnd(32, '0')
    return [0, 8, 12, 16, 20]
      .map((from, nth) => full.slice(from, [8, 12, 16, 20, 32][nth]))
      .join('-')
  }

  /** The platform reports statuses of some messages: late, repeated and in any order. */
  private async report(): Promise<void> {
    const sent = this.facts.filter(({ isIncoming, isGone }) => !isIncoming && !isGone)
    const webhooks = [1, 2, 3].flatMap(() => {
      const fact = this.oneOf(sent)
      if (!fact) return []
      const status = this.oneOf(['sent', 'delivered', 'read', 'failed']) ?? 'sent'
      if (status !== 'failed')
        fact.pricing ??= this.oneOf(['regular', 'free_customer_service']) ?? null
      const timestamp = Math.floor(fact.acceptedMs / 1_000) + (status === 'sent' ? 0 : 60)
      if (status === 'sent') fact.sentMs = timestamp * 1_000
      if (status === 'delivered' || status === 'read') fact.isDelivered = true
      if (status === 'read') fact.isRead = true
      if (status === 'failed') fact.hasFailed = true
      const pricing = {
        billable: fact.pricing === 'regular',
        type: fact.pricing,
        category: 'service',
      }
      const facts = status === 'failed' ? { error: FAILURE } : { pricing }
      const webhook = statusTo(this.world, fact.wa, status, { timestamp, facts })
      return this.random() < 0.4 ? [webhook, webhook] : [webhook]
    })
    for (const webhook of shuffled(this.random, webhooks)) await deliver(this.world, webhook)
  }

  private async wait(): Promise<void> {
    const hours = this.random() < 0.7 ? this.random() * 5 : this.random() * 60
    this.world.clock.advance({ seconds: Math.floor(hours * 3_600) })
    await this.world.settle()
  }

  /** The organization moves to another time zone; what is gone keeps the date it was counted on. */
  private async move(): Promise<void> {
    const unfolded = new Set(
      this.world
        .rows<{ start: number }>('select start from message_rollups where part = 0 and unit = 0')
        .map(({ start }) => start),
    )
    for (const fact of this.facts)
      if (fact.isGone && !unfolded.has(slotOf(atOf(fact))))
        fact.date ??= dateIn(atOf(fact), this.zone)
    this.zone = this.oneOf(ZONES) ?? 'UTC'
    const admin = await this.world.as('admin')
    const { status } = await admin.put('/api/organizations/settings', { timezone: this.zone })
    expect(status).toBe(200)
    await this.world.settle()
  }

  private async merge(): Promise<void> {
    const [source, target] = shuffled(this.random, this.customers)
    if (!source || !target) return
    const admin = await this.world.as('admin')
    const into = this.uuidOf(target.contactId)
    const source_id = this.uuidOf(source.contactId)
    const { status, body } = await admin.post(`/api/contacts/${into}/merge`, { source_id })
    await this.world.settle()
    if (status !== 200 && status !== 201) return
    const id = (body.data as Loose)['merge_id'] as string | undefined
    if (this.random() < 0.4 && id !== undefined) {
      await admin.post(`/api/contacts/merges/${id}/undo`)
      await this.world.settle()
    }
  }

  private async erase(): Promise<void> {
    const customer = this.oneOf(this.customers)
    if (!customer || this.customers.length < 4) return
    const id = this.uuidOf(customer.contactId)
    await (await this.world.as('admin')).post(`/api/contacts/${id}/erase`, { confirm: id })
    await this.world.settle()
    this.customers.splice(this.customers.indexOf(customer), 1)
  }

  private async rebuild(): Promise<void> {
    startRebuilds(this.world.program.http)
    await this.world.settle()
  }

  /** Notes which messages are not stored any more, and who has the others. */
  private forget(): void {
    const stored = new Map(
      this.world
        .rows<{ id: string; contact: string }>(
          'select lower(hex(id)) as id, lower(hex(contact_id)) as contact from messages',
        )
        .map(({ id, contact }) => [id, contact]),
    )
    for (const fact of this.facts) {
      const contact = stored.get(fact.id)
      if (contact === undefined) fact.isGone = true
      else fact.contactId = contact
    }
  }

  /** The person that a contact is now, after merges. */
  private personOf(contactId: string): string {
    const [row] = this.world.rows<{ into: string | null }>(
      'select lower(hex(merged_into)) as "into" from contacts where id = unhex(?)',
      contactId,
    )
    return row?.into ? this.personOf(row.into) : contactId
  }

  /** Compares the reports with the model. */
  async compare(): Promise<void> {
    const end = dateIn(this.world.clock.nowMs(), this.zone)
    const start = Temporal.PlainDate.from(end).subtract({ days: 80 }).toString()
    const range = `start_date=${start}&end_date=${end}`
    const manager = await this.world.as('manager')
    const get = async (path: string): Promise<Loose> =>
      (await manager.get(`/api/analytics/${path}`)).data
    for (const granularity of ['day', 'week', 'month']) {
      const report = await get(`messages?${range}&granularity=${granularity}`)
      expect({ granularity, timeline: nonZero(report) }).toEqual({
        granularity,
        timeline: this.timeline(granularity),
      })
      expect(report['summary']).toMatchObject(this.summary())
      expect(report['rebuilding']).toBe(false)
    }
    await this.compareHours(get, end)
    const costs = await get(`costs?${range}&group_by=country`)
    expect(costs['summary']).toMatchObject(this.costs())
    const sources = await get(`costs?${range}&group_by=source`)
    expect(sources['summary']).toEqual(costs['summary'])
    const points = await get(`costs?${range}&granularity=day`)
    const sum = (points['timeline'] as Loose[]).reduce(
      (all, { cost }) => all + Math.round(Number(cost) * 1e6),
      0,
    )
    expect(sum).toBe(Math.round(Number(this.costs()['cost']) * 1e6))
  }

  private async compareHours(get: (path: string) => Promise<Loose>, end: string): Promise<void> {
    const start = Temporal.PlainDate.from(end).subtract({ days: 20 }).toString()
    const report = await get(`messages?start_date=${start}&end_date=${end}&granularity=hour`)
    const fromMs = Temporal.PlainDate.from(start).toZonedDateTime(this.zone).epochMilliseconds
    const hours = new Map<string, number>()
    for (const fact of this.facts)
      if (atOf(fact) >= fromMs) {
        const at = Temporal.Instant.fromEpochMilliseconds(slotOf(atOf(fact)) * SLOT_MS)
        const local = at.toZonedDateTimeISO(this.zone)
        const day = local.startOfDay()
        const since = Math.floor((at.epochMilliseconds - day.epochMilliseconds) / 3_600_000)
        const date = day
          .add({ hours: since })
          .toString({ timeZoneName: 'never', smallestUnit: 'second' })
        hours.set(date, (hours.get(date) ?? 0) + 1)
      }
    const found = (report['timeline'] as Loose[])
      .map(({ date, sent, received }) => [String(date), Number(sent) + Number(received)] as const)
      .filter(([, count]) => count > 0)
    expect(found).toEqual([...hours].toSorted(([a], [b]) => Date.parse(a) - Date.parse(b)))
  }

  private dateOf(fact: Fact): string {
    return fact.date ?? dateIn(atOf(fact), this.zone)
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
      unique_contacts: new Set(this.facts.map(({ contactId }) => this.personOf(contactId))).size,
      avg_first_response_seconds: Math.round(mean / 100) / 10,
    }
  }

  private costs(): Loose {
    const counted = this.facts.filter((fact) => !fact.isIncoming && !isFailed(fact))
    const free = counted.filter(({ pricing }) => pricing?.startsWith('free') ?? false)
    const billable = counted.length - free.length
    const micros = billable * PRICE
    return {
      billable_messages: billable,
      free_messages: free.length,
      unpriced_messages: 0,
      cost: micros === 0 ? '0.00' : String(micros / 1e6),
    }
  }
}

const nonZero = (report: Loose): Loose[] =>
  (report['timeline'] as Loose[]).filter((point) =>
    Object.entries(point).some(([field, value]) => field !== 'date' && value !== 0),
  )

test.each([1, 2, 3])(
  'reports add up after random history %d',
  async (seed) => {
    const history = await History.begin(seed)
    await using world = history.world
    expect(world).toBe(history.world)
    for (let step = 1; step <= STEPS; step += 1) {
      await history.step()
      if (step % 10 === 0) await history.compare()
    }
    expect(history.facts.length).toBeGreaterThan(10)
  },
  180_000,
)

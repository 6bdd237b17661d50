import { expect } from 'bun:test'

import { startRebuilds } from '../../src/modules/insight/analytics/rollups/rebuild'
import { edit, location, textMessage, type BusinessNumber } from '../../src/simulator/payloads'
import { seededRandom, shuffled } from '../../src/simulator/random'
import {
  atOf,
  dateIn,
  hourIn,
  isSent,
  PRICES,
  slotOf,
  UNPRICED,
  ZONES,
  type Fact,
  type Known,
} from './analytics-facts'
import { CampaignFixture, setPrice } from './campaigns'
import type { Loose } from './client'
import { deliver, lineOf, personOf, secondsIn, statusTo } from './lines'
import { restoredWorld } from './restored-world'
import type { Furnished, Tenant, World } from './world'

const DAY_MS = 86_400_000

/** Recipients of the campaign at the beginning of a history. */
const RECIPIENTS = 3

const FAILURE = { code: 131026, title: 'Message undeliverable', details: 'Nobody there.' }

/** A customer on one of the numbers. */
interface Customer {
  contactId: string
  nth: number
  wroteMs: number
  accountId: string
}

/** What a history remembers. */
type Model = Pick<History, 'facts' | 'contacts' | 'zone'> & { customers: Customer[] }

/** Plays a random history against a world and remembers what happened. */
export class History implements AsyncDisposable {
  facts: Fact[] = []
  zone = 'UTC'
  campaignId = ''
  templateId = ''
  /** Numbers of the organization, and their accounts. */
  readonly lines: { line: BusinessNumber; accountId: string }[] = []
  contacts = new Map<string, Known>()
  private people = 0
  private customers: Customer[] = []

  private backup: { image: Furnished; model: Model } | null = null

  private constructor(
    public world: World,
    private readonly random: () => number,
  ) {}

  static async begin(seed: number): Promise<History> {
    // Shortly before clocks change in New York in spring, or in Berlin in autumn, and weeks before
    // they do in the other.
    const startMs = seed % 2 === 1 ? Date.UTC(2027, 2, 12, 9) : Date.UTC(2027, 9, 29, 9)
    const fixture = await CampaignFixture.open({ startMs })
    const { world } = fixture
    setPrice(world, { category: 'SERVICE', micros: PRICES.service, free: 0 })
    setPrice(world, { category: 'MARKETING', micros: PRICES.marketing })
    world.simulator.swallowStatuses({ times: Infinity })
    const history = new History(world, seededRandom(seed))
    const admin = await world.as('admin')
    expect((await admin.put('/api/retention', { messages_days: 9 })).status).toBe(200)
    await history.connectNumbers()
    await history.sendCampaign(fixture)
    return history
  }

  /** Connects a second number. */
  private async connectNumbers(): Promise<void> {
    const { tenant } = this.world
    this.lines.push({ line: lineOf(tenant), accountId: String(tenant.accountId) })
    const second = this.addSecond()
    const { data } = await (
      await this.world.as('admin')
    ).post('/api/accounts', {
      ...{ name: 'Second', phone_id: second.phoneId },
      ...{ business_id: second.wabaId, access_token: second.token },
    })
    this.lines.push({ line: lineOf(second), accountId: String(data['id']) })
  }

  /** Adds a second number to the platform. */
  private addSecond(): Tenant {
    const { tenant, simulator } = this.world
    const second = { ...tenant, phoneId: '301000000000009' }
    simulator.addPhone({
      ...{ id: second.phoneId, wabaId: second.wabaId, token: second.token },
      ...{ displayPhoneNumber: '+1 555-010-0009', verifiedName: 'Second' },
    })
    return second
  }

  private async sendCampaign(fixture: CampaignFixture): Promise<void> {
    const acceptedMs = this.world.clock.nowMs()
    this.templateId = fixture.templateId
    this.campaignId = await fixture.draftFor(RECIPIENTS)
    expect((await fixture.do(this.campaignId, 'start')).status).toBe(200)
    await this.world.settle()
    const rows = this.world.rows<Loose>(`select ${COLUMNS} from messages where source = 'campaign'`)
    expect(rows).toHaveLength(RECIPIENTS)
    for (const row of rows)
      this.facts.push({
        ...this.factOf(row, { isIncoming: false, acceptedMs, waitedMs: null }),
        ...{ category: 'marketing', isOfCampaign: true },
      })
  }

  private oneOf<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.random() * items.length)]
  }

  async step(): Promise<void> {
    const chance = this.random()
    if (chance < 0.3) await this.receive()
    else if (chance < 0.5) await this.send()
    else if (chance < 0.75) await this.report()
    else if (chance < 0.78) await this.edit()
    else if (chance < 0.88) await this.wait()
    else if (chance < 0.91) await this.move()
    else if (chance < 0.94) await this.merge()
    else if (chance < 0.97) await this.erase()
    else if (chance < 0.985) await this.rebuild()
    else if (this.backup === null || this.random() < 0.4) await this.backUp()
    else await this.restore(this.backup)
    this.forget()
    this.keepDates()
  }

  /** A customer writes; some messages arrive days late, some twice. */
  private async receive(): Promise<void> {
    const known = this.random() < 0.6 ? this.oneOf(this.customers) : undefined
    const nth = known?.nth ?? (this.people += 1)
    const lateS = this.random() < 0.2 ? Math.floor(this.random() * 4 * 86_400) : 0
    const timestamp = secondsIn(this.world) - lateS
    const { line, accountId } = this.oneOf(this.lines) ?? { line: undefined, accountId: '' }
    const about = { ...(line ? { line } : {}), person: personOf(nth), timestamp }
    const webhook =
      this.random() < 0.8
        ? textMessage(`Text ${this.facts.length}`, about)
        : location({ latitude: 1, longitude: 2 }, about)
    await deliver(this.world, webhook)
    if (this.random() < 0.3) await deliver(this.world, webhook)
    const [row] = this.world.rows<Loose>(
      `select ${COLUMNS} from messages where direction = 'incoming' order by row desc limit 1`,
    )
    if (this.facts.some(({ id }) => id === row?.['id'])) return // a blocked repetition
    this.facts.push(
      this.factOf(row ?? {}, { isIncoming: true, acceptedMs: timestamp * 1_000, waitedMs: null }),
    )
    const contactId = String(row?.['contact'])
    const customer = { contactId, nth, wroteMs: timestamp * 1_000, accountId }
    const index = this.customers.findIndex(
      (each) => each.nth === nth && each.accountId === accountId,
    )
    if (index < 0) this.customers.push(customer)
    else if ((this.customers[index]?.wroteMs ?? 0) < customer.wroteMs)
      this.customers[index] = customer
  }

  /** A customer corrects a message, which is no message of its own. */
  private async edit(): Promise<void> {
    const fact = this.oneOf(
      this.facts.filter((each) => each.isIncoming && !each.isGone && each.type === 'text'),
    )
    const line = this.lines.find(({ accountId }) => accountId === fact?.accountId)?.line
    const nth = this.customers.find(({ contactId }) => contactId === fact?.contactId)?.nth
    if (!fact || !line || nth === undefined) return
    const about = { line, person: personOf(nth), timestamp: secondsIn(this.world) }
    await deliver(this.world, edit(fact.wa, 'Corrected', about))
  }

  private factOf(row: Loose, facts: Pick<Fact, 'isIncoming' | 'acceptedMs' | 'waitedMs'>): Fact {
    const contactId = String(row['contact'])
    const accountId = String(row['account'])
    const known = this.contacts.get(contactId)
    if (known) known.accounts.add(accountId)
    else
      this.contacts.set(contactId, {
        ...{ seenMs: this.world.clock.nowMs(), accounts: new Set([accountId]) },
        ...{ mergedInto: null, isErased: false },
      })
    return {
      ...{ id: String(row['id']), wa: String(row['wa']), contactId, accountId },
      ...{ type: String(row['type']), category: 'service', isOfCampaign: false, isRefused: false },
      ...{ sentMs: null, isDelivered: false, isRead: false, hasFailed: false, pricing: null },
      ...{ isGone: false, date: null, hourMs: null, ...facts },
    }
  }

  /** A member answers a customer whose window is open. */
  private async send(): Promise<void> {
    const nowMs = this.world.clock.nowMs()
    const open = this.customers.filter(({ wroteMs }) => nowMs - wroteMs < DAY_MS / 2)
    const customer = this.oneOf(open)
    if (!customer) return
    const manager = await this.world.as('manager')
    const id = customer.contactId
    const { status } = await manager.post(`/api/contacts/${id}/messages`, {
      ...{ type: 'text', text: 'Hi', account_id: customer.accountId },
    })
    if (status !== 201) return // the contact was merged into another one
    const acceptedMs = this.world.clock.nowMs()
    await this.world.settle()
    const [row] = this.world.rows<Loose>(
      `select ${COLUMNS} from messages where direction = 'outgoing' order by row desc limit 1`,
    )
    const waitedMs = this.waitOf(customer, acceptedMs)
    this.facts.push({
      ...this.factOf(row ?? {}, { isIncoming: false, acceptedMs, waitedMs }),
      // The number of a merged contact may have another window.
      isRefused: row?.['sent'] === null,
    })
  }

  /** Returns how long a customer has waited for an answer, or `null`. */
  private waitOf(
    { contactId, accountId }: { contactId: string; accountId: string },
    nowMs: number,
  ): number | null {
    const person = this.personOf(contactId)
    const own = this.facts.filter(
      (fact) => fact.accountId === accountId && this.personOf(fact.contactId) === person,
    )
    const answers = own.filter(({ isIncoming, isOfCampaign }) => !isIncoming && !isOfCampaign)
    const answeredMs = Math.max(0, ...answers.map((fact) => fact.acceptedMs))
    const waiting = own.filter((fact) => fact.isIncoming && fact.acceptedMs > answeredMs)
    return waiting.length === 0
      ? null
      : Math.max(0, nowMs - Math.min(...waiting.map((fact) => fact.acceptedMs)))
  }

  /** The platform reports statuses of some messages: late, repeated and in any order. */
  private async report(): Promise<void> {
    const sent = this.facts.filter((fact) => isSent(fact) && !fact.isGone)
    const webhooks = [1, 2, 3].flatMap(() => {
      const fact = this.oneOf(sent)
      if (!fact) return []
      const status = this.oneOf(['sent', 'delivered', 'read', 'failed']) ?? 'sent'
      if (status !== 'failed' && fact.pricing === null) {
        fact.pricing = this.oneOf(['regular', 'free_customer_service']) ?? null
        if (!fact.isOfCampaign && this.random() < 0.2) fact.category = UNPRICED
      }
      const timestamp = Math.floor(fact.acceptedMs / 1_000) + (status === 'sent' ? 0 : 60)
      if (status === 'sent') fact.sentMs = timestamp * 1_000
      if (status === 'delivered' || status === 'read') fact.isDelivered = true
      if (status === 'read') fact.isRead = true
      if (status === 'failed') fact.hasFailed = true
      const pricing = {
        billable: fact.pricing === 'regular',
        type: fact.pricing,
        category: fact.category,
      }
      const facts = status === 'failed' ? { error: FAILURE } : { pricing }
      const line = this.lines.find(({ accountId }) => accountId === fact.accountId)?.line
      const about = { timestamp, facts, ...(line ? { line } : {}) }
      const webhook = statusTo(this.world, fact.wa, status, about)
      return this.random() < 0.4 ? [webhook, webhook] : [webhook]
    })
    for (const webhook of shuffled(this.random, webhooks)) await deliver(this.world, webhook)
  }

  private async wait(): Promise<void> {
    const hours = this.random() < 0.7 ? this.random() * 5 : this.random() * 60
    this.world.clock.advance({ seconds: Math.floor(hours * 3_600) })
    await this.world.settle()
  }

  /** The organization moves to another time zone. */
  private async move(): Promise<void> {
    this.zone = this.oneOf(ZONES) ?? 'UTC'
    const admin = await this.world.as('admin')
    const { status } = await admin.put('/api/organizations/settings', { timezone: this.zone })
    expect(status).toBe(200)
    await this.world.settle()
  }

  private async merge(): Promise<void> {
    const [source, target] = shuffled(this.random, this.customers)
    if (!source || !target || source.contactId === target.contactId) return
    const admin = await this.world.as('admin')
    const into = target.contactId
    const source_id = source.contactId
    const { status, body } = await admin.post(`/api/contacts/${into}/merge`, { source_id })
    await this.world.settle()
    if (status !== 200 && status !== 201) return
    const id = (body.data as Loose)['merge_id'] as string | undefined
    if (this.random() < 0.4 && id !== undefined) {
      expect((await admin.post(`/api/contacts/merges/${id}/undo`)).status).toBe(200)
      return this.world.settle()
    }
    const [from, to] = [this.contacts.get(source.contactId), this.contacts.get(target.contactId)]
    if (!from || !to) throw new Error('the model does not know the merged contacts')
    to.seenMs = Math.min(to.seenMs, from.seenMs)
    for (const account of from.accounts) to.accounts.add(account)
    from.mergedInto = target.contactId
  }

  private async erase(): Promise<void> {
    const customer = this.oneOf(this.customers)
    if (!customer || this.customers.length < 4) return
    const id = customer.contactId
    const admin = await this.world.as('admin')
    const { status } = await admin.post(`/api/contacts/${id}/erase`, { confirm: id })
    await this.world.settle()
    const known = this.contacts.get(customer.contactId)
    if (known && status === 201) known.isErased = true
    this.customers = this.customers.filter(({ contactId }) => contactId !== customer.contactId)
  }

  private async backUp(): Promise<void> {
    const { facts, contacts, customers, zone } = this
    const model = structuredClone({ facts, contacts, customers, zone })
    this.backup = { image: await this.world.copy(), model }
  }

  /** The backup is restored: what happened since is forgotten, also by the model. */
  private async restore({ image, model }: { image: Furnished; model: Model }): Promise<void> {
    this.world = await restoredWorld(this.world, image)
    this.world.simulator.swallowStatuses({ times: Infinity })
    this.addSecond()
    const { facts, contacts, customers, zone } = structuredClone(model)
    Object.assign(this, { facts, contacts, customers, zone })
    await this.world.settle()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world.stop()
  }

  private async rebuild(): Promise<void> {
    startRebuilds(this.world.program.http)
    await this.world.settle()
  }

  /** Notes which messages are not stored any more, and who has the others. */
  private forget(): void {
    const stored = new Map(
      this.world
        .rows<{ id: string; contact: string }>('select id, contact_id as contact from messages')
        .map(({ id, contact }) => [id, contact]),
    )
    for (const fact of this.facts) {
      const contact = stored.get(fact.id)
      if (contact === undefined) fact.isGone = true
      else fact.contactId = contact
    }
  }

  /** What is gone keeps the date and hour it was counted in, once its quarter hour was folded. */
  private keepDates(): void {
    const unfolded = new Set(
      this.world
        .rows<{ start: number }>('select start from message_rollups where part = 0 and unit = 0')
        .map(({ start }) => start),
    )
    for (const fact of this.facts)
      if (fact.isGone && fact.date === null && !unfolded.has(slotOf(atOf(fact)))) {
        fact.date = dateIn(atOf(fact), this.zone)
        fact.hourMs = hourIn(atOf(fact), this.zone)
      }
  }

  /** The person that a contact is now, after merges. */
  personOf(contactId: string): string {
    const into = this.contacts.get(contactId)?.mergedInto ?? null
    return into === null ? contactId : this.personOf(into)
  }
}

/** Columns of a message that the model remembers. */
const COLUMNS =
  'id, wa_message_id as wa, contact_id as contact, account_id as account, type, sent_at_ms as sent'

import { expect } from 'bun:test'

import { startRebuilds } from '../../src/modules/insight/analytics/rollups/rebuild'
import { seededRandom } from '../../src/simulator/random'
import { ZONES } from './analytics-facts'
import type { Client } from './client'
import { graphOf } from './bots'
import { deliver, personOf, textTo } from './lines'
import { personWith, type OwnRole } from './people'
import { changeRows } from './sql'
import { pathOf } from './transfers'
import {
  keepDates,
  noteGone,
  type Break,
  type Call,
  type Fact,
  type Hit,
  type Response,
  type Session,
  type Transfer,
  type Write,
} from './work-facts'
import { World } from './world'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** After this time without a word, a session ends. */
const TIMEOUT_MS = 10 * MINUTE_MS

/** Transfers that take longer are breached. */
const RESOLUTION_MINUTES = 120

interface Customer {
  nth: number
  contactId: string
  session: Session | null
  transfer: Transfer | null
  wroteMs: number
  lastMs: number
  waitingSinceMs: number | null
  answeredMs: number
}

/** Plays a random history of people and a bot at work, and remembers what happened. */
export class WorkHistory {
  zone = 'UTC'
  flowId = ''
  ruleId = ''
  readonly sessions: Session[] = []
  readonly transfers: Transfer[] = []
  readonly writes: Write[] = []
  readonly responses: Response[] = []
  readonly hits: Hit[] = []
  readonly calls: Call[] = []
  readonly breaks: Break[] = []
  private customers: Customer[] = []
  private people = 0
  private signedInMs = 0

  private constructor(
    readonly world: World,
    readonly agents: OwnRole[],
    private readonly random: () => number,
  ) {}

  static async begin(seed: number): Promise<WorkHistory> {
    const startMs = seed % 2 === 1 ? Date.UTC(2027, 2, 12, 9) : Date.UTC(2027, 9, 29, 9)
    const world = await World.create({ startMs })
    const permissions = ['contacts:read', 'messages:read', 'messages:create', 'transfers:read']
    const agents = [
      await personWith(world, [...permissions, 'transfers:pickup']),
      await personWith(world, [...permissions, 'transfers:pickup']),
    ]
    const history = new WorkHistory(world, agents, seededRandom(seed))
    await history.configure()
    return history
  }

  private async configure(): Promise<void> {
    const admin = await this.world.as('admin')
    const settings = {
      ...{ chatbot_enabled: true, debounce_seconds: 0, session_timeout_minutes: 10 },
      ...{ transfer_keywords: ['human'], sla_enabled: true, sla_response_minutes: 10_000 },
      ...{ sla_resolution_minutes: RESOLUTION_MINUTES, sla_escalation_minutes: 10_000 },
      ...{ sla_auto_close_hours: null, human_takeover_minutes: 0 },
    }
    expect((await admin.put('/api/chatbot/settings', settings)).status).toBe(200)
    const graph = graphOf(
      [
        ['color', 'prompt', { body: 'Which color?', store_as: 'color' }],
        ['bye', 'end', { message: 'Bye' }],
      ],
      [],
    )
    const flow = { name: 'Colors', trigger_keywords: ['colors'], enabled: true, graph }
    this.flowId = String((await admin.post('/api/chatbot/flows', flow)).data['id'])
    const rule = { keywords: ['hours'], response: 'From 9 to 5' }
    this.ruleId = String((await admin.post('/api/chatbot/keywords', rule)).data['id'])
    expect((await admin.put('/api/retention', { messages_days: 9 })).status).toBe(200)
  }

  private get nowMs(): number {
    return this.world.clock.nowMs()
  }

  private oneOf<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.random() * items.length)]
  }

  private factAt(table: string): Fact {
    return { atMs: this.nowMs, table, isGone: false, date: null, hourMs: null }
  }

  async step(): Promise<void> {
    const chance = this.random()
    if (chance < 0.4) await this.say()
    else if (chance < 0.6) await this.work()
    else if (chance < 0.68) await this.write()
    else if (chance < 0.72) await this.pause()
    else if (chance < 0.77) this.callAi()
    else if (chance < 0.9) await this.wait()
    else if (chance < 0.93) await this.move()
    else if (chance < 0.97) await this.erase()
    else {
      startRebuilds(this.world.program.http)
      await this.world.settle()
    }
    noteGone(this.world, this)
    keepDates(this.world, this.facts, this.zone)
  }

  /** A customer writes; the bot answers unless a person is asked for. */
  private async say(): Promise<void> {
    const customer =
      (this.random() < 0.7 ? this.oneOf(this.customers) : undefined) ?? this.newCustomer()
    const word = this.oneOf(['hours', 'colors', 'blue', 'human']) ?? ''
    await deliver(this.world, textTo(this.world, word, { person: personOf(customer.nth) }))
    const { nowMs } = this
    customer.wroteMs = nowMs
    // A message of the same second as the answer before it counts as answered.
    if (nowMs > customer.answeredMs) customer.waitingSinceMs ??= nowMs
    if (customer.contactId === '') {
      const [row] = this.world.rows<{ id: string }>(
        'select id from contacts order by row desc limit 1',
      )
      customer.contactId = row?.id ?? ''
    }
    if (customer.transfer !== null) return
    customer.lastMs = nowMs
    // Who asks for a person at once has no session.
    if (word === 'human' && customer.session === null) return this.transfer(customer)
    const session = (customer.session ??= this.newSession(customer.contactId))
    session.messages += 1
    const isWaiting = session.isFlow
    if (word === 'human') return this.transfer(customer)
    if (!isWaiting && word === 'blue') return
    session.messages += 1
    session.botMessages += 1
    session.isAnswered = true
    if (isWaiting) {
      Object.assign(session, { endedMs: nowMs, outcome: 'auto_resolved', isCompleted: true })
      customer.session = null
      return
    }
    if (word === 'colors') session.isFlow = true
    this.hits.push({ ...this.factAt('keyword_rollups'), isGone: true, keyword: word })
  }

  private newCustomer(): Customer {
    const customer: Customer = {
      ...{ nth: (this.people += 1), contactId: '', session: null, transfer: null },
      ...{ wroteMs: 0, lastMs: 0, waitingSinceMs: null, answeredMs: 0 },
    }
    this.customers.push(customer)
    return customer
  }

  private newSession(contactId: string): Session {
    const session: Session = {
      ...{ ...this.factAt('bot_session_counts'), contactId, endedMs: null, outcome: 'open' },
      ...{ isCompleted: false, isFlow: false, isAnswered: false, isTimedOut: false },
      ...{ messages: 0, botMessages: 0 },
    }
    this.sessions.push(session)
    return session
  }

  private transfer(customer: Customer): void {
    const { nowMs } = this
    const { session } = customer
    if (session) {
      // The bot says that a person takes over.
      session.messages += 1
      session.botMessages += 1
      Object.assign(session, { endedMs: nowMs, outcome: 'transferred' })
    }
    customer.session = null
    this.personActs(customer.contactId)
    const [row] = this.world.rows<{ id: string }>(
      'select id from transfers order by id desc limit 1',
    )
    const transfer: Transfer = {
      ...{ ...this.factAt('transfer_counts'), id: row?.id ?? '' },
      ...{ contactId: customer.contactId, agentId: null, transferredMs: nowMs },
      ...{ pickedUpMs: null, endedMs: null, breach: null },
    }
    customer.transfer = transfer
    this.transfers.push(transfer)
  }

  /** A person who comes within a day shows that the bot did not resolve a session that timed out. */
  private personActs(contactId: string): void {
    for (const session of this.sessions)
      if (session.contactId === contactId && session.isTimedOut && !session.isGone)
        if (session.outcome === 'auto_resolved' && this.nowMs - (session.endedMs ?? 0) <= DAY_MS)
          session.outcome = 'abandoned'
  }

  /** An agent picks up, answers or ends a transfer. */
  private async work(): Promise<void> {
    const customer = this.oneOf(this.customers.filter(({ transfer }) => transfer !== null))
    const transfer = customer?.transfer
    const agent = this.oneOf(this.agents)
    if (!customer || !transfer || !agent) return
    await this.signIn()
    if (transfer.agentId === null) {
      const { status } = await agent.client.post(pathOf({ id: transfer.id }, 'pickup'))
      if (status !== 200) return // the agent is on a break
      Object.assign(transfer, { agentId: agent.userId, pickedUpMs: this.nowMs })
      return this.world.settle()
    }
    const owner = this.agents.find(({ userId }) => userId === transfer.agentId)
    if (!owner) return
    if (this.random() < 0.6) return await this.writeAs(owner.client, owner.userId, customer)
    const { status } = await owner.client.put(pathOf({ id: transfer.id }, 'resume'))
    expect(status).toBe(200)
    await this.world.settle()
    transfer.endedMs = this.nowMs
    transfer.atMs = this.nowMs
    customer.transfer = null
  }

  /** The manager writes to a customer with whom nobody and nothing else is talking. */
  private async write(): Promise<void> {
    const customer = this.oneOf(
      this.customers.filter(({ session, transfer }) => session === null && transfer === null),
    )
    if (!customer) return
    const manager = await this.world.as('manager')
    await this.writeAs(manager, this.world.tenant.userIds.manager, customer)
  }

  private async writeAs(client: Client, userId: string, customer: Customer): Promise<void> {
    const { contactId } = customer
    if (this.nowMs - customer.wroteMs > DAY_MS / 2) return // the window may be closed
    const path = `/api/contacts/${contactId}/messages`
    expect((await client.post(path, { type: 'text', text: 'Hello' })).status).toBe(201)
    await this.world.settle()
    this.writes.push({ ...this.factAt('agent_message_counts'), userId, contactId })
    if (customer.waitingSinceMs !== null)
      this.responses.push({
        ...{ ...this.factAt('agent_response_counts'), userId, contactId },
        ...{ atMs: customer.waitingSinceMs, waitedMs: this.nowMs - customer.waitingSinceMs },
      })
    customer.waitingSinceMs = null
    customer.answeredMs = this.nowMs
    this.personActs(contactId)
  }

  private async signIn(): Promise<void> {
    if (this.nowMs - this.signedInMs < 30 * MINUTE_MS) return
    this.signedInMs = this.nowMs
    for (const agent of this.agents) agent.client = await this.world.signIn(agent.email)
  }

  /** An agent goes on a break or comes back. */
  private async pause(): Promise<void> {
    const agent = this.oneOf(this.agents)
    if (!agent) return
    await this.signIn()
    const { userId } = agent
    const last = this.breaks.findLast((each) => each.userId === userId)
    const isAway = last !== undefined && last.beforeMs === null
    const answer = await agent.client.put('/api/me/availability', { is_available: isAway })
    expect(answer.status).toBe(200)
    if (isAway) last.beforeMs = this.nowMs
    else {
      this.breaks.push({ userId, fromMs: this.nowMs, beforeMs: null })
      // Others can take the transfers of somebody who is away.
      for (const transfer of this.transfers)
        if (transfer.agentId === userId && transfer.endedMs === null)
          Object.assign(transfer, { agentId: null, pickedUpMs: null })
    }
    await this.world.settle()
  }

  /** Stores a call to an AI provider. */
  private callAi(): void {
    const call: Call = {
      ...{ ...this.factAt('ai_call_counts'), id: this.world.program.http.ids.next() },
      hasFailed: this.random() < 0.3,
      tokens: [Math.floor(this.random() * 1_000), Math.floor(this.random() * 300)],
      micros: Math.floor(this.random() * 5_000),
    }
    changeRows(
      this.world.program.http.db.sqlite,
      `insert into ai_usage (organization_id, id, account_id, purpose, provider, model, day, reserved_tokens, reserved_micros, input_tokens, output_tokens, cost_micros, outcome, created_at_ms, settled_at_ms)
       values (?, ?, ?, 'answer', 'openai', 'gpt', 20270101, 0, 0, ?, ?, ?, ?, ?, ?)`,
      [
        ...[this.world.tenant.id, call.id, String(this.world.tenant.accountId), ...call.tokens],
        ...[call.micros, call.hasFailed ? 'failed' : 'answered', this.nowMs, this.nowMs],
      ],
    )
    this.calls.push(call)
  }

  private async wait(): Promise<void> {
    const chance = this.random()
    const minutes = chance < 0.4 ? 2 : chance < 0.8 ? 200 : 4_000
    this.world.clock.advance({ seconds: 1 + Math.floor(this.random() * minutes * 60) })
    await this.world.settle()
    const { nowMs } = this
    for (const { transfer } of this.customers) {
      const dueMs = (transfer?.transferredMs ?? nowMs) + RESOLUTION_MINUTES * MINUTE_MS
      if (transfer && dueMs <= nowMs) transfer.breach ??= this.factAt('transfer_counts')
    }
    for (const customer of this.customers)
      if (customer.session && nowMs - customer.lastMs >= TIMEOUT_MS) {
        const { session } = customer
        const isResolved = session.isAnswered && !session.isFlow
        session.endedMs = await this.endOf(session)
        session.isTimedOut = true
        session.outcome = isResolved ? 'auto_resolved' : 'abandoned'
        customer.session = null
      }
  }

  /** Waits until the bot has noticed that a session timed out. Returns when it did. */
  private async endOf({ contactId, atMs }: Session): Promise<number> {
    for (let round = 0; round < 10; round += 1) {
      const [row] = this.world.rows<{ endedMs: number | null }>(
        `select ended_at_ms as endedMs from bot_sessions
         where started_at_ms = ? and contact_id = ? order by id desc limit 1`,
        ...[atMs, contactId],
      )
      if (row && row.endedMs !== null) return row.endedMs
      this.world.clock.advance({ seconds: 31 })
      await this.world.settle()
    }
    throw new Error('a session does not time out')
  }

  /** Everything with a time of its own. */
  private get facts(): Fact[] {
    return [
      ...[...this.sessions, ...this.writes, ...this.responses, ...this.hits, ...this.calls],
      ...this.transfers.flatMap((transfer) => [
        ...(transfer.endedMs === null ? [] : [transfer]),
        ...(transfer.breach ? [transfer.breach] : []),
      ]),
    ]
  }

  /** The organization moves to another time zone. */
  private async move(): Promise<void> {
    this.zone = this.oneOf(ZONES) ?? 'UTC'
    const admin = await this.world.as('admin')
    const { status } = await admin.put('/api/organizations/settings', { timezone: this.zone })
    expect(status).toBe(200)
    await this.world.settle()
  }

  private async erase(): Promise<void> {
    const customer = this.oneOf(
      this.customers.filter(({ session, transfer }) => session === null && transfer === null),
    )
    if (!customer) return
    const admin = await this.world.as('admin')
    const path = `/api/contacts/${customer.contactId}/erase`
    expect((await admin.post(path, { confirm: customer.contactId })).status).toBe(201)
    await this.world.settle()
    this.customers = this.customers.filter((each) => each !== customer)
  }
}

import type { Call } from '../../src/simulator/calls'
import type { Client, Loose } from './client'
import { World, type Tenant, type WorldOptions } from './world'

/** A world whose first tenant has a bot, with one customer. */
export class BotWorld {
  private constructor(
    readonly world: World,
    /** Signed in again whenever the clock moves. */
    public admin: Client,
    readonly customer: ReturnType<World['simulator']['customer']>,
  ) {}

  /** Creates it with chatbot settings. The bot is enabled and answers at once. */
  static async create(settings: Loose = {}, options: WorldOptions = {}): Promise<BotWorld> {
    const world = await World.create(options)
    const admin = await world.as('admin')
    const bot = new BotWorld(
      world,
      admin,
      world.simulator.customer({ phone: world.tenant.phoneId }),
    )
    await bot.configure({ chatbot_enabled: true, debounce_seconds: 0, ...settings })
    return bot
  }

  /** Changes the chatbot settings. */
  async configure(settings: Loose): Promise<void> {
    const { status, body } = await this.admin.put('/api/chatbot/settings', settings)
    if (status !== 200) throw new Error(`settings refused: ${JSON.stringify(body)}`)
  }

  /** Creates a keyword rule. Returns its ID. */
  async rule(rule: Loose): Promise<string> {
    const { status, body, data } = await this.admin.post('/api/chatbot/keywords', rule)
    if (status !== 201) throw new Error(`rule refused: ${JSON.stringify(body)}`)
    return String(data['id'])
  }

  /**
   * Creates an enabled bot flow whose nodes follow each other in their order, unless edges say
   * otherwise (`[from, condition, to]`). Returns its ID.
   */
  async flow(
    nodes: [id: string, type: string, config?: Loose][],
    { edges = [], ...settings }: Loose & { edges?: [string, string, string][] } = {},
  ): Promise<string> {
    const { status, body, data } = await this.admin.post('/api/chatbot/flows', {
      name: `Flow ${this.world.clock.nowMs()} ${Math.random()}`,
      trigger_keywords: ['begin'],
      enabled: true,
      ...(nodes.length > 0 ? { graph: graphOf(nodes, edges) } : {}),
      ...settings,
    })
    if (status !== 201) throw new Error(`flow refused: ${JSON.stringify(body)}`)
    return String(data['id'])
  }

  /** Lets the customer write a text and the bot answer. Returns the answers. */
  async say(text: string): Promise<string[]> {
    return await this.during(() => this.customer.says(text))
  }

  /** Lets the customer tap a button and the bot answer. Returns the answers. */
  async tap(id: string, title: string): Promise<string[]> {
    return await this.during(() => this.customer.taps(id, title))
  }

  /** Returns what the customer receives because of an action. */
  async during(act: () => Promise<unknown>): Promise<string[]> {
    const before = this.customer.received().length
    await act()
    await this.world.settle()
    return this.texts().slice(before)
  }

  /** Moves the clock and lets everything that is due run. Returns what the customer receives. */
  async wait(by: Parameters<World['clock']['advance']>[0]): Promise<string[]> {
    const answers = await this.during(() => Promise.resolve(this.world.clock.advance(by)))
    this.admin = await this.world.as('admin')
    return answers
  }

  /** Moves the clock to a time and lets everything that is due run. */
  async goTo(time: string): Promise<void> {
    await this.wait({ ms: Date.parse(time) - this.world.clock.nowMs() })
  }

  /** Ends the active transfer, which gives the customer back to the bot. */
  async endTransfer(): Promise<void> {
    const { data } = await this.admin.get('/api/chatbot/transfers?status=active')
    const [transfer] = data['transfers'] as Loose[]
    await this.admin.put(`/api/chatbot/transfers/${String(transfer?.['id'])}/resume`, {})
  }

  /** Everything the customer received, as texts; buttons in brackets. */
  texts(): string[] {
    return this.customer.received().map(textOf)
  }

  /** The only conversation. */
  async conversation(): Promise<Loose> {
    const { data } = await this.admin.get('/api/conversations')
    return (data['items'] as Loose[])[0] as Loose
  }

  /** The sessions as stored, oldest first. */
  sessions(): Loose[] {
    return this.world.rows(
      'select status, waiting_for, node, end_reason, variables from bot_sessions order by id',
    )
  }

  /** The trace as stored. */
  trace(): Loose[] {
    return this.world.rows('select stage, node, outcome, error from bot_trace order by id')
  }

  /** Waits until so many messages are stored and no turn of the bot is due. A call may still run. */
  async hasHeard(messages: number): Promise<void> {
    await this.world.eventually(
      () =>
        this.world.rows("select id from messages where direction = 'incoming'").length ===
          messages &&
        this.world.rows("select id from jobs where kind = 'chatbot.turn'").length === 0,
    )
  }

  /** Does something while the bot is disabled. Returns the ID of the newest contact. */
  async silently(act: () => Promise<unknown>): Promise<string> {
    await this.configure({ chatbot_enabled: false })
    await act()
    await this.world.settle()
    await this.configure({ chatbot_enabled: true })
    const { data } = await this.admin.get('/api/contacts?sort=created_at&order=desc&limit=1')
    return String((data['items'] as Loose[])[0]?.['id'])
  }

  /** Whether a contact's session waits for a time. */
  isWaitingForTimer(contactId: string): boolean {
    return this.sessionsOf(contactId).some((session) => session['waiting_for'] === 'timer')
  }

  private sessionsOf(contactId: string): Loose[] {
    const query = 'select status, waiting_for from bot_sessions where contact_id = ?'
    return this.world.rows(query, contactId)
  }

  /** The trace of a contact as stored. */
  traceOf(contactId: string): Loose[] {
    return this.world.rows('select * from bot_trace where contact_id = ? order by id', contactId)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world.stop()
  }
}

/** The text of a message to the customer; the titles of its buttons or rows in brackets. */
function textOf(call: Call): string {
  const body = call.body as Loose
  const interactive = body['interactive'] as Loose | undefined
  if (!interactive) {
    const part = body[String(body['type'])] as Loose | undefined
    return String(part?.['body'] ?? part?.['caption'] ?? `<${String(body['type'])}>`)
  }
  const action = interactive['action'] as Loose
  const buttons = ((action['buttons'] ?? []) as { reply: { title: string } }[]).map(
    ({ reply }) => reply.title,
  )
  const rows = ((action['sections'] ?? []) as { rows: { title: string }[] }[])
    .flatMap((section) => section.rows)
    .map(({ title }) => title)
  const text = (interactive['body'] as Loose | undefined)?.['text'] ?? ''
  return [text, ...[...buttons, ...rows].map((title) => `[${title}]`)].join(' ')
}

/**
 * Lets a customer of a tenant begin a session with a bot that greets. Returns its ID. The bot is
 * disabled again, and the session stays.
 */
export async function sessionOf(world: World, tenant: Tenant = world.tenant): Promise<string> {
  const admin = await world.as('admin', tenant)
  const greeting = { greeting_message: 'Welcome!', debounce_seconds: 0 }
  await admin.put('/api/chatbot/settings', { chatbot_enabled: true, ...greeting })
  await world.simulator.customer({ phone: tenant.phoneId }).says('Hello!')
  await world.settle()
  await admin.put('/api/chatbot/settings', { chatbot_enabled: false })
  const { data } = await admin.get('/api/chatbot/sessions')
  return String((data['items'] as Loose[])[0]?.['id'])
}

/** Node types that have no outcome `default`. */
const ENDS = new Set(['transfer', 'end', 'goto_flow'])

/** Returns a graph whose nodes follow each other, except where edges say otherwise. */
export function graphOf(
  nodes: [id: string, type: string, config?: Loose][],
  edges: [from: string, condition: string, to: string][] = [],
): Loose {
  const following = nodes.slice(0, -1).flatMap(([id, type], index) => {
    const isGiven = edges.some(([from, condition]) => from === id && condition === 'default')
    const to = nodes[index + 1]?.[0]
    return ENDS.has(type) || isGiven ? [] : [{ from: id, condition: 'default', to }]
  })
  return {
    version: 2,
    entry_node: nodes[0]?.[0],
    nodes: nodes.map(([id, type, config = {}]) => ({ id, type, config })),
    edges: [...following, ...edges.map(([from, condition, to]) => ({ from, condition, to }))],
  }
}

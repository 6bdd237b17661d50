import { seededRandom } from '../simulator/random'
import { startSimulator, type Simulator } from '../simulator/platform'
import { textMessage } from '../simulator/payloads'
import type { Client, Loose } from '../support/client'
import { freePort } from '../support/ports'
import type { ServerProcess } from '../support/process'
import { ADMINS, APP_SECRET, Installation, signIn, type Reading } from './installation'

/** What the bot under kills came to. */
export interface BotsReport {
  seed: number
  kills: number
  /** Conversations that were led to their end. */
  talks: number
  replies: number
  requests: number
  tookS: number
  /** What was wrong, one sentence each; empty when all is well. */
  faults: string[]
}

const CUSTOMERS = 24
const LATENCY_MS = 15
const API_MS = 20
const MIN_LIFE_MS = 150
const MAX_LIFE_MS = 1_100
/** Within this time after the last kill every reply is given and every session ended. */
const SETTLE_MS = 60_000
const POLL_MS = 25

/** What a customer says in a talk, and how many replies come before the next words. */
const TALK = [
  { says: () => 'order', replies: 1 },
  { says: (nth: number) => `number ${nth}`, replies: 3 },
]

/** The replies of a talk, in their order. */
const repliesOf = (nth: number): string[] => [
  'Which order?',
  `Found number ${nth}.`,
  `Goodbye, number ${nth}.`,
]

const GRAPH = {
  version: 2,
  entry_node: 'ask',
  nodes: [
    { id: 'ask', type: 'prompt', config: { body: 'Which order?', store_as: 'order' } },
    {
      id: 'look',
      type: 'api_call',
      config: { url: 'URL/{{order}}', response_mapping: { found: 'found' } },
    },
    { id: 'tell', type: 'message', config: { message: 'Found {{found}}.' } },
    { id: 'wait', type: 'delay', config: { seconds: 1 } },
    { id: 'bye', type: 'end', config: { message: 'Goodbye, {{order}}.' } },
  ],
  edges: [
    { from: 'ask', condition: 'default', to: 'look' },
    { from: 'look', condition: 'http:2xx', to: 'tell' },
    { from: 'tell', condition: 'default', to: 'wait' },
    { from: 'wait', condition: 'default', to: 'bye' },
  ],
}

/** A server of a customer that says which order was found. */
function orderServer() {
  const keys: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      keys.push(request.headers.get('idempotency-key') ?? '')
      await Bun.sleep(API_MS)
      return Response.json({ found: decodeURIComponent(new URL(request.url).pathname.slice(1)) })
    },
  })
  return { keys, port: server.port ?? 0, stop: () => server.stop(true) }
}

/**
 * Lets customers talk to a bot flow with a question, a request and a delay while the server is
 * killed `kills` times at moments decided by `seed`. No reply may be lost or doubled, and every
 * session must have ended within a minute after the last kill.
 */
export async function runBots(options: { seed: number; kills: number }): Promise<BotsReport> {
  const startedMs = performance.now()
  const random = seededRandom(options.seed)
  const orders = orderServer()
  await using simulator = await startSimulator({
    appSecret: APP_SECRET,
    phones: [],
    keep: 200_000,
    seed: options.seed,
    retryDelaysMs: Array.from({ length: 240 }, () => 250),
  })
  const phone = simulator.addPhone({ wabaId: '201000000000001', token: 'token-1' })
  const installation = new Installation({
    PLATFORM_BASE_URL: simulator.url,
    PORT: String(await freePort()),
    EGRESS_ALLOW: `127.0.0.1:${orders.port}`,
  })
  const complaints: string[] = []
  let server: ServerProcess | null = null
  try {
    server = await installation.start()
    simulator.setCallback(`${server.url}/api/webhook`, APP_SECRET)
    const client = await signIn(server.url, ADMINS[0])
    await prepare(client, { phone, port: orders.port })
    simulator.slow(LATENCY_MS, { times: Infinity })
    using reading = installation.reading()
    const customers = Array.from({ length: CUSTOMERS }, (_, nth) => new Talker(simulator, nth))
    let isOver = false
    const talking = Promise.all(customers.map((one) => one.talk(reading, () => isOver)))
    for (let kills = 0; kills < options.kills; kills += 1) {
      await Bun.sleep(MIN_LIFE_MS + random() * (MAX_LIFE_MS - MIN_LIFE_MS))
      const doomed: ServerProcess = server
      server = null
      await doomed.kill()
      complaints.push(...doomed.complaints(), ...(doomed.errors === '' ? [] : [doomed.errors]))
      server = await installation.start()
    }
    isOver = true
    const late = Promise.withResolvers<'late'>()
    const timer = setTimeout(() => late.resolve('late'), SETTLE_MS)
    const isLate = (await Promise.race([talking, late.promise])) === 'late'
    clearTimeout(timer)
    complaints.push(...server.complaints())
    const faults = [
      ...complaints.slice(0, 10).map((line) => `the server complained: ${line}`),
      ...(isLate ? [`after ${SETTLE_MS / 1_000} s customers still wait for replies`] : []),
      ...customers.flatMap((one) => one.faults(reading)).slice(0, 10),
      ...faultsOf(simulator, reading, options.kills),
      ...requestFaults(orders.keys, customers),
    ]
    for (const one of customers) one.stop()
    return {
      seed: options.seed,
      kills: options.kills,
      talks: customers.reduce((sum, { talks }) => sum + talks, 0),
      replies: reading.rows(OUTGOING).length,
      requests: orders.keys.length,
      tookS: (performance.now() - startedMs) / 1_000,
      faults,
    }
  } finally {
    if (server?.isRunning === true) await server.kill()
    await orders.stop()
    installation.remove()
  }
}

const OUTGOING = "select id from messages where direction = 'outgoing'"

async function prepare(
  client: Client,
  { phone, port }: { phone: Simulator['phone']; port: number },
): Promise<void> {
  const graph = JSON.parse(
    JSON.stringify(GRAPH).replace('URL', `http://127.0.0.1:${port}`),
  ) as Loose
  const steps: [path: string, verb: 'post' | 'put', body: Loose][] = [
    [
      '/api/accounts',
      'post',
      {
        name: 'Main',
        phone_id: phone.id,
        business_id: phone.wabaId,
        access_token: phone.token,
      },
    ],
    ['/api/chatbot/settings', 'put', { chatbot_enabled: true, debounce_seconds: 1 }],
    [
      '/api/chatbot/flows',
      'post',
      { name: 'Orders', trigger_keywords: ['order'], enabled: true, graph },
    ],
  ]
  for (const [path, verb, body] of steps) {
    const answer = await client[verb](path, body)
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
  }
}

/** Talks of one person; more replies in a minute would look like a loop of two bots. */
const TALKS_OF_PERSON = 5

/** A place from which customers talk to the bot, one person after the other. */
class Talker {
  talks = 0
  private isStopped = false

  constructor(
    private readonly simulator: Simulator,
    private readonly nth: number,
  ) {}

  private waIdOf(talk: number): string {
    return String(15_550_300_000 + this.nth * 1_000 + Math.floor(talk / TALKS_OF_PERSON))
  }

  /** Talks until `isOver`, and then to the end of the talk. */
  async talk(reading: Reading, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      let expected = (this.talks % TALKS_OF_PERSON) * 3
      for (const { says, replies } of TALK) {
        await this.says(says(this.talks))
        expected += replies === 1 ? 1 : 2
        while (this.replies(reading, this.talks).length < expected) {
          if (this.isStopped) return
          await Bun.sleep(POLL_MS)
        }
      }
      // Its session ends with its last reply.
      this.talks += 1
    }
  }

  stop(): void {
    this.isStopped = true
  }

  /** Says something, as often as it takes until the server has it. */
  private async says(text: string): Promise<void> {
    const { phone } = this.simulator
    const waId = this.waIdOf(this.talks)
    const webhook = textMessage(text, {
      line: { wabaId: phone.wabaId, phoneNumberId: phone.id, displayPhoneNumber: '15550100001' },
      timestamp: Math.floor(Date.now() / 1_000),
      person: { waId, userId: `US.88${waId}` },
    })
    while (!this.isStopped) {
      const answer = await this.simulator.post(webhook).catch(() => null)
      if (answer?.status === 200) return
      await Bun.sleep(POLL_MS)
    }
  }

  /** The replies to the person of a talk, oldest first. */
  private replies(reading: Reading, talk: number): string[] {
    return reading
      .rows<{ text: string }>(
        `select json_extract(m.content, '$.text') as text from messages m
         join contacts c on c.organization_id = m.organization_id and c.id = m.contact_id
         where c.wa_id = ? and m.direction = 'outgoing' order by m.id`,
        this.waIdOf(talk),
      )
      .map(({ text }) => text)
  }

  /** What is wrong with its replies. */
  faults(reading: Reading): string[] {
    const expected = Array.from({ length: this.talks }, (_, nth) => repliesOf(nth)).flat()
    const actual: string[] = []
    for (let talk = 0; talk < this.talks; talk += TALKS_OF_PERSON)
      actual.push(...this.replies(reading, talk))
    return JSON.stringify(actual) === JSON.stringify(expected)
      ? []
      : [
          `customer ${this.nth} got ${actual.length} replies instead of ${expected.length}: …${actual.slice(-4).join(' | ')}`,
        ]
  }

  /** Requests that its talks need at least. */
  get orders(): number {
    return this.talks
  }
}

/** What is wrong with sessions, conversations, the inbox and what the platform got. */
function faultsOf(simulator: Simulator, reading: Reading, kills: number): string[] {
  const count = (query: string): number => reading.rows<{ n: number }>(query)[0]?.n ?? 0
  const taken = Map.groupBy(simulator.messages, ({ body }) =>
    String((body as Record<string, unknown>)['biz_opaque_callback_data']),
  )
  const unsure = count("select count(*) as n from messages where stage in ('ambiguous', 'unknown')")
  const claims: [string, number][] = [
    [
      'sessions did not end as completed',
      count("select count(*) as n from bot_sessions where status <> 'completed'"),
    ],
    ['messages are left in the inbox of the bot', count('select count(*) as n from bot_inbox')],
    [
      'conversations are not closed',
      count("select count(*) as n from conversations where state <> 'closed'"),
    ],
    [
      'jobs of the bot are left',
      count(
        "select count(*) as n from jobs where kind in ('chatbot.turn', 'chatbot.step', 'chatbot.call') and state not in ('completed')",
      ),
    ],
    [
      'trace rows are missing or doubled',
      count(
        'select count(*) as n from (select session_id from bot_trace group by session_id having max(seq) <> count(*))',
      ),
    ],
    [
      'messages reached the platform twice',
      [...taken.values()].filter((calls) => calls.length > 1).length,
    ],
    ['messages more than kills have an unknown outcome', Math.max(0, unsure - kills)],
  ]
  return claims.flatMap(([claim, n]) => (n === 0 ? [] : [`${n} ${claim}`]))
}

/** Each step makes its requests with one key, at least one and one more for each kill at most. */
function requestFaults(keys: string[], customers: Talker[]): string[] {
  const talks = customers.reduce((sum, { orders }) => sum + orders, 0)
  const different = new Set(keys).size
  return different === talks ? [] : [`${different} requests for ${talks} orders`]
}

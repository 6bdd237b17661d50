import { seededRandom } from '../../src/simulator/random'
import { AiSimulator } from '../simulator/ai/server'
import { startSimulator, type Simulator } from '../../src/simulator/platform'
import type { Client, Loose } from '../support/client'
import { freePort } from '../support/ports'
import type { ServerProcess } from '../support/process'
import { HANDED_OVER, Talker } from './bots-talk'
import { ADMINS, APP_SECRET, Installation, signIn, type Reading } from './installation'

/** What the bot under kills came to. */
export interface BotsReport {
  seed: number
  kills: number
  /** Talks that were led to their end; each has a question to the AI and a transfer. */
  talks: number
  /** Requests to the AI provider. */
  questions: number
  replies: number
  requests: number
  tookS: number
  /** What was wrong, one sentence each; empty when all is well. */
  faults: string[]
}

const CUSTOMERS = 24
const LATENCY_MS = 15
const API_MS = 20
/** Long enough for kills to meet questions to the AI. */
const AI_MS = 120
const MIN_LIFE_MS = 150
const MAX_LIFE_MS = 2_500
/**
 * Within this time after the last kill every reply is given and every session ended. A step after a
 * reply that a kill interrupted waits two minutes for its outcome.
 */
const SETTLE_MS = 240_000

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

/** A provider that answers late, and says what it was asked. */
function provider(): AiSimulator {
  const ai = new AiSimulator()
  ai.latencyMs = AI_MS
  ai.answers = ({ user }) => `Answer to ${user.match(/question \d+/g)?.at(-1)}.`
  return ai
}

/**
 * Lets customers ask the AI, reach a person and talk to a flow with a question, a request and a
 * delay while the server is killed `kills` times at moments decided by `seed`. No reply may be lost
 * or doubled, except one that a kill interrupted, which is repeated once; each transfer begins and
 * ends once, and every session must have ended within four minutes after the last kill.
 */
export async function runBots(options: { seed: number; kills: number }): Promise<BotsReport> {
  const startedMs = performance.now()
  const random = seededRandom(options.seed)
  const orders = orderServer()
  const ai = provider()
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
    ...ai.env,
    EGRESS_ALLOW: `127.0.0.1:${orders.port},${ai.env.EGRESS_ALLOW}`,
  })
  const complaints: string[] = []
  let server: ServerProcess | null = null
  try {
    server = await installation.start()
    simulator.setCallback(`${server.url}/api/webhook`, APP_SECRET)
    const client = await signIn(server.url, ADMINS[0])
    await prepare(client, { phone, port: orders.port, key: ai.key })
    simulator.slow(LATENCY_MS, { times: Infinity })
    using reading = installation.reading()
    const around = { simulator, reading, agent: client }
    const customers = Array.from({ length: CUSTOMERS }, (_, nth) => new Talker(around, nth))
    let isOver = false
    let underWay = 0
    const talking = Promise.all(customers.map((one) => one.talk(() => isOver)))
    for (let kills = 0; kills < options.kills; kills += 1) {
      await Bun.sleep(MIN_LIFE_MS + random() * (MAX_LIFE_MS - MIN_LIFE_MS))
      const doomed: ServerProcess = server
      server = null
      await doomed.kill()
      underWay += reading.rows(UNDER_WAY).length
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
      ...customers.flatMap((one) => one.faults()).slice(0, 10),
      ...faultsOf(simulator, reading, underWay),
      ...countFaults(reading, { keys: orders.keys, customers, refused: ai.refused }),
    ]
    for (const one of customers) one.stop()
    return {
      seed: options.seed,
      kills: options.kills,
      talks: customers.reduce((sum, { talks }) => sum + talks, 0),
      replies: reading.rows(OUTGOING).length,
      questions: ai.requests.length,
      requests: orders.keys.length,
      tookS: (performance.now() - startedMs) / 1_000,
      faults,
    }
  } finally {
    if (server?.isRunning === true) await server.kill()
    await orders.stop()
    await ai.stop()
    installation.remove()
  }
}

/** Messages whose call to the platform had begun and not ended. */
const UNDER_WAY = "select id from messages where stage = 'sending'"

const OUTGOING = "select id from messages where direction = 'outgoing'"

async function prepare(
  client: Client,
  { phone, port, key }: { phone: Simulator['phone']; port: number; key: string },
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
    [
      '/api/chatbot/settings',
      'put',
      {
        chatbot_enabled: true,
        debounce_seconds: 1,
        ai_enabled: true,
        ai_provider: 'openai',
        ai_model: 'gpt-4o-mini',
        ai_api_key: key,
        ai_purpose: 'Answers questions of the customers of a shop.',
        ai_disclosure: 'off',
        transfer_message: HANDED_OVER,
        ai_replies_per_contact_per_hour: 1_000,
      },
    ],
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

/**
 * What is wrong with sessions, conversations, the inbox and what the platform got. `underWay` sends
 * were under way when the server was killed.
 */
function faultsOf(simulator: Simulator, reading: Reading, underWay: number): string[] {
  const count = (query: string): number => reading.rows<{ n: number }>(query)[0]?.n ?? 0
  const taken = Map.groupBy(simulator.messages, ({ body }) =>
    String((body as Record<string, unknown>)['biz_opaque_callback_data']),
  )
  const unsure = count("select count(*) as n from messages where stage in ('ambiguous', 'unknown')")
  const claims: [string, number][] = [
    [
      'sessions did not end as completed or transferred',
      count(
        "select count(*) as n from bot_sessions where status not in ('completed', 'transferred')",
      ),
    ],
    [
      'transfers did not begin once and end once',
      count(
        `select count(*) as n from transfers t where status <> 'resumed' or source <> 'keyword'
         or (select group_concat(kind) from (select kind from transfer_changes h
             where h.transfer_id = t.id order by h.at_ms, h.id)) <> 'created,resumed'`,
      ),
    ],
    [
      'questions to the AI are not settled',
      count('select count(*) as n from ai_usage where settled_at_ms is null'),
    ],
    [
      'tokens are still held back',
      count('select coalesce(sum(reserved_tokens), 0) as n from ai_days'),
    ],
    ['messages are left in the inbox of the bot', count('select count(*) as n from bot_inbox')],
    [
      'conversations are not closed',
      count(`select count(*) as n from conversations where state <> 'closed'`),
    ],
    [
      'jobs of the bot are left',
      count(
        "select count(*) as n from jobs where kind in ('chatbot.turn', 'chatbot.step', 'chatbot.call', 'chatbot.ask-ai') and state not in ('completed')",
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
    [
      'replies were repeated twice, or although their outcome was known',
      count(
        `select count(*) as n from messages r join messages m
         on m.organization_id = r.organization_id and m.id = r.resend_of_id
         where m.resend_of_id is not null or m.error is null or exists (select 1 from messages o
           where o.organization_id = r.organization_id and o.resend_of_id = m.id and o.id <> r.id)`,
      ),
    ],
    ['messages that no kill interrupted have an unknown outcome', Math.max(0, unsure - underWay)],
  ]
  return claims.flatMap(([claim, n]) => (n === 0 ? [] : [`${n} ${claim}`]))
}

/** A talk makes its request with one key, has one answer of the AI, and one transfer. */
function countFaults(
  reading: Reading,
  { keys, customers, refused }: { keys: string[]; customers: Talker[]; refused: string[] },
): string[] {
  const talks = customers.reduce((sum, one) => sum + one.talks, 0)
  const rows = (query: string): number => reading.rows(query).length
  const counted: [string, number][] = [
    ['keys of requests', new Set(keys).size],
    ['answers of the AI', rows("select id from ai_usage where outcome = 'answered'")],
    ['transfers', rows('select id from transfers')],
    [
      'sessions that a transfer ended',
      rows("select id from bot_sessions where status = 'transferred'"),
    ],
  ]
  return [
    ...counted.flatMap(([what, n]) => (n === talks ? [] : [`${n} ${what} for ${talks} talks`])),
    ...refused.slice(0, 3).map((reason) => `the AI provider refused: ${reason}`),
  ]
}

import { join } from 'node:path'

import { ADMINS, APP_SECRET, Installation, signIn } from '../chaos/installation'
import { textMessage } from '../../src/simulator/payloads'
import { startSimulator, type Simulator } from '../../src/simulator/platform'
import type { Client } from '../support/client'
import type { ServerProcess } from '../support/process'
import { restOfBot } from './bot-rest'
import { cpuUsOf } from './processes'
import { machineOf, save } from './report'

/** Phone numbers, so that the limit of sends of one does not decide. */
const PHONES = 20
const RATES = [40, 80, 100, 120, 160]
/**
 * `seconds` at each rate; `texts` of each customer; `beside`: the rate at which the webhook and the
 * send alone are measured, `short` seconds each.
 */
const DEFAULTS = {
  texts: 5,
  seconds: 10,
  short: 10,
  beside: 80,
  rules: 1_000,
  flows: 50,
  sessions: 100_000,
  transfers: 10_000,
}
/** The 99th percentile holds while replies reach the platform within this time, milliseconds. */
const HOLDS_MS = 1_500
const DRAIN_MS = 300_000
/** A server that uses less in half a second has nothing under way, microseconds. */
const QUIET_US = 25_000

interface Row {
  rate: number
  turns: number
  p50Ms: number
  p99Ms: number
  cpuUs: number
}

type Sizes = typeof DEFAULTS

/** A server with its customers. */
interface Scene {
  simulator: Simulator
  server: ServerProcess
  client: Client
  sizes: Sizes
}

/**
 * Measures turns of the bot a second, by when the reply reaches the platform, while statuses arrive
 * and a socket watches; the processor time of a turn with and without its webhook and its send; then
 * what open sessions and transfers cost while nothing happens. Words replace the rates and, as
 * `seconds=300`, the sizes; `turns` and
 * `rest` leave out the other half. Prints tables, `isSaved` writes them to `results`. `BENCH_PROFILE` names
 * a folder for CPU profiles of the server.
 */
export async function benchBot(options: { isSaved: boolean; words: string[] }): Promise<void> {
  const rates = options.words.filter((word) => /^\d+$/.test(word)).map(Number)
  const sizes = sizesOf(options.words)
  await using simulator = await startSimulator({ appSecret: APP_SECRET, phones: [], keep: 500_000 })
  const phones = Array.from({ length: PHONES }, (_, nth) =>
    simulator.addPhone({ wabaId: '201000000000001', token: `token-${nth}` }),
  )
  const installation = new Installation(
    { PLATFORM_BASE_URL: simulator.url, RATE_BULK: '0' },
    PROFILES === undefined ? undefined : PROFILING,
  )
  const parts: string[] = []
  try {
    const server = await installation.start()
    server.ignoreOutput()
    simulator.setCallback(`${server.url}/api/webhook`, APP_SECRET)
    const client = await signIn(server.url, ADMINS[0])
    const scene = { simulator, server, client, sizes }
    await prepare(scene, phones)
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws?token=${client.token}`)
    parts.push(machineOf(installation.folder), '')
    await turnsAt(scene, { rate: sizes.beside, round: 90, seconds: sizes.short }) // the first ones compile the program
    if (!options.words.includes('rest')) parts.push(...(await turns(scene, rates)))
    socket.close()
    await server.stop()
    if (!options.words.includes('turns')) parts.push(await restOfBot(installation, sizes))
  } finally {
    installation.remove()
  }
  const report = parts.join('\n')
  console.log(`\n${report}`)
  if (options.isSaved) save('bot', report)
}

/** Measures turns at rates until one does not hold, and what a turn takes. Returns tables. */
async function turns(scene: Scene, rates: number[]): Promise<string[]> {
  const beside = await besideTurns(scene)
  const rows: Row[] = []
  for (const rate of rates.length > 0 ? rates : RATES) {
    rows.push(await turnsAt(scene, { rate, round: rows.length, seconds: scene.sizes.seconds }))
    console.log(rowOf(rows.at(-1) as Row))
    if ((rows.at(-1)?.p99Ms ?? 0) > HOLDS_MS) break
  }
  const { beside: rate, short: seconds } = scene.sizes
  const turn = await turnsAt(scene, { rate, round: 95, seconds })
  return [
    ...headingOf(scene.sizes),
    ...rows.map(rowOf),
    '',
    ...partsOf(turn, beside, scene.sizes),
    '',
  ]
}

const PROFILES = process.env['BENCH_PROFILE']
const PROFILING = [
  process.execPath,
  '--cpu-prof',
  `--cpu-prof-dir=${PROFILES}`,
  join(import.meta.dir, '../../src/main.ts'),
]

/** Reads sizes such as `sessions=1000`. */
const sizesOf = (words: string[]): Sizes => ({
  ...DEFAULTS,
  ...Object.fromEntries(
    words
      .map((word) => word.split('='))
      .filter(([name = '']) => name in DEFAULTS)
      .map(([name, size]) => [name, Number(size)]),
  ),
})

const headingOf = ({ rules, flows, texts, seconds }: Sizes): string[] => [
  `${rules} rules of three keywords and ${flows} flows, ${PHONES} numbers, ${texts} texts of each customer, ${seconds} s at each rate, no debounce.`,
  '',
  `| turns per second | turns | p50 | p99 | processor time a turn, webhook, send and statuses included |`,
  `| --- | --- | --- | --- | --- |`,
]

const rowOf = ({ rate, turns, p50Ms, p99Ms, cpuUs }: Row): string =>
  `| ${rate} | ${turns} | ${p50Ms.toFixed(0)} ms | ${p99Ms.toFixed(0)} ms${p99Ms > HOLDS_MS ? ' (does not hold)' : ''} | ${(cpuUs / 1_000).toFixed(2)} ms |`

/** Processor time beside a turn, microseconds. */
interface Beside {
  receiveUs: number
  sendUs: number
}

const partsOf = ({ cpuUs }: Row, { receiveUs, sendUs }: Beside, { beside }: Sizes): string[] => {
  const cells = [cpuUs, receiveUs, sendUs, cpuUs - receiveUs - sendUs]
  return [
    `| at ${beside} a second: everything | a text while the bot is off | a send over the API with its statuses | the turn itself |`,
    `| --- | --- | --- | --- |`,
    `| ${cells.map((us) => `${(us / 1_000).toFixed(2)} ms`).join(' | ')} |`,
  ]
}

type Phones = ReturnType<Simulator['addPhone']>[]

async function mustSend(
  { client }: Pick<Scene, 'client'>,
  path: string,
  verb: 'post' | 'put',
  body: object,
): Promise<void> {
  const answer = await client[verb](path, body)
  if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
}

async function prepare(scene: Scene, phones: Phones): Promise<void> {
  for (const [nth, phone] of phones.entries())
    await mustSend(scene, '/api/accounts', 'post', {
      name: `Number ${nth}`,
      phone_id: phone.id,
      business_id: phone.wabaId,
      access_token: phone.token,
    })
  for (let nth = 0; nth < scene.sizes.rules; nth += 1)
    await mustSend(scene, '/api/chatbot/keywords', 'post', {
      keywords: [`word${nth}`, `other words ${nth}`, `topic-${nth}`],
      response: `Answer ${nth} for {{contact_name}}`,
    })
  for (let nth = 0; nth < scene.sizes.flows; nth += 1)
    await mustSend(scene, '/api/chatbot/flows', 'post', {
      name: `Flow ${nth}`,
      trigger_keywords: [`flow${nth}`],
      enabled: true,
      graph: GRAPH,
    })
  await setBot(scene, true)
}

/** A flow that decides, asks, and ends with the answer. */
const GRAPH = {
  version: 2,
  entry_node: 'known',
  nodes: [
    { id: 'known', type: 'condition', config: { expression: "contact.name contains 'a'" } },
    { id: 'ask', type: 'prompt', config: { body: 'Which order?', store_as: 'order' } },
    { id: 'bye', type: 'end', config: { message: 'Order {{order}} is on its way.' } },
  ],
  edges: [
    { from: 'known', condition: 'true', to: 'ask' },
    { from: 'known', condition: 'false', to: 'ask' },
    { from: 'ask', condition: 'default', to: 'bye' },
  ],
}

const setBot = (scene: Scene, isEnabled: boolean): Promise<void> =>
  mustSend(scene, '/api/chatbot/settings', 'put', {
    chatbot_enabled: isEnabled,
    debounce_seconds: 0,
  })

/** Calls back at a rate, and waits until every call has ended. */
async function atRate(
  { rate, total }: { rate: number; total: number },
  act: (nth: number) => Promise<unknown>,
): Promise<void> {
  const startMs = performance.now()
  const acts: Promise<unknown>[] = []
  for (let nth = 0; nth < total; nth += 1) {
    const waitMs = startMs + (nth * 1_000) / rate - performance.now()
    if (waitMs > 0) await Bun.sleep(waitMs)
    acts.push(act(nth))
  }
  await Promise.all(acts)
}

/** Lets a customer write a text to one of the numbers. */
function write({ simulator }: Scene, nth: number, waId: string, text: string): Promise<unknown> {
  const phone = simulator.phones[nth % PHONES] ?? simulator.phone
  return simulator.post(
    textMessage(text, {
      line: {
        wabaId: phone.wabaId,
        phoneNumberId: phone.id,
        displayPhoneNumber: '15550100001',
      },
      timestamp: Math.floor(Date.now() / 1_000),
      person: { waId, userId: `US.99${waId}` },
    }),
  )
}

/** Three texts in four are answered by rules; the others begin or continue a flow. */
const textOf = (nth: number, { rules, flows }: Sizes): string =>
  nth % 4 === 3 && flows > 0 ? `flow${nth % flows}` : `Tell me about word${nth % rules}, please`

/** Waits until so many messages reached the platform and nothing is under way. */
async function drained({ simulator, server }: Scene, messages: number): Promise<void> {
  const untilMs = performance.now() + DRAIN_MS
  while (simulator.messages.length < messages && performance.now() < untilMs) await Bun.sleep(10)
  await simulator.idle({ deadlineMs: DRAIN_MS })
  for (let used = Infinity; used > QUIET_US && performance.now() < untilMs;) {
    const before = cpuUsOf(server.pid)
    await Bun.sleep(500)
    used = cpuUsOf(server.pid) - before
  }
}

/** Lets customers write at a rate and measures how long replies take. */
async function turnsAt(
  scene: Scene,
  { rate, round, seconds }: { rate: number; round: number; seconds: number },
): Promise<Row> {
  const { simulator, server, sizes } = scene
  const sentAt = new Map<string, number[]>()
  const known = simulator.messages.length
  const cpuBefore = cpuUsOf(server.pid)
  const total = rate * seconds
  const customers = customersOf(total, sizes)
  await atRate({ rate, total }, (nth) => {
    const waId = String(15_500_000_000 + round * 100_000 + (nth % customers))
    sentAt.set(waId, [...(sentAt.get(waId) ?? []), Date.now()])
    return write(scene, nth % customers, waId, textOf(nth, sizes))
  })
  await drained(scene, known + total)
  const took = simulator.messages
    .slice(known)
    .flatMap(({ recipient, at }) => {
      const from = sentAt.get(String(recipient))?.shift()
      return from === undefined ? [] : [at - from]
    })
    .toSorted((a, b) => a - b)
  if (took.length < total) throw new Error(`${total - took.length} of ${total} replies are missing`)
  const at = (share: number): number => took[Math.floor(took.length * share)] ?? 0
  return {
    rate,
    turns: total,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    cpuUs: (cpuUsOf(server.pid) - cpuBefore) / total,
  }
}

/** How many customers write a number of texts: each comes back to the same phone number. */
const customersOf = (total: number, { texts }: Sizes): number =>
  Math.max(PHONES, Math.ceil(total / texts / PHONES) * PHONES)

/** Waits until the customers of the texts without a bot are stored. */
async function areKnown(client: Client, customers: number): Promise<void> {
  const untilMs = performance.now() + DRAIN_MS
  for (let known = 0; known < customers && performance.now() < untilMs; await Bun.sleep(500))
    known = Number(
      (await client.get('/api/contacts?limit=1&search=1549')).data['total'] ?? customers,
    )
}

/** Measures what a turn has beside it: a text that no bot answers, and a send over the API. */
async function besideTurns(scene: Scene): Promise<Beside> {
  const { simulator, server, client, sizes } = scene
  const total = sizes.beside * sizes.short
  await setBot(scene, false)
  const measured = async (act: (nth: number) => Promise<unknown>, sends: number) => {
    const [known, before] = [simulator.messages.length, cpuUsOf(server.pid)]
    await atRate({ rate: sizes.beside, total }, act)
    await drained(scene, known + sends)
    return (cpuUsOf(server.pid) - before) / total
  }
  const customers = customersOf(total, sizes)
  const waIdOf = (nth: number): string => String(15_490_000_000 + (nth % customers))
  const receive = async (nth: number): Promise<void> => {
    await write(scene, nth % customers, waIdOf(nth), textOf(nth, sizes))
    if (nth === total - 1) await areKnown(client, customers)
  }
  const receiveUs = await measured(receive, 0)
  const ids: string[] = []
  for (let page = 1; ids.length < customers; page += 1) {
    const { data } = await client.get(`/api/contacts?limit=100&page=${page}&search=1549`)
    const items = data['items'] as { id: string }[]
    if (items.length === 0) throw new Error(`${ids.length} of ${customers} customers are known`)
    ids.push(...items.map(({ id }) => id))
  }
  const send = (nth: number): Promise<unknown> =>
    client.post(`/api/contacts/${ids[nth % customers]}/messages`, {
      type: 'text',
      text: `Answer ${nth}`,
    })
  const sendUs = await measured(send, total)
  await setBot(scene, true)
  return { receiveUs, sendUs }
}

import { Database } from 'bun:sqlite'

import { DAY_MS, MINUTE_MS } from '../../src/lib/clock'
import { ADMINS, APP_SECRET, Installation, signIn } from '../chaos/installation'
import { textMessage } from '../simulator/payloads'
import { startSimulator, type Simulator } from '../simulator/platform'
import type { Client } from '../support/client'
import type { ServerProcess } from '../support/process'
import { cpuUsOf, rssMibOf } from './processes'
import { machineOf, save } from './report'

/** Phone numbers, so that the limit of sends of one does not decide. */
const PHONES = 6
const CUSTOMERS = 3_000
const RULES = 1_000
const OPEN_SESSIONS = 100_000
const RATES = [40, 80, 120, 160, 240]
const SECONDS = 10
/** The 99th percentile holds while replies reach the platform within this time, milliseconds. */
const HOLDS_MS = 1_000
const IDLE_SECONDS = 40
const DRAIN_MS = 60_000

interface Row {
  rate: number
  turns: number
  p50Ms: number
  p99Ms: number
  cpuUs: number
}

/**
 * Measures turns of the bot a second, by when the reply reaches the platform, with a thousand rules,
 * and the processor time of each; then what 100,000 open sessions cost while nothing happens. Words
 * replace the rates and, as `sessions=1000`, the number of sessions. Prints tables, `isSaved` writes
 * them to `results`.
 */
export async function benchBot(options: { isSaved: boolean; words: string[] }): Promise<void> {
  const rates = options.words.filter((word) => /^\d+$/.test(word)).map(Number)
  const sessions = Number(
    options.words.find((word) => word.startsWith('sessions='))?.slice('sessions='.length) ??
      OPEN_SESSIONS,
  )
  await using simulator = await startSimulator({ appSecret: APP_SECRET, phones: [], keep: 500_000 })
  const phones = Array.from({ length: PHONES }, (_, nth) =>
    simulator.addPhone({ wabaId: '201000000000001', token: `token-${nth}` }),
  )
  const installation = new Installation({ PLATFORM_BASE_URL: simulator.url })
  const parts: string[] = []
  try {
    const server = await installation.start()
    server.ignoreOutput()
    simulator.setCallback(`${server.url}/api/webhook`, APP_SECRET)
    await prepare(await signIn(server.url, ADMINS[0]), phones)
    parts.push(machineOf(installation.folder), '')
    const rows: Row[] = []
    for (const rate of rates.length > 0 ? rates : RATES) {
      rows.push(await turnsAt(simulator, server, { rate, round: rows.length }))
      console.log(rowOf(rows.at(-1) as Row))
      if ((rows.at(-1)?.p99Ms ?? 0) > HOLDS_MS) break
    }
    parts.push(...HEADING, ...rows.map(rowOf), '')
    await server.stop()
    openSessions(installation, sessions)
    parts.push(await idleWith(installation, sessions))
  } finally {
    installation.remove()
  }
  const report = parts.join('\n')
  console.log(`\n${report}`)
  if (options.isSaved) save('bot', report)
}

const HEADING = [
  `| turns per second | turns | p50 | p99 | processor time a turn, webhook and send included |`,
  `| --- | --- | --- | --- | --- |`,
]

const rowOf = ({ rate, turns, p50Ms, p99Ms, cpuUs }: Row): string =>
  `| ${rate} | ${turns} | ${p50Ms.toFixed(0)} ms | ${p99Ms.toFixed(0)} ms${p99Ms > HOLDS_MS ? ' (does not hold)' : ''} | ${(cpuUs / 1_000).toFixed(2)} ms |`

type Phones = ReturnType<Simulator['addPhone']>[]

async function prepare(client: Client, phones: Phones): Promise<void> {
  const send = async (path: string, verb: 'post' | 'put', body: object): Promise<void> => {
    const answer = await client[verb](path, body)
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
  }
  for (const [nth, phone] of phones.entries())
    await send('/api/accounts', 'post', {
      name: `Number ${nth}`,
      phone_id: phone.id,
      business_id: phone.wabaId,
      access_token: phone.token,
    })
  for (let nth = 0; nth < RULES; nth += 1)
    await send('/api/chatbot/keywords', 'post', {
      keywords: [`word${nth}`, `other words ${nth}`, `topic-${nth}`],
      response: `Answer ${nth} for {{contact_name}}`,
    })
  await send('/api/chatbot/settings', 'put', { chatbot_enabled: true, debounce_seconds: 0 })
}

/** Lets customers write at a rate and measures how long replies take. */
async function turnsAt(
  simulator: Simulator,
  server: ServerProcess,
  { rate, round }: { rate: number; round: number },
): Promise<Row> {
  const sentAt = new Map<string, number>()
  const known = simulator.messages.length
  const cpuBefore = cpuUsOf(server.pid)
  const total = rate * SECONDS
  const startMs = performance.now()
  const posts: Promise<unknown>[] = []
  for (let nth = 0; nth < total; nth += 1) {
    const dueMs = startMs + (nth * 1_000) / rate
    const waitMs = dueMs - performance.now()
    if (waitMs > 0) await Bun.sleep(waitMs)
    const customer = (round * 997 + nth) % CUSTOMERS
    const waId = String(15_550_300_000 + round * CUSTOMERS + customer)
    const phone = simulator.phones[nth % PHONES] ?? simulator.phone
    sentAt.set(waId, Date.now())
    posts.push(
      simulator.post(
        textMessage(`Tell me about word${nth % RULES}, please`, {
          line: {
            wabaId: phone.wabaId,
            phoneNumberId: phone.id,
            displayPhoneNumber: '15550100001',
          },
          timestamp: Math.floor(Date.now() / 1_000),
          person: { waId, userId: `US.99${waId}` },
        }),
      ),
    )
  }
  await Promise.all(posts)
  const untilMs = performance.now() + DRAIN_MS
  while (simulator.messages.length - known < total && performance.now() < untilMs)
    await Bun.sleep(10)
  const took = simulator.messages
    .slice(known)
    .flatMap(({ recipient, at }) => {
      const from = sentAt.get(String(recipient))
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

/** Stores open sessions with contacts of their own, while no server runs. */
function openSessions(installation: Installation, count: number): void {
  const db = new Database(installation.databasePath)
  const nowMs = Date.now()
  const [place] = db
    .query<Record<'organization_id' | 'id', Uint8Array>, []>(
      'select organization_id, id from accounts limit 1',
    )
    .all()
  if (!place) throw new Error('there is no number')
  const model = db
    .query<Record<string, unknown>, []>('select * from contacts limit 1')
    .get() as Record<string, string | number | Uint8Array | null>
  const columns = Object.keys(model)
  const addContact = db.query(
    `insert into contacts (${columns.join()}) values (${columns.map(() => '?').join()})`,
  )
  const addSession = db.query(
    `insert into bot_sessions (organization_id, id, contact_id, account_id, status, waiting_for, started_at_ms, last_activity_ms, expires_at_ms)
     values (?, ?, ?, ?, 'active', 'reply', ?, ?, ?)`,
  )
  const cell = (
    column: string,
    nth: number,
    id: Uint8Array,
  ): string | number | Uint8Array | null => {
    if (column === 'id') return id
    if (column === 'wa_id' || column === 'phone_number') return String(16_000_000_000 + nth)
    return column === 'user_id' || column === 'username' ? null : (model[column] ?? null)
  }
  db.transaction(() => {
    for (let nth = 0; nth < count; nth += 1) {
      const [contact, session] = [Bun.randomUUIDv7('buffer'), Bun.randomUUIDv7('buffer')]
      addContact.run(...columns.map((column) => cell(column, nth, contact)))
      addSession.run(
        ...[place.organization_id, session, contact, place.id],
        ...[nowMs, nowMs, nowMs + DAY_MS],
      )
    }
  })()
  db.close()
}

/** Processor time and memory of a server that does nothing but sweep. */
async function idleWith(installation: Installation, sessions: number): Promise<string> {
  await using server = await installation.start()
  server.ignoreOutput()
  await Bun.sleep(5_000)
  const before = cpuUsOf(server.pid)
  await Bun.sleep(IDLE_SECONDS * 1_000)
  const cpuMs = (cpuUsOf(server.pid) - before) / 1_000
  const perMinute = (cpuMs * MINUTE_MS) / (IDLE_SECONDS * 1_000)
  const rss = rssMibOf(server.pid)
  await server.stop()
  return [
    `| open sessions, idle | processor time a minute | memory |`,
    `| --- | --- | --- |`,
    `| ${sessions} | ${perMinute.toFixed(0)} ms | ${rss.toFixed(0)} MiB |`,
  ].join('\n')
}

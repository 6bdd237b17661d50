import { seededRandom } from '../../src/simulator/random'
import { startSimulator, type Simulator } from '../../src/simulator/platform'
import { textMessage } from '../../src/simulator/payloads'
import { Client } from '../support/client'
import { freePort } from '../support/ports'
import type { ServerProcess } from '../support/process'
import { ADMINS, APP_SECRET, Installation, signIn } from './installation'

/** What sending under kills came to. */
export interface SendsReport {
  seed: number
  kills: number
  sent: number
  /** Messages of which nobody can say whether they arrived. */
  unknown: number
  tookS: number
  /** What was wrong, one sentence each; empty when all is well. */
  faults: string[]
}

const CONTACTS = 200
const WRITERS = 4
const LATENCY_MS = 40
const MAX_OF_A_LIFE_MS = 6_000
const SETTLE_DEADLINE_MS = 90_000

interface Row {
  id: string
  contact: string
  status: string
  stage: string
}

/**
 * Sends `count` messages to two hundred contacts while the server is killed at moments decided by
 * `seed`, lets what is left go out and counts what the platform got (outbound contract 10, row 1):
 * every message that was answered 201 arrived once, or nobody knows and it was not sent again; that
 * is so for one message a kill at most.
 */
export async function runSends(options: { seed: number; count: number }): Promise<SendsReport> {
  const startedMs = performance.now()
  const random = seededRandom(options.seed)
  await using simulator = await startSimulator({
    appSecret: APP_SECRET,
    phones: [],
    keep: 100_000,
    seed: options.seed,
    retryDelaysMs: Array.from({ length: 120 }, () => 500),
  })
  const phone = simulator.addPhone({ wabaId: '201000000000001', token: 'token-1' })
  const installation = new Installation({
    PLATFORM_BASE_URL: simulator.url,
    PORT: String(await freePort()),
  })
  const answered = new Set<string>()
  const complaints: string[] = []
  let server: ServerProcess | null = null
  let kills = 0
  try {
    server = await installation.start()
    const client = await signIn(server.url, ADMINS[0])
    await client.post('/api/accounts', {
      name: 'Main',
      phone_id: phone.id,
      business_id: phone.wabaId,
      access_token: phone.token,
    })
    const contacts = await contactsOf(simulator, installation, server.url)
    simulator.slow(LATENCY_MS, { times: Infinity })
    let next = 0
    const write = async (): Promise<void> => {
      while (next < options.count) {
        const nth = next++
        // What was cut off may have been stored; it is written again, as people do.
        for (let id: string | null = null; id === null;) {
          const url = server?.url
          id =
            url === undefined
              ? null
              : await sendOne(new Client(url, client.headers), contacts[nth % CONTACTS] ?? '', nth)
          if (id === null) await Bun.sleep(5)
          else answered.add(id)
        }
      }
    }
    let isWritten = false
    const writers = Promise.all(Array.from({ length: WRITERS }, write)).then(() => {
      isWritten = true
    })
    while (!isWritten || simulator.messages.length < answered.size * 0.9) {
      await liveFor(simulator, 5 + random() * 75)
      await Bun.sleep(random() * 60)
      const doomed: ServerProcess = server
      server = null
      await doomed.kill()
      complaints.push(...doomed.complaints(), ...(doomed.errors === '' ? [] : [doomed.errors]))
      kills += 1
      server = await installation.start()
      if (performance.now() - startedMs > 240_000) break
    }
    await writers
    const rows = await atRest(simulator, installation)
    complaints.push(...server.complaints())
    await server.stop()
    const faults = [
      ...complaints.slice(0, 10).map((line) => `the server complained: ${line}`),
      ...faultsOf(simulator, { rows, answered, kills }),
    ]
    const unknown = rows.filter(({ stage }) => stage === 'ambiguous').length
    return {
      seed: options.seed,
      kills,
      sent: answered.size,
      unknown,
      tookS: (performance.now() - startedMs) / 1_000,
      faults,
    }
  } finally {
    if (server?.isRunning === true) await server.kill()
    installation.remove()
  }
}

/** Waits until the platform has taken so many more messages, for some seconds at most. */
async function liveFor(simulator: Simulator, more: number): Promise<void> {
  const enough = simulator.messages.length + more
  const untilMs = performance.now() + MAX_OF_A_LIFE_MS
  while (simulator.messages.length < enough && performance.now() < untilMs) await Bun.sleep(5)
}

/** Contacts who have just written, so that anything may be sent to them. */
async function contactsOf(
  simulator: Simulator,
  installation: Installation,
  url: string,
): Promise<string[]> {
  simulator.setCallback(`${url}/api/webhook`, APP_SECRET)
  const line = {
    wabaId: simulator.phone.wabaId,
    phoneNumberId: simulator.phone.id,
    displayPhoneNumber: '15550100001',
  }
  const timestamp = Math.floor(Date.now() / 1_000)
  for (let nth = 0; nth < CONTACTS; nth += 1)
    await simulator.post(
      textMessage('Hi', {
        line,
        timestamp,
        person: { waId: String(15_550_300_000 + nth), userId: `US.88${nth}` },
      }),
    )
  using reading = installation.reading()
  for (let tries = 0; tries < 1_000; tries += 1) {
    const ids = reading
      .rows<{ id: string }>('select id from contacts order by id')
      .map(({ id }) => id)
    if (ids.length === CONTACTS) return ids
    await Bun.sleep(20)
  }
  throw new Error('the contacts did not come into being')
}

async function sendOne(client: Client, contact: string, nth: number): Promise<string | null> {
  try {
    const answer = await client.post(`/api/contacts/${contact}/messages`, {
      type: 'text',
      text: `Text ${nth}`,
    })
    return answer.status === 201 ? String(answer.data['id']) : null
  } catch {
    return null
  }
}

/** The calls by which the platform took messages, by the id of ours that they carry. */
const takenBy = (simulator: Simulator): Map<string, unknown[]> =>
  Map.groupBy(simulator.messages, ({ body }) =>
    String((body as Record<string, unknown>)['biz_opaque_callback_data']),
  )

/** The messages once each has ended or nobody can say how it ended. */
async function atRest(simulator: Simulator, installation: Installation): Promise<Row[]> {
  const untilMs = performance.now() + SETTLE_DEADLINE_MS
  using reading = installation.reading()
  for (;;) {
    const rows = reading.rows<Row>(
      `select id, contact_id as contact, status, stage from messages where direction = 'outgoing'`,
    )
    const unsure = new Set(
      rows.filter(({ stage }) => stage === 'ambiguous').map(({ contact }) => contact),
    )
    const taken = takenBy(simulator)
    const isUnderWay = ({ id, contact, stage }: Row): boolean =>
      stage === 'ambiguous' ? taken.has(id) : stage !== 'accepted' && !unsure.has(contact)
    if (!rows.some(isUnderWay) || performance.now() > untilMs) return rows
    await Bun.sleep(50)
  }
}

function faultsOf(
  simulator: Simulator,
  { rows, answered, kills }: { rows: Row[]; answered: Set<string>; kills: number },
): string[] {
  const stored = new Set(rows.map(({ id }) => id))
  const taken = takenBy(simulator)
  const unsure = rows.filter(({ stage }) => stage === 'ambiguous')
  const behind = new Set(unsure.map(({ contact }) => contact))
  const stuck = rows.filter(
    ({ stage, contact }) => stage !== 'accepted' && stage !== 'ambiguous' && !behind.has(contact),
  )
  const claims: [string, boolean][] = [
    [
      `${[...answered].filter((id) => !stored.has(id)).length} messages that were answered 201 are gone`,
      [...answered].some((id) => !stored.has(id)),
    ],
    [
      `${[...taken.values()].filter((calls) => calls.length > 1).length} messages reached the platform twice`,
      [...taken.values()].some((calls) => calls.length > 1),
    ],
    [
      `${stuck.length} messages never went out: ${JSON.stringify(stuck.slice(0, 3))}`,
      stuck.length > 0,
    ],
    [
      'messages count as sent that the platform never got',
      rows.some(({ id, stage }) => stage === 'accepted' && !taken.has(id)),
    ],
    ['messages that arrived count as not known', unsure.some(({ id }) => taken.has(id))],
    [
      `${unsure.length} messages have an unknown outcome after ${kills} kills`,
      unsure.length > kills,
    ],
  ]
  return claims.filter(([, isWrong]) => isWrong).map(([claim]) => claim)
}

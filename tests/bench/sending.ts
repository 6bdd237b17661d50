import { ADMINS, APP_SECRET, Installation, signIn } from '../chaos/installation'
import { textMessage } from '../../src/simulator/payloads'
import { startSimulator, type Simulator } from '../../src/simulator/platform'
import { machineOf, save } from './report'

/** At 80 a second more than a minute's worth. */
const MESSAGES = 6_000
const CONTACTS = 250
const LATENCY_MS = 200
const LIMIT_PER_S = 80
/** Messages stored at the same time. */
const WRITERS = 8
const DEADLINE_MS = 300_000
const PROGRESS_MS = 10_000

/**
 * Measures how close to its limit one number sends: 6,000 messages, or as many as a word says,
 * while the platform takes 200 ms for each answer, counted by when the calls arrive there, after
 * the first burst. It takes as long as the limit demands, and says how far it is every ten seconds.
 * Prints a table; `isSaved` writes it to `results`.
 */
export async function benchSending({
  isSaved,
  words,
}: {
  isSaved: boolean
  words: string[]
}): Promise<void> {
  const messages = Number(words.find((word) => /^\d+$/.test(word)) ?? MESSAGES)
  await using simulator = await startSimulator({
    appSecret: APP_SECRET,
    phones: [],
    keep: 100_000,
    statuses: ['sent'],
  })
  const phone = simulator.addPhone({ wabaId: '201000000000001', token: 'token-1' })
  const installation = new Installation({ PLATFORM_BASE_URL: simulator.url })
  try {
    await using server = await installation.start()
    server.ignoreOutput()
    simulator.setCallback(`${server.url}/api/webhook`, APP_SECRET)
    const client = await signIn(server.url, ADMINS[0])
    const account = {
      name: 'Main',
      phone_id: phone.id,
      business_id: phone.wabaId,
      access_token: phone.token,
    }
    const { status } = await client.post('/api/accounts', account)
    if (status !== 201) throw new Error(`the number could not be connected: ${status}`)
    const ids = await contactsOf(simulator, installation)
    simulator.slow(LATENCY_MS, { times: Infinity })
    let next = 0
    const write = async (): Promise<void> => {
      for (let nth = next++; nth < messages; nth = next++) {
        const answer = await client.post(`/api/contacts/${ids[nth % ids.length]}/messages`, {
          type: 'text',
          text: `Text ${nth}`,
        })
        if (answer.status !== 201) throw new Error(`a message was answered ${answer.status}`)
      }
    }
    const progress = setInterval(
      () => console.log(`${simulator.callsOf({ route: 'messages' }).length} of ${messages} sent`),
      PROGRESS_MS,
    )
    try {
      await Promise.all(Array.from({ length: WRITERS }, write))
      await simulator.waitForMessages(messages, { deadlineMs: DEADLINE_MS })
    } finally {
      clearInterval(progress)
    }
    const report = [machineOf(installation.folder), '', tableOf(simulator, messages)].join('\n')
    console.log(`\n${report}`)
    if (isSaved) save('sending', report)
    await server.stop()
  } finally {
    installation.remove()
  }
}

/** Contacts who have just written, so that anything may be sent to them. */
async function contactsOf(simulator: Simulator, installation: Installation): Promise<string[]> {
  const { phone } = simulator
  const line = { wabaId: phone.wabaId, phoneNumberId: phone.id, displayPhoneNumber: '15550100001' }
  const timestamp = Math.floor(Date.now() / 1_000)
  for (let nth = 0; nth < CONTACTS; nth += 1)
    await simulator.post(
      textMessage('Hi', {
        line,
        timestamp,
        person: { waId: String(15_550_300_000 + nth), userId: `US.88${nth}` },
      }),
    )
  const read = (): string[] =>
    installation.rows<{ id: string }>('select id from contacts').map(({ id }) => id)
  const untilMs = performance.now() + 20_000
  while (read().length < CONTACTS) {
    if (performance.now() > untilMs) throw new Error('the contacts did not come into being')
    await Bun.sleep(20)
  }
  return read()
}

/**
 * How fast the calls came once the first second's worth at once was gone, whole and second by
 * second.
 */
function tableOf(simulator: Simulator, messages: number): string {
  const calls = simulator.callsOf({ route: 'messages' })
  const times = calls.map(({ at }) => at).toSorted((a, b) => a - b)
  const [from, to] = [times[LIMIT_PER_S] ?? 0, times.at(-1) ?? 0]
  const counted = times.length - 1 - LIMIT_PER_S
  const bySecond = Map.groupBy(times.slice(LIMIT_PER_S), (at) => Math.floor((at - from) / 1_000))
  const whole = [...bySecond.values()].slice(0, -1).map(({ length }) => length)
  const perSecond = (counted / (to - from)) * 1_000
  return [
    `| messages | answer after | limit | sent per second | off | slowest and fastest second | sent twice |`,
    `| --- | --- | --- | --- | --- | --- | --- |`,
    `| ${messages} | ${LATENCY_MS} ms | ${LIMIT_PER_S} | ${perSecond.toFixed(2)} | ${((perSecond / LIMIT_PER_S - 1) * 100).toFixed(2)} % | ${Math.min(...whole)} – ${Math.max(...whole)} | ${calls.length - messages} |`,
  ].join('\n')
}

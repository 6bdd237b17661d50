import { Database } from 'bun:sqlite'

import { ADMINS, APP_SECRET, Installation, signIn } from '../chaos/installation'
import type { Call } from '../../src/simulator/calls'
import { textMessage } from '../../src/simulator/payloads'
import { startSimulator, type Simulator } from '../../src/simulator/platform'
import type { Client, Loose } from '../support/client'
import type { ServerProcess } from '../support/process'
import { PROFILED } from './figures/binary'
import { forgetPeak, peakMibOf, rssMibOf } from './processes'
import { machineOf, save } from './report'
import { changeRows } from '../support/sql'

const LATENCY_MS = 100
const LIMIT_PER_S = 80
const KILLS = 3
/**
 * People who are answered while the campaign runs, and how often; and how often customers write.
 */
const AGENTS = 20
const REPLY_EVERY_MS = 500
const WEBHOOK_EVERY_MS = 100
/**
 * A bucket is full at a start and may be emptied at once, so the first second and a half of sending
 * says nothing of the speed.
 */
const BURST_MS = 1_500
/**
 * What was under way at a kill and is not heard of afterwards is unknown after so long, minutes.
 */
const UNKNOWN_MINUTES = 1

/** What a run is to be: how many recipients, and which of its parts. */
export interface CampaignRun {
  isSaved: boolean
  words: string[]
}

/** The parts of a run; `million` only when asked for. */
const PARTS = ['main', 'fast', 'million'] as const

/**
 * Measures a campaign while the platform takes 100 ms for each answer: how close to its number's
 * limit it sends, how long agents' replies and inbound webhooks take meanwhile, and that after
 * three kills nobody got two messages (`main`). Then how fast it is planned, and how fast it sends
 * where nothing limits it (`fast`), and, with the word `million`, the memory of a million
 * recipients. The first number is how many recipients, 20,000 unless said. A folder in
 * `BENCH_PROFILE` takes CPU profiles of the server; then nothing is killed.
 */
export async function benchCampaign({ isSaved, words }: CampaignRun): Promise<void> {
  const recipients = Number(words.find((word) => /^\d+$/.test(word)) ?? 20_000)
  const named = PARTS.filter((part) => words.includes(part))
  const does = (part: (typeof PARTS)[number]): boolean =>
    named.includes(part) || (part !== 'million' && named.every((one) => one === 'million'))
  await using simulator = await startSimulator({
    appSecret: APP_SECRET,
    phones: [],
    keep: 1_000_000,
    statuses: ['sent', 'delivered'],
    concurrency: 32,
    retryDelaysMs: [500, 500, 1_000, 1_000, 2_000, 4_000, 8_000],
  })
  const bench = new Bench(simulator, await installationFor(simulator))
  try {
    await bench.prepare()
    const parts = [
      does('main') ? await bench.mainRun(recipients) : [],
      does('fast') ? await bench.fastRun(Math.min(recipients, 10_000)) : [],
      does('million') ? await bench.million(1_000_000) : [],
    ].filter(({ length }) => length > 0)
    const report = [
      machineOf(bench.installation.folder),
      ...parts.flatMap((lines) => ['', ...lines]),
    ].join('\n')
    console.log(`\n${report}`)
    if (isSaved) save('campaign', report)
  } finally {
    await bench.stop()
  }
}

/** A server that is found at the same place after each kill, as the platform expects it. */
async function installationFor(simulator: Simulator): Promise<Installation> {
  const free = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const port = String(free.port)
  await free.stop(true)
  const env = {
    PLATFORM_BASE_URL: simulator.url,
    RATE_BULK: '0',
    PORT: port,
    SEND_UNKNOWN_MINUTES: String(UNKNOWN_MINUTES),
  }
  return new Installation(env, PROFILED)
}

const pause = (ms: number): Promise<void> => Bun.sleep(ms)

const quantile = (values: number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0

const toOf = (body: unknown): string => String((body as Loose)['to']).slice(1)

/** A table of one row. */
const table = (columns: [name: string, value: string | number][]): string[] =>
  [columns.map(([name]) => name), columns.map(() => '---'), columns.map(([, value]) => value)].map(
    (row) => `| ${row.join(' | ')} |`,
  )

/**
 * The messages the platform was asked to send, read as they come: who got how many, when each call
 * came, and when each text.
 */
class Sends {
  readonly times: number[] = []
  readonly byNumber = new Map<string, number>()
  private readonly byText = new Map<string, number>()
  private read = 0

  constructor(private readonly calls: () => readonly Call[]) {}

  /** Reads what came since the last time; returns how many there are in all. */
  pull(): number {
    const calls = this.calls()
    for (; this.read < calls.length; this.read += 1) {
      const call = calls[this.read]
      if (call?.route !== 'messages') continue
      this.times.push(call.at)
      this.byNumber.set(toOf(call.body), (this.byNumber.get(toOf(call.body)) ?? 0) + 1)
      const text = ((call.body as Loose)['text'] as Loose | undefined)?.['body'] as
        | string
        | undefined
      if (text !== undefined) this.byText.set(text, call.at)
    }
    return this.times.length
  }

  /** When the text came, epoch milliseconds. */
  arrivalOf(text: string): number | undefined {
    this.pull()
    return this.byText.get(text)
  }
}

/** A stretch without a server: from the kill until it listens again. */
interface Gap {
  fromMs: number
  toMs: number
}

/**
 * The stretches of sending between the kills: each begins a moment after its first call and ends
 * with the next kill or the last call.
 */
function stretchesOf(
  times: number[],
  gaps: Gap[],
): { fromMs: number; toMs: number; waitedMs: number }[] {
  const edges = [{ toMs: times[0] ?? 0 }, ...gaps]
  return edges.map(({ toMs: upMs }, index) => {
    const firstMs = times.find((at) => at >= upMs) ?? upMs
    return {
      fromMs: firstMs + BURST_MS,
      toMs: gaps[index]?.fromMs ?? (times.at(-1) ?? 0) - BURST_MS,
      waitedMs: firstMs - upMs,
    }
  })
}

/**
 * Messages a second over all stretches, whole and by seconds, and how long the first message waited
 * after a start.
 */
function rateOf(times: number[], gaps: Gap[]) {
  const sorted = times.toSorted((a, b) => a - b)
  const stretches = stretchesOf(sorted, gaps).filter(({ fromMs, toMs }) => toMs > fromMs)
  const within = (from: number, to: number): number =>
    sorted.filter((at) => at >= from && at < to).length
  const seconds = stretches.flatMap(({ fromMs, toMs }) =>
    Array.from({ length: Math.floor((toMs - fromMs) / 1_000) }, (_, nth) =>
      within(fromMs + nth * 1_000, fromMs + (nth + 1) * 1_000),
    ),
  )
  const counted = stretches.reduce((sum, { fromMs, toMs }) => sum + within(fromMs, toMs), 0)
  const lastedMs = stretches.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)
  const waits = stretches.slice(1).map(({ waitedMs }) => waitedMs)
  return {
    perSecond: (counted / lastedMs) * 1_000,
    least: Math.min(...seconds),
    most: Math.max(...seconds),
    lastedMs,
    waits,
  }
}

class Bench {
  private server: ServerProcess | null = null
  private client: Client | null = null
  private accountId = ''
  private templateId = ''
  private readonly contactIds: string[] = []
  private readonly gaps: Gap[] = []
  private readonly sends = new Sends(() => this.simulator.calls)
  private slow: { clear: () => void } | null = null

  constructor(
    private readonly simulator: Simulator,
    readonly installation: Installation,
  ) {}

  private get running(): { server: ServerProcess; client: Client } {
    if (!this.server || !this.client) throw new Error('the server does not run')
    return { server: this.server, client: this.client }
  }

  /** Starts the server, or starts it again; returns when it listened, epoch milliseconds. */
  private async start(): Promise<number> {
    this.server = await this.installation.start()
    const atMs = Date.now()
    this.server.ignoreOutput()
    this.simulator.setCallback(`${this.server.url}/api/webhook`, APP_SECRET)
    this.client = await signIn(this.server.url, ADMINS[0])
    return atMs
  }

  private write(query: string, ...values: (string | number)[]): void {
    const database = new Database(this.installation.databasePath)
    try {
      database.run('pragma busy_timeout = 5000')
      changeRows(database, query, values)
    } finally {
      database.close()
    }
  }

  async prepare(): Promise<void> {
    const phone = this.simulator.addPhone({ wabaId: '201000000000001', token: 'token-1' })
    await this.start()
    const { client } = this.running
    const account = {
      name: 'Main',
      phone_id: phone.id,
      business_id: phone.wabaId,
      access_token: phone.token,
    }
    this.accountId = String((await client.post('/api/accounts', account)).data['id'])
    const body = {
      type: 'BODY',
      text: 'Hello {{1}}, we have news for you today.',
      example: { body_text: [['Ann']] },
    }
    this.simulator.keepTemplate({
      name: 'news',
      language: 'en',
      category: 'MARKETING',
      components: [body],
    })
    await client.post('/api/templates/sync', {})
    this.templateId = String(
      ((await client.get('/api/templates')).data['items'] as Loose[])[0]?.['id'],
    )
    this.write(
      "update accounts set messaging_limit_tier = 'TIER_UNLIMITED' where id = ?",
      this.accountId,
    )
    await this.customersWrite()
  }

  private line() {
    const { phone } = this.simulator
    return { wabaId: phone.wabaId, phoneNumberId: phone.id, displayPhoneNumber: '15550100001' }
  }

  private async customersWrite(): Promise<void> {
    const timestamp = Math.floor(Date.now() / 1_000)
    for (let nth = 0; nth < AGENTS; nth += 1)
      await this.simulator.post(
        textMessage('Hi', {
          line: this.line(),
          timestamp,
          person: { waId: String(15_550_900_000 + nth), userId: `US.99${nth}` },
        }),
      )
    while (this.contactIds.length < AGENTS) {
      await pause(20)
      this.contactIds.splice(
        0,
        AGENTS,
        ...this.installation.rows<{ id: string }>('select id from contacts').map(({ id }) => id),
      )
    }
  }

  private async draft(count: number, first: number): Promise<string> {
    const { client } = this.running
    const body = {
      name: `For ${count}`,
      account_id: this.accountId,
      template_id: this.templateId,
      default_params: { '1': 'there' },
    }
    const id = String(
      (await client.post('/api/campaigns', { ...body, error_threshold: 1 })).data['id'],
    )
    for (let from = 0; from < count; from += 10_000) {
      const recipients = Array.from({ length: Math.min(10_000, count - from) }, (_, nth) => ({
        phone_number: String(first + from + nth),
      }))
      const answer = await client.post(`/api/campaigns/${id}/recipients/import`, { recipients })
      if (answer.data['imported'] !== recipients.length)
        throw new Error(`not all were taken: ${JSON.stringify(answer.body)}`)
    }
    return id
  }

  private async startCampaign(id: string): Promise<number> {
    const from = performance.now()
    const answer = await this.running.client.post(`/api/campaigns/${id}/start`, {})
    if (answer.status !== 200) throw new Error(`the start was answered ${answer.status}`)
    while (
      this.installation.rows('select 1 from campaigns where id = ? and is_planned = 1', id)
        .length === 0
    )
      await pause(2)
    return performance.now() - from
  }

  private stateOf(id: string): string {
    return (
      this.installation.rows<{ status: string }>('select status from campaigns where id = ?', id)[0]
        ?.status ?? ''
    )
  }

  /** How many recipients are in one of these states, by the campaign's own counts. */
  private countOf(id: string, ...columns: ('pending' | 'sending' | 'unknown')[]): number {
    const sum = columns.join(' + ')
    return (
      this.installation.rows<{ n: number }>(
        `select ${sum} as n from campaign_counts where campaign_id = ?`,
        id,
      )[0]?.n ?? 0
    )
  }

  /**
   * The campaign at the number's own speed, with people and customers in between, killed on the
   * way.
   */
  async mainRun(count: number): Promise<string[]> {
    const first = 15_551_000_000
    const id = await this.draft(count, first)
    this.slow = this.simulator.slow(LATENCY_MS, { times: Infinity })
    const plannedMs = await this.startCampaign(id)
    const kills = PROFILED ? 0 : KILLS
    const around = this.sideTraffic()
    for (let kill = 1; kill <= kills; kill += 1) {
      while (this.sends.pull() < (count * kill) / (kills + 1)) await pause(50)
      this.say(`kill ${kill}`)
      await this.kill(around)
    }
    const deadline = performance.now() + (count / LIMIT_PER_S) * 2_000
    while (this.countOf(id, 'pending') > 0 && performance.now() < deadline) await pause(200)
    const { replies, webhooks } = await around.stop()
    this.say('everybody has had a turn')
    const settled = performance.now() + (UNKNOWN_MINUTES * 60 + 30) * 1_000
    while (this.countOf(id, 'pending', 'sending') > 0 && performance.now() < settled)
      await pause(200)
    this.sends.pull()
    const rate = rateOf(this.sends.times, this.gaps)
    const { reached, twice, wrong } = this.judge(id, first, count)
    const seconds = this.gaps
      .map(({ fromMs, toMs }) => ((toMs - fromMs) / 1_000).toFixed(1))
      .join(', ')
    return table([
      ['recipients', count],
      ['planned per second', Math.round((count / plannedMs) * 1_000)],
      ['answer after', `${LATENCY_MS} ms`],
      ['limit', LIMIT_PER_S],
      [
        `sent per second in ${(rate.lastedMs / 1_000).toFixed(0)} s`,
        `${rate.perSecond.toFixed(2)} (${rate.least}–${rate.most})`,
      ],
      ['off', `${((rate.perSecond / LIMIT_PER_S - 1) * 100).toFixed(2)} %`],
      ['without a server, s', seconds === '' ? 'never' : seconds],
      ['first message after a start, ms', rate.waits.join(', ')],
      ['reached', reached],
      ['sent twice', twice],
      ['unknown', this.countOf(id, 'unknown')],
      ['neither one send nor unknown', wrong],
      [
        'replies p50, p99 ms',
        `${quantile(replies, 0.5)}, ${quantile(replies, 0.99)} of ${replies.length}`,
      ],
      [
        'webhooks p50, p99 ms',
        `${quantile(webhooks, 0.5).toFixed(1)}, ${quantile(webhooks, 0.99).toFixed(1)} of ${webhooks.length}`,
      ],
      ['state', this.stateOf(id)],
    ])
  }

  /**
   * Holds every recipient against the calls the platform got: who has one and says so, or is
   * unknown, is as it should be.
   */
  private judge(
    id: string,
    first: number,
    count: number,
  ): { reached: number; twice: number; wrong: number } {
    const recipients = this.installation.rows<{ phone_number: string; status: string }>(
      'select phone_number, status from campaign_recipients where campaign_id = ?',
      id,
    )
    const calls = (number: string): number => this.sends.byNumber.get(number) ?? 0
    const isRight = (number: string, status: string): boolean =>
      status === 'unknown'
        ? calls(number) <= 1
        : calls(number) === 1 && ['sent', 'delivered', 'read'].includes(status)
    const numbers = Array.from({ length: count }, (_, nth) => calls(String(first + nth)))
    return {
      reached: numbers.filter((calledTimes) => calledTimes > 0).length,
      twice: numbers.filter((calledTimes) => calledTimes > 1).length,
      wrong:
        count -
        recipients.filter(({ phone_number, status }) => isRight(phone_number, status)).length,
    }
  }

  private say(what: string): void {
    if (process.env['BENCH_LOUD']) console.error(new Date().toISOString(), what)
  }

  private async kill(around: { rest: (isResting: boolean) => void }): Promise<void> {
    around.rest(true)
    const fromMs = Date.now()
    await this.running.server.kill()
    this.gaps.push({ fromMs, toMs: await this.start() })
    around.rest(false)
  }

  /**
   * People who answer and customers who write, until it is stopped; nobody does while the server is
   * down.
   */
  private sideTraffic() {
    const replies: number[] = []
    const webhooks: number[] = []
    let isOver = false
    let isResting = false
    let answeredId = ''
    const every = async (ms: number, work: (nth: number) => Promise<void>): Promise<void> => {
      for (let nth = 0; !isOver; nth += 1) {
        if (!isResting)
          await work(nth).catch((error: unknown) => {
            if (!isResting && !isOver) console.error('side traffic:', error)
          })
        await pause(ms)
      }
    }
    const answering = every(REPLY_EVERY_MS, async (nth) => {
      const text = `Reply ${nth}`
      const from = Date.now()
      const id = this.contactIds[nth % this.contactIds.length] ?? ''
      answeredId = id
      await this.running.client.post(`/api/contacts/${id}/messages`, { type: 'text', text })
      for (let wait = 0; wait < 1_000 && !isResting; wait += 1) {
        const atMs = this.sends.arrivalOf(text)
        if (atMs !== undefined) return void replies.push(atMs - from)
        await pause(5)
      }
      if (!isResting) replies.push(5_000)
    })
    const writing = every(WEBHOOK_EVERY_MS, async (nth) => {
      const person = {
        waId: String(15_550_900_000 + (nth % AGENTS)),
        userId: `US.99${nth % AGENTS}`,
      }
      const from = performance.now()
      await this.simulator.post(
        textMessage(`Text ${nth}`, {
          line: this.line(),
          timestamp: Math.floor(Date.now() / 1_000),
          person,
        }),
      )
      const tookMs = performance.now() - from
      if (!isResting) webhooks.push(tookMs)
      if (tookMs > 50)
        this.say(
          `a webhook took ${tookMs.toFixed(0)} ms, ${Date.now() - (this.gaps.at(-1)?.toMs ?? 0)} ms after the start`,
        )
    })
    return {
      rest: (resting: boolean) => {
        isResting = resting
        // Whether the answer under way arrived is not known for a while, and so long later ones to
        // the same contact wait behind it.
        if (resting) this.contactIds.splice(this.contactIds.indexOf(answeredId), 1)
      },
      stop: async () => {
        isOver = true
        await Promise.all([answering, writing])
        return { replies, webhooks }
      },
    }
  }

  /** How fast messages leave where neither the number nor the platform limits it much. */
  async fastRun(count: number): Promise<string[]> {
    await this.running.server.stop()
    this.write("update accounts set throughput_level = 'HIGH' where id = ?", this.accountId)
    this.write(
      "update campaigns set status = 'cancelled', pause_reason = null where status in ('sending', 'paused')",
    )
    this.slow?.clear()
    await this.start()
    const id = await this.draft(count, 15_553_000_000)
    const before = this.sends.pull()
    await this.startCampaign(id)
    const from = performance.now()
    while (this.countOf(id, 'pending', 'sending') > 0 && performance.now() - from < 120_000)
      await pause(50)
    const tookS = (performance.now() - from) / 1_000
    const sent = this.sends.pull() - before
    return table([
      ['recipients at 1,000 a second', count],
      ['sent per second', Math.round(sent / tookS)],
      ['state', this.stateOf(id)],
    ])
  }

  /** The memory of the server once so many recipients are planned. */
  async million(count: number): Promise<string[]> {
    const id = await this.draft(1, 15_555_000_000)
    const [row] = this.installation.rows<{ organization_id: string }>(
      'select organization_id from campaigns where id = ?',
      id,
    )
    this.write(
      `with recursive nth(n) as (select 1 union all select n + 1 from nth where n < ${count - 1})
       insert into campaign_recipients (organization_id, campaign_id, id, identity, phone_number, words, source, status, created_at_ms, updated_at_ms)
       select ?, ?, unhex(printf('01900000000070009000%012x', n)), 'p:' || (16000000000 + n), '' || (16000000000 + n), '' || (16000000000 + n), 'upload', 'pending', 0, 0 from nth`,
      row?.organization_id ?? '',
      id,
    )
    this.write("update accounts set throughput_level = 'STANDARD' where id = ?", this.accountId)
    const before = rssMibOf(this.running.server.pid)
    await forgetPeak(this.running.server.pid)
    const tookMs = await this.startCampaign(id)
    await pause(5_000)
    const after = rssMibOf(this.running.server.pid)
    await this.running.client.post(`/api/campaigns/${id}/pause`)
    return table([
      ['recipients', count],
      ['planned per second', Math.round((count / tookMs) * 1_000)],
      ['memory before', `${before.toFixed(0)} MiB`],
      ['memory while it sends', `${after.toFixed(0)} MiB`],
      ['most of it meanwhile', `${peakMibOf(this.running.server.pid).toFixed(0)} MiB`],
    ])
  }

  async stop(): Promise<void> {
    await this.server?.stop().catch(() => undefined)
    this.installation.remove()
  }
}

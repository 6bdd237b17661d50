import { Database } from 'bun:sqlite'
import { readFileSync } from 'node:fs'

import { ADMINS, APP_SECRET, Installation, signIn } from '../chaos/installation'
import { textMessage } from '../simulator/payloads'
import { startSimulator, type Simulator } from '../simulator/platform'
import type { Client, Loose } from '../support/client'
import type { ServerProcess } from '../support/process'
import { machineOf, save } from './report'

const LATENCY_MS = 100
const LIMIT_PER_S = 80
const KILLS = 3
/** People who are answered while the campaign runs, and how often; and how often customers write. */
const AGENTS = 20
const REPLY_EVERY_MS = 500
const WEBHOOK_EVERY_MS = 200
/** A second around a kill is no second of sending. */
const AROUND_KILL_MS = 1_500

/** What a run is to be: how many recipients, and whether a million of them are planned for their memory. */
export interface CampaignRun {
  isSaved: boolean
  words: string[]
}

/**
 * Measures a campaign while the platform takes 100 ms for each answer: how close to its number's limit it sends, how long agents' replies and
 * inbound webhooks take meanwhile, and that after three kills nobody got two messages. Then how fast it is planned, how fast it sends where nothing
 * limits it, and, with the word `million`, the memory of a million recipients. The first number is how many recipients, 20,000 unless said.
 */
export async function benchCampaign({ isSaved, words }: CampaignRun): Promise<void> {
  const recipients = Number(words.find((word) => /^\d+$/.test(word)) ?? 20_000)
  await using simulator = await startSimulator({ appSecret: APP_SECRET, phones: [], keep: 1_000_000, statuses: ['sent', 'delivered'] })
  const bench = new Bench(simulator, new Installation({ PLATFORM_BASE_URL: simulator.url, RATE_BULK: '0' }))
  try {
    await bench.prepare()
    const main = await bench.mainRun(recipients)
    const fast = await bench.fastRun(Math.min(recipients, 10_000))
    const million = words.includes('million') ? await bench.million(1_000_000) : null
    const report = [machineOf(bench.installation.folder), '', ...main, '', ...fast, ...(million ? ['', ...million] : [])].join('\n')
    console.log(`\n${report}`)
    if (isSaved) save('campaign', report)
  } finally {
    await bench.stop()
  }
}

const pause = (ms: number): Promise<void> => Bun.sleep(ms)

const quantile = (values: number[], part: number): number => values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0

const toOf = (body: unknown): string => String((body as Loose)['to'])

class Bench {
  private server: ServerProcess | null = null
  private client: Client | null = null
  private accountId = ''
  private templateId = ''
  private readonly contactIds: string[] = []
  private readonly kills: number[] = []
  private slow: { clear: () => void } | null = null

  constructor(
    private readonly simulator: Simulator,
    readonly installation: Installation,
  ) {}

  private get running(): { server: ServerProcess; client: Client } {
    if (!this.server || !this.client) throw new Error('the server does not run')
    return { server: this.server, client: this.client }
  }

  /** Starts the server, or starts it again. */
  private async start(): Promise<void> {
    this.server = await this.installation.start()
    this.server.ignoreOutput()
    this.simulator.setCallback(`${this.server.url}/api/webhook`, APP_SECRET)
    this.client = await signIn(this.server.url, ADMINS[0])
  }

  private write(query: string, ...values: (string | number)[]): void {
    const database = new Database(this.installation.databasePath)
    try {
      database.run('pragma busy_timeout = 5000')
      database.run(query, values)
    } finally {
      database.close()
    }
  }

  async prepare(): Promise<void> {
    const phone = this.simulator.addPhone({ wabaId: '201000000000001', token: 'token-1' })
    await this.start()
    const { client } = this.running
    const account = { name: 'Main', phone_id: phone.id, business_id: phone.wabaId, access_token: phone.token }
    this.accountId = String((await client.post('/api/accounts', account)).data['id'])
    const body = { type: 'BODY', text: 'Hello {{1}}, we have news for you today.', example: { body_text: [['Ann']] } }
    this.simulator.keepTemplate({ name: 'news', language: 'en', category: 'MARKETING', components: [body] })
    await client.post('/api/templates/sync', {})
    this.templateId = String(((await client.get('/api/templates')).data['items'] as Loose[])[0]?.['id'])
    this.write("update accounts set messaging_limit_tier = 'TIER_UNLIMITED' where id = ?", this.accountId)
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
        textMessage('Hi', { line: this.line(), timestamp, person: { waId: String(15_550_900_000 + nth), userId: `US.99${nth}` } }),
      )
    while (this.contactIds.length < AGENTS) {
      await pause(20)
      this.contactIds.splice(0, AGENTS, ...this.installation.rows<{ id: string }>('select id from contacts').map(({ id }) => id))
    }
  }

  private async draft(count: number, first: number): Promise<string> {
    const { client } = this.running
    const body = { name: `For ${count}`, account_id: this.accountId, template_id: this.templateId, default_params: { '1': 'there' } }
    const id = String((await client.post('/api/campaigns', { ...body, error_threshold: 1 })).data['id'])
    for (let from = 0; from < count; from += 10_000) {
      const recipients = Array.from({ length: Math.min(10_000, count - from) }, (_, nth) => ({ phone_number: String(first + from + nth) }))
      const answer = await client.post(`/api/campaigns/${id}/recipients/import`, { recipients })
      if (answer.data['imported'] !== recipients.length) throw new Error(`not all were taken: ${JSON.stringify(answer.body)}`)
    }
    return id
  }

  private async startCampaign(id: string): Promise<number> {
    const from = performance.now()
    const answer = await this.running.client.post(`/api/campaigns/${id}/start`, {})
    if (answer.status !== 200) throw new Error(`the start was answered ${answer.status}`)
    while (this.installation.rows('select 1 from campaigns where id = ? and is_planned = 1', id).length === 0) await pause(2)
    return performance.now() - from
  }

  private stateOf(id: string): string {
    return this.installation.rows<{ status: string }>('select status from campaigns where id = ?', id)[0]?.status ?? ''
  }

  private countOf(id: string, status: string): number {
    return (
      this.installation.rows<{ n: number }>(
        'select count(*) as n from campaign_recipients where campaign_id = ? and status = ?',
        id,
        status,
      )[0]?.n ?? 0
    )
  }

  /** The campaign at the number's own speed, with people and customers in between, killed on the way. */
  async mainRun(count: number): Promise<string[]> {
    const first = 15_551_000_000
    const id = await this.draft(count, first)
    this.slow = this.simulator.slow(LATENCY_MS, { times: Infinity })
    this.say('drafted')
    const plannedMs = await this.startCampaign(id)
    this.say('planned')
    const around = this.sideTraffic()
    const isOfCampaign = (body: unknown): boolean => Number(toOf(body)) >= first && Number(toOf(body)) < first + count
    const calls = () => this.simulator.callsOf({ route: 'messages' }).filter(({ body }) => isOfCampaign(body))
    for (let kill = 1; kill <= KILLS; kill += 1) {
      while (calls().length < (count * kill) / (KILLS + 1)) await pause(50)
      this.say(
        `kill ${kill}: ${JSON.stringify(this.installation.rows('select status, count(*) as n from campaign_recipients group by 1'))}`,
      )
      await this.kill(around)
      this.say('again')
    }
    const deadline = performance.now() + (count / LIMIT_PER_S) * 2_000 + 60_000
    while (this.countOf(id, 'pending') > 0 && performance.now() < deadline) await pause(200)
    await pause(3_000)
    const measured = await around.stop()
    const all = calls()
    const byNumber = Map.groupBy(all, ({ body }) => toOf(body))
    const twice = [...byNumber.values()].filter(({ length }) => length > 1).length
    const sending = this.countOf(id, 'sending')
    return [
      `| recipients | planned per second | answer after | limit | sent per second between kills | off | kills | reached | sent twice | without an answer | replies p99 ms | webhooks p99 ms |`,
      `| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |`,
      `| ${count} | ${Math.round((count / plannedMs) * 1_000)} | ${LATENCY_MS} ms | ${LIMIT_PER_S} | ${this.rateBetweenKills(measured.calls)} | ${KILLS} | ${byNumber.size} | ${twice} | ${sending + this.countOf(id, 'unknown')} | ${quantile(measured.replies, 0.99).toFixed(0)} of ${measured.replies.length} | ${quantile(measured.webhooks, 0.99).toFixed(1)} of ${measured.webhooks.length} |`,
    ]
  }

  /** Messages a second of all that left, over whole seconds that no kill and neither end touches. */
  private rateBetweenKills(times: number[]): string {
    const sorted = times.toSorted((a, b) => a - b)
    const [from, to] = [(sorted[0] ?? 0) + 2_000, (sorted.at(-1) ?? 0) - 2_000]
    const bySecond = new Map<number, number>()
    for (let at = from; at + 1_000 < to; at += 1_000)
      if (!this.kills.some((kill) => at + 1_000 > kill - AROUND_KILL_MS && at < kill + 3 * AROUND_KILL_MS))
        bySecond.set(at, sorted.filter((time) => time >= at && time < at + 1_000).length)
    const counts = [...bySecond.values()]
    const mean = counts.reduce((sum, each) => sum + each, 0) / Math.max(1, counts.length)
    return `${mean.toFixed(2)} (${Math.min(...counts)}–${Math.max(...counts)}) | ${((mean / LIMIT_PER_S - 1) * 100).toFixed(2)} %`
  }

  private say(what: string): void {
    if (process.env['BENCH_LOUD']) console.error(new Date().toISOString(), what)
  }

  private async kill(around: { rest: (isResting: boolean) => void }): Promise<void> {
    around.rest(true)
    this.kills.push(Date.now())
    await this.running.server.kill()
    await this.start()
    this.kills.push(Date.now())
    around.rest(false)
  }

  /** People who answer and customers who write, until it is stopped; nobody does while the server is down. */
  private sideTraffic() {
    const replies: number[] = []
    const webhooks: number[] = []
    let isOver = false
    let isResting = false
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
      await this.running.client.post(`/api/contacts/${this.contactIds[nth % AGENTS]}/messages`, { type: 'text', text })
      const isThis = ({ body }: { body: unknown }): boolean => ((body as Loose)['text'] as Loose | undefined)?.['body'] === text
      for (let wait = 0; wait < 500 && !isResting; wait += 1) {
        const call = this.simulator.callsOf({ route: 'messages' }).slice(-400).find(isThis)
        if (call) return void replies.push(call.at - from)
        await pause(10)
      }
      if (!isResting) replies.push(5_000)
    })
    const writing = every(WEBHOOK_EVERY_MS, async (nth) => {
      const person = { waId: String(15_550_900_000 + (nth % AGENTS)), userId: `US.99${nth % AGENTS}` }
      const from = performance.now()
      await this.simulator.post(textMessage(`Text ${nth}`, { line: this.line(), timestamp: Math.floor(Date.now() / 1_000), person }))
      if (!isResting) webhooks.push(performance.now() - from)
    })
    return {
      rest: (resting: boolean) => void (isResting = resting),
      stop: async () => {
        isOver = true
        await Promise.all([answering, writing])
        return { replies, webhooks, calls: this.simulator.callsOf({ route: 'messages' }).map(({ at }) => at) }
      },
    }
  }

  /** How fast messages leave where neither the number nor the platform limits it much. */
  async fastRun(count: number): Promise<string[]> {
    await this.running.server.stop()
    this.write("update accounts set throughput_level = 'HIGH' where id = ?", this.accountId)
    this.write("update campaigns set status = 'cancelled', pause_reason = null where status in ('sending', 'paused')")
    this.slow?.clear()
    await this.start()
    const first = 15_553_000_000
    const id = await this.draft(count, first)
    const before = this.simulator.messages.length
    await this.startCampaign(id)
    const from = performance.now()
    while (this.countOf(id, 'pending') + this.countOf(id, 'sending') > 0 && performance.now() - from < 120_000) await pause(50)
    const tookS = (performance.now() - from) / 1_000
    const sent = this.simulator.messages.length - before
    return [
      `| recipients at 1,000 a second | sent per second | state |`,
      `| --- | --- | --- |`,
      `| ${count} | ${Math.round(sent / tookS)} | ${this.stateOf(id)} |`,
    ]
  }

  /** The memory of the server once so many recipients are planned. */
  async million(count: number): Promise<string[]> {
    const id = await this.draft(1, 15_555_000_000)
    const [row] = this.installation.rows<{ organization_id: string }>('select organization_id from campaigns where id = ?', id)
    this.write(
      `with recursive nth(n) as (select 1 union all select n + 1 from nth where n < ${count - 1})
       insert into campaign_recipients (organization_id, campaign_id, id, identity, phone_number, words, source, status, created_at_ms, updated_at_ms)
       select ?, ?, printf('01900000-0000-7000-9000-%012x', n), 'p:' || (16000000000 + n), '' || (16000000000 + n), '' || (16000000000 + n), 'upload', 'pending', 0, 0 from nth`,
      row?.organization_id ?? '',
      id,
    )
    this.write("update accounts set throughput_level = 'STANDARD' where id = ?", this.accountId)
    const before = rssMibOf(this.running.server.pid)
    const tookMs = await this.startCampaign(id)
    await pause(5_000)
    const after = rssMibOf(this.running.server.pid)
    await this.running.client.post(`/api/campaigns/${id}/pause`)
    return [
      `| recipients | planned per second | memory before | memory while it sends |`,
      `| --- | --- | --- | --- |`,
      `| ${count} | ${Math.round((count / tookMs) * 1_000)} | ${before.toFixed(0)} MiB | ${after.toFixed(0)} MiB |`,
    ]
  }

  async stop(): Promise<void> {
    await this.server?.stop().catch(() => undefined)
    this.installation.remove()
  }
}

const rssMibOf = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024

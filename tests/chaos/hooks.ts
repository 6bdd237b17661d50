import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { MINUTE_MS } from '../../src/lib/clock'
import { pick, seededRandom } from '../../src/simulator/random'
import { startSimulator, type Simulator } from '../../src/simulator/platform'
import { Client } from '../support/client'
import { freePort } from '../support/ports'
import { ServerProcess } from '../support/process'
import { BEHAVIORS, type Endpoint, type Seen } from './hooks-story'
import { findHookFaults } from './hooks-verdict'
import { ADMINS, APP_SECRET, Installation, signIn, SKEWED, type Reading } from './installation'
import { unfinishedJobs } from './restless'
import { answerTo, CUSTOMER_PREFIX, Traffic, type Posting } from './traffic'

/** What a round of outbound webhooks under kills came to. */
export interface HooksReport {
  seed: number
  kills: number
  killsWhileStarting: number
  posted: number
  sent: number
  deliveries: number
  requests: number
  /** Requests beyond the first of their delivery. */
  again: number
  tookS: number
  /** What was wrong, one sentence each; empty when all is well. */
  faults: string[]
}

const POSTERS = 4
/** Webhooks of the platform in a life of the server, and how long it lasts at most. */
const MOST_IN_A_LIFE = 16
const MAX_OF_A_LIFE_MS = 1_500
const MAX_OF_A_START_MS = 1_500
const SETTLE_DEADLINE_MS = 300_000
/** Steps of the clock while deliveries wait for their next try: each wait of five minutes ends. */
const STEP_MS = 6 * MINUTE_MS
const NOTICES_WITHIN_MS = 2_000
const EXPECTED = /system clock moved back|processing is more than ten minutes behind/

/**
 * Kills the server `kills` times at moments decided by `seed` while messages arrive and go out, and
 * events go to endpoints of two organizations that answer, fail, hang, redirect, close in the
 * middle or are down. Then lets everything be delivered, with a clock that is moved on, and
 * compares the event log to the requests that the endpoints saw.
 */
export async function runHooks(options: { seed: number; kills: number }): Promise<HooksReport> {
  const round = new HooksRound(options.seed)
  try {
    await round.prepare()
    return await round.run(options.kills)
  } finally {
    await round.end()
  }
}

class HooksRound {
  private readonly startedMs = performance.now()
  private readonly random: () => number
  private readonly faults: string[] = []
  private readonly complaints: string[] = []
  private readonly endpoints: Endpoint[] = []
  private readonly refused: Posting[] = []
  private clients: Client[] = []
  private receiver: Bun.Subprocess<'ignore', 'pipe', 'inherit'> | null = null
  private receiverUrl = ''
  private simulator: Simulator | null = null
  private installation: Installation | null = null
  private traffic: Traffic | null = null
  private server: ServerProcess | null = null
  private budget = 0
  private inFlight = 0
  private posted = 0
  private sent = 0
  private offByMs = 0
  private isSettling = false
  private isOver = false

  constructor(private readonly seed: number) {
    this.random = seededRandom(seed)
  }

  async prepare(): Promise<void> {
    await this.startReceiver()
    const simulator = await startSimulator({
      appSecret: APP_SECRET,
      phones: [],
      keep: 100_000,
      enforceWindow: false,
      seed: this.seed,
      retryDelaysMs: Array.from({ length: 600 }, () => 500),
    })
    this.simulator = simulator
    const phones = [1, 2].map((nth) =>
      simulator.addPhone({ wabaId: `20100000000000${nth}`, token: `token-${nth}` }),
    )
    const installation = new Installation(
      {
        PLATFORM_BASE_URL: simulator.url,
        PORT: String(await freePort()),
        EGRESS_ALLOW: new URL(this.receiverUrl).host,
      },
      SKEWED,
    )
    this.installation = installation
    await (await installation.start()).stop()
    await installation.addSecondOrganization()
    this.server = await installation.start()
    simulator.setCallback(`${this.server.url}/api/webhook`, APP_SECRET)
    for (const [nth, email] of ADMINS.entries()) {
      const client = await signIn(this.server.url, email)
      this.clients.push(client)
      const phone = phones[nth] ?? simulator.phone
      await client.post('/api/accounts', {
        name: 'Main',
        phone_id: phone.id,
        business_id: phone.wabaId,
        access_token: phone.token,
      })
      await this.addEndpoints(client, String(nth))
    }
    const lines = phones.map(({ id, wabaId, displayPhoneNumber }) => ({
      wabaId,
      phoneNumberId: id,
      displayPhoneNumber: displayPhoneNumber.replaceAll(/\D/g, ''),
    }))
    this.traffic = new Traffic(this.random, lines, APP_SECRET)
  }

  private async startReceiver(): Promise<void> {
    const child = Bun.spawn([process.execPath, join(import.meta.dir, 'hooks-receiver.ts')], {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'inherit',
    })
    this.receiver = child
    const { value } = await child.stdout.getReader().read()
    this.receiverUrl = `http://127.0.0.1:${new TextDecoder().decode(value).trim()}`
  }

  private async addEndpoints(client: Client, organization: string): Promise<void> {
    for (const behavior of BEHAVIORS) {
      const answer = await client.post('/api/webhooks', {
        name: behavior,
        url: `${this.receiverUrl}/${organization}/${behavior}`,
        events: behavior === 'contacts' ? ['contact.*'] : ['*'],
        ordering: behavior === 'ordered' ? 'per_contact' : 'none',
        concurrency: 32,
      })
      if (answer.status !== 201) throw new Error(`endpoint refused: ${answer.body.message}`)
      const { id, secret } = answer.data as { id: string; secret: string }
      this.endpoints.push({ id, secret, organization, behavior })
    }
  }

  private parts() {
    const { installation, simulator, traffic } = this
    if (!installation || !simulator || !traffic) throw new Error('the round was not prepared')
    return { installation, simulator, traffic }
  }

  async run(kills: number): Promise<HooksReport> {
    const { installation } = this.parts()
    const work = Promise.all([...Array.from({ length: POSTERS }, () => this.post()), this.send()])
    let killsWhileStarting = 0
    for (let nth = 0; nth < kills; nth += 1) if (await this.live()) killsWhileStarting += 1
    await this.settle()
    this.isOver = true
    await work
    const seen = (await (await fetch(`${this.receiverUrl}/story`)).json()) as Seen[]
    const exitCode = await this.server?.stop()
    if (exitCode !== 0) this.faults.push(`the server ended with ${exitCode}`)
    if (this.server) this.keepComplaints(this.server)
    this.faults.push(
      ...this.complaints.filter((line) => !EXPECTED.test(line)).slice(0, 10),
      ...findHookFaults({ installation, endpoints: this.endpoints, seen }),
    )
    const [count] = installation.rows<{ n: number }>('select count(*) n from webhook_deliveries')
    return {
      seed: this.seed,
      kills,
      killsWhileStarting,
      posted: this.posted,
      sent: this.sent,
      deliveries: count?.n ?? 0,
      requests: seen.length,
      again: seen.length - new Set(seen.map(({ id }) => id)).size,
      tookS: (performance.now() - this.startedMs) / 1_000,
      faults: this.faults,
    }
  }

  /** One life of the server. Returns whether it was killed before it listened. */
  private async live(): Promise<boolean> {
    const server = this.server ?? ServerProcess.spawn(this.parts().installation.options)
    if (this.server === null && this.random() < 0.15) {
      await Bun.sleep(this.random() * MAX_OF_A_START_MS)
      await this.kill(server)
      return true
    }
    await server.listening()
    this.server = server
    this.budget = 1 + Math.floor(this.random() * MOST_IN_A_LIFE)
    await Bun.sleep(this.random() * MAX_OF_A_LIFE_MS)
    await this.kill(server)
    return false
  }

  private async kill(server: ServerProcess): Promise<void> {
    this.server = null
    await server.kill()
    this.keepComplaints(server)
  }

  private keepComplaints(server: ServerProcess): void {
    this.complaints.push(...server.complaints(), ...(server.errors === '' ? [] : [server.errors]))
  }

  /** Posts customers' messages; one that was not acknowledged is posted again. */
  private async post(): Promise<void> {
    while (!this.isOver) {
      const url = this.server?.url
      const posting = url === undefined ? null : this.nextPosting()
      if (url === undefined || posting === null) {
        await Bun.sleep(5)
        continue
      }
      this.inFlight += 1
      if ((await answerTo(url, posting)) === 200) this.posted += 1
      else this.refused.push(posting)
      this.inFlight -= 1
    }
  }

  private nextPosting(): Posting | null {
    const again = this.refused.shift()
    if (again) return again
    if (this.budget <= 0) return null
    this.budget -= 1
    return this.parts().traffic.next()
  }

  /** Answers customers now and then, so that statuses are told as well. */
  private async send(): Promise<void> {
    while (!this.isOver) {
      await Bun.sleep(100)
      const client = pick(this.random, this.clients)
      if (!this.server || !client || this.isSettling) continue
      const { headers } = client
      if (await isSent(new Client(this.server.url, headers), this.random)) this.sent += 1
    }
  }

  /**
   * Starts the server for the last time, ends the outage, and moves the clock on until no delivery
   * waits any more.
   */
  private async settle(): Promise<void> {
    const { installation, simulator } = this.parts()
    this.isSettling = true
    this.server = await installation.start()
    await fetch(`${this.receiverUrl}/mend`, { method: 'POST' })
    const deadlineMs = performance.now() + SETTLE_DEADLINE_MS
    using reading = installation.reading()
    const count = (query: string): number => reading.rows<{ n: number }>(query)[0]?.n ?? 0
    const isBusy = (): boolean =>
      this.refused.length + this.inFlight + this.budget > 0 ||
      unfinishedJobs(reading).some(
        ({ kind, state }) => kind !== 'webhook.deliver' && state !== 'retryable',
      ) ||
      count(UNREAD) > 0
    for (;;) {
      await simulator.idle({ deadlineMs: SETTLE_DEADLINE_MS })
      const open = count(OPEN)
      if (open === 0 && count(UNSETTLED) === 0 && !isBusy()) return
      if (performance.now() > deadlineMs) {
        this.faults.push(`work did not end: ${open} deliveries are open`)
        return
      }
      await Bun.sleep(200)
      if (!isBusy() && runningDeliveries(reading) === 0) await this.moveClock()
    }
  }

  /** Timers of the server go on as before, so it gets a moment to notice. */
  private async moveClock(): Promise<void> {
    this.offByMs += STEP_MS
    writeFileSync(this.parts().installation.skewFile, String(this.offByMs))
    this.server?.signal('SIGUSR2')
    await Bun.sleep(NOTICES_WITHIN_MS)
  }

  async end(): Promise<void> {
    this.isOver = true
    if (this.server?.isRunning) await this.server.kill()
    this.receiver?.kill()
    await this.simulator?.stop()
    this.installation?.remove()
  }
}

/** Deliveries that have not ended, messages nobody knows the outcome of, events that were not read. */
const OPEN = `select count(*) n from webhook_deliveries where state in ('pending', 'sending')`
const UNSETTLED = `select count(*) n from messages where stage in ('queued', 'sending', 'ambiguous')`
const UNREAD =
  'select coalesce(max(position), 0) - (select position from webhook_reader) n from events'

/**
 * Deliveries that run or may run now: neither those that wait for their next try nor those of an
 * endpoint that is down.
 */
function runningDeliveries(reading: Reading): number {
  const down = new Set(
    reading
      .rows<{ id: string }>('select id from webhook_endpoints where next_probe_at_ms is not null')
      .map(({ id }) => id),
  )
  return reading
    .rows<{ key: string; state: string }>(
      `select gate_key as key, state from jobs where kind = 'webhook.deliver' and is_blocked = 0 and state in ('available', 'executing')`,
    )
    .filter(({ key, state }) => state === 'executing' || !down.has(key)).length
}

/** Sends a text to some customer. Returns whether it was taken. */
async function isSent(client: Client, random: () => number): Promise<boolean> {
  try {
    const { data } = await client.get(`/api/contacts?limit=50&search=${CUSTOMER_PREFIX}`)
    const contact = pick(random, data['items'] as { id: string }[])
    if (!contact) return false
    const path = `/api/contacts/${contact.id}/messages`
    return (await client.post(path, { type: 'text', text: 'Thank you.' })).status === 201
  } catch {
    return false
  }
}

import { readFileSync, readdirSync, statSync } from 'node:fs'
import { loadavg } from 'node:os'

import { measureLoopLag } from '../../src/infra/metrics/event-loop-lag'
import { fillInbox } from '../bench/inbox-rows'
import { Listener } from '../chaos/listener'
import { ADMINS, APP_SECRET, Installation, signIn } from '../chaos/installation'
import { CUSTOMER_PREFIX, Traffic } from '../chaos/traffic'
import { seededRandom } from '../../src/simulator/random'
import { startSimulator } from '../../src/simulator/platform'
import type { Client } from '../support/client'
import type { ServerProcess } from '../support/process'
import type { Sample } from './verdict'

/** What a soak came to. */
export interface Story {
  samples: Sample[]
  webhooks: number
  sends: number
  reads: number
  frames: number
  /** Answers that should not have come and lines the log should not have, one sentence each. */
  faults: string[]
}

/** How much of everything is done each second. */
const PER_SECOND = { webhooks: 30, sends: 4, reads: 6 } as const
const SOCKETS = 6
const SAMPLE_S = 3
const METRICS_TOKEN = 'the-metrics-token-of-the-soak'
const READS = [
  '/api/contacts?limit=50',
  '/api/conversations?limit=50',
  '/api/jobs?limit=20',
  '/api/inbound/events?limit=20',
  '/api/me',
]
const FAULTS_KEPT = 10

/**
 * Keeps an installation under load for so many minutes; `tell` hears of each minute. It has a
 * million messages when that begins: in one that begins with none everything would grow with the
 * rows, trees of indices and pages of the file that are looked at, and nobody could tell that from
 * what is lost.
 */
export async function runSoak(minutes: number, tell: (line: string) => void): Promise<Story> {
  await using simulator = await startSimulator({
    appSecret: APP_SECRET,
    phones: [],
    keep: 500,
    seed: 1,
    enforceWindow: false,
  })
  const phone = simulator.addPhone({ wabaId: '201000000000001', token: 'token-1' })
  const installation = new Installation({
    PLATFORM_BASE_URL: simulator.url,
    METRICS_TOKEN,
    DB_CACHE_MIB: '16',
  })
  const story: Story = { samples: [], webhooks: 0, sends: 0, reads: 0, frames: 0, faults: [] }
  try {
    await (await installation.start()).stop()
    fillInbox(installation.databasePath)
    const server = await installation.start()
    simulator.setCallback(`${server.url}/api/webhook`, APP_SECRET)
    const client = (await signIn(server.url, ADMINS[0])).with({ connection: 'close' })
    const account = {
      name: 'Main',
      phone_id: phone.id,
      business_id: phone.wabaId,
      access_token: phone.token,
    }
    await client.post('/api/accounts', account)
    const listeners = Array.from({ length: SOCKETS }, () => new Listener(client.token))
    for (const listener of listeners) listener.follow(server.url)
    const line = {
      wabaId: phone.wabaId,
      phoneNumberId: phone.id,
      displayPhoneNumber: phone.displayPhoneNumber.replaceAll(/\D/g, ''),
    }
    const load = new Load(server, client, new Traffic(seededRandom(1), [line], APP_SECRET), story)
    const ownLag = measureLoopLag()
    await load.keepUp(minutes * 60, async (atS) => {
      story.samples.push({
        ...(await sampleOf(server, installation, atS)),
        ownLagMs: ownLag.take('metrics') * 1_000,
      })
      if (atS % 60 < SAMPLE_S) tell(lineOf(story.samples.at(-1)))
      for (const listener of listeners) story.frames += listener.forget()
    })
    ownLag.stop()
    for (const listener of listeners) listener.close()
    const code = await server.stop()
    if (code !== 0) story.faults.push(`the server ended with ${code}`)
    story.faults.push(...server.complaints().slice(0, FAULTS_KEPT))
    return story
  } finally {
    installation.remove()
  }
}

const lineOf = (sample: Sample | undefined): string =>
  sample
    ? `${String(Math.round(sample.atS)).padStart(5)} s  memory ${sample.memoryMib.toFixed(0)} MiB (RSS ${sample.rssMib.toFixed(0)}), WAL ${sample.walMib.toFixed(1)} MiB, ${sample.files} files, loop ${sample.lagMs.toFixed(0)} ms (ours ${sample.ownLagMs.toFixed(0)} ms), machine's load ${(loadavg()[0] ?? 0).toFixed(1)}`
    : ''

/** A load that is the same in every second. */
class Load {
  constructor(
    private readonly server: ServerProcess,
    private readonly client: Client,
    private readonly traffic: Traffic,
    private readonly story: Story,
  ) {}

  /** Goes on for so long and takes a sample every three seconds. */
  async keepUp(seconds: number, sample: (atS: number) => Promise<void>): Promise<void> {
    const startMs = performance.now()
    const at = (): number => (performance.now() - startMs) / 1_000
    const under = new Set<Promise<void>>()
    const done = { webhooks: 0, sends: 0, reads: 0 }
    let sampledS = 0
    while (at() < seconds) {
      for (const kind of ['webhooks', 'sends', 'reads'] as const)
        for (; done[kind] < at() * PER_SECOND[kind]; done[kind] += 1) {
          const work = this.begin(kind, done[kind]).catch((error: unknown) =>
            this.wrong(`${kind}: ${String(error)}`),
          )
          under.add(work)
          work.then(
            () => under.delete(work),
            (error: unknown) => this.wrong(String(error)),
          )
        }
      if (at() - sampledS >= SAMPLE_S) {
        sampledS = at()
        await sample(sampledS)
      }
      await Bun.sleep(10)
    }
    await Promise.all(under)
  }

  private begin(kind: keyof typeof PER_SECOND, nth: number): Promise<void> {
    if (kind === 'webhooks') return this.post()
    return kind === 'sends' ? this.send(nth) : this.read(nth)
  }

  private async post(): Promise<void> {
    const { body, signature } = this.traffic.next()
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature }
    // Each on a line of its own: how many lines a client keeps open would say more of the client
    // than of the server.
    const { status } = await fetch(`${this.server.url}/api/webhook`, {
      method: 'POST',
      headers,
      body,
      keepalive: false,
    })
    this.story.webhooks += 1
    if (status !== 200) this.wrong(`a webhook was answered ${status}`)
  }

  private contacts: string[] = []

  private async send(nth: number): Promise<void> {
    if (this.contacts.length < 20) {
      const { data } = await this.client.get(`/api/contacts?limit=50&search=${CUSTOMER_PREFIX}`)
      this.contacts = (data['items'] as { id: string }[]).map(({ id }) => id)
    }
    const id = this.contacts[nth % Math.max(1, this.contacts.length)]
    if (id === undefined) return
    const { status } = await this.client.post(`/api/contacts/${id}/messages`, {
      type: 'text',
      text: 'Thank you.',
    })
    this.story.sends += 1
    if (status !== 201) this.wrong(`a message was answered ${status}`)
  }

  private async read(nth: number): Promise<void> {
    const { status } = await this.client.get(READS[nth % READS.length] ?? '/api/me')
    this.story.reads += 1
    if (status !== 200) this.wrong(`a list was answered ${status}`)
  }

  private wrong(what: string): void {
    if (this.story.faults.length < FAULTS_KEPT) this.story.faults.push(what)
  }
}

async function sampleOf(
  server: ServerProcess,
  installation: Installation,
  atS: number,
): Promise<Omit<Sample, 'ownLagMs'>> {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  const mibOf = (name: string): number =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1_024
  const metrics = await (
    await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  ).text()
  return {
    atS,
    memoryMib: mibOf('RssAnon'),
    rssMib: mibOf('VmRSS'),
    walMib:
      (statSync(`${installation.databasePath}-wal`, { throwIfNoEntry: false })?.size ?? 0) /
      1_048_576,
    files: readdirSync(`/proc/${server.pid}/fd`).length,
    lagMs:
      Number(/^switchboard_event_loop_lag_seconds (\S+)/m.exec(metrics)?.[1] ?? Number.NaN) * 1_000,
  }
}

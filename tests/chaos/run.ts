import { pick, seededRandom } from '../../src/simulator/random'
import { startSimulator, type Simulator } from '../../src/simulator/platform'
import { Client } from '../support/client'
import { ServerProcess } from '../support/process'
import { Campaigns, openCampaigns } from './campaigns'
import { ADMINS, APP_SECRET, Installation, METRICS_TOKEN, signIn } from './installation'
import { Listener } from './listener'
import { answerTo, CUSTOMER_PREFIX, Traffic, type Posting } from './traffic'
import type { Options, Report } from './options'
import type { Scene, Trouble } from './troubles'
import { restlessJobs, unfinishedJobs } from './restless'
import { findFaults, headsOf, newStory, type Story } from './verdict'

/** So long the simulated platform takes for an answer, milliseconds. */
const USUAL_MS = 80
const POSTERS = 8
/** Webhooks that are made up in a life of the server, and each second while a trouble lasts. */
const MAX_IN_A_LIFE = 500
const EACH_SECOND = 60
const SENDERS = 3
/** Messages of ours whose call to the platform a kill interrupted, but for campaigns. */
const UNDER_WAY =
  "select id from messages where stage = 'sending' and source <> 'campaign' and direction = 'outgoing'"
const MAX_OF_A_LIFE_MS = 1_200
const SETTLE_DEADLINE_MS = 40_000

/** Webhooks that are posted at once at most while a trouble lasts. */
const MAX_AT_ONCE = 20

/** Webhooks that must be accepted after a trouble, before the next one. */
const ACCEPTED_AFTER = 20

/**
 * Kills the real server `kills` times at moments decided by `seed` while webhooks pour in and
 * messages go out, lets it settle, stops it and looks at what it holds.
 */
export async function runChaos(options: Options): Promise<Report> {
  const round = new Round(options)
  try {
    return await round.run()
  } finally {
    await round.end()
  }
}

class Round {
  private readonly startedMs = performance.now()
  private readonly random: () => number
  private readonly story: Story
  private readonly listeners: Listener[] = []
  private tokens: Client[] = []
  private installation: Installation | null = null
  private simulator: Simulator | null = null
  private server: ServerProcess | null = null
  private traffic: Traffic | null = null

  /** Webhooks to be posted again. */
  private readonly refused: Posting[] = []
  /** The server the sockets follow. */
  private following: ServerProcess | null = null
  private slowness: { clear: () => void } | null = null
  private statusesTaken = 0
  private isTurnOfStatus = false
  /** Webhooks still to be invented in the present life of the server. */
  private budget = 0
  private acknowledgedInLife = 0
  private inFlight = 0
  private isOver = false
  private isSending = true
  private readonly campaigns: Campaigns

  private readonly seed: number
  private readonly load: number

  constructor(private readonly options: Options) {
    this.seed = options.seed
    this.load = options.load ?? 1
    this.random = seededRandom(this.seed)
    const troubles = options.troubles ?? []
    const expected = troubles.flatMap(({ complaints }) => complaints ?? [])
    const unsure = troubles.reduce((sum, trouble) => sum + (trouble.unsure ?? 0), 0)
    this.story = newStory({ seed: this.seed, expected, unsure })
    this.campaigns = new Campaigns({
      server: () => this.server,
      isSending: () => this.isSending,
      isOver: () => this.isOver,
      random: this.random,
      load: this.load,
      wrong: (what) => void this.story.unexpected.push(what),
    })
  }

  async run(): Promise<Report> {
    const { kills, troubles = [] } = this.options
    await this.prepare()
    const work = [
      ...this.times(POSTERS, () => this.post()),
      ...this.times(SENDERS, () => this.send()),
      ...ADMINS.map((_, nth) => this.campaigns.run(nth)),
    ]
    const all = Promise.all(work)
    let killsWhileStarting = 0
    while (this.story.kills < kills) {
      if (await this.live()) killsWhileStarting += 1
      this.story.kills += 1
    }
    for (const trouble of troubles) await this.endure(trouble)
    await this.settle()
    this.isOver = true
    await all
    await this.stop()
    this.story.campaigns = this.campaigns.started
    const faults = findFaults(this.story, this.parts())
    return {
      seed: this.seed,
      kills,
      killsWhileStarting,
      acknowledged: this.story.bodies.size,
      reposted: this.story.reposted,
      messages: this.parts().expected.texts.size,
      sends: this.story.sendsAnswered.length,
      campaigns: this.campaigns.started.length,
      framesHeard: this.listeners.reduce((sum, listener) => sum + listener.seqs.length, 0),
      tookS: (performance.now() - this.startedMs) / 1_000,
      faults,
    }
  }

  private times<T>(count: number, make: () => T): T[] {
    return Array.from({ length: count }, make)
  }

  private parts() {
    const { installation, simulator, traffic } = this
    if (!installation || !simulator || !traffic) throw new Error('the round was not prepared')
    return {
      installation,
      simulator,
      expected: traffic.expected,
      traffic,
      listeners: this.listeners,
    }
  }

  /**
   * Two organizations, each with an admin and a connected number, on a server that is stopped
   * again.
   */
  private async prepare(): Promise<void> {
    // Customers write through the posters of this round, so the platform does not see whose windows
    // are open.
    const options = { appSecret: APP_SECRET, phones: [], keep: 1_000_000, enforceWindow: false }
    const simulator = await startSimulator({ ...options, seed: this.seed })
    this.simulator = simulator
    // Its statuses are posted by the posters of this round, like everything else.
    simulator.setCallback('http://127.0.0.1:9/api/webhook', APP_SECRET)
    simulator.hold()
    const phones = [1, 2].map((nth) =>
      simulator.addPhone({ wabaId: `20100000000000${nth}`, token: `token-${nth}` }),
    )
    const installation = new Installation(
      { PLATFORM_BASE_URL: simulator.url, REALTIME_LOG_HOURS: '72', RATE_BULK: '0' },
      this.options.command,
      this.options.within,
    )
    this.installation = installation
    const first = await installation.start()
    await first.stop()
    await installation.addSecondOrganization()
    this.server = await installation.start()
    for (const [index, email] of ADMINS.entries()) {
      const client = await signIn(this.server.url, email)
      const phone = phones[index] ?? simulator.phone
      const account = {
        name: 'Main',
        phone_id: phone.id,
        business_id: phone.wabaId,
        access_token: phone.token,
      }
      const { data } = await client.post('/api/accounts', account)
      await this.campaigns.prepare(simulator, client, phone, String(data['id']))
      this.tokens.push(client)
      this.listeners.push(new Listener(client.token))
    }
    this.slowness = simulator.slow(USUAL_MS, { times: Infinity })
    const lines = phones.map(({ id, wabaId, displayPhoneNumber }) => ({
      wabaId,
      phoneNumberId: id,
      displayPhoneNumber: displayPhoneNumber.replaceAll(/\D/g, ''),
    }))
    this.traffic = new Traffic(this.random, lines, APP_SECRET)
  }

  /**
   * One life of the server, from its start to its end at some moment. Returns whether it ended
   * before it listened.
   */
  private async live(): Promise<boolean> {
    const { installation } = this.parts()
    const running = this.server
    const server = running ?? ServerProcess.spawn(installation.options)
    this.server = null
    if (this.random() < 0.2 && !running) {
      await Bun.sleep(this.random() * 250)
      await this.kill(server)
      return true
    }
    await server.listening()
    this.begin(server, 20 + Math.floor(this.random() * MAX_IN_A_LIFE * this.load))
    const until = 1 + Math.floor(this.random() * this.budget)
    const endMs = performance.now() + MAX_OF_A_LIFE_MS
    while (this.acknowledgedInLife < until && performance.now() < endMs) await Bun.sleep(1)
    await this.atLeast()
    await Bun.sleep(this.random() * 60)
    await this.kill(server)
    return false
  }

  /** Goes on until what must have been acknowledged is, however slow this machine is. */
  private async atLeast(): Promise<void> {
    const { webhooks, sends } = this.options.least ?? { webhooks: 0, sends: 0 }
    const { bodies, sendsAnswered } = this.story
    const deadlineMs = performance.now() + SETTLE_DEADLINE_MS
    while (
      (bodies.size < webhooks || sendsAnswered.length < sends) &&
      performance.now() < deadlineMs
    ) {
      this.budget = Math.max(this.budget, POSTERS)
      await Bun.sleep(1)
    }
  }

  /**
   * Lets something bad happen to a server that goes on living; it must take new work afterwards.
   */
  private async endure(trouble: Trouble): Promise<void> {
    const { installation, simulator } = this.parts()
    const server = this.server ?? (await installation.start())
    if (this.following !== server) this.begin(server, 0)
    this.budget = 0
    const pump = setInterval(
      () => (this.budget = Math.min(MAX_AT_ONCE, this.budget + 1)),
      1_000 / (EACH_SECOND * this.load),
    )
    const scene: Scene = {
      server,
      simulator,
      installation,
      tokens: this.tokens.map(({ token }) => token),
      refused: () => this.story.reposted,
      hang: (ms, times) => {
        this.slowness?.clear()
        simulator.slow(ms, { times })
        this.slowness = simulator.slow(USUAL_MS, { times: Infinity })
      },
      withoutSends: async () => {
        this.isSending = false
        const deadlineMs = performance.now() + SETTLE_DEADLINE_MS
        using reading = installation.reading()
        const isUnderWay = (): boolean =>
          this.campaigns.isBusy ||
          openCampaigns(reading) > 0 ||
          reading.rows("select 1 from messages where stage in ('queued', 'sending') limit 1")
            .length > 0
        while (isUnderWay() && performance.now() < deadlineMs) await Bun.sleep(20)
        return () => void (this.isSending = true)
      },
    }
    try {
      await trouble.happen(scene)
    } catch (error) {
      this.story.unexpected.push(
        `${trouble.name}: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
    const before = this.story.bodies.size
    const deadlineMs = performance.now() + SETTLE_DEADLINE_MS
    while (this.story.bodies.size < before + ACCEPTED_AFTER && performance.now() < deadlineMs)
      await Bun.sleep(5)
    clearInterval(pump)
    if (this.story.bodies.size < before + ACCEPTED_AFTER)
      this.story.unexpected.push(`${trouble.name}: nothing is accepted afterwards`)
    this.budget = 0
  }

  private begin(server: ServerProcess, budget: number): void {
    this.server = server
    this.following = server
    this.acknowledgedInLife = 0
    this.budget = budget
    for (const listener of this.listeners) listener.follow(server.url)
  }

  private async kill(server: ServerProcess): Promise<void> {
    const gone = server.kill()
    if (this.server === server) this.server = null
    await gone
    this.story.underWay += this.parts().installation.rows(UNDER_WAY).length
    this.keepComplaints(server)
  }

  private keepComplaints(server: ServerProcess): void {
    this.story.complaints.push(
      ...server.complaints(),
      ...(server.errors === '' ? [] : [server.errors]),
    )
  }

  /**
   * What is to be posted next: what was refused, what the simulated platform says of our messages,
   * or something new.
   */
  private nextPosting(): Posting | null {
    const { simulator, traffic } = this.parts()
    const again = this.refused.shift()
    if (again) return again
    const status = simulator.deliveries[this.statusesTaken]
    // Customers and statuses take turns: campaigns alone would keep the posters busy.
    this.isTurnOfStatus = !this.isTurnOfStatus
    if (status && (this.isTurnOfStatus || this.budget <= 0)) {
      this.statusesTaken += 1
      return { body: status.body, signature: status.signature, messages: [], statuses: [] }
    }
    if (this.budget <= 0) return null
    this.budget -= 1
    return traffic.next()
  }

  private async post(): Promise<void> {
    while (!this.isOver) {
      const url = this.server?.url
      const posting = url === undefined ? null : this.nextPosting()
      if (url === undefined || posting === null) {
        await Bun.sleep(2)
        continue
      }
      this.inFlight += 1
      if (await this.isAcknowledged(url, posting)) {
        this.story.bodies.add(posting.body)
        if (posting.messages.length + posting.statuses.length > 0) this.acknowledgedInLife += 1
      } else {
        this.story.reposted += 1
        this.refused.push(posting)
        await Bun.sleep(5)
      }
      this.inFlight -= 1
    }
  }

  private async isAcknowledged(url: string, posting: Posting): Promise<boolean> {
    const status = await answerTo(url, posting)
    if (status !== null && status !== 200 && status !== 503)
      this.story.unexpected.push(`a webhook was answered ${status}`)
    return status === 200
  }

  /**
   * Answers contacts of both organizations, one after the other: each message has arrived, or the
   * server is gone, before the next.
   */
  private async send(): Promise<void> {
    while (!this.isOver) {
      const server = this.isSending ? this.server : null
      const token = pick(this.random, this.tokens)
      const id = server && token ? await this.sendSome(new Client(server.url, token.headers)) : null
      const { simulator } = this.parts()
      while (
        id !== null &&
        this.server === server &&
        !this.isOver &&
        !simulator.calls.some(({ body }) => isAbout(body, id))
      )
        await Bun.sleep(5)
      await Bun.sleep(2)
    }
  }

  /**
   * Sends texts to some contact, now and then several that must keep their order; returns the id of
   * the last one, or `null` when the server is gone.
   */
  private async sendSome(client: Client): Promise<string | null> {
    try {
      const { data } = await client.get(`/api/contacts?limit=50&search=${CUSTOMER_PREFIX}`)
      const contact = pick(this.random, data['items'] as { id: string }[])
      if (!contact) return null
      let last: string | null = null
      // Behind one that gets no answer, as in other troubles than kills, the next one waits a
      // minute.
      for (let left = this.options.kills > 0 && this.random() < 0.4 ? 3 : 1; left > 0; left -= 1)
        last = await this.sendOne(client, contact.id)
      return last
    } catch {
      return null
    }
  }

  /** Sends a text; returns its id, or `null` when it is refused. Throws when the server is gone. */
  private async sendOne(client: Client, contactId: string): Promise<string | null> {
    const answer = await client.post(`/api/contacts/${contactId}/messages`, {
      type: 'text',
      text: 'Thank you.',
    })
    if (answer.status === 503 && this.options.troubles) return null
    if (answer.status !== 201) {
      this.story.unexpected.push(
        `a message was answered ${answer.status}: ${answer.body.message ?? ''}`,
      )
      return null
    }
    const id = String(answer.data['id'])
    this.story.sendsAnswered.push(id)
    return id
  }

  /** Posts what is left and waits until nothing is under way any more. */
  private async settle(): Promise<void> {
    const { simulator, installation } = this.parts()
    this.isSending = false
    if (this.server === null || this.following !== this.server)
      this.begin(this.server ?? (await installation.start()), 0)
    this.budget = 0
    const deadlineMs = performance.now() + SETTLE_DEADLINE_MS
    using reading = installation.reading()
    for (;;) {
      await simulator.idle({ deadlineMs: SETTLE_DEADLINE_MS })
      const isPosted =
        this.refused.length === 0 &&
        this.inFlight === 0 &&
        simulator.deliveries.length === this.statusesTaken
      // What was answered lies in the intake until it is in the journal, most of it without ever
      // being a job.
      const isTaken = (): boolean =>
        reading.rows('select 1 from inbound_staging limit 1').length === 0
      if (
        isPosted &&
        unfinishedJobs(reading).length === 0 &&
        isTaken() &&
        openCampaigns(reading) === 0
      )
        break
      if (performance.now() > deadlineMs) {
        const left = `${this.refused.length} webhooks not accepted, ${this.inFlight} not answered, ${openCampaigns(reading)} campaigns open`
        const jobs = unfinishedJobs(reading)
        const told = restlessJobs(reading, Date.now()).join('\n')
        this.story.unexpected.push(
          `work did not end: jobs ${JSON.stringify(jobs)}, ${left}\n${told}`,
        )
        break
      }
      await Bun.sleep(20)
    }
    this.story.heads = headsOf(installation)
    for (const listener of this.listeners) await listener.catchUp()
  }

  private async stop(): Promise<void> {
    const { server } = this
    if (!server) throw new Error('there is no server to stop')
    const metrics = await fetch(`${server.url}/metrics`, {
      headers: { authorization: `Bearer ${METRICS_TOKEN}` },
    })
    this.story.metrics = await metrics.text()
    this.story.exitCode = await server.stop()
    this.keepComplaints(server)
    for (const listener of this.listeners) listener.close()
  }

  async end(): Promise<void> {
    this.isOver = true
    if (this.server?.isRunning) await this.server.kill()
    for (const listener of this.listeners) listener.close()
    await this.simulator?.stop()
    this.installation?.remove()
  }
}

const isAbout = (body: unknown, id: string): boolean =>
  (body as Record<string, unknown> | undefined)?.['biz_opaque_callback_data'] === id

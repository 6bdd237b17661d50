import type { Deadline, Waits } from './calls'
import { shuffled } from './random'
import { platformJson, signatureOf } from './signing'
import { Timers } from './timers'

/** Callback URL and the app secret that signs its webhooks. */
export type Target = { url: string; secret: string }

/** A webhook delivery: its body, its attempts and its outcome. */
export type Delivery = {
  index: number
  at: number
  url: string
  body: string
  signature: string
  /** HTTP status of each attempt, or the error if there was no response. */
  attempts: { at: number; status: number | undefined; error: string | undefined }[]
  state: 'held' | 'queued' | 'delivered' | 'gave-up'
}

/** Settings of webhook delivery. */
export type DeliveryOptions = {
  concurrency: number
  retryDelaysMs: readonly number[]
  timeoutMs: number
  limit: number
  random: () => number
  nowMs: () => number
}

type Job = { delivery: Delivery; secret: string; done: (delivery: Delivery) => void; turn: number }

/**
 * Posts signed webhooks to the callback, with retries and limited concurrency. Can hold, duplicate
 * and reorder them.
 */
export class Deliveries {
  readonly #options: DeliveryOptions
  readonly #waits: Waits
  readonly #timers = new Timers()
  readonly #aborts = new Set<AbortController>()
  readonly #log: Delivery[] = []
  #queue: Job[] = []
  #held: Job[] = []
  #running = 0
  #retrying = 0
  #total = 0
  #holding = false
  #stopped = false
  /** When set, posts every webhook twice. */
  twice = false
  /** When set, posts a random waiting webhook next instead of the oldest. */
  disordered = false

  constructor(options: DeliveryOptions, waits: Waits) {
    this.#options = options
    this.#waits = waits
  }

  /** The kept deliveries, oldest first. */
  get all(): readonly Delivery[] {
    return this.#log
  }

  /** Whether nothing is queued, being posted or waiting for a retry. Held webhooks do not count. */
  get idle(): boolean {
    return this.#queue.length === 0 && this.#running === 0 && this.#retrying === 0
  }

  /** Number of held webhooks. */
  get heldCount(): number {
    return this.#held.length
  }

  /**
   * Queues a webhook, twice if `twice` is set. Resolves when it was answered or given up, or
   * immediately if it is held.
   */
  async enqueue(body: unknown, target: Target): Promise<Delivery> {
    const text = typeof body === 'string' ? body : platformJson(body)
    const copies = this.twice ? 2 : 1
    const [first] = await Promise.all(Array.from({ length: copies }, () => this.#add(text, target)))
    if (first === undefined) throw new Error('A webhook was queued without a copy')
    return first
  }

  /** Holds every webhook until `release`. */
  hold(): void {
    this.#holding = true
  }

  /**
   * Releases held webhooks in their order, reversed, or shuffled by the seeded random generator.
   */
  release(order: 'kept' | 'reversed' | 'shuffled' = 'kept'): void {
    this.#holding = false
    const held = this.#held
    this.#held = []
    const ordered =
      order === 'shuffled'
        ? shuffled(this.#options.random, held)
        : order === 'reversed'
          ? held.toReversed()
          : held
    for (const job of ordered) job.delivery.state = 'queued'
    this.#queue.push(...ordered)
    this.#pump()
  }

  /** Waits until at least n webhooks were answered or given up. Returns those. */
  wait(n: number, options: Deadline): Promise<Delivery[]> {
    const over = (): Delivery[] =>
      this.#log.filter((item) => item.state === 'delivered' || item.state === 'gave-up')
    const describe = (): string => `Waited for ${n} webhooks to be delivered, ${over().length} were`
    return this.#waits.until(
      () => (over().length >= n ? over() : undefined),
      options.deadlineMs ?? 20_000,
      describe,
    )
  }

  /**
   * Deletes all deliveries, drops held and queued ones, and resets hold, duplication and
   * reordering.
   */
  clear(): void {
    this.#log.length = 0
    this.#drop()
    this.#holding = false
    this.twice = false
    this.disordered = false
  }

  /** Stops all posts and retries. */
  stop(): void {
    this.#stopped = true
    this.#timers.clear()
    this.#drop()
    for (const abort of this.#aborts) abort.abort()
  }

  #drop(): void {
    const dropped = [...this.#queue, ...this.#held]
    this.#queue = []
    this.#held = []
    for (const job of dropped) this.#finish(job, 'gave-up')
  }

  #add(text: string, target: Target): Promise<Delivery> {
    const delivery: Delivery = {
      index: this.#total,
      at: this.#options.nowMs(),
      url: target.url,
      body: text,
      signature: signatureOf(target.secret, text),
      attempts: [],
      state: this.#holding ? 'held' : 'queued',
    }
    this.#total += 1
    this.#log.push(delivery)
    if (this.#log.length > this.#options.limit * 2)
      this.#log.splice(0, this.#log.length - this.#options.limit)
    return new Promise((resolve) => {
      const job: Job = { delivery, secret: target.secret, done: resolve, turn: 0 }
      if (this.#stopped) return this.#finish(job, 'gave-up')
      if (this.#holding) {
        this.#held.push(job)
        return resolve(delivery)
      }
      this.#queue.push(job)
      queueMicrotask(() => this.#pump())
    })
  }

  #pump(): void {
    while (!this.#stopped && this.#running < this.#options.concurrency && this.#queue.length > 0) {
      const place = this.disordered ? Math.floor(this.#options.random() * this.#queue.length) : 0
      const [job] = this.#queue.splice(place, 1)
      if (job === undefined) return
      this.#running += 1
      const next = (): void => {
        this.#running -= 1
        this.#pump()
        this.#waits.changed()
      }
      this.#post(job).then(next, next)
    }
  }

  async #post(job: Job): Promise<void> {
    const { delivery } = job
    const attempt: Delivery['attempts'][number] = {
      at: this.#options.nowMs(),
      status: undefined,
      error: undefined,
    }
    delivery.attempts.push(attempt)
    try {
      attempt.status = await this.#send(delivery)
    } catch (error) {
      attempt.error = error instanceof Error ? error.message : String(error)
    }
    if (attempt.status === 200) return this.#finish(job, 'delivered')
    const delay = this.#options.retryDelaysMs[job.turn]
    if (delay === undefined || this.#stopped) return this.#finish(job, 'gave-up')
    job.turn += 1
    this.#retrying += 1
    this.#timers.after(delay, () => {
      this.#retrying -= 1
      this.#queue.push(job)
      this.#pump()
    })
  }

  async #send(delivery: Delivery): Promise<number> {
    const abort = new AbortController()
    this.#aborts.add(abort)
    const cancel = this.#timers.after(this.#options.timeoutMs, () => abort.abort())
    try {
      const response = await fetch(delivery.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'facebookexternalua',
          'x-hub-signature-256': delivery.signature,
        },
        body: delivery.body,
        signal: abort.signal,
        redirect: 'manual',
      })
      await response.arrayBuffer()
      return response.status
    } finally {
      cancel()
      this.#aborts.delete(abort)
    }
  }

  #finish(job: Job, state: 'delivered' | 'gave-up'): void {
    job.delivery.state = state
    job.done(job.delivery)
    this.#waits.changed()
  }
}

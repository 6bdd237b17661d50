import type { Failure } from './errors'

const DAY_MS = 24 * 60 * 60 * 1000
const PAIR_BURST = 45
const PAIR_REFILL_MS = 6000
const LIMIT = 100_000

/** The platform limits to enforce. */
export type LimitOptions = {
  /**
   * 131047 for non-template messages if the customer did not write within 24 hours (platform
   * document 2.8).
   */
  enforceWindow: boolean
  /**
   * 131056 after a burst of 45 messages to one customer, refilled by one every 6 seconds (platform
   * document 2.7).
   */
  enforcePairRate: boolean
  /** 130429 above this many messages per second from one number. */
  throughputPerSecond: number | undefined
}

/** Types that need no open window: templates, and messages to groups. */
const WINDOWLESS = new Set(['template', 'group'])

type Bucket = { tokens: number; at: number }

/** 24-hour windows of customers and send rates of numbers, by the simulator's clock. */
export class Limits {
  #options: LimitOptions
  readonly #nowMs: () => number
  readonly #lastHeard = new Map<string, number>()
  readonly #pairs = new Map<string, Bucket>()
  readonly #lines = new Map<string, Bucket>()

  constructor(options: LimitOptions, nowMs: () => number) {
    this.#options = options
    this.#nowMs = nowMs
  }

  /** Enforces these limits in addition to the enabled ones. */
  enforce(options: Partial<LimitOptions>): void {
    this.#options = { ...this.#options, ...options }
  }

  /** Records a customer's message at the given time, which opens a new 24-hour window. */
  openWindow(phoneId: string, person: string, atMs: number): void {
    const key = `${phoneId} ${person}`
    remember(
      this.#lastHeard,
      key,
      Math.max(this.#lastHeard.get(key) ?? 0, Math.min(atMs, this.#nowMs())),
    )
  }

  /** Merges two spellings of a customer's number, so that they share one window. */
  join(phoneId: string, dialled: string, canonical: string): void {
    const lastMs = this.#lastHeard.get(`${phoneId} ${dialled}`)
    if (lastMs !== undefined && dialled !== canonical) this.openWindow(phoneId, canonical, lastMs)
  }

  /**
   * Returns why the platform would reject a message now, or undefined. An accepted message counts
   * against the rates.
   */
  rejectionFor(phoneId: string, person: string, type: string): Failure | undefined {
    if (
      this.#options.enforceWindow &&
      !WINDOWLESS.has(type) &&
      !this.isWindowOpen(phoneId, person)
    ) {
      return {
        code: 131047,
        details:
          'More than 24 hours have passed since the recipient last replied to the sender number.',
      }
    }
    const perSecond = this.#options.throughputPerSecond
    if (perSecond !== undefined && !this.#take(this.#lines, phoneId, perSecond, 1000 / perSecond)) {
      return { code: 130429, details: 'Cloud API message throughput has been reached.' }
    }
    if (
      this.#options.enforcePairRate &&
      !this.#take(this.#pairs, `${phoneId} ${person}`, PAIR_BURST, PAIR_REFILL_MS)
    ) {
      return {
        code: 131056,
        details:
          'Too many messages sent from this phone number to the same recipient in a short time.',
      }
    }
    return undefined
  }

  /** Reports whether a customer wrote to a number within 24 hours. */
  isWindowOpen(phoneId: string, person: string): boolean {
    const last = this.#lastHeard.get(`${phoneId} ${person}`)
    return last !== undefined && this.#nowMs() - last < DAY_MS
  }

  #take(buckets: Map<string, Bucket>, key: string, size: number, refillMs: number): boolean {
    const now = this.#nowMs()
    const bucket = buckets.get(key) ?? { tokens: size, at: now }
    const tokens = Math.min(size, bucket.tokens + (now - bucket.at) / refillMs)
    const enough = tokens >= 1
    remember(buckets, key, { tokens: enough ? tokens - 1 : tokens, at: now })
    return enough
  }
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= LIMIT) return
    map.delete(oldest)
  }
}

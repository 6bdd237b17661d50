import { MINUTE_MS, SECOND_MS } from '../../../../lib/clock'
import type { EndpointRow } from '../row'

declare module '../../../../infra/ctx' {
  interface Deps {
    /** What this process knows about the requests to endpoints. */
    webhookTraffic: WebhookTraffic
  }
}

/** What an endpoint can take at present. */
interface Pace {
  /** Requests at once: halved when it is overloaded, raised by successes. */
  concurrency: number
  /** Requests that may start now under its rate, and when that was reckoned. */
  tokens: number
  reckonedAtMs: number
  /** Requests that run now: live ones and those of replays. */
  running: { live: number; replay: number }
}

/** What its requests depend on. */
type Endpoint = Pick<EndpointRow, 'id' | 'concurrency' | 'ratePerSecond'>

/** A request that starts or ends. */
interface Request {
  isReplay: boolean
  nowMs: number
}

/** Tests of an organization in a minute. */
const MAX_TESTS = 10

/** A success raises a halved concurrency by this much. */
const RAISE = 0.25

/**
 * The requests to endpoints, and how much each endpoint takes. Holds nothing that a restart must
 * know.
 */
export class WebhookTraffic {
  /** Deliveries whose request is under way or whose result is being stored. */
  readonly sending = new Set<string>()
  /** Called when a request of a delivery began or ended, or the delivery was given up. */
  onChange: (delivery: { organizationId: string; id: string }) => void = () => undefined
  private readonly paces = new Map<string, Pace>()
  /** Times of the tests of each organization in the last minute. */
  private readonly tests = new Map<string, number[]>()

  /** Counts a test. Returns `false` if the organization has had ten in the last minute. */
  countTest(organizationId: string, nowMs: number): boolean {
    const recent = (this.tests.get(organizationId) ?? []).filter(
      (at) => at > nowMs - MINUTE_MS && at <= nowMs,
    )
    this.tests.set(organizationId, recent)
    return recent.length < MAX_TESTS && recent.push(nowMs) > 0
  }

  /** Returns how many requests to the endpoint may run at once, and when more may start. */
  opening(endpoint: Endpoint, nowMs: number): { room: number; nextAtMs: number | null } {
    const pace = this.paceOf(endpoint, nowMs)
    const room = Math.floor(Math.min(pace.concurrency, endpoint.concurrency))
    if (endpoint.ratePerSecond === null) return { room, nextAtMs: null }
    if (pace.tokens >= 1) return { room: Math.min(room, Math.floor(pace.tokens)), nextAtMs: null }
    const missingMs = Math.ceil(((1 - pace.tokens) * SECOND_MS) / endpoint.ratePerSecond)
    return { room: 0, nextAtMs: nowMs + missingMs }
  }

  /** Returns how many requests to the endpoint run now. */
  runningOf(endpoint: Endpoint): { live: number; replay: number } {
    return this.paces.get(endpoint.id)?.running ?? { live: 0, replay: 0 }
  }

  /** Counts a request that starts. */
  started(endpoint: Endpoint, { isReplay, nowMs }: Request): void {
    const pace = this.paceOf(endpoint, nowMs)
    pace.tokens -= 1
    pace.running[isReplay ? 'replay' : 'live'] += 1
  }

  /** Counts a request that ends, and adapts the concurrency to its result. */
  ended(
    endpoint: Endpoint,
    { isReplay, nowMs, result }: Request & { result: 'success' | 'overloaded' | 'failure' },
  ): void {
    const pace = this.paceOf(endpoint, nowMs)
    pace.running[isReplay ? 'replay' : 'live'] -= 1
    if (result === 'overloaded') pace.concurrency = Math.max(1, Math.floor(pace.concurrency / 2))
    if (result === 'success')
      pace.concurrency = Math.min(endpoint.concurrency, pace.concurrency + RAISE)
  }

  /** Drops what is known of endpoints that had no request for a minute. */
  forgetIdle(nowMs: number): void {
    for (const [id, { reckonedAtMs, running }] of this.paces)
      if (nowMs - reckonedAtMs > MINUTE_MS && running.live + running.replay === 0)
        this.paces.delete(id)
    for (const [id, times] of this.tests)
      if ((times.at(-1) ?? 0) < nowMs - MINUTE_MS) this.tests.delete(id)
  }

  private paceOf({ id, concurrency, ratePerSecond }: Endpoint, nowMs: number): Pace {
    const known = this.paces.get(id)
    const most = ratePerSecond ?? 0
    if (!known) {
      const running = { live: 0, replay: 0 }
      const fresh = { concurrency, tokens: Math.max(1, most), reckonedAtMs: nowMs, running }
      this.paces.set(id, fresh)
      return fresh
    }
    const passedS = Math.max(0, nowMs - known.reckonedAtMs) / SECOND_MS
    known.tokens = Math.min(Math.max(1, most), known.tokens + passedS * most)
    known.reckonedAtMs = nowMs
    return known
  }
}

import { countedAddress } from '../lib/address'
import { MINUTE_MS, type Clock } from '../lib/clock'
import { RateLimitedError } from '../lib/errors'
import type { RequestFacts } from './request-facts'

/** The remaining requests of a caller. */
export interface RateLimitResult {
  isAllowed: boolean
  limit: number
  remaining: number
  /**
   * When one more request is available than now, Unix seconds. Over the limit, that is when the
   * next one is accepted.
   */
  resetAtS: number
  /** Seconds to wait if the request is not allowed. */
  retryAfterS: number
}

/** Counts requests per caller. */
export interface RateLimiter {
  /**
   * Counts a request of `key`; `null` if the limit is disabled. A refused request is not counted.
   */
  hit(key: string): RateLimitResult | null
  /** Returns the remaining requests of `key` without counting one. */
  peek(key: string): RateLimitResult | null
}

/** A number of accepted requests, the last one no later than `untilMs`. */
interface Accepted {
  untilMs: number
  requests: number
}

/** The accepted requests of one caller, oldest first, and their total. */
interface Log {
  passed: Accepted[]
  used: number
}

const WINDOW_MS = MINUTE_MS

/**
 * Requests within one such span are stored as one entry with the time of the last of them, so a
 * caller has at most 241 entries.
 */
const SPAN_MS = WINDOW_MS / 240

/**
 * Creates a sliding-window limiter: no 60 seconds, wherever they begin, exceed the limit. Callers
 * not seen for a minute are dropped, and over `maxKeys` the least recently seen, so memory is
 * bounded. `refused` is called for each refused request.
 */
export function createRateLimiter(options: {
  perMinute: number
  clock: Clock
  maxKeys?: number
  refused?: () => void
}): RateLimiter {
  const { perMinute: limit, clock, maxKeys = 50_000, refused } = options
  /** The caller seen least recently first. */
  const logs = new Map<string, Log>()

  /**
   * Returns the accepted requests of a caller that still count. Entries in the future were written
   * before the clock was set back.
   */
  const logOf = (key: string, nowMs: number): Log => {
    const log = logs.get(key) ?? { passed: [], used: 0 }
    const { passed } = log
    while (passed.length > 0 && (passed[0]?.untilMs ?? 0) <= nowMs - WINDOW_MS)
      log.used -= passed.shift()?.requests ?? 0
    while (passed.length > 0 && (passed.at(-1)?.untilMs ?? 0) >= nowMs + SPAN_MS)
      log.used -= passed.pop()?.requests ?? 0
    return log
  }

  const forget = (nowMs: number): void => {
    for (const [key, { passed }] of logs) {
      const seenMs = passed.at(-1)?.untilMs ?? 0
      if (logs.size <= maxKeys && seenMs > nowMs - WINDOW_MS) return
      logs.delete(key)
    }
  }

  const allowance = ({ passed, used }: Log, nowMs: number, isAllowed: boolean): RateLimitResult => {
    const freeAtMs = (passed[0]?.untilMs ?? nowMs - WINDOW_MS) + WINDOW_MS
    return {
      isAllowed,
      limit,
      remaining: Math.max(0, limit - used),
      resetAtS: Math.ceil(freeAtMs / 1_000),
      retryAfterS: isAllowed ? 0 : Math.max(1, Math.ceil((freeAtMs - nowMs) / 1_000)),
    }
  }

  return {
    hit(key) {
      if (limit === 0) return null
      const nowMs = clock.nowMs()
      const log = logOf(key, nowMs)
      const isAllowed = log.used < limit
      if (isAllowed) {
        const untilMs = Math.ceil(nowMs / SPAN_MS) * SPAN_MS
        const last = log.passed.at(-1)
        if (last?.untilMs === untilMs) last.requests += 1
        else log.passed.push({ untilMs, requests: 1 })
        log.used += 1
      }
      if (!isAllowed) refused?.()
      logs.delete(key)
      logs.set(key, log)
      forget(nowMs)
      return allowance(log, nowMs, isAllowed)
    },
    peek(key) {
      if (limit === 0) return null
      const nowMs = clock.nowMs()
      const log = logOf(key, nowMs)
      return allowance(log, nowMs, log.used < limit)
    },
  }
}

/** The rate limits: requests, bulk operations in addition, opened sockets, and media downloads. */
export type Bucket = 'standard' | 'bulk' | 'sockets' | 'downloads'

/**
 * Media downloads per request that a caller may make, so that a console can show a conversation
 * full of images.
 */
export const DOWNLOADS_PER_REQUEST = 20

/**
 * The bytes of a media file, by its ID or by a signed link; descriptions of files are ordinary
 * requests.
 */
const DOWNLOAD = /^\/api\/media\/(?:signed\/)?[^/]+$/

/** Returns the bucket that a request counts in. */
const bucketOf = ({ method, path }: Counted): Bucket =>
  method === 'GET' && DOWNLOAD.test(path) ? 'downloads' : 'standard'

/** Sockets that a caller may open, as a share of its requests. */
export const OPENINGS_PER_REQUEST = 0.3

/** Requests of all API keys of an organization together, as a multiple of one caller's. */
export const KEYS_PER_ORGANIZATION = 5

/**
 * The counters of requests: per caller or address, and per organization for its API keys.
 * `unproven` counts failed proofs at the Flow endpoint.
 */
export type Limiters = Record<Bucket, RateLimiter> & {
  keysTogether: Record<Bucket, RateLimiter>
  unproven: RateLimiter
}
type Caller = Pick<RequestFacts, 'actor' | 'address'>

/** A request as far as it is counted. */
type Counted = Caller & Pick<RequestFacts, 'method' | 'path'>

/** A counter with the key that a request is counted under. */
interface Counter {
  limiter: RateLimiter
  key: string
}

/**
 * Everything a request counts for: its caller, or its address without a good credential; for an API
 * key also the keys of its organization.
 */
function countersOf(limiters: Limiters, bucket: Bucket, { actor, address }: Caller): Counter[] {
  const limiter = limiters[bucket]
  if (!actor) return [{ limiter, key: `address:${countedAddress(address)}` }]
  const own = {
    limiter,
    key: `${actor.type}:${actor.apiKeyId ?? actor.userId ?? actor.organizationId}`,
  }
  return actor.apiKeyId === null
    ? [own]
    : [own, { limiter: limiters.keysTogether[bucket], key: actor.organizationId }]
}

const headersOf = ({ limit, remaining, resetAtS }: RateLimitResult): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(resetAtS),
})

/** The allowance that is used up first; `null` when all limits are switched off. */
const tightest = (allowances: (RateLimitResult | null)[]): RateLimitResult | null =>
  allowances
    .filter((allowance) => allowance !== null)
    .toSorted((a, b) => a.remaining - b.remaining || b.resetAtS - a.resetAtS)
    .at(0) ?? null

/**
 * Counts a request for its caller, or for its address if it has no valid credential, and sets the
 * rate-limit headers (spec 8). A request over one limit counts for none. Throws RateLimitedError
 * over the limit.
 */
export function countRequestOf(
  limiters: Limiters,
  bucket: Bucket,
  of: { facts: Caller; headers: Record<string, unknown> },
): void {
  const counters = countersOf(limiters, bucket, of.facts)
  const closed = counters.filter(({ limiter, key }) => limiter.peek(key)?.isAllowed === false)
  const allowance = tightest(
    (closed.length > 0 ? closed : counters).map(({ limiter, key }) => limiter.hit(key)),
  )
  if (!allowance) return
  Object.assign(of.headers, headersOf(allowance))
  if (!allowance.isAllowed)
    throw new RateLimitedError(
      'Rate limit exceeded. Wait for the number of seconds in `Retry-After`.',
      allowance.retryAfterS,
    )
}

/** Counts a request in the bucket it belongs to. Throws RateLimitedError over the limit. */
export const countRequest = (
  limiters: Limiters,
  facts: Counted,
  headers: Record<string, unknown>,
): void => countRequestOf(limiters, bucketOf(facts), { facts, headers })

/** Returns the rate-limit headers of a response that is not counted. */
export function rateLimitHeaders(limiters: Limiters, facts: Counted): Record<string, string> {
  const allowance = tightest(
    countersOf(limiters, bucketOf(facts), facts).map(({ limiter, key }) => limiter.peek(key)),
  )
  return allowance ? headersOf(allowance) : {}
}

import { countedAddress } from '../lib/address'
import { MINUTE_MS, type Clock } from '../lib/clock'
import { RateLimitedError } from '../lib/errors'
import type { RequestFacts } from './request-facts'

/** What a caller may still do. */
export interface RateLimitResult {
  isAllowed: boolean
  limit: number
  remaining: number
  /**
   * When one request more fits than now, Unix seconds; over the limit that is when the next one is
   * let through.
   */
  resetAtS: number
  /** How long to wait when it is not allowed, seconds. */
  retryAfterS: number
}

/** Counts requests per caller. */
export interface RateLimiter {
  /**
   * Counts one request of `key`; `null` when the limit is switched off. A refused request is not
   * counted.
   */
  hit(key: string): RateLimitResult | null
  /** What `key` may still do; nothing is counted. */
  look(key: string): RateLimitResult | null
}

/** So many requests were let through, the last of them no later than `untilMs`. */
interface Passed {
  untilMs: number
  requests: number
}

/** What one caller was let through with, oldest first, and how many requests that are in all. */
interface Log {
  passed: Passed[]
  used: number
}

const WINDOW_MS = MINUTE_MS

/**
 * Requests of one such span are remembered as one, and for as long as the last of them: a caller
 * has no more than 241 spans.
 */
const SPAN_MS = WINDOW_MS / 240

/**
 * A log of what was let through within the last sixty seconds: in no sixty seconds, wherever they
 * begin, more pass than the limit allows. Callers unseen for a minute are forgotten, and over
 * `maxKeys` the least recently seen, so memory is bounded. `refused` hears of each request that is
 * not let through.
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
   * What a caller was let through with and still counts; what lies in the future was written before
   * the clock was set back.
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
    look(key) {
      if (limit === 0) return null
      const nowMs = clock.nowMs()
      const log = logOf(key, nowMs)
      return allowance(log, nowMs, log.used < limit)
    },
  }
}

/**
 * What is counted: ordinary requests, bulk operations in addition, sockets that are opened, and
 * downloads of media.
 */
export type Bucket = 'standard' | 'bulk' | 'sockets' | 'downloads'

/**
 * A caller may download so many times as many media files as it may make requests, so that a
 * console can show a conversation full of pictures.
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

/** How many sockets a caller may open, as a share of the requests it may make. */
export const OPENINGS_PER_REQUEST = 0.3

/** All API keys of an organization together may make so many times the requests of one caller. */
export const KEYS_TOGETHER = 5

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
 * Counts a request for its caller, or for its address without a good credential, and says in the
 * headers what is left (spec 8). A request over one limit counts for none. Throws RateLimitedError
 * over the limit.
 */
export function consume(
  limiters: Limiters,
  bucket: Bucket,
  of: { facts: Caller; headers: Record<string, unknown> },
): void {
  const counters = countersOf(limiters, bucket, of.facts)
  const closed = counters.filter(({ limiter, key }) => limiter.look(key)?.isAllowed === false)
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
): void => consume(limiters, bucketOf(facts), { facts, headers })

/** The headers that say what is left, for an answer that is not counted. */
export function headersOfRest(limiters: Limiters, facts: Counted): Record<string, string> {
  const allowance = tightest(
    countersOf(limiters, bucketOf(facts), facts).map(({ limiter, key }) => limiter.look(key)),
  )
  return allowance ? headersOf(allowance) : {}
}

import { MINUTE_MS, type Clock } from '../lib/clock'

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
  /** Requests per minute, of everybody or by key. 0 disables the limit. */
  perMinute: number | ((key: string) => number)
  clock: Clock
  maxKeys?: number
  refused?: () => void
}): RateLimiter {
  const { perMinute, clock, maxKeys = 50_000, refused } = options
  const limitOf = typeof perMinute === 'number' ? () => perMinute : perMinute
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

  const allowance = (
    { passed, used }: Log,
    { nowMs, limit, isAllowed }: { nowMs: number; limit: number; isAllowed: boolean },
  ): RateLimitResult => {
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
      const limit = limitOf(key)
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
      return allowance(log, { nowMs, limit, isAllowed })
    },
    peek(key) {
      const limit = limitOf(key)
      if (limit === 0) return null
      const nowMs = clock.nowMs()
      const log = logOf(key, nowMs)
      return allowance(log, { nowMs, limit, isAllowed: log.used < limit })
    },
  }
}

import { MINUTE_MS, type Clock } from '../lib/clock'
import { RateLimitedError } from '../lib/errors'
import type { RequestFacts } from './requests'

/** What a counted request may still do. */
export interface Allowance {
  isAllowed: boolean
  limit: number
  remaining: number
  /** When the window is free again, Unix seconds. */
  resetAtS: number
  /** How long to wait when it is not allowed, seconds. */
  retryAfterS: number
}

/** Counts requests per caller. */
export interface RateLimiter {
  /** Counts one request of `key`; `null` when the limit is switched off. A refused request is not counted. */
  hit(key: string): Allowance | null
}

interface Window {
  startMs: number
  current: number
  previous: number
}

const WINDOW_MS = MINUTE_MS
/** Shares of a window are fractions: their sum may miss a whole number by less than this. */
const ROUNDING = 1e-9

/**
 * A sliding-window counter: the present minute plus the part of the last one that still lies within sixty seconds. Two numbers
 * per caller, the least recently seen callers are forgotten over `maxKeys`, so memory is bounded.
 */
export function createRateLimiter(options: { perMinute: number; clock: Clock; maxKeys?: number }): RateLimiter {
  const { perMinute: limit, clock, maxKeys = 50_000 } = options
  const windows = new Map<string, Window>()

  const windowOf = (key: string, startMs: number): Window => {
    const known = windows.get(key) ?? { startMs, current: 0, previous: 0 }
    if (known.startMs !== startMs) {
      known.previous = startMs - known.startMs === WINDOW_MS ? known.current : 0
      known.current = 0
      known.startMs = startMs
    }
    windows.delete(key)
    windows.set(key, known)
    return known
  }

  return {
    hit(key) {
      if (limit === 0) return null
      const nowMs = clock.nowMs()
      const startMs = nowMs - (nowMs % WINDOW_MS)
      const window = windowOf(key, startMs)
      if (windows.size > maxKeys) {
        const oldest = windows.keys().next()
        if (!oldest.done) windows.delete(oldest.value)
      }
      const sharePassed = (nowMs - startMs) / WINDOW_MS
      const used = window.current + window.previous * (1 - sharePassed)
      const isAllowed = used + 1 <= limit + ROUNDING
      if (isAllowed) window.current += 1
      const usedNow = isAllowed ? used + 1 : used
      return {
        isAllowed,
        limit,
        remaining: Math.max(0, Math.floor(limit - usedNow)),
        resetAtS: Math.ceil((startMs + WINDOW_MS) / 1_000),
        retryAfterS: isAllowed ? 0 : waitS(window, limit, { nowMs, startMs }),
      }
    },
  }
}

/** Seconds until one more request fits: within this minute as the former one slides out, else in the next as this one does. */
function waitS(window: Window, limit: number, at: { nowMs: number; startMs: number }): number {
  const room = limit - 1 - window.current
  const isThisMinute = room >= 0
  const [slidingOut, mayStay] = isThisMinute ? [window.previous, room] : [window.current, limit - 1]
  const freeAtMs = at.startMs + (isThisMinute ? 0 : WINDOW_MS) + WINDOW_MS * (1 - mayStay / slidingOut)
  return Math.max(1, Math.ceil((freeAtMs - at.nowMs) / 1_000))
}

/**
 * Counts a request for its caller, or for its address without a good credential, and says in the headers what is left (spec 8).
 * Throws RateLimitedError over the limit.
 */
export function countIn(limiter: RateLimiter, facts: Pick<RequestFacts, 'actor' | 'address'>, headers: Record<string, unknown>): void {
  const { actor, address } = facts
  const caller = actor && (actor.apiKeyId ?? actor.userId ?? actor.organizationId)
  const allowance = limiter.hit(actor ? `${actor.type}:${caller}` : `address:${address}`)
  if (!allowance) return
  headers['x-ratelimit-limit'] = String(allowance.limit)
  headers['x-ratelimit-remaining'] = String(allowance.remaining)
  headers['x-ratelimit-reset'] = String(allowance.resetAtS)
  if (!allowance.isAllowed) throw new RateLimitedError('Too many requests. Wait before the next one.', allowance.retryAfterS)
}

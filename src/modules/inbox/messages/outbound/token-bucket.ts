import { MINUTE_MS, SECOND_MS } from '../../../../lib/clock'
import { throughputLimit, type AccountRow } from '../../../channel/accounts/view'

/**
 * Rate limit of the platform per phone number and contact: burst size, and the interval after which
 * one more message is allowed (platform documentation).
 */
export const PAIR_BURST = 45
export const PAIR_REFILL_MS = 6 * SECOND_MS

/**
 * A throttled phone number sends at half its speed for `SLOWDOWN_MS`, then gains a tenth per step.
 */
const SLOWDOWN_MS = MINUTE_MS
const RECOVERY_STEP_MS = 10 * SECOND_MS
const RECOVERY_STEP = 0.1

/**
 * Tokens, in seconds of a phone number's rate, that campaigns leave to other senders while those
 * are active (outbound contract 4). Unused tokens are not lost: campaigns get everything that comes
 * in once the bucket holds the reserve.
 */
const CAMPAIGN_RESERVE_S = 0.2

/**
 * Burst size of campaigns in seconds of the phone number's rate, and the factor at which they use
 * saved tokens. A full second at once would return as a burst of statuses that delays all other
 * work.
 */
const CAMPAIGNS_AT_ONCE_S = 0.25
export const CAMPAIGNS_CATCH_UP = 1.25

export interface Bucket {
  tokens: number
  atMs: number
  /** No token is given out before this time. */
  blockedUntilMs: number
}

export interface NumberBucket extends Bucket {
  /** Share of its rate after the last slowdown. */
  factor: number
  slowedAtMs: number | null
  quotaPauses: number
  /** Time of the last request by a sender other than a campaign. */
  othersAtMs: number | null
  /** Burst bucket of the campaigns of this number. */
  flow: Bucket
}

/** Shifts the times of a bucket when the clock is set back, so that pauses keep their length. */
export function followClock(bucket: Bucket & { slowedAtMs?: number | null }, nowMs: number): void {
  const backMs = bucket.atMs - nowMs
  if (backMs <= 0) return
  bucket.blockedUntilMs -= backMs
  if (bucket.slowedAtMs != null) bucket.slowedAtMs -= backMs
}

/**
 * Tokens that campaigns leave in the bucket of a phone number of this rate; at most all but one.
 */
export const campaignReserve = (perS: number): number =>
  Math.min(perS * CAMPAIGN_RESERVE_S, Math.max(1, perS) - 1)

/** Returns the refilled burst bucket of a phone number's campaigns. */
export function flowOf(
  { flow }: NumberBucket,
  { nowMs, speed }: { nowMs: number; speed: number },
): Bucket {
  fill(flow, {
    nowMs,
    perS: speed * CAMPAIGNS_CATCH_UP,
    most: Math.max(1, speed * CAMPAIGNS_AT_ONCE_S),
  })
  return flow
}

/** Adds the tokens that have accrued since the last look, up to `most`. */
export function fill(bucket: Bucket, at: { nowMs: number; perS: number; most: number }): void {
  bucket.tokens = Math.min(
    at.most,
    bucket.tokens + (Math.max(0, at.nowMs - bucket.atMs) / SECOND_MS) * at.perS,
  )
  bucket.atMs = at.nowMs
}

/** Adds the tokens of a contact that have accrued since the last look. */
export const refillPair = (bucket: Bucket, nowMs: number): void => {
  followClock(bucket, nowMs)
  bucket.tokens = Math.min(
    PAIR_BURST,
    bucket.tokens + Math.max(0, nowMs - bucket.atMs) / PAIR_REFILL_MS,
  )
  bucket.atMs = nowMs
}

/** Messages per second a phone number may send now; at least 1. */
export const speedOf = (account: AccountRow, bucket: NumberBucket, nowMs: number): number =>
  Math.max(1, throughputLimit(account) * factorOf(bucket, nowMs))

/**
 * Current share of the rate: the share after the slowdown, plus a tenth per step once a minute has
 * passed.
 */
export function factorOf({ factor, slowedAtMs }: NumberBucket, nowMs: number): number {
  if (slowedAtMs === null) return 1
  const sinceMs = nowMs - slowedAtMs - SLOWDOWN_MS
  return sinceMs < 0
    ? factor
    : Math.min(1, factor + RECOVERY_STEP * (1 + Math.floor(sinceMs / RECOVERY_STEP_MS)))
}

import { MINUTE_MS, SECOND_MS } from '../../../lib/clock'
import { throughputLimit, type AccountRow } from '../../accounts/view'

/**
 * What the platform lets one number send to one contact: so many at once, one more after each pause
 * (platform documentation).
 */
export const PAIR_BURST = 45
export const PAIR_REFILL_MS = 6 * SECOND_MS

/**
 * A number that was too fast goes on at half its speed for so long, then a tenth faster after each
 * step.
 */
const SLOWDOWN_MS = MINUTE_MS
const RECOVERY_STEP_MS = 10 * SECOND_MS
const RECOVERY_STEP = 0.1

/**
 * Campaigns leave so many seconds of a number's speed in its bucket while anybody else sends, who
 * finds room there at once (outbound contract 4). What the others do not take is not lost: a bucket
 * that holds that much lets campaigns have all that comes in.
 */
const CAMPAIGN_RESERVE_S = 0.2

/**
 * What campaigns let out at once at most, seconds of a number's speed, and how many times as fast
 * they use up what is left over from before: a second's worth at once, at a start or after a rest,
 * would come back as many statuses at once, and everybody waits meanwhile.
 */
const CAMPAIGNS_AT_ONCE_S = 0.25
export const CAMPAIGNS_CATCH_UP = 1.25

export interface Bucket {
  tokens: number
  atMs: number
  /** Nothing goes before that. */
  blockedUntilMs: number
}

export interface NumberBucket extends Bucket {
  /** Part of its speed that the number was given when it was last slowed down. */
  factor: number
  slowedAtMs: number | null
  quotaPauses: number
  /** When somebody other than a campaign sent or waited last. */
  othersAtMs: number | null
  /** What campaigns may let out at the moment. */
  flow: Bucket
}

/** Where the clock was put back, pauses end as long after now as they were to end after then. */
export function followClock(bucket: Bucket & { slowedAtMs?: number | null }, nowMs: number): void {
  const backMs = bucket.atMs - nowMs
  if (backMs <= 0) return
  bucket.blockedUntilMs -= backMs
  if (bucket.slowedAtMs != null) bucket.slowedAtMs -= backMs
}

/**
 * What campaigns leave in the bucket of a number of this speed; a slow one lends its only token.
 */
export const campaignReserve = (perS: number): number =>
  Math.min(perS * CAMPAIGN_RESERVE_S, Math.max(1, perS) - 1)

/** What campaigns of a number may let out now. */
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
 * What part of its speed a number has: half since it was too fast, a tenth more after each step
 * once a minute has passed.
 */
export function factorOf({ factor, slowedAtMs }: NumberBucket, nowMs: number): number {
  if (slowedAtMs === null) return 1
  const sinceMs = nowMs - slowedAtMs - SLOWDOWN_MS
  return sinceMs < 0
    ? factor
    : Math.min(1, factor + RECOVERY_STEP * (1 + Math.floor(sinceMs / RECOVERY_STEP_MS)))
}

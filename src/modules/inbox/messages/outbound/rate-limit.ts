import { MINUTE_MS, SECOND_MS } from '../../../../lib/clock'
import { type Ctx } from '../../../../infra/ctx'
import { throughputLimit, type AccountRow } from '../../../channel/accounts/view'
import type { SendGateKey } from './gate-keys'
import {
  PAIR_BURST,
  PAIR_REFILL_MS,
  CAMPAIGNS_CATCH_UP,
  type Bucket,
  type NumberBucket,
  followClock,
  campaignReserve,
  flowOf,
  fill,
  refillPair,
  speedOf,
  factorOf,
} from './token-bucket'
import { bucketFromAttempts } from './recent-attempts'

/** Responses to simultaneous calls count once. */
const SAME_BURST_MS = SECOND_MS

/** Pauses in minutes after an exhausted quota, if the platform names no duration. */
const QUOTA_PAUSES_MIN = [5, 10, 20, 40, 60] as const

/** Maximum number of contact buckets before full ones are evicted. */
const MAX_PAIRS = 50_000

/** Maximum number of campaign buckets. */
const MAX_CAMPAIGNS = 10_000

/** How long other senders count as active after their last message. */
const DEMAND_MS = SECOND_MS

/**
 * Campaign messages are released in batches of this many milliseconds of the rate, so that each
 * batch shares one claim and one commit.
 */
const CAMPAIGN_BATCH_MS = 50

/** Tolerance for rounding errors of fractional tokens. */
const ROUNDING = 1e-6

/** One limit: the tokens available now, and tokens per second. */
interface Limit {
  tokens: number
  perS: number
}

/** Sender of a request. A campaign can have its own rate in messages per second. */
export interface TokenRequest {
  rank: SendGateKey['rank']
  campaignId?: string | undefined
  rateLimit?: number | null
}

const PERSON: TokenRequest = { rank: 'person' }

/**
 * In-memory rate limiter with one token bucket per phone number (one second of its rate) and one
 * per phone number and contact. Contact buckets are rebuilt from recent attempts after a restart.
 */
export class RateLimiter {
  private readonly numbers = new Map<string, NumberBucket>()
  private readonly pairs = new Map<string, Bucket>()
  private readonly campaigns = new Map<string, Bucket & { rateLimit: number }>()

  /**
   * Returns how many messages the phone number may send now, and when to ask again. Campaigns get
   * whole batches.
   */
  opening(
    account: AccountRow,
    nowMs: number,
    request: TokenRequest = PERSON,
  ): { room: number; nextAtMs: number | null } {
    return this.roomFor(account, nowMs, request, (perS) =>
      request.rank === 'campaign'
        ? Math.max(1, Math.floor((perS * CAMPAIGN_BATCH_MS) / SECOND_MS))
        : 1,
    )
  }

  /**
   * Returns the available messages if there are at least `least`, otherwise none and the time when
   * there are.
   */
  private roomFor(
    account: AccountRow,
    nowMs: number,
    request: TokenRequest,
    least: (perS: number) => number,
  ): { room: number; nextAtMs: number | null } {
    const bucket = this.numberOf(account, nowMs)
    if (request.rank !== 'campaign') bucket.othersAtMs = nowMs
    if (bucket.blockedUntilMs > nowMs) return { room: 0, nextAtMs: bucket.blockedUntilMs }
    const limits = this.storedLimits(bucket, request, {
      nowMs,
      speed: speedOf(account, bucket, nowMs),
    })
    const room = Math.floor(Math.min(...limits.map(({ tokens }) => tokens)) + ROUNDING)
    const wanted = least(Math.min(...limits.map(({ perS }) => perS)))
    if (room >= wanted) return { room, nextAtMs: null }
    const waitMs = Math.max(
      ...limits.map(({ tokens, perS }) => ((wanted - tokens) / perS) * SECOND_MS),
    )
    return { room: 0, nextAtMs: nowMs + Math.max(1, Math.ceil(waitMs)) }
  }

  /** Time of the phone number's next token, in epoch milliseconds. */
  nextTokenAtMs(account: AccountRow, nowMs: number): number {
    return nowMs + Math.max(1, Math.ceil(SECOND_MS / this.speed(account, nowMs)))
  }

  /**
   * Limits for a request: the phone number's bucket, and for campaigns the reserve, the burst and
   * their own rate.
   */
  private storedLimits(
    bucket: NumberBucket,
    request: TokenRequest,
    at: { nowMs: number; speed: number },
  ): Limit[] {
    const { tokens, othersAtMs } = bucket
    if (request.rank !== 'campaign') return [{ tokens, perS: at.speed }]
    const isShared = othersAtMs !== null && at.nowMs - othersAtMs < DEMAND_MS
    const own = this.campaignOf(request, at.nowMs)
    const flow = { tokens: flowOf(bucket, at).tokens, perS: at.speed * CAMPAIGNS_CATCH_UP }
    return [
      flow,
      { tokens: isShared ? tokens - campaignReserve(at.speed) : tokens, perS: at.speed },
      ...(own ? [{ tokens: own.tokens, perS: own.rateLimit }] : []),
    ]
  }

  private campaignOf(
    { campaignId = '', rateLimit }: TokenRequest,
    nowMs: number,
  ): (Bucket & { rateLimit: number }) | null {
    const known = this.campaigns.get(campaignId)
    if (rateLimit === null) this.campaigns.delete(campaignId)
    const perS = rateLimit === undefined ? known?.rateLimit : rateLimit
    if (perS === null || perS === undefined) return null
    const bucket = known ?? { tokens: 1, atMs: nowMs, blockedUntilMs: 0, rateLimit: perS }
    if (!known && this.campaigns.size >= MAX_CAMPAIGNS) this.campaigns.clear()
    this.campaigns.set(campaignId, bucket)
    fill(bucket, { nowMs, perS: bucket.rateLimit, most: perS })
    bucket.rateLimit = perS
    return bucket
  }

  /**
   * Takes one token for a message to a contact. If there is none, takes nothing and returns which
   * limit applies until when.
   */
  take(
    ctx: Ctx,
    account: AccountRow,
    contactId: string,
    request: TokenRequest = PERSON,
  ): { waitsFor: 'number' | 'contact'; untilMs: number } | null {
    const nowMs = ctx.clock.nowMs()
    const pair = this.pairOf(ctx, account.id, contactId)
    if (pair.blockedUntilMs > nowMs) return { waitsFor: 'contact', untilMs: pair.blockedUntilMs }
    if (pair.tokens + ROUNDING < 1)
      return { waitsFor: 'contact', untilMs: nowMs + Math.ceil((1 - pair.tokens) * PAIR_REFILL_MS) }
    const { room, nextAtMs } = this.roomFor(account, nowMs, request, () => 1)
    if (room < 1) return { waitsFor: 'number', untilMs: nextAtMs ?? nowMs }
    const bucket = this.numberOf(account, nowMs)
    bucket.tokens -= 1
    if (request.rank === 'campaign') {
      const own = this.campaignOf(request, nowMs)
      if (own) own.tokens -= 1
      bucket.flow.tokens -= 1
    }
    pair.tokens -= 1
    return null
  }

  /** Current rate of the phone number in messages per second. */
  speed(account: AccountRow, nowMs: number): number {
    return speedOf(account, this.numberOf(account, nowMs), nowMs)
  }

  /** Halves the rate of a phone number that the platform throttled. */
  slowDown(account: AccountRow, nowMs: number, retryAfterMs: number | null): void {
    const bucket = this.numberOf(account, nowMs)
    if (bucket.slowedAtMs === null || nowMs - bucket.slowedAtMs >= SAME_BURST_MS) {
      bucket.factor = Math.max(1 / throughputLimit(account), factorOf(bucket, nowMs) / 2)
      bucket.slowedAtMs = nowMs
    }
    bucket.tokens = 0
    bucket.blockedUntilMs = Math.max(bucket.blockedUntilMs, nowMs + (retryAfterMs ?? 0))
  }

  /** Blocks sends to a contact that the platform throttled. */
  blockContact(ctx: Ctx, accountId: string, contactId: string, untilMs: number): void {
    const pair = this.pairOf(ctx, accountId, contactId)
    pair.tokens = Math.min(pair.tokens, 1)
    pair.blockedUntilMs = Math.max(pair.blockedUntilMs, untilMs)
  }

  /**
   * Pause after an exhausted quota, in milliseconds, if the platform names none. Grows each time
   * until a message succeeds.
   */
  quotaPauseMs(account: AccountRow, nowMs: number): number {
    const bucket = this.numberOf(account, nowMs)
    const pause = QUOTA_PAUSES_MIN[Math.min(bucket.quotaPauses, QUOTA_PAUSES_MIN.length - 1)] ?? 60
    bucket.quotaPauses += 1
    return pause * MINUTE_MS
  }

  /** Resets the quota pauses after a successful message. */
  recordSuccess(account: AccountRow, nowMs: number): void {
    this.numberOf(account, nowMs).quotaPauses = 0
  }

  private numberOf(account: AccountRow, nowMs: number): NumberBucket {
    const known = this.numbers.get(account.id)
    if (!known) {
      const fresh = {
        tokens: throughputLimit(account),
        atMs: nowMs,
        blockedUntilMs: 0,
        factor: 1,
        slowedAtMs: null,
        quotaPauses: 0,
        othersAtMs: null,
        flow: { tokens: Infinity, atMs: nowMs, blockedUntilMs: 0 },
      }
      this.numbers.set(account.id, fresh)
      return fresh
    }
    followClock(known, nowMs)
    const speed = speedOf(account, known, nowMs)
    known.tokens = Math.min(
      Math.max(1, speed),
      known.tokens + (Math.max(0, nowMs - known.atMs) / SECOND_MS) * speed,
    )
    known.atMs = nowMs
    return known
  }

  private pairOf(ctx: Ctx, accountId: string, contactId: string): Bucket {
    const nowMs = ctx.clock.nowMs()
    const key = `${accountId} ${contactId}`
    const known = this.pairs.get(key) ?? bucketFromAttempts(ctx, accountId, contactId)
    refillPair(known, nowMs)
    if (!this.pairs.has(key)) this.evictFullPairs(nowMs)
    this.pairs.set(key, known)
    return known
  }

  /** Evicts full contact buckets, which are the same as new ones. */
  private evictFullPairs(nowMs: number): void {
    if (this.pairs.size < MAX_PAIRS) return
    for (const [key, bucket] of this.pairs) {
      refillPair(bucket, nowMs)
      if (bucket.tokens >= PAIR_BURST && bucket.blockedUntilMs <= nowMs) this.pairs.delete(key)
    }
  }
}

declare module '../../../../infra/ctx' {
  interface Deps {
    /** Rate limiter shared by all workers and requests of the process. */
    rateLimiter: RateLimiter
  }
}

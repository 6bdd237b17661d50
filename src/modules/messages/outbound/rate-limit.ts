import { MINUTE_MS, SECOND_MS } from '../../../lib/clock'
import { type Ctx } from '../../../infra/ctx'
import { throughputLimit, type AccountRow } from '../../accounts/view'
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

/** Answers to calls that were under way together count as one. */
const SAME_BURST_MS = SECOND_MS

/** Pauses after a quota is used up where the platform does not say how long, minutes. */
const QUOTA_PAUSES_MIN = [5, 10, 20, 40, 60] as const

/** Contacts whose burst is remembered before those with a full one are forgotten. */
const MAX_PAIRS = 50_000

/** Campaigns whose own speed is remembered. */
const MAX_CAMPAIGNS = 10_000

/** So long after a message of somebody else that still counts as sending. */
const DEMAND_MS = SECOND_MS

/**
 * Campaigns are let out so many milliseconds' worth at a time: those of one go share their turn and
 * their commits.
 */
const CAMPAIGN_BATCH_MS = 50

/** Sums of fractions may miss a whole number by less than this. */
const ROUNDING = 1e-6

/** Something that bounds who asks: so many tokens are there, and so many come in each second. */
interface Limit {
  tokens: number
  perS: number
}

/** Who asks for a token: a campaign may have a speed of its own, messages a second. */
export interface TokenRequest {
  rank: SendGateKey['rank']
  campaignId?: string | undefined
  rateLimit?: number | null
}

const PERSON: TokenRequest = { rank: 'person' }

/**
 * How fast messages may go, in memory: a bucket of tokens per number, which holds one second of its
 * speed, and one per number and contact. The latter is read from the attempts of the last minutes
 * when it is first asked for, so a restart forgets nothing of it.
 */
export class RateLimiter {
  private readonly numbers = new Map<string, NumberBucket>()
  private readonly pairs = new Map<string, Bucket>()
  private readonly campaigns = new Map<string, Bucket & { rateLimit: number }>()

  /**
   * So many messages of the number may go now, and when it is worth asking again; a campaign is let
   * out some at a time.
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
   * How many may go now, when that are no fewer than `least`; else none, and when there will be as
   * many.
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
    const limits = this.limitsOf(bucket, request, { nowMs, speed: speedOf(account, bucket, nowMs) })
    const room = Math.floor(Math.min(...limits.map(({ tokens }) => tokens)) + ROUNDING)
    const wanted = least(Math.min(...limits.map(({ perS }) => perS)))
    if (room >= wanted) return { room, nextAtMs: null }
    const waitMs = Math.max(
      ...limits.map(({ tokens, perS }) => ((wanted - tokens) / perS) * SECOND_MS),
    )
    return { room: 0, nextAtMs: nowMs + Math.max(1, Math.ceil(waitMs)) }
  }

  /** When the number has a token more, epoch milliseconds. */
  nextTokenAtMs(account: AccountRow, nowMs: number): number {
    return nowMs + Math.max(1, Math.ceil(SECOND_MS / this.speed(account, nowMs)))
  }

  /**
   * What bounds who asks: the number, of which a campaign leaves a part to others while they send,
   * and a campaign's own speed.
   */
  private limitsOf(
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
   * Takes the right to send one message to a contact now; when there is none, says what it waits
   * for and until when, and nothing is taken.
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

  /** Messages a second the number may send now. */
  speed(account: AccountRow, nowMs: number): number {
    return speedOf(account, this.numberOf(account, nowMs), nowMs)
  }

  /** The platform said that the number is too fast: it goes on at half its speed. */
  slowDown(account: AccountRow, nowMs: number, retryAfterMs: number | null): void {
    const bucket = this.numberOf(account, nowMs)
    if (bucket.slowedAtMs === null || nowMs - bucket.slowedAtMs >= SAME_BURST_MS) {
      bucket.factor = Math.max(1 / throughputLimit(account), factorOf(bucket, nowMs) / 2)
      bucket.slowedAtMs = nowMs
    }
    bucket.tokens = 0
    bucket.blockedUntilMs = Math.max(bucket.blockedUntilMs, nowMs + (retryAfterMs ?? 0))
  }

  /** The platform said that a contact gets too many messages: none goes to it before then. */
  blockContact(ctx: Ctx, accountId: string, contactId: string, untilMs: number): void {
    const pair = this.pairOf(ctx, accountId, contactId)
    pair.tokens = Math.min(pair.tokens, 1)
    pair.blockedUntilMs = Math.max(pair.blockedUntilMs, untilMs)
  }

  /**
   * How long a number rests after a quota was used up and the platform did not say: longer from
   * time to time, until a message passes.
   */
  quotaPauseMs(account: AccountRow, nowMs: number): number {
    const bucket = this.numberOf(account, nowMs)
    const pause = QUOTA_PAUSES_MIN[Math.min(bucket.quotaPauses, QUOTA_PAUSES_MIN.length - 1)] ?? 60
    bucket.quotaPauses += 1
    return pause * MINUTE_MS
  }

  /** A message of the number passed. */
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

  /**
   * Forgets the contacts that may get a whole burst again: they are as if they had never been asked
   * for.
   */
  private evictFullPairs(nowMs: number): void {
    if (this.pairs.size < MAX_PAIRS) return
    for (const [key, bucket] of this.pairs) {
      refillPair(bucket, nowMs)
      if (bucket.tokens >= PAIR_BURST && bucket.blockedUntilMs <= nowMs) this.pairs.delete(key)
    }
  }
}

declare module '../../../infra/ctx' {
  interface Deps {
    /** How fast messages may go; one for all workers and requests of the process. */
    rateLimiter: RateLimiter
  }
}

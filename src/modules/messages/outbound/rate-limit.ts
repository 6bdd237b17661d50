import { and, eq, gt, gte, isNull, lte, ne, or, sql } from 'drizzle-orm'

import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../lib/clock'
import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import { throughputLimit, type AccountRow } from '../../accounts/view'
import type { SendingPlace } from './gate-keys'
import { messages, sendAttempts } from '../table'

/**
 * What the platform lets one number send to one contact: so many at once, one more after each pause
 * (platform documentation).
 */
const PAIR_BURST = 45
const PAIR_REFILL_MS = 6 * SECOND_MS
const PAIR_MEMORY_MS = PAIR_BURST * PAIR_REFILL_MS

/**
 * A number that was too fast goes on at half its speed for so long, then a tenth faster after each
 * step.
 */
const SLOWDOWN_MS = MINUTE_MS
const RECOVERY_STEP_MS = 10 * SECOND_MS
const RECOVERY_STEP = 0.1
/** Answers to calls that were under way together count as one. */
const SAME_BURST_MS = SECOND_MS

/** Pauses after a quota is used up where the platform does not say how long, minutes. */
const QUOTA_PAUSES_MIN = [5, 10, 20, 40, 60] as const

/** Contacts whose burst is remembered before those with a full one are forgotten. */
const MAX_PAIRS = 50_000

/** Campaigns whose own speed is remembered. */
const MAX_CAMPAIGNS = 10_000

/** The longest a message waits before it fails as expired, whatever is configured. */
const MAX_WAIT_MS = 3 * DAY_MS

/**
 * Campaigns leave so many seconds of a number's speed in its bucket while anybody else sends, who
 * finds room there at once (outbound contract 4). What the others do not take is not lost: a bucket
 * that holds that much lets campaigns have all that comes in.
 */
const CAMPAIGN_RESERVE_S = 0.2
/** So long after a message of somebody else that still counts as sending. */
const DEMAND_MS = SECOND_MS

/**
 * Campaigns are let out so many milliseconds' worth at a time: those of one go share their turn and
 * their commits.
 */
const CAMPAIGN_BATCH_MS = 50

/**
 * What campaigns let out at once at most, seconds of a number's speed, and how many times as fast
 * they use up what is left over from before: a second's worth at once, at a start or after a rest,
 * would come back as many statuses at once, and everybody waits meanwhile.
 */
const CAMPAIGNS_AT_ONCE_S = 0.25
const CAMPAIGNS_CATCH_UP = 1.25

/** Sums of fractions may miss a whole number by less than this. */
const ROUNDING = 1e-6

interface Bucket {
  tokens: number
  atMs: number
  /** Nothing goes before that. */
  shutUntilMs: number
}

interface NumberBucket extends Bucket {
  /** Part of its speed that the number was given when it was last slowed down. */
  factor: number
  slowedAtMs: number | null
  quotaPauses: number
  /** When somebody other than a campaign sent or waited last. */
  othersAtMs: number | null
  /** What campaigns may let out at the moment. */
  flow: Bucket
}

/** Something that bounds who asks: so many tokens are there, and so many come in each second. */
interface Limit {
  tokens: number
  perS: number
}

/** Who asks for a token: a campaign may have a speed of its own, messages a second. */
export interface Asking {
  rank: SendingPlace['rank']
  campaignId?: string | undefined
  rateLimit?: number | null
}

const PERSON: Asking = { rank: 'person' }

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
    asking: Asking = PERSON,
  ): { room: number; nextAtMs: number | null } {
    return this.roomFor(account, nowMs, asking, (perS) =>
      asking.rank === 'campaign'
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
    asking: Asking,
    least: (perS: number) => number,
  ): { room: number; nextAtMs: number | null } {
    const bucket = this.numberOf(account, nowMs)
    if (asking.rank !== 'campaign') bucket.othersAtMs = nowMs
    if (bucket.shutUntilMs > nowMs) return { room: 0, nextAtMs: bucket.shutUntilMs }
    const limits = this.limitsOf(bucket, asking, { nowMs, speed: speedOf(account, bucket, nowMs) })
    const room = Math.floor(Math.min(...limits.map(({ tokens }) => tokens)) + ROUNDING)
    const asked = least(Math.min(...limits.map(({ perS }) => perS)))
    if (room >= asked) return { room, nextAtMs: null }
    const waitMs = Math.max(
      ...limits.map(({ tokens, perS }) => ((asked - tokens) / perS) * SECOND_MS),
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
    asking: Asking,
    at: { nowMs: number; speed: number },
  ): Limit[] {
    const { tokens, othersAtMs } = bucket
    if (asking.rank !== 'campaign') return [{ tokens, perS: at.speed }]
    const isShared = othersAtMs !== null && at.nowMs - othersAtMs < DEMAND_MS
    const own = this.campaignOf(asking, at.nowMs)
    const flow = { tokens: flowOf(bucket, at).tokens, perS: at.speed * CAMPAIGNS_CATCH_UP }
    return [
      flow,
      { tokens: isShared ? tokens - leftByCampaigns(at.speed) : tokens, perS: at.speed },
      ...(own ? [{ tokens: own.tokens, perS: own.rateLimit }] : []),
    ]
  }

  private campaignOf(
    { campaignId = '', rateLimit }: Asking,
    nowMs: number,
  ): (Bucket & { rateLimit: number }) | null {
    const known = this.campaigns.get(campaignId)
    if (rateLimit === null) this.campaigns.delete(campaignId)
    const perS = rateLimit === undefined ? known?.rateLimit : rateLimit
    if (perS === null || perS === undefined) return null
    const bucket = known ?? { tokens: 1, atMs: nowMs, shutUntilMs: 0, rateLimit: perS }
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
    asking: Asking = PERSON,
  ): { waitsFor: 'number' | 'contact'; untilMs: number } | null {
    const nowMs = ctx.clock.nowMs()
    const pair = this.pairOf(ctx, account.id, contactId)
    if (pair.shutUntilMs > nowMs) return { waitsFor: 'contact', untilMs: pair.shutUntilMs }
    if (pair.tokens + ROUNDING < 1)
      return { waitsFor: 'contact', untilMs: nowMs + Math.ceil((1 - pair.tokens) * PAIR_REFILL_MS) }
    const { room, nextAtMs } = this.roomFor(account, nowMs, asking, () => 1)
    if (room < 1) return { waitsFor: 'number', untilMs: nextAtMs ?? nowMs }
    const bucket = this.numberOf(account, nowMs)
    bucket.tokens -= 1
    if (asking.rank === 'campaign') {
      const own = this.campaignOf(asking, nowMs)
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
    bucket.shutUntilMs = Math.max(bucket.shutUntilMs, nowMs + (retryAfterMs ?? 0))
  }

  /** The platform said that a contact gets too many messages: none goes to it before then. */
  shutContact(ctx: Ctx, accountId: string, contactId: string, untilMs: number): void {
    const pair = this.pairOf(ctx, accountId, contactId)
    pair.tokens = Math.min(pair.tokens, 1)
    pair.shutUntilMs = Math.max(pair.shutUntilMs, untilMs)
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
  passed(account: AccountRow, nowMs: number): void {
    this.numberOf(account, nowMs).quotaPauses = 0
  }

  private numberOf(account: AccountRow, nowMs: number): NumberBucket {
    const known = this.numbers.get(account.id)
    if (!known) {
      const fresh = {
        tokens: throughputLimit(account),
        atMs: nowMs,
        shutUntilMs: 0,
        factor: 1,
        slowedAtMs: null,
        quotaPauses: 0,
        othersAtMs: null,
        flow: { tokens: Infinity, atMs: nowMs, shutUntilMs: 0 },
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
    const known = this.pairs.get(key) ?? remembered(ctx, accountId, contactId)
    refill(known, nowMs)
    if (!this.pairs.has(key)) this.makeRoom(nowMs)
    this.pairs.set(key, known)
    return known
  }

  /**
   * Forgets the contacts that may get a whole burst again: they are as if they had never been asked
   * for.
   */
  private makeRoom(nowMs: number): void {
    if (this.pairs.size < MAX_PAIRS) return
    for (const [key, bucket] of this.pairs) {
      refill(bucket, nowMs)
      if (bucket.tokens >= PAIR_BURST && bucket.shutUntilMs <= nowMs) this.pairs.delete(key)
    }
  }
}

/** Where the clock was put back, pauses end as long after now as they were to end after then. */
function followClock(bucket: Bucket & { slowedAtMs?: number | null }, nowMs: number): void {
  const backMs = bucket.atMs - nowMs
  if (backMs <= 0) return
  bucket.shutUntilMs -= backMs
  if (bucket.slowedAtMs != null) bucket.slowedAtMs -= backMs
}

/**
 * What campaigns leave in the bucket of a number of this speed; a slow one lends its only token.
 */
const leftByCampaigns = (perS: number): number =>
  Math.min(perS * CAMPAIGN_RESERVE_S, Math.max(1, perS) - 1)

/** What campaigns of a number may let out now. */
function flowOf(
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

function fill(bucket: Bucket, at: { nowMs: number; perS: number; most: number }): void {
  bucket.tokens = Math.min(
    at.most,
    bucket.tokens + (Math.max(0, at.nowMs - bucket.atMs) / SECOND_MS) * at.perS,
  )
  bucket.atMs = at.nowMs
}

const refill = (bucket: Bucket, nowMs: number): void => {
  followClock(bucket, nowMs)
  bucket.tokens = Math.min(
    PAIR_BURST,
    bucket.tokens + Math.max(0, nowMs - bucket.atMs) / PAIR_REFILL_MS,
  )
  bucket.atMs = nowMs
}

const speedOf = (account: AccountRow, bucket: NumberBucket, nowMs: number): number =>
  Math.max(1, throughputLimit(account) * factorOf(bucket, nowMs))

/**
 * What part of its speed a number has: half since it was too fast, a tenth more after each step
 * once a minute has passed.
 */
function factorOf({ factor, slowedAtMs }: NumberBucket, nowMs: number): number {
  if (slowedAtMs === null) return 1
  const sinceMs = nowMs - slowedAtMs - SLOWDOWN_MS
  return sinceMs < 0
    ? factor
    : Math.min(1, factor + RECOVERY_STEP * (1 + Math.floor(sinceMs / RECOVERY_STEP_MS)))
}

/**
 * The attempts of the last minutes at one contact that may have reached the platform, oldest first.
 */
const recentAttempts = compiled((orm) =>
  orm
    .select({ atMs: sendAttempts.startedAtMs })
    .from(messages)
    .innerJoin(
      sendAttempts,
      and(
        eq(sendAttempts.organizationId, messages.organizationId),
        eq(sendAttempts.messageId, messages.id),
      ),
    )
    .where(
      inOrganization(
        anyScope,
        messages,
        and(
          eq(messages.contactId, sql.placeholder('contactId')),
          gte(messages.timestampMs, sql.placeholder('writtenSinceMs')),
          eq(messages.accountId, sql.placeholder('accountId')),
          sql`${messages.direction} = 'outgoing'`,
          gt(sendAttempts.startedAtMs, sql.placeholder('sinceMs')),
          // later ones are of a clock that was put back
          lte(sendAttempts.startedAtMs, sql.placeholder('nowMs')),
          or(isNull(sendAttempts.outcome), ne(sendAttempts.outcome, 'unreachable')),
        ),
      ),
    )
    .orderBy(sendAttempts.startedAtMs)
    .prepare(),
)

function remembered(ctx: Ctx, accountId: string, contactId: string): Bucket {
  const nowMs = ctx.clock.nowMs()
  const sinceMs = nowMs - PAIR_MEMORY_MS
  const place = { organizationId: ctx.organizationId, accountId, contactId }
  const bucket: Bucket = { tokens: PAIR_BURST, atMs: sinceMs, shutUntilMs: 0 }
  for (const { atMs } of recentAttempts(ctx.db).all({
    ...place,
    sinceMs,
    nowMs,
    writtenSinceMs: nowMs - MAX_WAIT_MS,
  })) {
    refill(bucket, atMs)
    bucket.tokens = Math.max(0, bucket.tokens - 1)
  }
  return bucket
}

declare module '../../../infra/ctx' {
  interface Deps {
    /** How fast messages may go; one for all workers and requests of the process. */
    rateLimiter: RateLimiter
  }
}

import { and, asc, count, eq, gt, sql } from 'drizzle-orm'

import { DAY_MS, MINUTE_MS } from '../../../lib/clock'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { notifyAboutAccountIn } from '../../accounts/notify'
import { isRestricted, type AccountRow } from '../../accounts/view'
import { portfolioReach } from '../../campaigns/table'

type Scope = Pick<Ctx, 'db' | 'organizationId'>

/** From this part of the daily quota on people are warned. */
export const WARNING_SHARE = 0.8

/**
 * The portfolio whose quota a number uses; of one that is not known the business account stands for
 * it.
 */
export const portfolioOf = (account: Pick<AccountRow, 'portfolioId' | 'businessId'>): string =>
  account.portfolioId ?? account.businessId

/**
 * So many people a day each level of the platform's lets a portfolio write to first; `null` where
 * it is not limited or not known.
 */
function dailyQuotaOf(tier: string | null): number | null {
  const [, people, thousand] = /^TIER_(\d+)(K?)$/.exec(tier ?? '') ?? []
  return people === undefined ? null : Number(people) * (thousand === 'K' ? 1_000 : 1)
}

/**
 * How many people a portfolio may still write to first within 24 hours, and when the next one frees
 * its place, epoch milliseconds.
 */
export interface Quota {
  tier: string | null
  /** `null` where the platform sets none, or we do not know it. */
  most: number | null
  remaining: number | null
  nextFreeAtMs: number | null
}

/** Whom templates of a number's portfolio reached within 24 hours. */
const isRecent = (account: AccountRow, nowMs: number) =>
  and(eq(portfolioReach.portfolio, portfolioOf(account)), gt(portfolioReach.atMs, nowMs - DAY_MS))

/**
 * What is left of the daily quota of a number's portfolio (platform documentation: messaging
 * limits).
 */
export function quotaOf(scope: Scope, account: AccountRow, nowMs: number): Quota {
  const tier = account.messagingLimitTier
  const most = dailyQuotaOf(tier)
  if (most === null) return { tier, most, remaining: null, nextFreeAtMs: null }
  const recent = inOrganization(scope, portfolioReach, isRecent(account, nowMs))
  const used =
    scope.db.orm.select({ rows: count() }).from(portfolioReach).where(recent).get()?.rows ?? 0
  const remaining = Math.max(0, most - used)
  const oldest =
    remaining > 0
      ? undefined
      : scope.db.orm
          .select({ atMs: portfolioReach.atMs })
          .from(portfolioReach)
          .where(recent)
          .orderBy(asc(portfolioReach.atMs))
          .limit(1)
          .get()
  return { tier, most, remaining, nextFreeAtMs: oldest ? oldest.atMs + DAY_MS : null }
}

/**
 * What to say of a template that somebody sends outside of an open window: that it waits, because
 * the platform lets the number only answer; or that the daily quota of its portfolio is nearly used
 * or used up, with which it is sent all the same (outbound contract 4). Nothing of the latter of a
 * contact that uses a place already.
 */
export function closedWindowWarnings(
  scope: Scope,
  account: AccountRow,
  at: { contactId: string | null; nowMs: number },
): string[] {
  if (isRestricted(account, at.nowMs)) return ['account_restricted']
  const { most, remaining } = quotaOf(scope, account, at.nowMs)
  if (most === null || remaining === null || most - remaining < most * WARNING_SHARE) return []
  if (at.contactId !== null && isReached(scope, account, at.contactId, at.nowMs)) return []
  return [remaining === 0 ? 'messaging_limit_used' : 'messaging_limit_nearly_used']
}

const isReached = (scope: Scope, account: AccountRow, contactId: string, nowMs: number): boolean =>
  scope.db.orm
    .select({ one: sql`1` })
    .from(portfolioReach)
    .where(
      inOrganization(
        scope,
        portfolioReach,
        isRecent(account, nowMs),
        eq(portfolioReach.contactId, contactId),
      ),
    )
    .limit(1)
    .get() !== undefined

/** What was last counted of a portfolio, and how many people were reached since. */
export interface QuotaUsage {
  atMs: number
  used: number
  since: number
}

/**
 * Counting a large portfolio takes milliseconds: that is done when it can matter, and once a
 * minute.
 */
const COUNT_EVERY_MS = MINUTE_MS
const MAX_KNOWN = 10_000

declare module '../../../infra/ctx' {
  interface Deps {
    /** What was last counted of each portfolio, by organization and portfolio. */
    messagingLimitUse: Map<string, QuotaUsage>
  }
}

/**
 * Tells those who look after a number, once a day, that the quota of its portfolio is nearly used
 * or used up; in the transaction of a message that used some.
 */
export function notifyQuotaIn(tx: Tx, ctx: Ctx, account: AccountRow): void {
  const most = dailyQuotaOf(account.messagingLimitTier)
  if (most === null) return
  const nowMs = ctx.clock.nowMs()
  const known = ctx.messagingLimitUse
  if (known.size >= MAX_KNOWN) known.clear()
  const key = `${ctx.organizationId} ${portfolioOf(account)}`
  const last = known.get(key)
  const next =
    last === undefined
      ? 0
      : last.used < most * WARNING_SHARE
        ? most * WARNING_SHARE
        : last.used < most
          ? most
          : Infinity
  if (last && nowMs - last.atMs < COUNT_EVERY_MS && last.used + last.since + 1 < next)
    return void (last.since += 1)
  const used = most - (quotaOf(ctx, account, nowMs).remaining ?? most)
  known.set(key, { atMs: nowMs, used, since: 0 })
  if (used < most * WARNING_SHARE) return undefined
  const isUsed = used >= most
  return notifyAboutAccountIn(
    tx,
    ctx,
    account,
    {
      kind: isUsed ? 'messaging_limit_used' : 'messaging_limit_near',
      severity: 'warning',
      title: isUsed ? 'Daily messaging limit used up' : 'Most of the daily messaging limit is used',
      body:
        `You have started conversations with ${used} of the ${most} people allowed within 24 ` +
        'hours. Messages from agents and the API are still sent, but the platform may reject ' +
        'them.',
    },
    { onceSinceMs: nowMs - DAY_MS },
  )
}

import { asc, eq, sql } from 'drizzle-orm'

import { DAY_MS, MINUTE_MS } from '../../../../lib/clock'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { notifyAboutAccountIn } from '../../../channel/accounts/notify'
import { countReached, isReachedLately, portfolioOf } from '../../../channel/accounts/reached'
import { isRestricted, type AccountRow } from '../../../channel/accounts/view'
import { portfolioReach } from '../../../outreach/campaigns/table'
import { noticeText } from '../../../organization/notifications/catalog'

type Scope = Pick<Ctx, 'db' | 'organizationId'>

/** Share of the daily quota from which people are warned. */
export const WARNING_SHARE = 0.8

/** New conversations per day that a messaging tier allows; `null` if unlimited or unknown. */
function dailyQuotaOf(tier: string | null): number | null {
  const [, people, thousand] = /^TIER_(\d+)(K?)$/.exec(tier ?? '') ?? []
  return people === undefined ? null : Number(people) * (thousand === 'K' ? 1_000 : 1)
}

/**
 * Remaining business-initiated conversations of a portfolio within 24 hours, and when the next slot
 * is free, in epoch milliseconds.
 */
export interface Quota {
  tier: string | null
  /** `null` if the platform sets no limit or it is unknown. */
  most: number | null
  remaining: number | null
  nextFreeAtMs: number | null
}

/**
 * Returns the remaining daily quota of a phone number's portfolio (platform documentation:
 * messaging limits).
 */
export function quotaOf(scope: Scope, account: AccountRow, nowMs: number): Quota {
  const tier = account.messagingLimitTier
  const most = dailyQuotaOf(tier)
  if (most === null) return { tier, most, remaining: null, nextFreeAtMs: null }
  const remaining = Math.max(0, most - countReached(scope, account, nowMs))
  const oldest =
    remaining > 0
      ? undefined
      : scope.db.orm
          .select({ atMs: portfolioReach.atMs })
          .from(portfolioReach)
          .where(inOrganization(scope, portfolioReach, isReachedLately(account, nowMs)))
          .orderBy(asc(portfolioReach.atMs))
          .limit(1)
          .get()
  return { tier, most, remaining, nextFreeAtMs: oldest ? oldest.atMs + DAY_MS : null }
}

/**
 * Returns the warnings for a template sent outside the 24-hour window: `account_restricted` if it
 * has to wait, or a warning that the daily quota is nearly or fully used (outbound contract 4).
 * Contacts that were already reached today use no further quota.
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
        isReachedLately(account, nowMs),
        eq(portfolioReach.contactId, contactId),
      ),
    )
    .limit(1)
    .get() !== undefined

/** Last count of a portfolio's usage, and the number of people reached since. */
export interface QuotaUsage {
  atMs: number
  used: number
  since: number
}

/**
 * Counting a large portfolio takes milliseconds, so usage is recounted at most once a minute, or
 * when a threshold may be reached.
 */
const COUNT_EVERY_MS = MINUTE_MS
const MAX_KNOWN = 10_000

declare module '../../../../infra/ctx' {
  interface Deps {
    /** Quota usage by organization and portfolio. */
    messagingLimitUse: Map<string, QuotaUsage>
  }
}

/**
 * Notifies account managers, at most once a day, that the daily quota is nearly or fully used. Runs
 * in the transaction of the message that used it.
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
      text: noticeText(isUsed ? 'messaging_limit_used' : 'messaging_limit_near', { used, most }),
      body:
        `You have started conversations with ${used} of the ${most} people allowed within 24 ` +
        'hours. Messages from agents and the API are still sent, but the platform may reject ' +
        'them.',
    },
    { onceSinceMs: nowMs - DAY_MS },
  )
}

import { and, asc, count, eq, gt, sql } from 'drizzle-orm'

import { DAY_MS } from '../../lib/clock'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { compiled, type Tx } from '../../infra/db'
import type { AccountRow } from '../accounts/view'
import { dailyQuotaOf } from './policy'
import { portfolioReach } from './table'

type Scope = Pick<Ctx, 'db' | 'organizationId'>

/** The portfolio whose quota a number uses; of one that is not known the business account stands for it. */
const portfolioOf = (account: Pick<AccountRow, 'portfolioId' | 'businessId'>): string => account.portfolioId ?? account.businessId

const noteReach = compiled((orm) =>
  orm
    .insert(portfolioReach)
    .values({
      organizationId: sql.placeholder('organizationId'),
      portfolio: sql.placeholder('portfolio'),
      contactId: sql.placeholder('contactId'),
      atMs: sql.placeholder('atMs'),
    })
    .onConflictDoUpdate({
      target: [portfolioReach.organizationId, portfolioReach.portfolio, portfolioReach.contactId],
      set: { atMs: sql`max(${portfolioReach.atMs}, excluded.at_ms)` },
    })
    .prepare(),
)

/** Notes that a template reached somebody outside of an open window, in the caller's transaction. */
export function noteReachIn(tx: Tx, ctx: Ctx, reached: { account: AccountRow; contactId: string; atMs: number }): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  const { account, contactId, atMs } = reached
  noteReach(ctx.db).run({ organizationId: ctx.organizationId, portfolio: portfolioOf(account), contactId, atMs })
}

/** How many people a portfolio may still write to first within 24 hours, and when the next one frees its place, epoch milliseconds. */
export interface Quota {
  tier: string | null
  /** `null` where the platform sets none, or we do not know it. */
  most: number | null
  remaining: number | null
  nextFreeAtMs: number | null
}

/** What is left of the daily quota of a number's portfolio (platform documentation: messaging limits). */
export function quotaOf(scope: Scope, account: AccountRow, nowMs: number): Quota {
  const tier = account.messagingLimitTier
  const most = dailyQuotaOf(tier)
  if (most === null) return { tier, most, remaining: null, nextFreeAtMs: null }
  const recent = inOrganization(
    scope,
    portfolioReach,
    and(eq(portfolioReach.portfolio, portfolioOf(account)), gt(portfolioReach.atMs, nowMs - DAY_MS)),
  )
  const used = scope.db.orm.select({ rows: count() }).from(portfolioReach).where(recent).get()?.rows ?? 0
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

/** Forgets a batch of whom nothing reached within the last 24 hours. Returns how many. */
export function pruneReach(ctx: Pick<Ctx, 'clock'>, tx: Tx): number {
  const old = tx
    .select({ organizationId: portfolioReach.organizationId, portfolio: portfolioReach.portfolio, contactId: portfolioReach.contactId })
    .from(portfolioReach)
    .where(sql`${portfolioReach.atMs} <= ${ctx.clock.nowMs() - DAY_MS}`)
    .limit(500)
    .all()
  for (const row of old)
    tx.delete(portfolioReach)
      .where(
        inOrganization(row, portfolioReach, and(eq(portfolioReach.portfolio, row.portfolio), eq(portfolioReach.contactId, row.contactId))),
      )
      .run()
  return old.length
}

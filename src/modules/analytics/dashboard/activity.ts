import { eq, gte, isNull, lt, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { localDayOf } from '../../../lib/local-day'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { campaigns } from '../../campaigns/table'
import { transfers } from '../../transfers/table'
import { breachesOf } from '../agents/read-counts'
import { botSessionCounts } from '../chatbot/table'
import { isCurrent } from '../rollups/current'
import { percentOf, secondsOf } from '../report/rates'
import type { Dashboard } from './model'
import type { DashboardScope } from './scope'

const countIf = (condition: SQL): SQL<number> => sql<number>`coalesce(sum(${condition}), 0)`

/** Returns the figures about campaigns. */
export function campaignFigures(
  ctx: Ctx,
  { accountId, timezone, days }: DashboardScope,
): Dashboard['campaigns'] {
  const monthMs = localDayOf(days.month, timezone).fromMs
  const found = ctx.db.orm
    .select({
      total: sql<number>`count(*)`,
      active: countIf(sql`${campaigns.status} in ('sending', 'paused')`),
      completed: countIf(
        sql`${campaigns.status} = 'completed' and ${campaigns.completedAtMs} >= ${monthMs}`,
      ),
    })
    .from(campaigns)
    .where(
      inOrganization(
        ctx,
        campaigns,
        isNull(campaigns.deletedAtMs),
        accountId === undefined ? undefined : eq(campaigns.accountId, accountId),
      ),
    )
    .get()
  return {
    total: found?.total ?? 0,
    active: found?.active ?? 0,
    completed_this_month: found?.completed ?? 0,
  }
}

/** Returns the figures about the bot. */
export function chatbotFigures(
  ctx: Ctx,
  { accountId, range, today }: DashboardScope,
): Dashboard['chatbot'] {
  const sum = (column: SQLiteColumn): SQL<number> => sql<number>`coalesce(sum(${column}), 0)`
  const found = ctx.db.orm
    .select({
      sessions: sum(botSessionCounts.sessions),
      today: countIf(
        sql`iif(${botSessionCounts.atMs} >= ${today.fromMs}, ${botSessionCounts.sessions}, 0)`,
      ),
      autoResolved: sum(botSessionCounts.autoResolved),
      transferred: sum(botSessionCounts.transferred),
      abandoned: sum(botSessionCounts.abandoned),
    })
    .from(botSessionCounts)
    .where(
      inOrganization(
        ctx,
        botSessionCounts,
        isCurrent(ctx, botSessionCounts),
        gte(botSessionCounts.atMs, range.fromMs),
        lt(botSessionCounts.atMs, range.beforeMs),
        accountId === undefined ? undefined : eq(botSessionCounts.accountId, accountId),
      ),
    )
    .get()
  const { autoResolved = 0, transferred = 0, abandoned = 0 } = found ?? {}
  return {
    conversations_today: found?.today ?? 0,
    conversations: found?.sessions ?? 0,
    auto_resolved: autoResolved,
    transferred_to_agent: transferred,
    resolution_rate: percentOf(autoResolved, autoResolved + transferred + abandoned),
  }
}

/** Returns the figures about transfers. */
export function transferFigures(
  ctx: Ctx,
  { accountId, range }: DashboardScope,
): Dashboard['transfers'] {
  const waiting = ctx.db.orm
    .select({
      count: sql<number>`count(*)`,
      oldestMs: sql<number | null>`min(${transfers.transferredAtMs})`,
    })
    .from(transfers)
    .where(
      inOrganization(
        ctx,
        transfers,
        // The text matches the partial index.
        sql`${transfers.status} = 'active' and ${transfers.agentId} is null`,
        accountId === undefined ? undefined : eq(transfers.accountId, accountId),
      ),
    )
    .get()
  const nowMs = ctx.clock.nowMs()
  return {
    waiting: waiting?.count ?? 0,
    oldest_waiting_seconds: secondsOf(nowMs - (waiting?.oldestMs ?? nowMs)),
    sla_breached: breachesOf(ctx, { ...range, accountId }),
  }
}

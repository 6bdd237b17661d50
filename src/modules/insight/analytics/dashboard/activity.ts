import { eq, isNull, sql, type SQL } from 'drizzle-orm'

import { localDayOf } from '../../../../lib/local-day'
import { inOrganization } from '../../../../infra/ctx'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { NIL_UUID, uuidToBytes } from '../../../../infra/db/uuid'
import { campaigns } from '../../../outreach/campaigns/table'
import { transfers } from '../../../automation/transfers/table'
import { percentOf, secondsOf } from '../report/rates'
import type { CountRow, RollupReading } from '../rollups/queries'
import type { Dashboard } from './model'
import type { DashboardScope } from './scope'

const countIf = (condition: SQL): SQL<number> => sql<number>`coalesce(sum(${condition}), 0)`

/** Returns the figures about campaigns. */
export function campaignFigures(
  ctx: ReadCtx,
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

/** Returns what is read for the figures about the bot. */
export const chatbotReading = (
  plan: RollupReading['plan'],
  where: RollupReading['where'],
): RollupReading => ({
  ...{ table: 'bot_session_counts', keys: [], plan, where, addUp: 'over all' },
  sums: ['sessions', 'auto_resolved', 'transferred', 'abandoned'],
})

/** Returns the figures about the bot. */
export function chatbotFigures(
  rows: readonly CountRow[],
  rowsOfToday: readonly CountRow[],
): Dashboard['chatbot'] {
  const sums = { today: 0, sessions: 0, autoResolved: 0, transferred: 0, abandoned: 0 }
  for (const [, , sessions, autoResolved, transferred, abandoned] of rows) {
    sums.sessions += Number(sessions)
    sums.autoResolved += Number(autoResolved)
    sums.transferred += Number(transferred)
    sums.abandoned += Number(abandoned)
  }
  for (const [, , sessions] of rowsOfToday) sums.today += Number(sessions)
  const { autoResolved, transferred, abandoned } = sums
  return {
    conversations_today: sums.today,
    conversations: sums.sessions,
    auto_resolved: autoResolved,
    transferred_to_agent: transferred,
    resolution_rate: percentOf(autoResolved, autoResolved + transferred + abandoned),
  }
}

/** Returns what is read for missed deadlines, which are counted as nobody's. */
export const breachReading = (
  plan: RollupReading['plan'],
  where: RollupReading['where'],
): RollupReading => ({
  ...{ table: 'transfer_counts', keys: [], sums: ['breached'], plan, addUp: 'over all' },
  where: [['user_id = ?', uuidToBytes(NIL_UUID)], ...where],
})

/** Returns the figures about transfers. */
export function transferFigures(
  ctx: ReadCtx,
  { accountId }: DashboardScope,
  breaches: readonly CountRow[],
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
    sla_breached: breaches.reduce((sum, [, , breached]) => sum + Number(breached), 0),
  }
}

import { sql } from 'drizzle-orm'

import { hasIdIn, anyScope, inOrganization } from '../../../infra/ctx'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { compiled, place } from '../../../infra/db/compiled'
import { billingMonthOf } from '../../channel/accounts/allowance'
import { costMonthView, type CostSums } from '../../channel/accounts/cost-month'
import type { CostMonth } from '../../channel/accounts/connection/model'
import { messages } from '../messages/table'

const isEstimate = sql`${messages.isCostEstimate} = 1`
const micros = sql`coalesce(${messages.costMicros}, 0)`

/** Sums by conversation and currency, read from the index of costs alone. */
const sumsOf = compiled((orm) =>
  orm
    .select({
      conversationId: messages.conversationId,
      currency: sql<string>`coalesce(${messages.costCurrency}, '')`.as('currency'),
      settledMicros: sql<number>`sum(iif(${isEstimate}, 0, ${micros}))`,
      estimatedMicros: sql<number>`sum(iif(${isEstimate}, ${micros}, 0))`,
      estimatedMessages: sql<number>`sum(${isEstimate})`,
      unpricedMessages: sql<number>`sum(${messages.costMicros} is null)`,
    })
    .from(messages)
    .where(
      inOrganization(
        anyScope,
        messages,
        hasIdIn(messages.conversationId),
        sql`${messages.costMonth} is not null and ${messages.costMonth} = ${place(messages.costMonth, 'month')}`,
      ),
    )
    .groupBy(messages.conversationId, messages.costCurrency)
    .prepare(),
)

/** Returns what the messages of conversations cost this month, by conversation. */
export function costsThisMonth(
  ctx: ReadCtx,
  conversations: { id: string; accountId: string }[],
): Map<string, CostMonth | null> {
  const nowMs = ctx.clock.nowMs()
  const months = new Map(conversations.map(({ accountId }) => [accountId, 0]))
  for (const accountId of months.keys())
    months.set(accountId, billingMonthOf(ctx, accountId, nowMs))
  const byMonth = Map.groupBy(conversations, ({ accountId }) => months.get(accountId) ?? 0)
  const rows = [...byMonth].flatMap(([month, each]) =>
    sumsOf(ctx.db).all({
      organizationId: ctx.organizationId,
      ids: JSON.stringify(each.map(({ id }) => id)),
      month,
    }),
  )
  const byId = Map.groupBy<string, CostSums & { conversationId: string }>(
    rows,
    ({ conversationId }) => conversationId,
  )
  return new Map([...byId].map(([id, sums]) => [id, costMonthView(sums)]))
}

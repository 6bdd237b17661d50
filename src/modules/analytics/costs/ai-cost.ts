import { and, eq, gte, lt, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { aiCallCounts } from '../chatbot/table'
import type { ReportRange } from '../report/range'

/** Prices of AI providers are in US dollars. */
export const AI_CURRENCY = 'USD'

/** Returns the cost of the calls to AI providers in a period, millionths of a US dollar. */
export const aiCostMicros = (
  ctx: Ctx,
  { fromMs, beforeMs }: Pick<ReportRange, 'fromMs' | 'beforeMs'>,
  accountId: string | undefined,
): number =>
  ctx.db.orm
    .select({ micros: sql<number>`coalesce(sum(${aiCallCounts.costMicros}), 0)` })
    .from(aiCallCounts)
    .where(
      inOrganization(
        ctx,
        aiCallCounts,
        and(
          accountId === undefined ? undefined : eq(aiCallCounts.accountId, accountId),
          gte(aiCallCounts.atMs, fromMs),
          lt(aiCallCounts.atMs, beforeMs),
        ),
      ),
    )
    .get()?.micros ?? 0

import { and, between, eq, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { dayNumber, daysBetween } from '../../ai/usage/days'
import type { ReportRange } from '../report/range'
import type { AiFigures } from './model'
import { aiCallCounts } from './table'

/** Millionths in a dollar. */
const MICROS = 1_000_000

/** Sums of calls to AI providers. */
interface AiSums {
  requests: number
  failed: number
  inputTokens: number
  outputTokens: number
  /** Millionths of a US dollar. */
  costMicros: number
}

/** Returns the use of AI in a range, of the organization or of one number. */
export function aiUsageIn(ctx: Ctx, range: ReportRange, accountId: string | undefined): AiFigures {
  const sums =
    accountId === undefined ? sumsOfDays(ctx, range) : sumsOfNumber(ctx, range, accountId)
  const tokens = sums.inputTokens + sums.outputTokens
  return {
    total_requests: sums.requests,
    failed_requests: sums.failed,
    input_tokens: sums.inputTokens,
    output_tokens: sums.outputTokens,
    total_tokens: tokens,
    avg_tokens_per_request:
      sums.requests === 0 ? 0 : Math.round((tokens / sums.requests) * 10) / 10,
    estimated_cost: sums.costMicros / MICROS,
    currency: 'USD',
  }
}

function sumsOfDays(ctx: Ctx, { days }: ReportRange): AiSums {
  const sums: AiSums = { requests: 0, failed: 0, inputTokens: 0, outputTokens: 0, costMicros: 0 }
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last) return sums
  for (const day of daysBetween(ctx, dayNumber(first.date), dayNumber(last.date)))
    for (const field of Object.keys(sums) as (keyof AiSums)[]) sums[field] += day[field]
  return sums
}

function sumsOfNumber(ctx: Ctx, { fromMs, beforeMs }: ReportRange, accountId: string): AiSums {
  const sumOf = (column: keyof AiSums) => sql<number>`coalesce(sum(${aiCallCounts[column]}), 0)`
  const sums = ctx.db.orm
    .select({
      requests: sumOf('requests'),
      failed: sumOf('failed'),
      inputTokens: sumOf('inputTokens'),
      outputTokens: sumOf('outputTokens'),
      costMicros: sumOf('costMicros'),
    })
    .from(aiCallCounts)
    .where(
      inOrganization(
        ctx,
        aiCallCounts,
        and(
          eq(aiCallCounts.accountId, accountId),
          between(aiCallCounts.atMs, fromMs, beforeMs - 1),
        ),
      ),
    )
    .get()
  if (!sums) throw new Error('a sum has a row')
  return sums
}

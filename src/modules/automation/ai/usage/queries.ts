import { InvalidError } from '../../../../lib/errors'
import { dateAfter, localDateOf } from '../../../../lib/local-day'
import { isCalendarDate } from '../../../../lib/instant'
import type { Ctx } from '../../../../infra/ctx'
import { effectiveSettings } from '../../chatbot-settings/effective'
import { getOrganization } from '../../../organization/organizations/service'
import { dateOfDay, dayNumber, daysBetween, usedInMonth, usedOnDay } from './days'
import type { UsageReport } from './model'
import { dollars } from './rules'

/** Days of a report without dates, and most days of one with them. */
const DEFAULT_DAYS = 30
const MAX_DAYS = 366

/** A span of local dates, both included, `YYYY-MM-DD`. */
interface DateRange {
  start_date?: string | undefined
  end_date?: string | undefined
}

/**
 * Returns the usage of AI between two local dates; by default the last 30 days. Throws InvalidError
 * for an invalid range.
 */
export function usageReport(ctx: Ctx, range: DateRange): UsageReport {
  const present = localDateOf(ctx.clock.nowMs(), getOrganization(ctx).timezone)
  const { first, last } = readRange(range, present)
  const days = daysBetween(ctx, dayNumber(first), dayNumber(last))
  const settings = effectiveSettings(ctx, null)
  const day = dayNumber(present)
  const sum = (column: 'requests' | 'inputTokens' | 'outputTokens' | 'costMicros' | 'unpriced') =>
    days.reduce((total, one) => total + one[column], 0)
  const [input, output] = [sum('inputTokens'), sum('outputTokens')]
  return {
    total_requests: sum('requests'),
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    estimated_cost: costOrNull(sum('costMicros'), {
      requests: sum('requests'),
      unpriced: sum('unpriced'),
    }),
    budget: {
      daily: settings.ai_daily_token_budget,
      monthly: settings.ai_monthly_token_budget,
      used_today: usedOnDay(ctx, day).tokens,
      used_this_month: usedInMonth(ctx, day).tokens,
    },
    by_day: days.map((one) => ({
      date: dateOfDay(one.day),
      requests: one.requests,
      failed: one.failed,
      input_tokens: one.inputTokens,
      output_tokens: one.outputTokens,
      total_tokens: one.inputTokens + one.outputTokens,
      estimated_cost: costOrNull(one.costMicros, one),
    })),
  }
}

/** A cost is known if at least one call has a price, or if there is none. */
const costOrNull = (
  micros: number,
  { requests, unpriced }: { requests: number; unpriced: number },
): number | null => (requests > 0 && unpriced >= requests ? null : dollars(micros))

function readRange(range: DateRange, present: string): { first: string; last: string } {
  for (const field of ['start_date', 'end_date'] as const)
    if (range[field] !== undefined && !isCalendarDate(range[field]))
      throw invalid(field, 'must be a date such as 2026-11-21')
  const last = range.end_date ?? present
  const first = range.start_date ?? dateAfter(last, 1 - DEFAULT_DAYS)
  if (first > last) throw invalid('end_date', 'must not be before `start_date`')
  if (dateAfter(first, MAX_DAYS) <= last)
    throw invalid('end_date', `must be within ${MAX_DAYS} days of \`start_date\``)
  return { first, last }
}

const invalid = (field: string, message: string): InvalidError =>
  new InvalidError(`\`${field}\` ${message}.`, { errors: [{ path: `query.${field}`, message }] })

import { DAY_MS } from '../../lib/clock'
import { fieldSentence, InvalidError } from '../../lib/errors'
import { dateAfter, localDateOf, localDays, timeSpanOf, type LocalDay } from '../../lib/local-day'
import type { Ctx } from '../../infra/ctx'
import { getOrganization } from '../organizations/service'

/** What a report is about when nobody says, days ending today. */
const USUAL_DAYS = 30

/** The longest span of a report by days (analytics contract, rule 1). */
const MAX_DAYS = 400

/**
 * The span of a report: its days in the organization's time zone, and its first and last instant.
 */
export interface ReportRange {
  timezone: string
  days: LocalDay[]
  fromMs: number
  beforeMs: number
}

const refuse = (path: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(path, message), {
    code: 'invalid_input',
    errors: [{ path: `query.${path}`, message }],
  })

/**
 * The span of a report: dates (whole days of the organization's time zone, both included) or
 * instants; by default the last thirty days, a future end is cut at today. Throws InvalidError for
 * what is neither, an end before the start, and more than 400 days.
 */
export function reportRange(
  ctx: Ctx,
  asked: { start_date?: string | undefined; end_date?: string | undefined },
): ReportRange {
  const { timezone } = getOrganization(ctx)
  const nowMs = ctx.clock.nowMs()
  const today = timeSpanOf(localDateOf(nowMs, timezone), timezone)
  const end = asked.end_date === undefined ? today : timeSpanOf(asked.end_date, timezone)
  if (!end || !today) throw refuse('end_date', 'must be a date (YYYY-MM-DD) or a time with offset')
  const beforeMs = Math.min(end.beforeMs, today.beforeMs)
  const usualStart = timeSpanOf(
    dateAfter(localDateOf(beforeMs - 1, timezone), 1 - USUAL_DAYS),
    timezone,
  )
  const start = asked.start_date === undefined ? usualStart : timeSpanOf(asked.start_date, timezone)
  if (!start) throw refuse('start_date', 'must be a date (YYYY-MM-DD) or a time with offset')
  if (start.fromMs >= today.beforeMs) throw refuse('start_date', 'must not be in the future')
  if (start.fromMs >= end.beforeMs) throw refuse('end_date', 'must not be before start_date')
  if (beforeMs - start.fromMs > (MAX_DAYS + 1) * DAY_MS)
    throw refuse('start_date', `must not be more than ${MAX_DAYS} days before the end`)
  const days = localDays(
    localDateOf(start.fromMs, timezone),
    localDateOf(beforeMs - 1, timezone),
    timezone,
  )
  if (days.length > MAX_DAYS)
    throw refuse('start_date', `must not be more than ${MAX_DAYS} days before the end`)
  return { timezone, days, fromMs: start.fromMs, beforeMs }
}

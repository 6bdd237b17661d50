import { DAY_MS, HOUR_MS } from '../../../../lib/clock'
import { fieldSentence, InvalidError } from '../../../../lib/errors'
import {
  dateAfter,
  localDateOf,
  localDayOf,
  localDays,
  timeSpanOf,
  type LocalDay,
} from '../../../../lib/local-day'
import { getOrganization } from '../../../organization/organizations/service'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import type { Granularity } from './rules'

/** The default number of days of a report, ending today. */
const DEFAULT_DAYS = 30

/** Maximum number of days in a report by the length of its points (analytics contract, rule 1). */
const MAX_DAYS: Readonly<Record<Granularity, number>> = {
  hour: 31,
  day: 400,
  week: 3_653,
  month: 3_653,
}

/**
 * The range of a report: its days in the organization's time zone, and its first and last instant.
 */
export interface ReportRange {
  timezone: string
  days: LocalDay[]
  fromMs: number
  beforeMs: number
}

const invalid = (path: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(path, message), {
    code: 'invalid_input',
    errors: [{ path: `query.${path}`, message }],
  })

/**
 * Parses the range of a report: dates (whole days in the organization's time zone, both included)
 * or times. Defaults to the last 30 days; a future end becomes today. Throws InvalidError for
 * invalid dates, an end before the start, and more days than its granularity permits.
 */
export function reportRange(
  ctx: Pick<ReadCtx, 'db' | 'organizationId' | 'clock'>,
  input: { start_date?: string | undefined; end_date?: string | undefined },
  granularity: Granularity = 'day',
): ReportRange {
  const maxDays = MAX_DAYS[granularity]
  const { timezone } = getOrganization(ctx)
  const nowMs = ctx.clock.nowMs()
  const today = timeSpanOf(localDateOf(nowMs, timezone), timezone)
  const end = input.end_date === undefined ? today : timeSpanOf(input.end_date, timezone)
  if (!end || !today) throw invalid('end_date', 'must be a date (YYYY-MM-DD) or a time with offset')
  const beforeMs = Math.min(hourOf(end.beforeMs - 1, timezone).beforeMs, today.beforeMs)
  const defaultStart = timeSpanOf(
    dateAfter(localDateOf(beforeMs - 1, timezone), 1 - DEFAULT_DAYS),
    timezone,
  )
  const start =
    input.start_date === undefined ? defaultStart : timeSpanOf(input.start_date, timezone)
  if (!start) throw invalid('start_date', 'must be a date (YYYY-MM-DD) or a time with offset')
  if (start.fromMs >= today.beforeMs) throw invalid('start_date', 'must not be in the future')
  if (start.fromMs >= end.beforeMs) throw invalid('end_date', 'must not be before start_date')
  if (beforeMs - start.fromMs > (maxDays + 1) * DAY_MS)
    throw invalid('start_date', `must not be more than ${maxDays} days before the end`)
  const days = localDays(
    localDateOf(start.fromMs, timezone),
    localDateOf(beforeMs - 1, timezone),
    timezone,
  )
  if (days.length > maxDays)
    throw invalid('start_date', `must not be more than ${maxDays} days before the end`)
  return { timezone, days, fromMs: hourOf(start.fromMs, timezone).fromMs, beforeMs }
}

/** Returns the hour of the local day that contains an instant. Counts are kept by these hours. */
function hourOf(atMs: number, timezone: string): Pick<LocalDay, 'fromMs' | 'beforeMs'> {
  const day = localDayOf(localDateOf(atMs, timezone), timezone)
  const fromMs = atMs - ((atMs - day.fromMs) % HOUR_MS)
  return { fromMs, beforeMs: Math.min(fromMs + HOUR_MS, day.beforeMs) }
}

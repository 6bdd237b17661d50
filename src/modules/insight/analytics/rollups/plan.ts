import { dateAfter, localDateOf, localDayOf } from '../../../../lib/local-day'
import { bucketAt, type TimeBucket } from '../report/buckets'
import type { ReportRange } from '../report/range'
import type { Granularity } from '../report/rules'
import { dateOfMonth, dayNumber, HOUR_DAYS, monthNumber, SLOT_MS, slotOf, UNIT } from './rules'

/** Periods of one unit that a report reads: from `from` up to, and without, `before`. */
export interface RollupSpan {
  unit: number
  from: number
  before: number
}

/** The counts that a report reads, and where each belongs in its timeline. */
export interface RollupPlan {
  spans: RollupSpan[]
  /** Returns the index of the point of a period; -1 outside of the report. */
  pointOf: (unit: number, start: number) => number
}

/**
 * Plans what a report reads. Whole days are read by the day; hours, and days of which the report
 * covers a part, by the hour, as long as those are kept. What is not counted by the day yet is
 * always read by the quarter hour.
 */
export function planOf(
  range: ReportRange,
  {
    granularity,
    buckets,
    nowMs,
  }: { granularity: Granularity; buckets: TimeBucket[]; nowMs: number },
): RollupPlan {
  const { timezone, days } = range
  const firstHours = localDayOf(
    dateAfter(localDateOf(nowMs, timezone), 1 - HOUR_DAYS),
    timezone,
  ).fromMs
  const isByHour = (day: TimeBucket): boolean =>
    day.fromMs >= firstHours &&
    (granularity === 'hour' || day.fromMs < range.fromMs || day.beforeMs > range.beforeMs)
  const spans: RollupSpan[] = []
  const add = (unit: number, from: number, before: number): void => {
    const last = spans.at(-1)
    if (last?.unit === unit && last.before === from) last.before = before
    else if (from < before) spans.push({ unit, from, before })
  }
  let fromMs = range.fromMs
  for (const [nth, day] of days.entries())
    if (isByHour(day))
      add(
        UNIT.HOUR,
        slotOf(Math.max(day.fromMs, range.fromMs)),
        slotOf(Math.min(day.beforeMs, range.beforeMs)),
      )
    else {
      const number = dayNumber(day.date)
      add(UNIT.DAY, number, number + 1)
      // A day that is only counted as a whole is read as a whole.
      if (nth === 0) fromMs = Math.min(fromMs, day.fromMs)
    }
  add(UNIT.NEW, slotOf(fromMs), slotOf(range.beforeMs))
  const [first, last] = [days[0], days.at(-1)]
  if (first && last) add(UNIT.MONTH, firstMonthFrom(first.date), monthNumber(last.date) + 1)
  const firstDay = dayNumber(first?.date ?? '1970-01-01')
  const pointOfDay = (day: number): number => {
    const found = days[day - firstDay]
    return found === undefined ? -1 : bucketAt(buckets, found.fromMs)
  }
  return {
    spans,
    pointOf: (unit, start) =>
      unit === UNIT.DAY
        ? pointOfDay(start)
        : unit === UNIT.MONTH
          ? pointOfDay(dayNumber(dateOfMonth(start)))
          : bucketAt(buckets, start * SLOT_MS),
  }
}

/** Returns the first month that begins on a date or after it. */
const firstMonthFrom = (date: string): number => monthNumber(date) + (date.endsWith('-01') ? 0 : 1)

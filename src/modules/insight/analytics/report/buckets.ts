import { dateAfter, type LocalDay } from '../../../../lib/local-day'
import type { ReportRange } from './range'
import type { Granularity } from './rules'

/** One point of a timeline: its local start, first millisecond and first one after it. */
export type TimeBucket = LocalDay

/**
 * Returns the points of a range, oldest first, without gaps. Weeks begin on Monday. Days of clock
 * changes have 23 or 25 hours.
 */
export function bucketsOf({ days, timezone }: ReportRange, granularity: Granularity): TimeBucket[] {
  if (granularity === 'day') return days
  if (granularity === 'hour') return days.flatMap((day) => hoursOf(day, timezone))
  const startOf = granularity === 'week' ? mondayOf : firstOfMonth
  const buckets = new Map<string, TimeBucket>()
  for (const { date, fromMs, beforeMs } of days) {
    const start = startOf(date)
    const known = buckets.get(start)
    buckets.set(start, { date: start, fromMs: known?.fromMs ?? fromMs, beforeMs })
  }
  return [...buckets.values()]
}

function hoursOf({ fromMs, beforeMs }: LocalDay, timezone: string): TimeBucket[] {
  const hours: TimeBucket[] = []
  for (let atMs = fromMs; atMs < beforeMs;) {
    const start = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timezone)
    const nextMs = Math.min(start.add({ hours: 1 }).epochMilliseconds, beforeMs)
    const date = start.toString({ timeZoneName: 'never', smallestUnit: 'second' })
    hours.push({ date, fromMs: atMs, beforeMs: nextMs })
    atMs = nextMs
  }
  return hours
}

const mondayOf = (date: string): string =>
  dateAfter(date, 1 - Temporal.PlainDate.from(date).dayOfWeek)

const firstOfMonth = (date: string): string =>
  Temporal.PlainDate.from(date).with({ day: 1 }).toString()

/** Returns the index of the point that contains an instant, or -1. */
export function bucketAt(buckets: readonly TimeBucket[], atMs: number): number {
  let [low, high] = [0, buckets.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const bucket = buckets[middle]
    if (!bucket || atMs < bucket.fromMs) high = middle - 1
    else if (atMs >= bucket.beforeMs) low = middle + 1
    else return middle
  }
  return -1
}

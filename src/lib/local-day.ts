import { DAY_MS } from './clock'
import { instantMs, isCalendarDate } from './instant'

/** Returns the first instant of a date in a time zone: midnight, or later if clocks skip it. */
const dayStartMs = (date: Temporal.PlainDate, timezone: string): number =>
  date.toZonedDateTime(timezone).epochMilliseconds

/** Returns the bounds of a date in a time zone. */
const dayOf = (date: Temporal.PlainDate, timezone: string): LocalDay => ({
  date: date.toString(),
  fromMs: dayStartMs(date, timezone),
  beforeMs: dayStartMs(date.add({ days: 1 }), timezone),
})

/**
 * Returns the time span of a date (`YYYY-MM-DD`, a whole day in the time zone) or of an instant
 * (ISO 8601 with offset): its first millisecond and the first one after it. Returns `null` if the
 * text is neither.
 */
export function timeSpanOf(
  text: string,
  timezone: string,
): { fromMs: number; beforeMs: number } | null {
  const atMs = instantMs(text)
  if (atMs !== null) return { fromMs: atMs, beforeMs: atMs + 1 }
  if (!isCalendarDate(text)) return null
  const { fromMs, beforeMs } = dayOf(Temporal.PlainDate.from(text), timezone)
  return { fromMs, beforeMs }
}

/**
 * A calendar day: its date (`YYYY-MM-DD`), its first millisecond and the first one after it. Days
 * of clock changes are shorter or longer than 24 hours.
 */
export interface LocalDay {
  date: string
  fromMs: number
  beforeMs: number
}

/** Returns the bounds of a date (`YYYY-MM-DD`) in a time zone. */
export const localDayOf = (date: string, timezone: string): LocalDay =>
  dayOf(Temporal.PlainDate.from(date), timezone)

/** Returns the date of an instant in a time zone, `YYYY-MM-DD`. */
export const localDateOf = (atMs: number, timezone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timezone).toPlainDate().toString()

/** Returns the calendar month of an instant in a time zone as a number: 202610 is October 2026. */
export function localMonthOf(atMs: number, timezone: string): number {
  const { year, month } = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timezone)
  return year * 100 + month
}

/** Returns the first instant of the calendar month after an instant in a time zone. */
export const nextMonthMs = (atMs: number, timezone: string): number =>
  dayStartMs(
    Temporal.Instant.fromEpochMilliseconds(atMs)
      .toZonedDateTimeISO(timezone)
      .toPlainDate()
      .with({ day: 1 })
      .add({ months: 1 }),
    timezone,
  )

/** Returns the date `days` after another date, or before it if `days` is negative. */
export const dateAfter = (date: string, days: number): string =>
  Temporal.PlainDate.from(date).add({ days }).toString()

/** Days whose bounds are looked up at once: clocks never change twice in so few. */
const DAYS_AT_ONCE = 14

/**
 * Returns the days between two dates, both included, oldest first. Empty if the second date is
 * before the first.
 */
export function localDays(firstDate: string, lastDate: string, timezone: string): LocalDay[] {
  const days: LocalDay[] = []
  const first = Temporal.PlainDate.from(firstDate)
  const firstMs = Date.parse(`${firstDate}T00:00:00Z`)
  const count = first.until(lastDate, { largestUnit: 'days' }).days + 1
  const startMs = (nth: number): number => dayStartMs(first.add({ days: nth }), timezone)
  for (let nth = 0; nth < count; nth += DAYS_AT_ONCE) {
    const length = Math.min(DAYS_AT_ONCE, count - nth)
    const [fromMs, beforeMs] = [startMs(nth), startMs(nth + length)]
    // Without a clock change, all of these days have 24 hours.
    const isEven = beforeMs - fromMs === length * DAY_MS
    const startOf = (day: number): number =>
      day === length ? beforeMs : isEven ? fromMs + day * DAY_MS : startMs(nth + day)
    for (let day = 0; day < length; day += 1)
      days.push({
        date: new Date(firstMs + (nth + day) * DAY_MS).toISOString().slice(0, firstDate.length),
        fromMs: startOf(day),
        beforeMs: startOf(day + 1),
      })
  }
  return days
}

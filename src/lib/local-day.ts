import { instantMs, isDay } from './instant'

/** The first instant of a date in a time zone: midnight, or later where clocks skip it. */
const dayStartMs = (date: Temporal.PlainDate, timezone: string): number =>
  date.toZonedDateTime(timezone).epochMilliseconds

/** The day of a date in a time zone. */
const dayOf = (date: Temporal.PlainDate, timezone: string): LocalDay => ({
  date: date.toString(),
  fromMs: dayStartMs(date, timezone),
  beforeMs: dayStartMs(date.add({ days: 1 }), timezone),
})

/**
 * The span that a date (`YYYY-MM-DD`, a whole day in the time zone) or an instant (ISO 8601 with
 * offset) stands for: its first millisecond and the first one after it. `null` when the text is
 * neither.
 */
export function spanOf(
  written: string,
  timezone: string,
): { fromMs: number; beforeMs: number } | null {
  const atMs = instantMs(written)
  if (atMs !== null) return { fromMs: atMs, beforeMs: atMs + 1 }
  if (!isDay(written)) return null
  const { fromMs, beforeMs } = dayOf(Temporal.PlainDate.from(written), timezone)
  return { fromMs, beforeMs }
}

/**
 * A day of the calendar: its date (`YYYY-MM-DD`), its first millisecond and the first one after it.
 * Days of changing clocks are shorter or longer.
 */
export interface LocalDay {
  date: string
  fromMs: number
  beforeMs: number
}

/** The date of an instant in a time zone, `YYYY-MM-DD`. */
export const localDateOf = (atMs: number, timezone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timezone).toPlainDate().toString()

/** The date so many days after another one, or before it where `days` is negative. */
export const dateAfter = (date: string, days: number): string =>
  Temporal.PlainDate.from(date).add({ days }).toString()

/**
 * The days from one date to another, both included, oldest first; none when the second is before
 * the first.
 */
export function localDays(firstDate: string, lastDate: string, timezone: string): LocalDay[] {
  const days: LocalDay[] = []
  const last = Temporal.PlainDate.from(lastDate)
  for (
    let date = Temporal.PlainDate.from(firstDate);
    Temporal.PlainDate.compare(date, last) <= 0;
    date = date.add({ days: 1 })
  )
    days.push(dayOf(date, timezone))
  return days
}

import { DAY_MS } from './clock'
import { instantMs, isDay } from './instant'

/** How far the clocks of a time zone are ahead of UTC at an instant, milliseconds. */
function offsetMs(timezone: string, atMs: number): number {
  const parts = new Intl.DateTimeFormat('en-u-ca-iso8601', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(atMs)
  const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value ?? 0)
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) - Math.floor(atMs / 1_000) * 1_000
}

/** The first instant of a day of the calendar in a time zone; `utcMs` is that day's midnight in UTC. */
function dayStartMs(utcMs: number, timezone: string): number {
  const guess = utcMs - offsetMs(timezone, utcMs)
  return utcMs - offsetMs(timezone, guess)
}

/**
 * The span that a date (`YYYY-MM-DD`, a whole day in the time zone) or an instant (ISO 8601 with offset) stands for: its first
 * millisecond and the first one after it. `null` when the text is neither.
 */
export function spanOf(written: string, timezone: string): { fromMs: number; beforeMs: number } | null {
  const atMs = instantMs(written)
  if (atMs !== null) return { fromMs: atMs, beforeMs: atMs + 1 }
  if (!isDay(written)) return null
  const utcMs = Date.parse(`${written}T00:00:00Z`)
  return { fromMs: dayStartMs(utcMs, timezone), beforeMs: dayStartMs(utcMs + DAY_MS, timezone) }
}

/** A day of the calendar: its date (`YYYY-MM-DD`), its first millisecond and the first one after it. Days of changing clocks are shorter or longer. */
export interface LocalDay {
  date: string
  fromMs: number
  beforeMs: number
}

/** The date of an instant in a time zone, `YYYY-MM-DD`. */
export const localDateOf = (atMs: number, timezone: string): string => new Date(atMs + offsetMs(timezone, atMs)).toISOString().slice(0, 10)

/** The days from one date to another, both included, oldest first; none when the second is before the first. */
export function localDays(firstDate: string, lastDate: string, timezone: string): LocalDay[] {
  const days: LocalDay[] = []
  const lastMs = Date.parse(`${lastDate}T00:00:00Z`)
  for (let utcMs = Date.parse(`${firstDate}T00:00:00Z`); utcMs <= lastMs; utcMs += DAY_MS)
    days.push({
      date: new Date(utcMs).toISOString().slice(0, 10),
      fromMs: dayStartMs(utcMs, timezone),
      beforeMs: dayStartMs(utcMs + DAY_MS, timezone),
    })
  return days
}

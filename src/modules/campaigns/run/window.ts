import { DAY_MS } from '../../../lib/clock'
import type { SendWindow } from '../model'

/** The span in which messages may leave, epoch milliseconds: open now when it has begun. */
export interface Span {
  fromMs: number
  beforeMs: number
}

const NAMES = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

/**
 * The span of a send window that is open, else the next one to come. Hours are those on the walls
 * of the time zone: a span is an hour longer or shorter where clocks change within it, and an hour
 * that does not exist is the one after it.
 */
export function spanAt(window: SendWindow, timezone: string, nowMs: number): Span {
  const today = Temporal.Instant.fromEpochMilliseconds(nowMs)
    .toZonedDateTimeISO(timezone)
    .toPlainDate()
  for (let ahead = -1; ahead <= 8; ahead += 1) {
    const date = today.add({ days: ahead })
    const name = NAMES[date.dayOfWeek - 1]
    if (name === undefined || !window.days.includes(name)) continue
    const span = spanOn(window, timezone, date)
    if (span.beforeMs > nowMs) return span
  }
  // A week has every day, so this is never reached; waiting a day is right whatever happened.
  return { fromMs: nowMs + DAY_MS, beforeMs: nowMs + DAY_MS }
}

function spanOn(window: SendWindow, timezone: string, date: Temporal.PlainDate): Span {
  const at = (day: Temporal.PlainDate, written: string): number => {
    const isMidnight = written === '24:00'
    const plainTime = Temporal.PlainTime.from(isMidnight ? '00:00' : written)
    return (isMidnight ? day.add({ days: 1 }) : day).toZonedDateTime({
      timeZone: timezone,
      plainTime,
    }).epochMilliseconds
  }
  const isOvernight = window.to <= window.from
  return {
    fromMs: at(date, window.from),
    beforeMs: at(isOvernight ? date.add({ days: 1 }) : date, window.to),
  }
}

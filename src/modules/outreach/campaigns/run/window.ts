import { DAY_MS } from '../../../../lib/clock'
import type { SendWindow } from '../model'

/** An interval in which messages can be sent, epoch milliseconds. It is open if it has begun. */
export interface Span {
  fromMs: number
  beforeMs: number
}

const NAMES = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

/**
 * Returns the current interval of a send window, or the next one. Times are local times of the time
 * zone: an interval is an hour longer or shorter if the clocks change, and a time that does not
 * exist is one hour later.
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
  // Not reached, because a window has at least one day of the week.
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

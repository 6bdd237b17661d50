import { endOfDay, formatTimeOfDay, momentOf, timeOf } from '../../texts/format'

const HOUR_MS = 3_600_000

const clockOf = (hour: number): string => `${String(hour).padStart(2, '0')}:00`

/** Returns how an hour of the day is written. */
export const hourName = (hour: number): string => formatTimeOfDay(clockOf(hour))

/** Returns when an hour of a day begins, the first time if the clock shows it twice. */
function startOf(day: string, hour: number): number {
  if (hour === 24) return endOfDay(day)
  const ms = momentOf(`${day}T${clockOf(hour)}`)
  return timeOf(ms - HOUR_MS) === clockOf(hour) ? ms - HOUR_MS : ms
}

/** Returns the moments between which customers began to wait, for a day or an hour of it. */
export function momentsOf(day: string, hour: string | undefined): { from: string; before: string } {
  const iso = (ms: number): string => new Date(ms).toISOString()
  const [first, next] = hour === undefined ? [0, 24] : [Number(hour), Number(hour) + 1]
  return { from: iso(startOf(day, first)), before: iso(startOf(day, next)) }
}

import { readDays } from './days'
import { dayOf, endOfDay, momentOf } from './format'

/** Returns the times that days in an address mean, as the API takes them; nothing without days. */
export function timesOf(days: string | undefined): { from?: string; to?: string } {
  const read = days === undefined ? null : readDays(days, dayOf(Date.now()))
  if (read === null) return {}
  return {
    from: new Date(momentOf(`${read.from}T00:00:00`)).toISOString(),
    to: new Date(endOfDay(read.to)).toISOString(),
  }
}

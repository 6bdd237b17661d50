import { serverNow } from '../../live/server-clock'
import { dayOf, momentOf } from '../../texts/format'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MONDAY = 1

/** Returns the moments that are offered for later, by the clock of the organization. */
export function laterTimes(): { id: 'hour' | 'evening' | 'tomorrow' | 'week'; atMs: number }[] {
  const now = serverNow()
  const at = (days: number, time: string): number =>
    momentOf(`${dayOf(now + days * DAY_MS)}T${time}`)
  const today = new Date(`${dayOf(now)}T00:00:00Z`).getUTCDay()
  const evening = at(0, '18:00:00')
  return [
    { id: 'hour', atMs: now + HOUR_MS },
    ...(evening - now > HOUR_MS ? [{ id: 'evening' as const, atMs: evening }] : []),
    { id: 'tomorrow', atMs: at(1, '09:00:00') },
    { id: 'week', atMs: at((MONDAY - today + 7) % 7 || 7, '09:00:00') },
  ]
}

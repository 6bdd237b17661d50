import { formatTimeOfDay } from '../../texts/format'

/** Returns how an hour of the day is written. */
export const hourName = (hour: number): string =>
  formatTimeOfDay(`${String(hour).padStart(2, '0')}:00`)

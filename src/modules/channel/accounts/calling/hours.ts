import type { CallHoursEntry } from '../../../../platform/client/calling-calls'
import { DAYS, type Day } from './model'

/** Returns the name of a day that is given by its name or its number from 0 for Sunday. */
export const dayOf = (day: Day | number): Day =>
  typeof day === 'number' ? (DAYS[(day + 6) % DAYS.length] ?? 'sunday') : day

/** Opening on a day of the week, `HH:MM` in local time; an end of 24:00 is midnight. */
export interface OpeningHours {
  day: Day
  enabled: boolean
  start_time: string
  end_time: string
}

/** The platform's last minute of a day. */
const LAST_MINUTE = '2359'
const FIRST_MINUTE = '0000'

const digitsOf = (time: string): string => (time === '24:00' ? LAST_MINUTE : time.replace(':', ''))

/**
 * Returns opening hours in the platform's form. Hours that end on the next day become one entry for
 * each day.
 */
export const toPlatformHours = (hours: OpeningHours[]): CallHoursEntry[] =>
  hours
    .filter(({ enabled }) => enabled)
    .flatMap(({ day, start_time, end_time }) => {
      const [openTime, closeTime] = [digitsOf(start_time), digitsOf(end_time)]
      const dayOfWeek = day.toUpperCase()
      if (closeTime > openTime) return [{ dayOfWeek, openTime, closeTime }]
      const next = DAYS[(DAYS.indexOf(day) + 1) % DAYS.length] ?? day
      const evening = { dayOfWeek, openTime, closeTime: LAST_MINUTE }
      return closeTime === FIRST_MINUTE
        ? [evening]
        : [evening, { dayOfWeek: next.toUpperCase(), openTime: FIRST_MINUTE, closeTime }]
    })

const timeOf = (digits: string): string | null =>
  /^\d{4}$/.test(digits)
    ? digits === LAST_MINUTE
      ? '24:00'
      : `${digits.slice(0, 2)}:${digits.slice(2)}`
    : null

/** Returns the platform's opening hours in the form of the API. Leaves out what it cannot read. */
export const fromPlatformHours = (weekly: CallHoursEntry[]): OpeningHours[] =>
  weekly.flatMap(({ dayOfWeek, openTime, closeTime }) => {
    const day = DAYS.find((each) => each === dayOfWeek.toLowerCase())
    const [start_time, end_time] = [timeOf(openTime), timeOf(closeTime)]
    return day === undefined || start_time === null || end_time === null
      ? []
      : [{ day, enabled: true, start_time, end_time }]
  })

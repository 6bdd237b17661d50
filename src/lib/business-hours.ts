/** Days of the week, Monday first. */
export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const
export type Weekday = (typeof WEEKDAYS)[number]

/** Open hours of a day, wall-clock times `HH:MM`. An end that is not after the start is on the next day. */
export interface Interval {
  start_time: string
  end_time: string
}

/** An entry of weekly hours. */
export interface HoursEntry extends Interval {
  day: Weekday
  enabled: boolean
}

/** Weekly hours. A day without an entry is closed. */
export type Hours = HoursEntry[]

/** A date whose intervals replace its weekly hours. */
export interface Holiday {
  /** `YYYY-MM-DD`. */
  date: string
  name: string
  intervals: Interval[]
}

/** Reports whether a text is a wall-clock time from `00:00` to `24:00`. */
export const isClockTime = (text: string): boolean =>
  /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/.test(text)

import { DAY_MS } from '../../../../lib/clock'

/** A quarter hour. Every time zone is offset from UTC by a multiple of it. */
export const SLOT_MS = 900_000

/** The part of the counts that are of facts which are not stored any more. */
export const KEPT_PART = 0

/** Lengths of periods. `NEW` is a quarter hour that is not folded yet. */
export const UNIT = { NEW: 0, HOUR: 1, DAY: 2, MONTH: 3 } as const

/** Quarter hours in an hour. Hours begin with the local day, so they need not begin with those of UTC. */
export const SLOTS_PER_HOUR = 4

/** How many local days hours can be asked for, and how long they are kept. */
export const HOUR_DAYS = 90
export const HOURS_KEPT_DAYS = 92

/** Returns the number of the quarter hour that contains a time. */
export const slotOf = (atMs: number): number => Math.floor(atMs / SLOT_MS)

/** Returns the number of a calendar day, counted from 1970. */
export const dayNumber = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS

/** Returns the date of a day's number. */
export const dateOfDay = (day: number): string =>
  new Date(day * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length)

/** Returns the number of a calendar month. */
export const monthNumber = (date: string): number =>
  Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1

/** Returns the first date of a month's number. */
export const dateOfMonth = (month: number): string =>
  `${String(Math.floor(month / 12)).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}-01`

/** More periods than there are of any unit. */
export const ALL_PERIODS = 100_000_000

/** Some calendar days one after another, such as `2026-11-21`, the first and the last included. */
export interface Days {
  from: string
  to: string
}

/** The first and the last day that can be chosen. */
export interface Bounds {
  first?: string | undefined
  last?: string | undefined
}

const DAY_MS = 86_400_000

/** Returns the day some days after another one. */
export const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

/** Returns the first day of the month of a day. */
const monthStart = (day: string): string => `${day.slice(0, 8)}01`

/** Days that go on with the calendar, and what they are today. */
const PRESETS = {
  today: (today: string): Days => ({ from: today, to: today }),
  '7d': (today: string): Days => ({ from: dayAfter(today, -6), to: today }),
  '30d': (today: string): Days => ({ from: dayAfter(today, -29), to: today }),
  '90d': (today: string): Days => ({ from: dayAfter(today, -89), to: today }),
  month: (today: string): Days => ({ from: monthStart(today), to: today }),
  'last-month': (today: string): Days => {
    const to = dayAfter(monthStart(today), -1)
    return { from: monthStart(to), to }
  },
} as const

/** A name of days that go on with the calendar. */
export type Preset = keyof typeof PRESETS
/** All of them, in their order. */
export const PRESET_NAMES = Object.keys(PRESETS) as readonly Preset[]

/** Whether a text names days that go on with the calendar. */
export const isPreset = (text: string): text is Preset => Object.hasOwn(PRESETS, text)

/** Whether a text is a day of the calendar, such as `2026-12-01`, not of a year that is being written. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) &&
  text >= '1970' &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString().startsWith(text)

/** Returns how an address writes days. */
export const daysText = ({ from, to }: Days): string => `${from}_${to}`

/** Reads days from an address: a preset, or the first and the last one; `null` for anything else. */
export function readDays(text: string, today: string): Days | null {
  if (isPreset(text)) return PRESETS[text](today)
  const [from = '', to = '', ...more] = text.split('_')
  return more.length === 0 && isDay(from) && isDay(to) && from <= to ? { from, to } : null
}

/** Returns how many days they are. */
export const countDays = ({ from, to }: Days): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1

/** Returns as many days just before. */
export function daysBefore(days: Days): Days {
  const count = countDays(days)
  return { from: dayAfter(days.from, -count), to: dayAfter(days.from, -1) }
}

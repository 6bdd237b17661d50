import { DAY_MS, HOUR_MS, MINUTE_MS } from './clock'
import { zoneStretch } from './zone-offset'

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

/**
 * Open hours of a day, wall-clock times `HH:MM`: from the start until just before the end. An end
 * that is not after the start is on the next day.
 */
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

/** Whether weekly hours that were given have no open minute. */
export const isNeverOpen = (hours: readonly { enabled?: boolean }[]): boolean =>
  hours.length > 0 && hours.every(({ enabled }) => enabled === false)

/** Reports whether a text is a wall-clock time from `00:00` to `24:00`. */
export const isClockTime = (text: string): boolean =>
  /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/.test(text)

/** Open from the first to just before the second moment; milliseconds since the day's midnight. */
type Span = readonly [fromMs: number, beforeMs: number]

/** Weekly hours and holidays, prepared for many questions by `compileHours`. */
export interface CompiledHours {
  /** Monday first. */
  week: readonly (readonly Span[])[]
  /** By day number. */
  holidays: ReadonlyMap<number, readonly Span[]>
}

const clockMs = (time: string): number =>
  Number(time.slice(0, 2)) * HOUR_MS + Number(time.slice(3)) * MINUTE_MS

function spanOf({ start_time, end_time }: Interval): Span {
  const [from, before] = [clockMs(start_time), clockMs(end_time)]
  return [from, before > from ? before : before + DAY_MS]
}

/** Prepares weekly hours and holidays for the other functions of this file. */
export const compileHours = (
  hours: readonly HoursEntry[],
  holidays: readonly Pick<Holiday, 'date' | 'intervals'>[] = [],
): CompiledHours => ({
  week: WEEKDAYS.map((day) => hours.filter((one) => one.enabled && one.day === day).map(spanOf)),
  holidays: new Map(
    holidays.map(({ date, intervals }) => [dayNumber(date), intervals.map(spanOf)]),
  ),
})

/** Days since 1 January 1970 on the wall clock. */
const dayNumber = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS

/** 1 January 1970 was a Thursday. */
const EPOCH_WEEKDAY = 3

function spansOf({ week, holidays }: CompiledHours, day: number): readonly Span[] {
  const holiday = holidays.size > 0 ? holidays.get(day) : undefined
  return holiday ?? week[(((day + EPOCH_WEEKDAY) % 7) + 7) % 7] ?? []
}

const covers = (spans: readonly Span[], moment: number): boolean => {
  for (const [from, before] of spans) if (moment >= from && moment < before) return true
  return false
}

/** Whether it is open at a moment of the wall clock, given as if the wall clock were UTC. */
function isOpenOnClock(hours: CompiledHours, wallMs: number): boolean {
  const day = Math.floor(wallMs / DAY_MS)
  const moment = wallMs - day * DAY_MS
  return covers(spansOf(hours, day), moment) || covers(spansOf(hours, day - 1), moment + DAY_MS)
}

/**
 * Whether it is open at an instant (epoch milliseconds) in a time zone. The wall clock decides:
 * hours that begin while clocks skip an hour begin after it, and both copies of a repeated hour
 * count. A holiday replaces the hours that begin on its date, not those of the day before that
 * last into it.
 */
export const isOpen = (hours: CompiledHours, timezone: string, atMs: number): boolean =>
  isOpenOnClock(hours, atMs + zoneStretch(timezone, atMs).offsetMs)

/** Returns the first moment of the wall clock after another at which it may open or close. */
function nextBoundary(hours: CompiledHours, wallMs: number): number {
  const day = Math.floor(wallMs / DAY_MS)
  const midnight = day * DAY_MS
  let next = midnight + DAY_MS
  for (const [begins, spans] of [
    [midnight, spansOf(hours, day)],
    [midnight - DAY_MS, spansOf(hours, day - 1)],
  ] as const)
    for (const span of spans)
      for (const edge of span) {
        const at = begins + edge
        if (at > wallMs && at < next) next = at
      }
  return next
}

/** How far ahead openings and closings are looked for: all holidays of a year, and a week more. */
const HORIZON_MS = 400 * DAY_MS

/**
 * Returns the next instant at which it opens or closes, or `null` if it does neither within 400
 * days.
 */
export function nextChange(hours: CompiledHours, timezone: string, atMs: number): number | null {
  const before = isOpen(hours, timezone, atMs)
  let now = atMs
  while (now < atMs + HORIZON_MS) {
    const { offsetMs, beforeMs } = zoneStretch(timezone, now)
    now = Math.min(nextBoundary(hours, now + offsetMs) - offsetMs, beforeMs)
    if (isOpen(hours, timezone, now) !== before) return now
  }
  return null
}

/** Whether it is open, and when that changes. `null` if it does not change within 400 days. */
export interface OpenState {
  isOpen: boolean
  /** When it closes; `null` while it is closed. */
  closesAtMs: number | null
  /** When it opens; `null` while it is open. */
  opensAtMs: number | null
}

/** Returns whether it is open at an instant, and when it closes or opens next. */
export function openState(hours: CompiledHours, timezone: string, atMs: number): OpenState {
  const open = isOpen(hours, timezone, atMs)
  const change = nextChange(hours, timezone, atMs)
  return {
    isOpen: open,
    closesAtMs: open ? change : null,
    opensAtMs: open ? null : change,
  }
}

/** How far ahead a deadline in open hours can be. */
const LONGEST_WAIT_MS = 5 * 366 * DAY_MS

/**
 * Returns the instant at which it has been open for `durationMs` since `fromMs`, or `null` if that
 * takes more than five years.
 */
export function afterOpenTime(
  hours: CompiledHours,
  timezone: string,
  { fromMs, durationMs }: { fromMs: number; durationMs: number },
): number | null {
  let left = durationMs
  let now = fromMs
  let open = isOpen(hours, timezone, now)
  while (now <= fromMs + LONGEST_WAIT_MS) {
    const change = nextChange(hours, timezone, now)
    if (open && (change === null || change - now >= left)) return now + left
    if (change === null) return null
    if (open) left -= change - now
    now = change
    open = !open
  }
  return null
}

/** Returns how long it is open between two instants, milliseconds. */
export function openTimeBetween(
  hours: CompiledHours,
  timezone: string,
  { fromMs, beforeMs }: { fromMs: number; beforeMs: number },
): number {
  let sum = 0
  let now = fromMs
  let open = isOpen(hours, timezone, now)
  while (now < beforeMs) {
    const change = Math.min(nextChange(hours, timezone, now) ?? beforeMs, beforeMs)
    if (open) sum += change - now
    now = change
    open = !open
  }
  return sum
}

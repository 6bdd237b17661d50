import type { Days } from './days'
import { currentLanguage } from './texts'

/** How an organization writes dates. */
export interface Conventions {
  /** IANA time zone. */
  timeZone: string
  /** A pattern such as `DD.MM.YYYY`; the one of new organizations follows the language. */
  dateFormat: string
}

/** The pattern of organizations that chose none: dates follow the language. */
export const NOT_CHOSEN = 'YYYY-MM-DD'

let conventions: Conventions = {
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  dateFormat: NOT_CHOSEN,
}
const known = new Map<string, Intl.DateTimeFormat>()

/** Sets the conventions of the organization. */
export function setConventions(next: Conventions): void {
  conventions = next
  known.clear()
}

function formatter(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${currentLanguage()} ${JSON.stringify(options)}`
  const found =
    known.get(key) ??
    new Intl.DateTimeFormat(currentLanguage(), { timeZone: conventions.timeZone, ...options })
  known.set(key, found)
  return found
}

type Moment = string | number

/** Returns a moment by the clock of the organization, such as `2026-11-21 09:30:00`. */
const localOf = (moment: Moment): string => {
  const found =
    known.get('local') ??
    new Intl.DateTimeFormat('sv-SE', {
      ...{ timeZone: conventions.timeZone, dateStyle: 'short', timeStyle: 'medium' },
    })
  known.set('local', found)
  return found.format(new Date(moment))
}

/** Returns the calendar day of a moment, such as `2026-11-21`. */
export const dayOf = (moment: Moment): string => localOf(moment).slice(0, 10)

/** Returns the time of day of a moment, such as `09:30`. */
export const timeOf = (moment: Moment): string => localOf(moment).slice(11, 16)

/** Returns a time of day, such as `09:30`. */
export const formatTime = (moment: Moment): string =>
  formatter({ timeStyle: 'short' }).format(new Date(moment))

/** Returns a date in the format of the organization, or as the language of the page writes it. */
export const formatDate = (moment: Moment): string => formatDateAs(moment, conventions.dateFormat)

/** Returns a date in the format of a pattern. */
export function formatDateAs(moment: Moment, pattern: string): string {
  if (pattern === NOT_CHOSEN) return formatter({ dateStyle: 'medium' }).format(new Date(moment))
  const [year = '', month = '', day = ''] = dayOf(moment).split('-')
  const words: Record<string, string> = {
    YYYY: year,
    YY: year.slice(-2),
    MMM: formatter({ month: 'short' }).format(new Date(moment)),
    MM: month,
    M: String(Number(month)),
    DD: day,
    D: String(Number(day)),
  }
  return pattern.replaceAll(/YYYY|YY|MMM|MM|M|DD|D/g, (word) => words[word] ?? word)
}

/** Returns date and time. */
export const formatDateTime = (moment: Moment): string =>
  `${formatDate(moment)} ${formatTime(moment)}`

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** Returns the number of calendar days from a moment until now. */
const daysAgo = (moment: Moment): number =>
  Math.round((Date.parse(dayOf(Date.now())) - Date.parse(dayOf(moment))) / DAY_MS)

const capitalized = (text: string): string =>
  text.slice(0, 1).toLocaleUpperCase(currentLanguage()) + text.slice(1)

/** Returns the name of a day: today, yesterday, a weekday or a date. */
export function formatDay(moment: Moment): string {
  const days = daysAgo(moment)
  if (days === 0 || days === 1)
    return capitalized(
      new Intl.RelativeTimeFormat(currentLanguage(), { numeric: 'auto' }).format(-days, 'day'),
    )
  if (days > 1 && days < 7)
    return capitalized(formatter({ weekday: 'long' }).format(new Date(moment)))
  return formatDate(moment)
}

/** Returns when something of the next days happens: a time today, otherwise the day and the time. */
export function formatAhead(moment: Moment): string {
  const days = -daysAgo(moment)
  if (days === 0) return formatTime(moment)
  if (days > 0 && days < 7)
    return formatter({ weekday: 'long', hour: 'numeric', minute: '2-digit' }).format(
      new Date(moment),
    )
  return formatDateTime(moment)
}

/** Returns the shortest form for a list: the time today, otherwise the day. */
export function formatShort(moment: Moment): string {
  const days = daysAgo(moment)
  if (days === 0) return formatTime(moment)
  if (days > 0 && days < 7) return formatter({ weekday: 'short' }).format(new Date(moment))
  return formatDate(moment)
}

/** Returns some days, such as `1–30 Nov 2026`. */
export function formatDays({ from, to }: Days): string {
  if (conventions.dateFormat === NOT_CHOSEN)
    return formatter({ dateStyle: 'medium', timeZone: 'UTC' }).formatRange(
      Date.parse(from),
      Date.parse(to),
    )
  const written = (day: string): string => formatDate(momentOf(`${day}T12:00`))
  return from === to ? written(from) : `${written(from)} – ${written(to)}`
}

/** Returns a number in the language of the page. */
export const formatNumber = (value: number): string =>
  new Intl.NumberFormat(currentLanguage()).format(value)

/** Returns a share of one in percent. */
export const formatPercent = (share: number): string =>
  new Intl.NumberFormat(currentLanguage(), { style: 'percent', maximumFractionDigits: 1 }).format(
    share,
  )

/** Returns a duration in the largest fitting unit, such as `3 min` or `2 hr`. */
export function formatDuration(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000))
  const [value, unit] =
    minutes < 60
      ? [minutes, 'minute']
      : minutes < 2_880
        ? [Math.round(minutes / 60), 'hour']
        : [Math.round(minutes / 1_440), 'day']
  return new Intl.NumberFormat(currentLanguage(), {
    ...{ style: 'unit', unit, unitDisplay: 'short' },
  }).format(value)
}

/** Returns the position in a recording, such as `1:05`. */
export function formatClock(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** Returns a size in bytes in the largest fitting unit. */
export function formatBytes(bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte']
  const step = bytes < 1 ? 0 : Math.min(3, Math.floor(Math.log(bytes) / Math.log(1_000)))
  return new Intl.NumberFormat(currentLanguage(), {
    style: 'unit',
    unit: units[step] ?? 'byte',
    // the short form of a byte has no plural
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step > 1 ? 1 : 0,
  }).format(bytes / 1_000 ** step)
}

/** Returns the moment of a local date and time of the organization, epoch milliseconds. */
export function momentOf(local: string): number {
  const asUtc = Date.parse(`${local}Z`)
  const offsetAt = (moment: number): number =>
    Date.parse(`${localOf(moment).replace(' ', 'T')}Z`) - moment
  // The offset at the result may differ from the one at the guess, around a change of the clocks.
  const guess = asUtc - offsetAt(asUtc)
  return asUtc - offsetAt(guess)
}

/** Returns the moment when a calendar day such as `2026-11-21` ends, epoch milliseconds. */
export function endOfDay(day: string): number {
  const next = new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10)
  const midnightMs = momentOf(`${next}T00:00`)
  // Where clocks go forward at midnight, the day begins at one.
  return dayOf(midnightMs) === day ? midnightMs + HOUR_MS : midnightMs
}

/** A Monday. */
const FIRST_DAY_MS = Date.UTC(2024, 0, 1)

/** Returns the name of a day of the week; 0 is Monday. */
export const formatWeekday = (day: number): string =>
  capitalized(formatter({ weekday: 'long', timeZone: 'UTC' }).format(FIRST_DAY_MS + day * DAY_MS))

/** Returns a time of day such as `09:30` as the language writes it. */
export const formatTimeOfDay = (time: string): string =>
  formatter({ timeStyle: 'short', timeZone: 'UTC' }).format(
    FIRST_DAY_MS + Number(time.slice(0, 2)) * HOUR_MS + Number(time.slice(3)) * 60_000,
  )

/** Returns words as a list, such as `calls, marketing`. */
export const formatList = (words: readonly string[]): string =>
  new Intl.ListFormat(currentLanguage(), { type: 'unit' }).format(words)

/** Returns words as a part of a sentence, such as `rules, flows and AI`. */
export const formatAll = (words: readonly string[]): string =>
  new Intl.ListFormat(currentLanguage(), { type: 'conjunction' }).format(words)

/** Returns the name of a country, such as `DE`. */
export const formatCountry = (code: string): string =>
  new Intl.DisplayNames(currentLanguage(), { type: 'region', fallback: 'code' }).of(code) ?? code

/** Returns the name of a currency with its code, such as `EUR`. */
export const formatCurrency = (code: string): string =>
  `${new Intl.DisplayNames(currentLanguage(), { type: 'currency' }).of(code) ?? code} (${code})`

/** Returns the name of a language, such as `en_US`; codes that are none stay as they are. */
export function formatLanguage(code: string): string {
  try {
    const names = new Intl.DisplayNames(currentLanguage(), { type: 'language' })
    return capitalized(names.of(code.replaceAll('_', '-')) ?? code)
  } catch {
    return code
  }
}

/** Returns the smallest coin of a currency, such as 0.01. */
export function coinOf(currency: string): number {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  return 10 ** -(format.resolvedOptions().maximumFractionDigits ?? 2)
}

/** Returns an amount of money in whole coins; of less than one, two digits that are not zero. */
export const formatMoney = (amount: number, currency: string): string =>
  new Intl.NumberFormat(currentLanguage(), {
    ...{ style: 'currency', currency },
    ...(amount !== 0 && Math.abs(amount) < coinOf(currency) && { maximumSignificantDigits: 2 }),
  }).format(amount)

/** Returns how many more there are than are shown, such as `+3`. */
export const formatMore = (count: number): string =>
  new Intl.NumberFormat(currentLanguage(), { signDisplay: 'always' }).format(count)

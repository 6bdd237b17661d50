import { formatDate, formatTime, momentOf } from './format'
import { currentLanguage } from './texts'

/** How a point of a timeline is called. */
export interface PointName {
  id: string
  label: string
  short: string
}

const written = (day: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(currentLanguage(), { timeZone: 'UTC', ...options }).format(
    Date.parse(day),
  )

/** Returns how a point is called: an hour, a day, the week from a day, or a month. */
export function pointName(start: string, granularity: string): PointName {
  if (granularity === 'hour')
    return {
      id: start,
      label: `${formatDate(start)} ${formatTime(start)}`,
      short: formatTime(start),
    }
  if (granularity === 'month')
    return {
      id: start,
      label: written(start, { month: 'long', year: 'numeric' }),
      short: written(start, { month: 'short' }),
    }
  const date = formatDate(momentOf(`${start}T12:00`))
  return {
    id: start,
    label: granularity === 'day' ? `${written(start, { weekday: 'short' })} ${date}` : date,
    short: written(start, { day: 'numeric', month: 'short' }),
  }
}

/** Returns a change in percent with its sign, such as `+12%`. */
export const formatChange = (share: number): string =>
  new Intl.NumberFormat(currentLanguage(), {
    style: 'percent',
    maximumFractionDigits: Math.abs(share) < 0.1 ? 1 : 0,
    signDisplay: 'exceptZero',
  }).format(share)

/** Returns a number with one decimal at most. */
export const formatDecimal = (value: number): string =>
  new Intl.NumberFormat(currentLanguage(), { maximumFractionDigits: 1 }).format(value)

const DAY_S = 86_400
/** The two units that a time is told in, by its length, seconds. */
const TIME_UNITS = [
  { unit: 'day', s: DAY_S },
  { unit: 'hour', s: 3_600 },
  { unit: 'minute', s: 60 },
  { unit: 'second', s: 1 },
] as const

/** Returns a time in its two largest units, such as `2 min 5 sec`. */
export function formatSeconds(seconds: number): string {
  const largest = TIME_UNITS.findIndex(({ s }) => Math.round(seconds) >= s)
  const units = largest < 0 ? TIME_UNITS.slice(-1) : TIME_UNITS.slice(largest, largest + 2)
  // rounded to the smaller one first, so that there are never 60 of them
  const step = units.at(-1)?.s ?? 1
  let left = Math.round(seconds / step) * step
  const parts: string[] = []
  for (const { unit, s } of units) {
    const count = Math.floor(left / s)
    left -= count * s
    if (count > 0 || (s === 1 && parts.length === 0))
      parts.push(
        new Intl.NumberFormat(currentLanguage(), {
          style: 'unit',
          unit,
          unitDisplay: 'short',
        }).format(count),
      )
  }
  return parts.join(' ')
}

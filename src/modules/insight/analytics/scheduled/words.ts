import type { Unit } from '../report/rules'

/** Words of field names that are not written as they are. */
const WORDS: Readonly<Record<string, string>> = { avg: 'average', sla: 'SLA', ai: 'AI' }

/** Returns the name of a figure for people: `avg_first_response_seconds` is “Average first response”. */
export function labelOf(name: string): string {
  const words = name
    .replace(/_seconds$/, '')
    .split('_')
    .map((word) => WORDS[word] ?? word)
    .join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const number = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 })

/** Returns the value of a figure for people, such as `1,234`, `62.5 %`, `3 min 20 s` or `4.20 USD`. */
export function valueOf(
  unit: Unit,
  value: number | string | null,
  currency: string | null = null,
): string {
  if (value === null) return 'unknown'
  if (typeof value === 'string') return currency === null ? value : `${value} ${currency}`
  if (unit === 'percent') return `${number.format(value)} %`
  if (unit === 'seconds') return durationOf(value)
  return number.format(value)
}

const UNITS: [seconds: number, unit: string][] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
]

/** Returns a duration in its two largest units. */
function durationOf(seconds: number): string {
  if (seconds < 60) return `${number.format(seconds)} s`
  let rest = Math.round(seconds)
  const parts = UNITS.flatMap(([size, unit]) => {
    const count = Math.floor(rest / size)
    rest -= count * size
    return count === 0 ? [] : [`${count} ${unit}`]
  })
  return parts.slice(0, 2).join(' ')
}

const dayFormat = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
})
const longFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})
const instantOf = (date: string): Date => new Date(`${date}T00:00:00Z`)

/** Returns a date for a row, such as “Mon 16 Nov”. */
export const dayLabel = (date: string): string => dayFormat.format(instantOf(date)).replace(',', '')

/** Returns the span of a report, such as “16 November 2026 to 22 November 2026”. */
export const spanLabel = (startDate: string, endDate: string): string =>
  `${longFormat.format(instantOf(startDate))} to ${longFormat.format(instantOf(endDate))}`

import { DAY_MS } from '../../../../lib/clock'

/** A cell as written in the sheet. */
interface Cell {
  type: string
  /** Index of its format. */
  style: number
  value: string
}

/** Built-in formats that show a date or a time (ECMA-376, 18.8.30). */
const BUILT_IN_DATES = [
  14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 45, 46, 47, 50, 51,
  52, 53, 54, 55, 56, 57, 58,
]

/**
 * Day 0 of spreadsheet dates, epoch milliseconds. Spreadsheets count February 29, 1900, which did
 * not exist, so day 0 is December 30.
 */
const DAY_ZERO_MS = Date.UTC(1899, 11, 30)

/** The largest date of a cell, 9999-12-31. */
const LAST_DAY = 2_958_465

/**
 * Reports whether a format shows a date: a built-in one, or a custom one with days, months, years
 * or hours outside quoted text.
 */
export const isDateFormat = (id: number, code: string): boolean =>
  BUILT_IN_DATES.includes(id) ||
  /[dmyhs]/i.test(code.replaceAll(/"[^"]*"|\\.|\[(?!h|m|s)[^\]]*\]/gi, ''))

/**
 * Returns a cell as text: shared strings resolved, whole numbers without an exponent, dates as
 * `2026-11-21`, with the time if there is one.
 */
export function cellText(
  cell: Cell,
  known: { shared: { at: (index: number) => string }; dates: Set<number> },
): string {
  const { type, value } = cell
  if (type === 's') return known.shared.at(Number(value))
  if (type === 'b') return value === '1' ? 'true' : 'false'
  if (type === 'e') return ''
  if (type !== '' && type !== 'n') return value
  const number = Number(value)
  if (value.trim() === '' || !Number.isFinite(number)) return value
  if (known.dates.has(cell.style) && number > 0 && number <= LAST_DAY) return dateText(number)
  return Number.isInteger(number) ? BigInt(number).toString() : String(number)
}

function dateText(days: number): string {
  const at = new Date(Math.round((DAY_ZERO_MS + days * DAY_MS) / 1_000) * 1_000).toISOString()
  return at.endsWith('T00:00:00.000Z') ? at.slice(0, 10) : at
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/i

/** Reports whether a text is an existing calendar date (`YYYY-MM-DD`). */
export function isCalendarDate(text: string): boolean {
  const atMs = DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(text)
}

/** An instant as this program formats it, on a day that exists in every month. */
const CANONICAL_INSTANT =
  /^(?:19|20)\d{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/**
 * Reports whether a text is an instant. Most were formatted by this program and match a regular
 * expression without being parsed.
 */
export const isInstant = (text: string): boolean =>
  CANONICAL_INSTANT.test(text) || instantMs(text) !== null

/**
 * Parses an instant (ISO 8601 with an offset, RFC 3339) to epoch milliseconds. Returns `null` if it
 * is invalid or the date does not exist.
 */
export function instantMs(text: string): number | null {
  const [, day] = INSTANT.exec(text) ?? []
  // Date.parse alone reads February 31 as a day in March
  const atMs = day !== undefined && isCalendarDate(day) ? Date.parse(text) : Number.NaN
  return Number.isNaN(atMs) ? null : atMs
}

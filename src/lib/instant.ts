const DAY = /^\d{4}-\d{2}-\d{2}$/
const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/i

/** Whether a text is a date (`YYYY-MM-DD`) that the calendar has. */
export function isDay(text: string): boolean {
  const atMs = DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(text)
}

/** An instant as we write it ourselves, on a day that every month has. */
const OUR_OWN =
  /^(?:19|20)\d{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/** Whether a text names an instant; most are of our own making and seen to be right at a glance. */
export const isInstant = (text: string): boolean => OUR_OWN.test(text) || instantMs(text) !== null

/**
 * The instant that a text names (ISO 8601 with an offset, RFC 3339), epoch milliseconds; `null`
 * when it is none, or of a day that does not exist.
 */
export function instantMs(text: string): number | null {
  const [, day] = INSTANT.exec(text) ?? []
  // alone it would take the 31st of February for a day of March
  const atMs = day !== undefined && isDay(day) ? Date.parse(text) : Number.NaN
  return Number.isNaN(atMs) ? null : atMs
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/i

/** Whether a text is a date (`YYYY-MM-DD`) that the calendar has. */
export function isDay(text: string): boolean {
  const atMs = DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(text)
}

/** The instant that a text names (ISO 8601 with an offset, RFC 3339), epoch milliseconds; `null` when it is none, or of a day that does not exist. */
export function instantMs(text: string): number | null {
  const [, day] = INSTANT.exec(text) ?? []
  const atMs = day !== undefined && isDay(day) ? Date.parse(text) : Number.NaN // alone it would take the 31st of February for a day of March
  return Number.isNaN(atMs) ? null : atMs
}

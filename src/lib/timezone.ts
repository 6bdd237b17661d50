const AREAS = 'Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific'
const PLACE = new RegExp(`^(${AREAS})(/[A-Za-z0-9_+-]+){1,2}$`)

/** Names of today's list, known at once; names it had before are asked of the runtime. */
const PRESENT = new Set(Intl.supportedValuesOf('timeZone'))

/**
 * Whether a name is `UTC` or a region/city name of the IANA list, in its own spelling; former names
 * of a place are names too.
 */
export function isTimezone(name: string): boolean {
  if (name === 'UTC') return true
  if (!PLACE.test(name)) return false
  if (PRESENT.has(name)) return true
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone === name
  } catch {
    return false
  }
}

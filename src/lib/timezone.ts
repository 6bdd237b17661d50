const AREAS = 'Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific'
const REGION_CITY = new RegExp(`^(${AREAS})(/[A-Za-z0-9_+-]+){1,2}$`)

/** Current names from the runtime's list. Former names need a slower lookup. */
const CURRENT_NAMES = new Set(Intl.supportedValuesOf('timeZone'))

/**
 * Reports whether a name is `UTC` or a region/city name of the IANA list in its canonical spelling.
 * Former names are accepted.
 */
export function isTimezone(name: string): boolean {
  if (name === 'UTC') return true
  if (!REGION_CITY.test(name)) return false
  if (CURRENT_NAMES.has(name)) return true
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone === name
  } catch {
    return false
  }
}

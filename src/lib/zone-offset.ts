/** A stretch of time in which the clocks of a zone do not change. */
export interface ZoneStretch {
  /** First millisecond; -Infinity if the clocks never changed before. */
  fromMs: number
  /** The first one after it; Infinity if no later change is known. */
  beforeMs: number
  /** What is added to UTC to get the wall clock, milliseconds. */
  offsetMs: number
}

/** The stretches that were looked up last, by zone, newest first. */
const known = new Map<string, ZoneStretch[]>()
const MAX_ZONES = 600
const MAX_STRETCHES = 8

/**
 * Returns the stretch of time around an instant in which the clocks of a zone (`UTC` or an IANA
 * name) do not change. Kept, because a look-up in the time zone database takes microseconds and
 * business hours are checked for every message.
 */
export function zoneStretch(timezone: string, atMs: number): ZoneStretch {
  const stretches = known.get(timezone) ?? []
  for (const stretch of stretches)
    if (atMs >= stretch.fromMs && atMs < stretch.beforeMs) return stretch
  const found = lookUp(timezone, atMs)
  if (known.size >= MAX_ZONES) known.clear()
  known.set(timezone, [found, ...stretches].slice(0, MAX_STRETCHES))
  return found
}

function lookUp(timezone: string, atMs: number): ZoneStretch {
  const here = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timezone)
  // The transition before the next millisecond is at this instant if it is one.
  const from = here.add({ milliseconds: 1 }).getTimeZoneTransition('previous')
  return {
    fromMs: from?.epochMilliseconds ?? -Infinity,
    beforeMs: here.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity,
    offsetMs: here.offsetNanoseconds / 1_000_000,
  }
}

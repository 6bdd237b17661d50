/** Where the program takes the time from, so that tests can move it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number
  /** Does something after so many milliseconds, unless what it answers is called before. */
  after(delayMs: number, work: () => void): () => void
}

export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** The clock of the machine. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  after(delayMs, work) {
    const timer = setTimeout(work, delayMs)
    return () => clearTimeout(timer)
  },
}

/** The instant as the API writes it: ISO 8601 in UTC with milliseconds. */
export const isoTime = (ms: number): string => new Date(ms).toISOString()

/** The same for a value that may be absent: `null` stays `null`. */
export const isoTimeOrNull = (ms: number | null): string | null =>
  ms === null ? null : isoTime(ms)

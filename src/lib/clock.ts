/** Source of the current time and of timers, replaceable in tests. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number
  /** Calls `work` after `delayMs`. Returns a function that cancels the call. */
  after(delayMs: number, work: () => void): () => void
}

export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** A quarter of an hour. The offset of every time zone is a multiple of it. */
export const QUARTER_MS = 15 * MINUTE_MS

/** The last instant whose year has four digits, as all times of the API. */
export const LAST_MS = 253_402_300_799_999

/** The system clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  after(delayMs, work) {
    const timer = setTimeout(work, delayMs)
    return () => clearTimeout(timer)
  },
}

/** Formats an instant as the API does: ISO 8601 in UTC with milliseconds. */
export const isoTime = (ms: number): string => new Date(ms).toISOString()

/** Like `isoTime`, but passes `null` through. */
export const isoTimeOrNull = (ms: number | null): string | null =>
  ms === null ? null : isoTime(ms)

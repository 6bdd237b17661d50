/** Maximum time in milliseconds that a platform timestamp may be ahead of our clock. */
const MAX_LEAD_MS = 5 * 60_000

/**
 * Returns the platform's timestamp, or the time of receipt if there is none or it lies too far in
 * the future.
 */
export const plausibleTime = (reportedMs: number | null, receivedAtMs: number): number =>
  reportedMs === null || reportedMs <= 0 || reportedMs > receivedAtMs + MAX_LEAD_MS
    ? receivedAtMs
    : reportedMs

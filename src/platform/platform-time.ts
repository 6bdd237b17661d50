/** Maximum time in milliseconds that a platform timestamp may be ahead of our clock. */
const MAX_LEAD_MS = 5 * 60_000

/**
 * Returns the platform's timestamp, or the time of receipt if there is none or it lies too far in
 * the future.
 */
export const believableTime = (saidMs: number | null, receivedAtMs: number): number =>
  saidMs === null || saidMs <= 0 || saidMs > receivedAtMs + MAX_LEAD_MS ? receivedAtMs : saidMs

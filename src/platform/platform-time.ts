/** Platform times further ahead than this are not believed, milliseconds. */
const MAX_LEAD_MS = 5 * 60_000

/**
 * The time a platform item counts from: what it says, else when we got it; a time that lies ahead
 * of ours is not believed.
 */
export const believableTime = (saidMs: number | null, receivedAtMs: number): number =>
  saidMs === null || saidMs <= 0 || saidMs > receivedAtMs + MAX_LEAD_MS ? receivedAtMs : saidMs

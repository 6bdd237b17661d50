/**
 * The clock of the server, as far as frames tell it. A wrong clock of this device must not close a
 * window that is open.
 */
let offsetMs = 0

/** Learns the time from a frame that was sent just now. */
export function learnServerTime(at: string): void {
  const then = Date.parse(at)
  if (!Number.isNaN(then)) offsetMs = then - Date.now()
}

/** Returns the present time of the server, epoch milliseconds. */
export const serverNow = (): number => Date.now() + offsetMs

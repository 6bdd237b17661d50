/**
 * Lets long work yield to other work. JavaScript runs on one thread, so work longer than a few
 * milliseconds must let the event loop read and answer requests in between. Long reads run beside
 * the thread (`infra/read/`); for the rest:
 *
 * - loops of batches: `await yieldToEventLoop()` after each batch
 * - loops of small steps: `await yieldIfDue()` after each step (`yieldEvery`)
 * - a callback for later, without a promise: `afterYield`
 */

/**
 * Event loop iterations per yield. A request needs a few (one to be read, one to be committed with
 * others) and must not wait for a whole batch at each.
 */
const ROUNDS = 3

/** Calls back after `rounds` iterations of the event loop. */
export function afterYield(callback: () => void, rounds = ROUNDS): void {
  setImmediate(() => (rounds > 1 ? afterYield(callback, rounds - 1) : callback()))
}

/** Resolves after other work has run. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => afterYield(resolve))

/**
 * Returns a function to call after each small step of long work. It yields if `maxMs` have passed
 * since the last yield; otherwise it resolves immediately.
 */
export function yieldEvery(maxMs: number): () => Promise<void> {
  let sinceMs = performance.now()
  return async () => {
    if (performance.now() - sinceMs < maxMs) return
    await yieldToEventLoop()
    sinceMs = performance.now()
  }
}

/** A client that sent a request within this time may send another at any moment, milliseconds. */
const RECENT_MS = 250

/** Tracks recent requests. */
export class EventLoop {
  private lastRequestMs = -Infinity

  /** Records that a request was answered. */
  noteRequest(): void {
    this.lastRequestMs = performance.now()
  }

  /** Whether a request was answered within the last 250 ms, so another one may arrive soon. */
  get isServerBusy(): boolean {
    return performance.now() - this.lastRequestMs <= RECENT_MS
  }
}

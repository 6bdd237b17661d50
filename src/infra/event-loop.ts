/**
 * Lets long work yield to other work. JavaScript runs on one thread, so work longer than a few
 * milliseconds must let the event loop read and answer requests in between:
 *
 * - loops of batches: `await yieldToEventLoop()` after each batch
 * - loops of small steps: `await yieldIfDue()` after each step (`yieldEvery`)
 * - scans that requests wait for: `inSlices`, which also alternates between organizations
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

/** How long the scans that run without a break hold the event loop, milliseconds. */
const SLICE_MS = 4

/** Tracks recent requests and schedules the slices of scans. */
export class EventLoop {
  private lastRequestMs = -Infinity
  /** Scans of each organization that wait for their next slice. */
  private readonly waiting = new Map<string, (() => void)[]>()
  private isSliceRunning = false
  /** Number of scans of each organization that are not complete. */
  private readonly scans = new Map<string, number>()
  /** Time that scans have used since other work ran, and whether it is all that they may use. */
  private usedMs = 0
  private isSpent = false
  private isRenewing = false

  /** Records that a request was answered. */
  noteRequest(): void {
    this.lastRequestMs = performance.now()
  }

  /** Whether a request was answered within the last 250 ms, so another one may arrive soon. */
  get isServerBusy(): boolean {
    return performance.now() - this.lastRequestMs <= RECENT_MS
  }

  /** Whether a scan of the organization is not complete yet. */
  isScanning(organizationId: string): boolean {
    return this.scans.has(organizationId)
  }

  /** Runs `step` in slices, see `inSlices`. */
  async runInSlices(organizationId: string, step: () => boolean): Promise<void> {
    this.countScan(organizationId, 1)
    try {
      for (let isDone = false; !isDone;) {
        if (this.isSliceRunning) await this.nextSlice(organizationId)
        this.isSliceRunning = true
        try {
          isDone = this.runSlice(step)
        } finally {
          this.endSlice()
        }
      }
    } finally {
      this.countScan(organizationId, -1)
    }
  }

  private countScan(organizationId: string, change: number): void {
    const scans = (this.scans.get(organizationId) ?? 0) + change
    if (scans === 0) this.scans.delete(organizationId)
    else this.scans.set(organizationId, scans)
  }

  private runSlice(step: () => boolean): boolean {
    const startedMs = performance.now()
    let isDone = false
    try {
      do isDone = step()
      while (!isDone && this.usedMs + performance.now() - startedMs < SLICE_MS)
    } finally {
      this.usedMs += performance.now() - startedMs
    }
    return isDone
  }

  /** Lets the next scan use what is left of the time, and all of them continue after other work. */
  private endSlice(): void {
    const isSpent = this.usedMs >= SLICE_MS
    if (!isSpent) this.startNext()
    this.isSpent = isSpent
    if (this.isRenewing) return
    this.isRenewing = true
    afterYield(() => {
      this.isRenewing = false
      this.usedMs = 0
      if (this.isSpent) this.startNext()
      this.isSpent = false
    })
  }

  private nextSlice(organizationId: string): Promise<void> {
    return new Promise((resolve) => {
      const queue = this.waiting.get(organizationId)
      if (queue) queue.push(resolve)
      else this.waiting.set(organizationId, [resolve])
    })
  }

  /** Resumes the organization that has waited longest and moves it behind the others. */
  private startNext(): void {
    const [first] = this.waiting
    if (!first) {
      this.isSliceRunning = false
      return
    }
    const [organizationId, queue] = first
    const resume = queue.shift()
    this.waiting.delete(organizationId)
    if (queue.length > 0) this.waiting.set(organizationId, queue)
    resume?.()
  }
}

/** The part of the context that a sliced scan uses. */
export interface SliceScope {
  organizationId: string
  eventLoop: EventLoop
}

/**
 * Runs a scan in slices of a few milliseconds. Requests are served between two slices, and all scans
 * of the process together get one slice at a time: several short ones, or a part of a long one.
 * Organizations alternate, so the scans of one do not
 * delay those of another. `step` does at most a millisecond of work and returns whether the scan is
 * complete. Must not run inside a transaction.
 */
export const inSlices = (
  { eventLoop, organizationId }: SliceScope,
  step: () => boolean,
): Promise<void> => eventLoop.runInSlices(organizationId, step)

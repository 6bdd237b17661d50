/**
 * So long others are left the event loop after each transaction, milliseconds: shorter where more
 * waits than fits into one, and much longer while answering takes most of the processor, for then
 * senders wait and nobody for what they sent.
 */
const PAUSE_MS = 15
const PAUSE_IN_ARREARS_MS = 2
const PAUSE_IN_FLOOD_MS = 150

/** So often it is looked in a flood whether it goes on, milliseconds. */
const LOOK_MS = 50

/**
 * So many that came in since the last transaction are a flood, if answering them took this part of
 * the processor's time and more.
 */
const FLOOD = 32
const BUSY = 0.75

/**
 * The time that passes and the processor's that the process takes of it, milliseconds; replaced in
 * tests.
 */
export interface Meter {
  nowMs: () => number
  cpuMs: () => number
}

const OURS: Meter = {
  nowMs: () => performance.now(),
  cpuMs() {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  },
}

/**
 * When deliveries that were answered are worked off, so that those who still wait for an answer get
 * theirs: by how busy answering keeps the process.
 */
export class Pacing {
  private addedSince = 0
  private workedAtMs = -Infinity
  private workedAtCpuMs = 0

  constructor(private readonly meter: Meter = OURS) {}

  /** Notes that a delivery was answered. */
  added(): void {
    this.addedSince += 1
  }

  /** Notes that a transaction has ended in which some were processed. */
  worked(): void {
    this.addedSince = 0
    this.workedAtMs = this.meter.nowMs()
    this.workedAtCpuMs = this.meter.cpuMs()
  }

  /**
   * So many came in that answering them takes most of the processor: their senders wait, however
   * quickly they are answered.
   */
  get isFlooded(): boolean {
    if (this.addedSince < FLOOD) return false
    return this.meter.cpuMs() - this.workedAtCpuMs > (this.meter.nowMs() - this.workedAtMs) * BUSY
  }

  /**
   * How long others are still left the event loop until it is looked again, milliseconds; `null`
   * when they had it.
   */
  pauseLeftMs(isInArrears: boolean): number | null {
    const passedMs = this.meter.nowMs() - this.workedAtMs
    const pauseMs = isInArrears ? PAUSE_IN_ARREARS_MS : PAUSE_MS
    if (passedMs < pauseMs) return pauseMs - passedMs
    return this.isFlooded && passedMs < PAUSE_IN_FLOOD_MS
      ? Math.min(PAUSE_IN_FLOOD_MS - passedMs, LOOK_MS)
      : null
  }
}

/**
 * Pause after each transaction, milliseconds: shorter if more deliveries are queued than fit into
 * one transaction, and much longer while answering requests takes most of the CPU. Senders come
 * first then, because they wait for an answer and processing can wait.
 */
const PAUSE_MS = 8
const PAUSE_IN_BACKLOG_MS = 2
const PAUSE_IN_FLOOD_MS = 150

/** Interval at which the load is checked again during a burst, milliseconds. */
const RECHECK_MS = 50

/**
 * Number of deliveries since the last transaction that count as a burst, if answering them took at
 * least this share of the CPU time.
 */
const FLOOD_COUNT = 32
const BUSY_SHARE = 0.75

/** Elapsed time and CPU time of the process, milliseconds. Replaced in tests. */
export interface Meter {
  nowMs: () => number
  cpuMs: () => number
}

const PROCESS_METER: Meter = {
  nowMs: () => performance.now(),
  cpuMs() {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  },
}

/**
 * Decides when acknowledged deliveries are processed, by how busy the process is with answering
 * requests.
 */
export class Backpressure {
  private addedSince = 0
  private workedAtMs = -Infinity
  private workedAtCpuMs = 0

  constructor(private readonly meter: Meter = PROCESS_METER) {}

  /** Records an acknowledged delivery. */
  added(): void {
    this.addedSince += 1
  }

  /** Records the end of a transaction that processed deliveries. */
  worked(): void {
    this.addedSince = 0
    this.workedAtMs = this.meter.nowMs()
    this.workedAtCpuMs = this.meter.cpuMs()
  }

  /** Whether answering deliveries takes most of the CPU. */
  get isFlooded(): boolean {
    if (this.addedSince < FLOOD_COUNT) return false
    return (
      this.meter.cpuMs() - this.workedAtCpuMs > (this.meter.nowMs() - this.workedAtMs) * BUSY_SHARE
    )
  }

  /**
   * Returns the time until the load is checked again, milliseconds; `null` if the pause is over.
   */
  pauseLeftMs(hasBacklog: boolean): number | null {
    const passedMs = this.meter.nowMs() - this.workedAtMs
    const pauseMs = hasBacklog ? PAUSE_IN_BACKLOG_MS : PAUSE_MS
    if (passedMs < pauseMs) return pauseMs - passedMs
    return this.isFlooded && passedMs < PAUSE_IN_FLOOD_MS
      ? Math.min(PAUSE_IN_FLOOD_MS - passedMs, RECHECK_MS)
      : null
  }
}

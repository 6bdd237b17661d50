import { yieldToEventLoop, type EventLoop } from './event-loop'

/** Time limit of a batch while other work waits, and while none does, milliseconds. */
const SHARED_MS = 9
const ALONE_MS = 15
/** A yield shorter than this served no request, milliseconds. */
const NEGLIGIBLE_MS = 1

/**
 * Factor by which a batch may exceed its limit in wall time on a machine that runs other programs.
 * Smaller batches would only use more of the scarce CPU time.
 */
const MAX_WALL_FACTOR = 3

/** Weight of the newest measurement in the moving average. */
const NEWEST_WEIGHT = 0.4

/** Items of the first batch, and the maximum growth factor between batches. */
const FIRST = 10
const GROWTH = 2

/**
 * Chooses how many items of long work fit into one batch, so that requests do not wait long. Learns
 * the CPU time of an item, including its share of the commit, from earlier batches.
 */
export class AdaptiveBatch {
  private size: number
  private itemMs: number | null = null

  constructor(
    private readonly most: number,
    private readonly eventLoop: EventLoop,
    first = FIRST,
  ) {
    this.size = Math.min(most, first)
  }

  /**
   * Runs a batch. `work` receives the number of items that fit and returns how many it processed,
   * or `null` when none are left.
   */
  run(work: (items: number) => number | null): number | null {
    const startedMs = performance.now()
    const cpu = process.cpuUsage()
    const done = work(this.size)
    const { user, system } = process.cpuUsage(cpu)
    const wallMs = performance.now() - startedMs
    const tookMs = Math.min(wallMs, Math.max((user + system) / 1_000, wallMs / MAX_WALL_FACTOR))
    if (done !== null && done > 0) this.learn(tookMs / done)
    return done
  }

  /** Yields to the event loop. The next batch is smaller if requests were served or may arrive. */
  async yield(): Promise<void> {
    const startedMs = performance.now()
    await yieldToEventLoop()
    const isAlone = performance.now() - startedMs < NEGLIGIBLE_MS && !this.eventLoop.isServerBusy
    const fit = Math.floor((isAlone ? ALONE_MS : SHARED_MS) / (this.itemMs ?? 1))
    this.size = Math.max(1, Math.min(fit, this.most, this.size * GROWTH))
  }

  private learn(itemMs: number): void {
    this.itemMs =
      this.itemMs === null ? itemMs : this.itemMs * (1 - NEWEST_WEIGHT) + itemMs * NEWEST_WEIGHT
  }
}

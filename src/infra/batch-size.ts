import { yieldToEventLoop, type EventLoop } from './event-loop'

/**
 * Rows of the first statement, and of each later one at least: with fewer of them what a statement
 * takes in any case would weigh more.
 */
const LEAST = 64

/**
 * A statement that took less is followed by a larger one, one that took more by a smaller one,
 * milliseconds.
 */
const SHORT_MS = 1.5
const LONG_MS = 4

/**
 * How many rows one statement of long work reads: conditions on large values take a hundred times
 * as long a row as others.
 */
export class BatchSize {
  private rows = LEAST

  constructor(private readonly most: number) {}

  /**
   * Does a part of the work with the number of rows it may read; the next part is larger or smaller
   * by what this one takes.
   */
  part<T>(work: (rows: number) => T): T {
    const startedMs = performance.now()
    const outcome = work(this.rows)
    const tookMs = performance.now() - startedMs
    if (tookMs > LONG_MS) this.rows = Math.max(LEAST, Math.floor(this.rows / 2))
    else if (tookMs < SHORT_MS) this.rows = Math.min(this.most, this.rows * 2)
    return outcome
  }
}

/** How long a batch may take while other work waits, and while none does, milliseconds. */
const BESIDE_OTHERS_MS = 9
const ALONE_MS = 15
/** A yield shorter than this answered no request, milliseconds. */
const NEGLIGIBLE_MS = 1

/**
 * On a machine that runs other programs a batch may take up to this many times as long: smaller
 * ones would only cost more of the scarce processor time.
 */
const PATIENCE = 3

/** Weight of the newest measurement. */
const NEWEST = 0.4

/** Items of the first batch, and by which factor a batch may grow. */
const FIRST = 10
const GROWTH = 2

/**
 * Chooses how many items of long work fit into one batch, so that other work does not wait long. It
 * learns from the batches before how much processor time an item takes, its share of the commit
 * included.
 */
export class AdaptiveBatch {
  private size: number
  private itemMs: number | null = null

  constructor(
    private readonly most: number,
    private readonly eventLoop: EventLoop,
  ) {
    this.size = Math.min(most, FIRST)
  }

  /**
   * Runs a batch: `work` receives how many items fit and returns how many it did; `null` when there
   * is nothing more to do.
   */
  run(work: (items: number) => number | null): number | null {
    const startedMs = performance.now()
    const cpu = process.cpuUsage()
    const done = work(this.size)
    const { user, system } = process.cpuUsage(cpu)
    const wallMs = performance.now() - startedMs
    const tookMs = Math.min(wallMs, Math.max((user + system) / 1_000, wallMs / PATIENCE))
    if (done !== null && done > 0) this.learn(tookMs / done)
    return done
  }

  /** Yields to the event loop. The next batch is short when requests were answered or may come. */
  async yield(): Promise<void> {
    const startedMs = performance.now()
    await yieldToEventLoop()
    const isAlone = performance.now() - startedMs < NEGLIGIBLE_MS && !this.eventLoop.isServerBusy
    const fit = Math.floor((isAlone ? ALONE_MS : BESIDE_OTHERS_MS) / (this.itemMs ?? 1))
    this.size = Math.max(1, Math.min(fit, this.most, this.size * GROWTH))
  }

  private learn(itemMs: number): void {
    this.itemMs = this.itemMs === null ? itemMs : this.itemMs * (1 - NEWEST) + itemMs * NEWEST
  }
}

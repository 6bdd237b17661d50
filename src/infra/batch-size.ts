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

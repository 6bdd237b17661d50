import type { BulkWrite } from '../../../infra/checkpoints/thread'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { contentOf, mergeIndexIn } from '../../../infra/erase-organization-rows'
import { yieldToEventLoop } from '../../../infra/event-loop'

/** Fewer deleted rows of an index are left for the end. */
const FEW_ROWS = 5_000

/** Factor by which more rows are deleted until the rows that are left are counted again. */
const GROWTH = 1.25

/** Index pages that one step writes; it may have to read many for each. */
const PAGES_AT_ONCE = 2

/** Rows counted at a time. */
const COUNTED_ROWS = 5_000

/** What ends a merge, and what keeps the write-ahead log short meanwhile. */
export interface Merging {
  signal: AbortSignal
  log: BulkWrite
}

/**
 * Merges a full-text index in small steps, so that words of deleted rows are in none of its pages.
 * `signal` ends it between two steps. A later transaction flushes them.
 */
export async function mergeIndex(ctx: Ctx, index: string, { signal, log }: Merging): Promise<void> {
  for (let isFirst = true, isMore = true; isMore; isFirst = false) {
    isMore = transact(ctx.db, (tx) => mergeIndexIn(tx, index, { pages: PAGES_AT_ONCE, isFirst }), {
      isFlushed: false,
      wakes: false,
    })
    signal.throwIfAborted()
    await yieldToEventLoop()
    await log.whenShort()
  }
}

/** An index whose rows are being deleted. */
interface Shrinking {
  index: string
  content: string
  /** Rows deleted since it was merged, and how many more until the rest is counted. */
  deleted: number
  countAt: number
}

/**
 * Merges indexes while their rows are deleted, each time when half of them are gone. A step of a merge
 * reads until it has written its pages, so one at the very end would read the whole index at once.
 */
export class IndexMerger {
  private readonly shrinking: Shrinking[]

  constructor(
    private readonly ctx: Ctx,
    private readonly merging: Merging,
    indexes: readonly string[],
  ) {
    this.shrinking = indexes.map((index) => ({
      ...{ index, content: contentOf(ctx.db.sqlite, index) },
      ...{ deleted: 0, countAt: FEW_ROWS },
    }))
  }

  /** Merges the index of a table if enough of its rows were deleted. */
  async afterDeletion(table: string, rows: number): Promise<void> {
    for (const one of this.shrinking.filter((shrinking) => this.sourceOf(shrinking) === table)) {
      one.deleted += rows
      if (one.deleted >= one.countAt) await this.mergeIfHalf(one)
    }
  }

  /** Merges all indexes of which a fifth was deleted: another run does not know of that. */
  async end(): Promise<void> {
    for (const one of this.shrinking)
      if (one.deleted > 0 && (await this.hasFewer(one, one.deleted * 4)))
        await mergeIndex(this.ctx, one.index, this.merging)
  }

  /** The table whose rows take those of the index along. */
  private sourceOf({ content }: Shrinking): string {
    return this.ctx.tables.find(({ table }) => table === content)?.deletedWith ?? content
  }

  private async mergeIfHalf(one: Shrinking): Promise<void> {
    one.countAt = one.deleted * GROWTH
    if (!(await this.hasFewer(one, one.deleted))) return
    await mergeIndex(this.ctx, one.index, this.merging)
    Object.assign(one, { deleted: 0, countAt: FEW_ROWS })
  }

  /** Whether an index has fewer rows than a number. Counts no further. */
  private async hasFewer({ content }: Shrinking, rows: number): Promise<boolean> {
    const page = this.ctx.db.sqlite.query<{ rows: number; last: number | null }, [number, number]>(
      `select count(*) as rows, max(row) as last from (select row from "${content}" where row > ?1 order by row limit ?2)`,
    )
    let [counted, after] = [0, -1]
    while (counted < rows) {
      const found = page.get(after, COUNTED_ROWS)
      counted += found?.rows ?? 0
      if (!found || found.last === null || found.rows < COUNTED_ROWS) break
      after = found.last
      this.merging.signal.throwIfAborted()
      await yieldToEventLoop()
    }
    return counted < rows
  }
}

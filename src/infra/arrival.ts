import type { Ctx } from './ctx'
import type { Tx } from './db/transact'

/** A row of a table by the names of its columns, as SQLite stores it. */
export type StoredRow = Record<string, string | number | bigint | Uint8Array | null>

/** Facts about the row of an organization that arrives from another installation. */
export interface Arriving {
  nowMs: number
  /** Whether the row names a file that the archive does not have. */
  isFileGone: boolean
  /**
   * Whether the organization moves here from another cell, which has stopped working for it. What
   * was under way goes on here then: its jobs arrive, too.
   */
  isMove: boolean
}

/** What a table does with the rows of an organization that is imported. */
export interface Arrival {
  /**
   * Returns the row as it is stored here, or `null` to leave it out. Unless this is a move, nothing
   * that was under way in the other installation continues by itself: it may have ended there in
   * the meantime.
   */
  change?: (row: StoredRow, arriving: Arriving) => StoredRow | null
  /**
   * Completes an inserted row in the same transaction: adds it to search indexes, and enqueues what
   * is to be done later, unless its jobs arrive. Jobs wait until the import is complete.
   */
  followIn?: (tx: Tx, ctx: Ctx, row: StoredRow, arriving: Pick<Arriving, 'isMove'>) => void
}

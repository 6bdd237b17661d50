import type { Database } from 'bun:sqlite'

/** So long the write-ahead log grows until a commit works it in, pages, as SQLite has it. */
export const PAGES = 1_000

/**
 * Bytes a page takes in the log: with the frame's header, in pages of the size SQLite has by
 * itself.
 */
const BYTES_OF_PAGE = 4_096 + 24

/**
 * Lets the log grow by so many pages until a commit works it in, and its file keep room for `kept`
 * of them when it begins anew: what one large transaction made it longer by is cut off then, so
 * that the file is as long as what is worked in at once, however long the process runs.
 */
export function boundLog(sqlite: Database, pages: number, kept = PAGES): void {
  sqlite.run(`pragma wal_autocheckpoint = ${pages}`)
  sqlite.run(`pragma journal_size_limit = ${kept * BYTES_OF_PAGE}`)
}

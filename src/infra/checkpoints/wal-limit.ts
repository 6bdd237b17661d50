import type { Database } from 'bun:sqlite'

/**
 * Length of the write-ahead log at which a commit checkpoints it, pages: 16 MB. A checkpoint waits
 * for the disk twice and writes each changed page once, however often it changed, so a longer log
 * needs less. SQLite's default is 1,000, which a busy inbox fills ten times a second.
 */
export const DEFAULT_PAGES = 4_000

/** Bytes of a page in the log: the frame header plus SQLite's default page size. */
const BYTES_OF_PAGE = 4_096 + 24

/**
 * Makes commits checkpoint the log at `pages` pages, and truncates its file to `kept` pages when it
 * restarts. Otherwise one large transaction would leave a large file for as long as the process
 * runs.
 */
export function limitLogSize(sqlite: Database, pages: number, kept = DEFAULT_PAGES): void {
  sqlite.run(`pragma wal_autocheckpoint = ${pages}`)
  sqlite.run(`pragma journal_size_limit = ${kept * BYTES_OF_PAGE}`)
}

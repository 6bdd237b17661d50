import { Database } from 'bun:sqlite'

const BUSY_TIMEOUT_MS = 10_000

/**
 * Opens a connection that only reads and sees the database as it is at its first statement, until
 * `endSnapshot`. Others can write meanwhile, but the write-ahead log cannot be shortened.
 */
export function openSnapshot(path: string): Database {
  const sqlite = new Database(path, { readonly: true, strict: true })
  sqlite.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
  sqlite.run('begin')
  return sqlite
}

/** Ends the view of one moment, if the connection has one. It can still read. */
export function endSnapshot(sqlite: Database): void {
  if (sqlite.inTransaction) sqlite.run('commit')
}

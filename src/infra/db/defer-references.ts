import type { Tx } from './transact'

/**
 * Runs statements that change a key before the rows that refer to it. At the end they must agree:
 * SQLite does not check these statements. It could at the commit only, where one bad item would fail
 * all others of the transaction, again and again.
 */
export function withDeferredReferences(tx: Tx, work: () => void): void {
  const { sqlite } = tx.scope
  sqlite.run('pragma defer_foreign_keys = on')
  try {
    work()
  } finally {
    sqlite.run('pragma defer_foreign_keys = off')
  }
}

import type { Tx } from './transact'

/**
 * Runs statements that change a key before the rows that refer to it. The caller makes sure that
 * both agree at the end, because SQLite does not check these statements. It could only check them at
 * the commit, where one bad item would fail all others of the transaction at every retry.
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

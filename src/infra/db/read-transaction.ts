import type { ReadDb } from './connection'

/**
 * Runs `read` in a transaction of its own, so that all its statements see the same moment. Must not
 * run inside a transaction.
 */
export function readTransaction<T>({ sqlite }: ReadDb, read: () => T): T {
  if (sqlite.inTransaction) throw new TypeError('a read transaction inside a transaction')
  sqlite.run('begin')
  try {
    return read()
  } finally {
    sqlite.run('commit')
  }
}

import { systemClock } from './lib/clock'
import { openDb } from './infra/db/connection'
import { damaged, isDamaged } from './infra/db/errors'
import { migrateWithBackup, type Storage } from './migrate'

/**
 * A thread of its own: bringing a large database to the present schema takes minutes, and the
 * server says meanwhile that it lives.
 */
declare const self: {
  onmessage: ((event: MessageEvent<Storage>) => void) | null
  postMessage(answer: unknown): void
}

/**
 * Nobody else waits for this thread: it may wait long for a command beside the server that writes,
 * milliseconds.
 */
const PATIENCE_MS = 60_000

self.onmessage = ({ data: { databasePath, backupsPath, ...options } }) => {
  try {
    const db = openDb(databasePath, options)
    db.sqlite.run(`pragma busy_timeout = ${PATIENCE_MS}`)
    const facts = migrateWithBackup(db, { backupsPath }, systemClock)
    db.sqlite.close()
    self.postMessage({ facts })
  } catch (thrown) {
    const error = isDamaged(thrown) ? damaged(databasePath) : thrown
    self.postMessage({ error: error instanceof Error ? error.message : 'failed' })
  }
}

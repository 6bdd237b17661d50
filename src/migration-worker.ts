import { systemClock } from './lib/clock'
import { openDb } from './infra/db/connection'
import { damaged, isDamaged } from './infra/db/errors'
import { migrateWithBackup, type Storage } from './migrate'

/**
 * Runs in its own thread: migrating a large database takes minutes, while the server answers health
 * checks.
 */
declare const self: {
  onmessage: ((event: MessageEvent<Storage>) => void) | null
  postMessage(answer: unknown): void
}

/**
 * How long the thread waits for a command that is writing to the database, milliseconds. Nothing
 * else waits for this thread.
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

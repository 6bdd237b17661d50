import { Database } from 'bun:sqlite'

/** So long between two rounds, milliseconds. */
const EVERY_MS = 100

/** Works the write-ahead log of a database in again and again, as far as nobody reads it, without holding anybody up. Returns what ends it. */
export function keepCheckpointing(path: string): () => void {
  const sqlite = new Database(path, { strict: true, create: false, readwrite: true })
  sqlite.run('pragma synchronous = normal')
  const work = sqlite.query('pragma wal_checkpoint(passive)')
  const timer = setInterval(() => {
    try {
      work.all()
    } catch {
      // A full or failing disk is noticed by whoever writes; here it is tried again.
    }
  }, EVERY_MS)
  return () => {
    clearInterval(timer)
    work.finalize()
    sqlite.close()
  }
}

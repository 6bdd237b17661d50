import { Database } from 'bun:sqlite'

import type { LogState } from './thread'

/** So long between two rounds, milliseconds. */
const EVERY_MS = 100

/** A database whose write-ahead log is worked in again and again. */
export interface Checkpointing {
  /** Does a round at once. */
  now(): void
  end(): void
}

/**
 * Works the write-ahead log of a database in again and again, as far as nobody reads it, without holding anybody up, and tells after each round how
 * far it is.
 */
export function keepCheckpointing(path: string, tell: (state: LogState) => void): Checkpointing {
  const sqlite = new Database(path, { strict: true, create: false, readwrite: true })
  sqlite.run('pragma synchronous = normal')
  const work = sqlite.query<{ log: number }, []>('pragma wal_checkpoint(passive)')
  const round = (): LogState => {
    try {
      return { pages: work.get()?.log ?? 0 }
    } catch {
      // A full or failing disk is noticed by whoever writes; here it is tried again.
      return { pages: 0 }
    }
  }
  const timer = setInterval(() => tell(round()), EVERY_MS)
  return {
    now: () => tell({ ...round(), isAsked: true }),
    end() {
      clearInterval(timer)
      work.finalize()
      sqlite.close()
    },
  }
}

import { Database } from 'bun:sqlite'

import { emptyLog, type LogState } from './thread'

/** So long between two rounds, milliseconds. */
const EVERY_MS = 100

/** A database whose write-ahead log is worked in again and again. */
export interface Checkpointing {
  /** Does a round at once. */
  now(): void
  end(): void
}

/**
 * Works the write-ahead log of a database in again and again, as far as nobody reads it, without
 * holding anybody up, and tells after each round how far it is.
 */
export function keepCheckpointing(path: string, tell: (state: LogState) => void): Checkpointing {
  const sqlite = new Database(path, { strict: true, create: false, readwrite: true })
  sqlite.run('pragma synchronous = normal')
  const work = sqlite.query<{ log: number }, []>('pragma wal_checkpoint(passive)')
  const round = (): LogState => {
    try {
      return { pages: work.get()?.log ?? 0 }
    } catch {
      // Writers report a full or failing disk; this is tried again later.
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

/**
 * So often it is tried whether nobody reads or writes at the moment, and so long between two tries,
 * milliseconds.
 */
const TRIES = 40
const PAUSE_MS = 25

/**
 * Works all of the log of a database in and cuts its file off: most of it without holding anybody
 * up, the rest at a moment in which nobody reads or writes. Returns whether there was such a
 * moment.
 */
export async function emptyLogOf(path: string): Promise<boolean> {
  const sqlite = new Database(path, { strict: true, create: false, readwrite: true })
  try {
    // Waiting for readers here would delay writers.
    sqlite.run('pragma busy_timeout = 0')
    for (let tries = 0; tries < TRIES; tries += 1) {
      sqlite.run('pragma wal_checkpoint(passive)')
      if (emptyLog(sqlite)) return true
      await Bun.sleep(PAUSE_MS)
    }
    return false
  } catch {
    // Writers report a full or failing disk; this is tried again later.
    return false
  } finally {
    sqlite.close()
  }
}

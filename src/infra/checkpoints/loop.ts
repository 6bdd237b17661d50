import { Database } from 'bun:sqlite'

import { emptyLog, type LogState } from './thread'

/** Interval of checkpoint rounds, milliseconds. */
const ROUND_INTERVAL_MS = 100

/** A database that is checkpointed continuously. */
export interface CheckpointLoop {
  /** Runs a round immediately. */
  now(): void
  end(): void
}

/**
 * Checkpoints the write-ahead log of a database continuously, as far as no reader uses it and
 * without blocking anyone. Calls `report` with the state of the log after each round.
 */
export function checkpointContinuously(
  path: string,
  report: (state: LogState) => void,
): CheckpointLoop {
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
  const timer = setInterval(() => report(round()), ROUND_INTERVAL_MS)
  return {
    now: () => report({ ...round(), isAwaited: true }),
    end() {
      clearInterval(timer)
      work.finalize()
      sqlite.close()
    },
  }
}

/**
 * Number of attempts to find a moment without readers or writers, and the pause between them,
 * milliseconds.
 */
const TRIES = 40
const PAUSE_MS = 25

/**
 * Checkpoints the whole log of a database and truncates its file. Most of it happens without
 * blocking anyone, the rest at a moment without readers or writers. Returns whether there was such
 * a moment.
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

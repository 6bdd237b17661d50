import type { Database } from 'bun:sqlite'

/** What the thread is told: to begin with a database, or to end. */
export type CheckpointOrder = { path: string } | 'end'

/** What it answers when it has ended. */
export type CheckpointAnswer = 'ended'

/** The part of a thread that is used here. */
export interface CheckpointThread {
  onmessage: ((event: MessageEvent<CheckpointAnswer>) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
  postMessage(order: CheckpointOrder): void
  terminate(): void
}

/** Keeps the write-ahead log short while much is written. */
export interface Checkpoints {
  /** Has the log worked in beside the writing, until what it answers is called; the last one who does ends it. */
  beside(): () => void
}

/** Leaves all to SQLite, which works the log in within commits. */
export const NO_CHECKPOINTS: Checkpoints = { beside: () => () => undefined }

/** So long the log grows until a commit works it in, pages: as SQLite has it, and while a thread does most of it. */
const PAGES = 1_000
const PAGES_BESIDE = 8_000

/**
 * A thread that works the write-ahead log into the database file while much is written. A commit that has to do that waits for the disk, and every
 * request with it; after the thread little of it is left to do. Without the thread, or when it fails, all is as SQLite does it by itself.
 */
export function checkpointsInThread(sqlite: Database, path: string, open: () => CheckpointThread): Checkpoints {
  let thread: CheckpointThread | null = null
  let holders = 0
  const leave = (): void => {
    thread = null
    sqlite.run(`pragma wal_autocheckpoint = ${PAGES}`)
  }
  const begin = (): void => {
    const begun = open()
    begun.onmessage = () => begun.terminate()
    begun.onerror = () => {
      begun.terminate()
      if (thread === begun) leave()
    }
    begun.postMessage({ path })
    sqlite.run(`pragma wal_autocheckpoint = ${PAGES_BESIDE}`)
    thread = begun
  }
  return {
    beside() {
      holders += 1
      if (holders === 1) begin()
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        holders -= 1
        if (holders > 0 || !thread) return
        thread.postMessage('end') // it closes its connection before it is ended
        leave()
      }
    },
  }
}

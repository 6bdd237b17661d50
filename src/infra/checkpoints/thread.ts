import type { Database } from 'bun:sqlite'

import { limitLogSize, DEFAULT_PAGES } from './wal-limit'

/**
 * Orders to the thread: start with a database, run a round now, or end; or only empty the log of a
 * database.
 */
export type CheckpointOrder = { path: string } | { emptied: string } | 'now' | 'end'

/** State of the write-ahead log after a round. */
export interface LogState {
  pages: number
  /** Whether a caller waits for this round. */
  isAwaited?: boolean
}

/**
 * Answers of the thread: the state after each round, that it has ended, or whether it emptied the
 * log.
 */
export type CheckpointAnswer = LogState | 'ended' | { isEmptied: boolean }

/** The part of a thread that is used here. */
export interface CheckpointThread {
  onmessage: ((event: MessageEvent<CheckpointAnswer>) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
  postMessage(order: CheckpointOrder): void
  terminate(): void
}

/** Checkpoints that run while a caller writes much. */
export interface BulkWrite {
  /**
   * Waits until the whole write-ahead log is checkpointed if it has become long; otherwise resolves
   * immediately. The caller must not write while it waits, so that the next commit can restart the
   * log from its beginning.
   */
  whenShort(): Promise<void>
  /** Call when the writing is over. */
  end(): void
}

/** Keeps the write-ahead log short during bulk writes. */
export interface Checkpoints {
  /** Checkpoints continuously until the last caller has ended. */
  duringBulkWrite(): BulkWrite
  /**
   * Checkpoints the whole log and truncates its file, so that deleted data is in no file. Returns
   * whether it could; it cannot while another connection reads.
   */
  empty(): Promise<boolean>
}

/**
 * Checkpoints the whole log of a connection's database and truncates its file. Returns whether it
 * could.
 */
export const emptyLog = (sqlite: Database): boolean =>
  sqlite.query<{ busy: number }, []>('pragma wal_checkpoint(truncate)').get()?.busy === 0

/** Leaves checkpoints to SQLite, which runs them in commits. */
export const sqliteCheckpoints = (sqlite: Database): Checkpoints => ({
  duringBulkWrite: () => ({ whenShort: () => Promise.resolve(), end: () => undefined }),
  empty: () => Promise.resolve(emptyLog(sqlite)),
})

/** Length at which a commit checkpoints the log while the thread does so too, pages. */
const BULK_WRITE_PAGES = 8_000
/** Length of the log at which a bulk writer waits, pages. */
const LONG_PAGES = 3_000

/** Maximum wait for a round, milliseconds. */
const MAX_WAIT_MS = 1_000

/** A round that callers wait for. */
class Round {
  private waiting: PromiseWithResolvers<void> | null = null
  private timer: Timer | null = null

  constructor(private readonly ended: () => void) {}

  /** Waits for the running round, or for one requested with `ask`. */
  done(ask: () => void): Promise<void> {
    if (this.waiting) return this.waiting.promise
    this.waiting = Promise.withResolvers<void>()
    this.timer = setTimeout(() => this.end(), MAX_WAIT_MS)
    ask()
    return this.waiting.promise
  }

  end(): void {
    if (this.timer) clearTimeout(this.timer)
    this.waiting?.resolve()
    this.waiting = null
    this.ended()
  }
}

/**
 * Runs checkpoints in a thread during bulk writes. A commit that checkpoints waits for the disk and
 * delays every request; with the thread there is nothing left for it to do. Without the thread, or
 * if it fails, SQLite checkpoints in commits.
 */
export function checkpointsInThread(
  sqlite: Database,
  path: string,
  open: () => CheckpointThread,
): Checkpoints {
  let thread: CheckpointThread | null = null
  let holders = 0
  let isLong = false
  const round = new Round(() => void (isLong = false))
  const leave = (): void => {
    thread = null
    round.end()
    limitLogSize(sqlite, DEFAULT_PAGES)
  }
  const begin = (): void => {
    const begun = open()
    begun.onmessage = ({ data }) => {
      if (data === 'ended') return begun.terminate()
      if (thread !== begun || 'isEmptied' in data) return
      if (data.isAwaited === true) round.end()
      else isLong = data.pages >= LONG_PAGES
    }
    begun.onerror = () => {
      begun.terminate()
      if (thread === begun) leave()
    }
    begun.postMessage({ path })
    limitLogSize(sqlite, BULK_WRITE_PAGES, BULK_WRITE_PAGES)
    thread = begun
  }
  const end = (): void => {
    holders -= 1
    if (holders > 0 || !thread) return
    thread.postMessage('end') // it closes its connection before it is ended
    leave()
  }
  return {
    duringBulkWrite() {
      holders += 1
      if (holders === 1) begin()
      let isHeld = true
      return {
        whenShort: () =>
          thread && isLong ? round.done(() => thread?.postMessage('now')) : Promise.resolve(),
        end() {
          if (isHeld) end()
          isHeld = false
        },
      }
    },
    empty: () => emptyLogInThread(open(), path),
  }
}

/** Empties the log in a thread that ends afterwards. */
async function emptyLogInThread(thread: CheckpointThread, path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  thread.onmessage = ({ data }) =>
    resolve(typeof data === 'object' && 'isEmptied' in data && data.isEmptied)
  thread.onerror = () => resolve(false)
  thread.postMessage({ emptied: path })
  try {
    return await promise
  } finally {
    thread.terminate()
  }
}

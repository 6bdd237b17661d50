import type { Database } from 'bun:sqlite'

import { boundLog, PAGES } from './wal-limit'

/**
 * What the thread is told: to begin with a database, to do a round at once, to end; or to empty the
 * log of a database and do nothing else.
 */
export type CheckpointOrder = { path: string } | { emptied: string } | 'now' | 'end'

/** How long a round found the write-ahead log. */
export interface LogState {
  pages: number
  /** Whether somebody waits for this round. */
  isAsked?: boolean
}

/** What it answers: after each round, when it has ended, and whether it emptied the log. */
export type CheckpointAnswer = LogState | 'ended' | { isEmptied: boolean }

/** The part of a thread that is used here. */
export interface CheckpointThread {
  onmessage: ((event: MessageEvent<CheckpointAnswer>) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
  postMessage(order: CheckpointOrder): void
  terminate(): void
}

/** The log is worked in beside somebody who writes much. */
export interface Beside {
  /**
   * Waits until the whole write-ahead log is checkpointed if it has become long; otherwise resolves
   * at once. A caller that writes much writes nothing meanwhile, so that the next commit can
   * restart the log from its beginning.
   */
  whenShort(): Promise<void>
  /** The writing is over. */
  end(): void
}

/** Keeps the write-ahead log short while much is written. */
export interface Checkpoints {
  /** Has the log worked in beside the writing; the last one who ends that ends it. */
  beside(): Beside
  /**
   * Works all of the log in and cuts its file off, so that what was deleted stands in no file any
   * more. Answers whether it could: not while somebody reads the database.
   */
  empty(): Promise<boolean>
}

/**
 * Works all of the log of a connection's database in and cuts its file off. Returns whether it
 * could.
 */
export const emptyLog = (sqlite: Database): boolean =>
  sqlite.query<{ busy: number }, []>('pragma wal_checkpoint(truncate)').get()?.busy === 0

/** Leaves all to SQLite, which works the log in within commits. */
export const ownCheckpoints = (sqlite: Database): Checkpoints => ({
  beside: () => ({ whenShort: () => Promise.resolve(), end: () => undefined }),
  empty: () => Promise.resolve(emptyLog(sqlite)),
})

/** So long the log grows until a commit works it in while a thread does that, pages. */
const PAGES_BESIDE = 8_000
/** Length of the log at which a caller that writes much waits, pages. */
const LONG_PAGES = 3_000

/** Nobody waits for a round longer than this, milliseconds. */
const PATIENCE_MS = 1_000

/** A round that somebody waits for. */
class Round {
  private waiting: PromiseWithResolvers<void> | null = null
  private timer: Timer | null = null

  constructor(private readonly ended: () => void) {}

  /** Waits for the round under way, or for one that `ask` asks for. */
  done(ask: () => void): Promise<void> {
    if (this.waiting) return this.waiting.promise
    this.waiting = Promise.withResolvers<void>()
    this.timer = setTimeout(() => this.end(), PATIENCE_MS)
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
 * A thread that works the write-ahead log into the database file while much is written. A commit
 * that has to do that waits for the disk, and every request with it; after the thread nothing of it
 * is left to do. Without the thread, or when it fails, all is as SQLite does it by itself.
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
    boundLog(sqlite, PAGES)
  }
  const begin = (): void => {
    const begun = open()
    begun.onmessage = ({ data }) => {
      if (data === 'ended') return begun.terminate()
      if (thread !== begun || 'isEmptied' in data) return
      if (data.isAsked === true) round.end()
      else isLong = data.pages >= LONG_PAGES
    }
    begun.onerror = () => {
      begun.terminate()
      if (thread === begun) leave()
    }
    begun.postMessage({ path })
    boundLog(sqlite, PAGES_BESIDE, PAGES_BESIDE)
    thread = begun
  }
  const end = (): void => {
    holders -= 1
    if (holders > 0 || !thread) return
    thread.postMessage('end') // it closes its connection before it is ended
    leave()
  }
  return {
    beside() {
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
    empty: () => emptiedBy(open(), path),
  }
}

/** Has a thread empty the log, which ends afterwards. */
async function emptiedBy(thread: CheckpointThread, path: string): Promise<boolean> {
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

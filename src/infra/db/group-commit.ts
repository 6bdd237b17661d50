import { isStorageError, savepoint, transact, type Db, type Tx } from '../db'

/**
 * When the works that wait are done: before anything else happens, or after what has come in by now
 * was looked at.
 */
type When = 'now' | 'soon'

/**
 * One transaction of works takes about so long, milliseconds; those left over are done after others
 * had a turn. What is to be done now is done.
 */
const AT_ONCE_MS: Record<When, number> = { now: Infinity, soon: 8 }

interface Waiting {
  work: (tx: Tx) => unknown
  resolve: (outcome: never) => void
  reject: (error: unknown) => void
}

/** Works of one database that wait for a transaction. */
class Queue {
  private waiting: Waiting[] = []
  private isDue = false

  constructor(
    private readonly db: Db,
    private readonly when: When,
  ) {}

  add(entry: Waiting): void {
    this.waiting.push(entry)
    if (this.isDue) return
    this.isDue = true
    if (this.when === 'now') queueMicrotask(() => this.commit())
    else setImmediate(() => this.commit())
  }

  private commit(): void {
    const ends: (() => void)[] = []
    const batch = this.waiting
    let done = 0
    try {
      transact(this.db, (tx) => {
        const startedMs = performance.now()
        while (
          done < batch.length &&
          (done === 0 || performance.now() - startedMs < AT_ONCE_MS[this.when])
        )
          ends.push(attempt(tx, batch[done++]))
      })
      for (const end of ends) end()
    } catch (error) {
      for (const { reject } of batch.slice(0, Math.max(1, done))) reject(error)
    }
    this.waiting = this.waiting.slice(Math.max(1, done))
    this.isDue = this.waiting.length > 0
    if (this.isDue) setImmediate(() => this.commit())
  }
}

/** Does one of the works; returns how whoever asked for it is told, once it is committed. */
function attempt(tx: Tx, entry: Waiting | undefined): () => void {
  if (!entry) return () => undefined
  try {
    const outcome = savepoint(tx, entry.work) as never
    return () => entry.resolve(outcome)
  } catch (error) {
    if (isStorageError(error)) throw error // the transaction is lost, for all of them
    return () => entry.reject(error)
  }
}

const queues: Record<When, WeakMap<Db, Queue>> = { now: new WeakMap(), soon: new WeakMap() }

/**
 * Does a work in a transaction it shares with others that are asked for at the same time, so that
 * many of them cost one flush: each in a savepoint of its own, which alone is undone when it
 * throws. Resolves after the commit with what the work came to.
 */
export function transactTogether<T>(db: Db, when: When, work: (tx: Tx) => T): Promise<T> {
  const known = queues[when].get(db) ?? new Queue(db, when)
  queues[when].set(db, known)
  return new Promise<T>((resolve, reject) => {
    known.add({ work, resolve: resolve as Waiting['resolve'], reject })
  })
}

import type { Db } from './connection'
import { SHORT_BUSY_TIMEOUT_MS } from './connection'
import { codeOf, isStorageError, reasonOf } from './errors'
import { TransactionScope, type Tx } from './transaction-scope'

export type { Tx } from './transaction-scope'

type NotAPromise<T> = T extends PromiseLike<unknown> ? never : T

/** Options of a transaction. */
interface TransactOptions {
  /**
   * `false` leaves the flush to the next transaction that has one. Only for work that is repeated
   * after a power cut, such as the lease of a job. A killed process loses nothing. Defaults to
   * `true`.
   */
  isFlushed?: boolean
  /**
   * `true` commits without waiting for the disk. A flush beside the thread follows, shared with
   * others. Only for work whose effects outside of the process wait for it (`flushed`).
   */
  sharesFlush?: boolean
  /**
   * `false` wakes neither relay nor worker: the transaction writes no event and no job. Defaults to
   * `true`.
   */
  wakes?: boolean
}

/**
 * Runs `work` in a transaction and returns its result after the flushed commit: immediate,
 * synchronous, rolled back by a throw. The type and the run time both refuse a promise, because
 * SQLite would commit at its first await.
 */
export function transact<T>(
  db: Db,
  work: (tx: Tx) => NotAPromise<T>,
  { isFlushed = true, sharesFlush = false, wakes = true }: TransactOptions = {},
): T {
  const defersFlush = (!isFlushed || sharesFlush) && db.isFlushed
  const startedMs = performance.now()
  if (defersFlush) db.sqlite.query('pragma synchronous = normal').run()
  try {
    const result = watchStorage(db, () => commit(db, work))
    db.watch.took((performance.now() - startedMs) / 1_000)
    if (defersFlush && sharesFlush) db.logFlush.committed()
    if (wakes) db.afterCommit()
    return result
  } finally {
    if (defersFlush) db.sqlite.query('pragma synchronous = full').run()
  }
}

/**
 * Resolves when all transactions that share a flush and are committed so far are on disk. Rejects
 * with a storage error.
 */
export async function flushed(db: Db): Promise<void> {
  try {
    await db.logFlush.done()
  } catch (error) {
    reportFailure(db, error)
    throw error
  }
}

function commit<T>(db: Db, work: (tx: Tx) => NotAPromise<T>): T {
  const scope = new TransactionScope(db.sqlite)
  const outcome = db.orm.transaction(
    (drizzleTx) => {
      const tx: Tx = Object.assign(drizzleTx, { scope })
      db.afterBegin()
      const result: unknown = work(tx)
      if (result instanceof Promise)
        throw new TypeError('the work of a transaction must be synchronous')
      for (const last of scope.beforeCommit) last()
      db.beforeCommit(tx, result)
      return result as T
    },
    { behavior: 'immediate' },
  )
  for (const callback of scope.afterCommit) callback()
  return outcome
}

/**
 * Runs a part of a transaction that can fail alone: an error undoes only what `work` wrote. Its
 * statements are compiled once, unlike those of Drizzle's savepoints, because every job and every
 * inbound item has one.
 */
export function savepoint<T>(tx: Tx, work: (tx: Tx) => NotAPromise<T>): T {
  const { sqlite } = tx.scope
  if (!sqlite.inTransaction) throw new TypeError('the transaction has ended')
  const scope = new TransactionScope(sqlite, tx.scope)
  // The same transaction with its own scope.
  const inner = Object.assign(Object.create(tx) as Tx, { scope })
  sqlite.query('savepoint part').run()
  try {
    const outcome: unknown = work(inner)
    if (outcome instanceof Promise)
      throw new TypeError('the work of a savepoint must be synchronous')
    for (const last of scope.beforeCommit) last()
    sqlite.query('release part').run()
    tx.scope.afterCommit.push(...scope.afterCommit)
    return outcome as T
  } catch (error) {
    // A full or failing disk makes SQLite undo the whole transaction.
    if (sqlite.inTransaction) {
      sqlite.query('rollback to part').run()
      sqlite.query('release part').run()
    }
    throw error
  }
}

/**
 * Calls back after the commit of the whole transaction, for effects that cannot be undone, such as
 * metrics. Not called if the transaction or its savepoint is rolled back. `callback` must not
 * throw.
 */
export function onCommit(tx: Tx, callback: () => void): void {
  tx.scope.afterCommit.push(callback)
}

/** Calls back as the last part of a transaction or savepoint. Not called if it is rolled back. */
export function beforeCommit(tx: Tx, callback: () => void): void {
  tx.scope.beforeCommit.push(callback)
}

/**
 * Rewrites the header of the database to find out whether writes work again. Throws while they
 * fail.
 */
export function tryToWrite(db: Db): void {
  const version =
    db.sqlite.query<{ user_version: number }, []>('pragma user_version').get()?.user_version ?? 0
  transact(db, () => void db.sqlite.run(`pragma user_version = ${version}`))
  db.storage.wrote()
}

/** Reports storage errors of a transaction, and the first change that succeeds after them. */
function watchStorage<T>(db: Db, transaction: () => T): T {
  const wasFailing = db.storage.state !== null
  const changesBefore = wasFailing ? changesOf(db) : 0
  try {
    const result = transaction()
    if (wasFailing) {
      db.sqlite.run(`pragma busy_timeout = ${db.busyTimeoutMs}`)
      if (changesOf(db) > changesBefore) db.storage.wrote()
    }
    return result
  } catch (error) {
    reportFailure(db, error)
    throw error
  }
}

const changesOf = (db: Db): number =>
  db.sqlite.query<{ n: number }, []>('select total_changes() as n').get()?.n ?? 0

function reportFailure(db: Db, error: unknown): void {
  if (codeOf(error)?.startsWith('SQLITE_BUSY')) db.watch.busy()
  if (!isStorageError(error)) return
  const reason = reasonOf(error)
  if (reason === 'locked') db.sqlite.run(`pragma busy_timeout = ${SHORT_BUSY_TIMEOUT_MS}`)
  db.storage.failed(reason)
}

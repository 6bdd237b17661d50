import type { Db, GroupedWork, GroupTiming } from './connection'
import { isStorageError } from './errors'
import { flushed, savepoint, transact, type Tx } from './transact'
import { afterYield } from '../event-loop'

/**
 * Approximate maximum duration of one transaction of grouped work, milliseconds. The rest runs
 * after other work.
 */
const MAX_GROUP_MS: Record<GroupTiming, number> = { now: Infinity, soon: 8 }

/**
 * Runs `work` in a transaction shared with concurrent callers, so that many cost one flush. Each
 * has its own savepoint; an error undoes only that one. `now` commits before anything else runs,
 * `soon` after pending input was read. Resolves after the commit with the result of `work`.
 */
export function transactGrouped<T>(db: Db, moment: GroupTiming, work: (tx: Tx) => T): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const waiting = db.groups[moment]
    if (waiting.push({ work, resolve: resolve as GroupedWork['resolve'], reject }) > 1) return
    if (moment === 'now') queueMicrotask(() => commitGroup(db, moment))
    else afterYield(() => commitGroup(db, moment), 1)
  })
}

function commitGroup(db: Db, moment: GroupTiming): void {
  const waiting = db.groups[moment]
  const results: (() => void)[] = []
  let done = 0
  let failure: unknown = null
  try {
    const runs = (tx: Tx): void => {
      const startedMs = performance.now()
      const isOver = (): boolean => performance.now() - startedMs >= MAX_GROUP_MS[moment]
      const count = waiting.length
      while (done < count && (done === 0 || !isOver())) results.push(runOne(tx, waiting[done++]))
    }
    transact(db, runs, { sharesFlush: true })
  } catch (error) {
    failure = error
  }
  const ended = waiting.splice(0, Math.max(1, done))
  if (waiting.length > 0) afterYield(() => commitGroup(db, moment), 1)
  const fail = (error: unknown): void => {
    for (const { reject } of ended) reject(error)
  }
  if (failure !== null) return fail(failure)
  flushed(db).then(() => {
    for (const report of results) report()
  }, fail)
}

/** Runs one piece of work and returns a function that reports its result after the commit. */
function runOne(tx: Tx, entry: GroupedWork | undefined): () => void {
  if (!entry) return () => undefined
  try {
    const result = savepoint(tx, entry.work) as never
    return () => entry.resolve(result)
  } catch (error) {
    if (isStorageError(error)) throw error // the transaction is lost, for all of them
    return () => entry.reject(error)
  }
}

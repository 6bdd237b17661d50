import { Database } from 'bun:sqlite'

import { drizzle, type BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'

import { boundLog, PAGES } from '../checkpoints/wal-limit'
import { ownCheckpoints, type Checkpoints } from '../checkpoints/thread'
import type { StorageWatch } from '../storage-health'
import { codeOf, damaged, DatabaseError, isDamaged, isLocked } from './errors'
import type { Tx } from './transaction-scope'

/** The connection that writes: Drizzle over Bun's SQLite, with what follows a commit. */
export interface Db {
  readonly orm: BunSQLiteDatabase
  readonly sqlite: Database
  /**
   * Called by `transact` before each commit with the result of its work; what it writes is committed
   * with the work or not at all.
   */
  readonly beforeCommit: (tx: Tx, outcome: unknown) => void
  /** Called after every commit of `transact`; the outbox relay and the job worker wake on it. */
  afterCommit: () => void
  /**
   * What is told of each transaction: how long it took, in seconds, or that another process was
   * writing.
   */
  watch: TransactionWatch
  /** Who is told that nothing can be stored, and that it can again. */
  storage: Pick<StorageWatch, 'state' | 'failed' | 'wrote'>
  /** Whether commits are flushed to the disk before they count. */
  readonly isFlushed: boolean
  /** Who works the write-ahead log in while much is written. */
  checkpoints: Checkpoints
  /**
   * How long a transaction waits for another process that writes, milliseconds. Nothing else runs
   * in this process meanwhile.
   */
  busyTimeoutMs: number
  /** Compiled queries, by the function that builds each (`compiled`). */
  readonly statements: Map<object, unknown>
  /** Work that waits for a shared transaction (`transactGrouped`). */
  readonly groups: Record<GroupMoment, GroupedWork[]>
}

/** Who counts and times transactions. */
export interface TransactionWatch {
  took(seconds: number): void
  busy(): void
}

/** When work that shares a transaction is done: before anything else, or after pending input. */
export type GroupMoment = 'now' | 'soon'

/** Work that waits for the transaction it shares with others (`transactGrouped`). */
export interface GroupedWork {
  work: (tx: Tx) => unknown
  resolve: (result: never) => void
  reject: (error: unknown) => void
}

/** Queues of work that waits for a shared transaction, all empty. */
export const emptyGroups = (): Db['groups'] => ({ now: [], soon: [] })

/** How SQLite is to be opened: flushing of commits and the page cache in MiB. */
export interface DbOptions {
  synchronous: 'full' | 'normal'
  cacheMib: number
}

/** SQLite before this version can corrupt a WAL database under rare conditions. */
const OLDEST_SQLITE = [3, 51, 3] as const

const BUSY_TIMEOUT_MS = 2_000

/**
 * How long a transaction waits while another process is known to hold the database, milliseconds:
 * requests that only read are answered in between.
 */
export const SHORT_BUSY_TIMEOUT_MS = 25

/**
 * Opens (and creates) the database file for writing. Throws DatabaseError when SQLite is too old or
 * the file is no database.
 */
export function openDb(
  path: string,
  options: DbOptions,
  untilMs = performance.now() + BUSY_TIMEOUT_MS,
): Db {
  const sqlite = new Database(path, { strict: true, create: true })
  try {
    return wrapDb(sqlite, options)
  } catch (error) {
    sqlite.close()
    // Whoever leaves a database last works its log in, and SQLite does not wait for that by itself.
    if (isLocked(error) && performance.now() < untilMs) {
      Bun.sleepSync(SHORT_BUSY_TIMEOUT_MS)
      return openDb(path, options, untilMs)
    }
    if (isDamaged(error)) throw damaged(path)
    if (codeOf(error) !== 'SQLITE_NOTADB') throw error
    throw new DatabaseError(
      `The file ${path} is not a database. Restore a backup or choose another DATA_DIR.`,
    )
  }
}

const UNWATCHED: TransactionWatch = { took: () => undefined, busy: () => undefined }
const UNTOLD: Db['storage'] = { state: null, failed: () => undefined, wrote: () => undefined }

/** Puts our settings and Drizzle on an open SQLite connection. */
export function wrapDb(sqlite: Database, options: DbOptions): Db {
  refuseOldSqlite(sqlite)
  sqlite.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
  sqlite.run('pragma journal_mode = wal')
  sqlite.run(`pragma synchronous = ${options.synchronous}`)
  sqlite.run('pragma foreign_keys = on')
  sqlite.run('pragma secure_delete = on')
  sqlite.run(`pragma cache_size = -${options.cacheMib * 1024}`)
  sqlite.run('pragma temp_store = memory')
  sqlite.run('pragma mmap_size = 268435456')
  boundLog(sqlite, PAGES)
  keepStatements(sqlite)
  const orm = drizzle(sqlite)
  return {
    orm,
    sqlite,
    beforeCommit: () => undefined,
    afterCommit: () => undefined,
    watch: UNWATCHED,
    storage: UNTOLD,
    isFlushed: options.synchronous === 'full',
    checkpoints: ownCheckpoints(sqlite),
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    statements: new Map(),
    groups: emptyGroups(),
  }
}

/** Compiled statements that are kept, the most recently used. */
const MAX_STATEMENTS = 500

/**
 * Keeps statements compiled: Drizzle prepares each query anew, and compiling one takes longer than
 * most of them run.
 */
function keepStatements(sqlite: Database): void {
  const prepare = sqlite.prepare.bind(sqlite)
  const kept = new Map<string, ReturnType<typeof prepare>>()
  sqlite.prepare = ((text: string, ...values: []) => {
    if (values.length > 0) return prepare(text, ...values)
    const statement = kept.get(text) ?? prepare(text)
    kept.delete(text)
    kept.set(text, statement)
    const [oldest] = kept.keys()
    if (kept.size > MAX_STATEMENTS && oldest !== undefined) kept.delete(oldest)
    return statement
  }) as typeof sqlite.prepare
}

function refuseOldSqlite(sqlite: Database): void {
  const row = sqlite.query<{ version: string }, []>('select sqlite_version() as version').get()
  const version = (row?.version ?? '0').split('.').map(Number)
  for (const [index, oldest] of OLDEST_SQLITE.entries()) {
    const part = version[index] ?? 0
    if (part > oldest) return
    if (part < oldest)
      throw new DatabaseError(
        `SQLite ${row?.version} is too old. Version ${OLDEST_SQLITE.join('.')} or newer is ` +
          'required.',
      )
  }
}

/** Sets how long a transaction waits for another process that writes, milliseconds. */
export function setBusyTimeout(db: Db, ms: number): void {
  db.busyTimeoutMs = ms
  db.sqlite.run(`pragma busy_timeout = ${ms}`)
}

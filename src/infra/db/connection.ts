import { Database } from 'bun:sqlite'
import { existsSync, realpathSync } from 'node:fs'

import { drizzle, type BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'

import { limitLogSize, DEFAULT_PAGES } from '../checkpoints/wal-limit'
import { sqliteCheckpoints, type Checkpoints } from '../checkpoints/thread'
import type { StorageWatch } from '../storage-health'
import { codeOf, damaged, DatabaseError, isDamaged, isLocked } from './errors'
import { LogFlush } from './log-flush'
import type { Tx } from './transaction-scope'

/** A connection to read with: that of the server, or one of a thread, which cannot write. */
export type ReadDb = Pick<Db, 'orm' | 'sqlite' | 'statements'>

/** The writing database connection: Drizzle on Bun's SQLite, with callbacks around commits. */
export interface Db {
  readonly orm: BunSQLiteDatabase
  readonly sqlite: Database
  /** Called by `transact` before the work of each transaction. What it throws undoes it. */
  readonly afterBegin: () => void
  /**
   * Called by `transact` before each commit with the result of its work. Its writes are committed
   * with the work or not at all.
   */
  readonly beforeCommit: (tx: Tx, outcome: unknown) => void
  /** Called after every commit of `transact`; wakes the outbox relay and the job worker. */
  afterCommit: () => void
  /** Receives the duration of each transaction, and each time another process held the database. */
  watch: TransactionWatch
  /** Receives storage failures and recoveries. */
  storage: Pick<StorageWatch, 'state' | 'failed' | 'wrote'>
  /** Whether commits are flushed to disk. */
  readonly isFlushed: boolean
  /** Flushes the transactions that share a flush. */
  readonly logFlush: LogFlush
  /** Runs checkpoints of the write-ahead log. */
  checkpoints: Checkpoints
  /**
   * How long a transaction waits for another writing process, milliseconds. It blocks this process.
   */
  busyTimeoutMs: number
  /** Compiled queries, by the function that builds each (`compiled`). */
  readonly statements: Map<object, unknown>
  /** Work that waits for a shared transaction (`transactGrouped`). */
  readonly groups: Record<GroupTiming, GroupedWork[]>
}

/** Counts and times transactions. */
export interface TransactionWatch {
  took(seconds: number): void
  busy(): void
}

/**
 * When a shared transaction runs: before anything else (`now`), or after pending input was read
 * (`soon`).
 */
export type GroupTiming = 'now' | 'soon'

/** Work that waits for the transaction it shares with others (`transactGrouped`). */
export interface GroupedWork {
  work: (tx: Tx) => unknown
  resolve: (result: never) => void
  reject: (error: unknown) => void
}

/** Queues of work that waits for a shared transaction, all empty. */
export const emptyGroups = (): Db['groups'] => ({ now: [], soon: [] })

/** SQLite settings: flushing of commits, and page cache in MiB. */
export interface DbOptions {
  synchronous: 'full' | 'normal'
  cacheMib: number
}

/** SQLite before this version can corrupt a WAL database under rare conditions. */
const OLDEST_SQLITE = [3, 51, 3] as const

const BUSY_TIMEOUT_MS = 2_000

/**
 * How long a transaction waits while another process is known to hold the database, milliseconds.
 * Short, so that reads are served in between.
 */
export const SHORT_BUSY_TIMEOUT_MS = 25

/**
 * Opens the database file for writing and creates it if missing. Throws DatabaseError if SQLite is
 * too old or the file is not a database.
 */
export function openDb(
  path: string,
  options: DbOptions,
  untilMs = performance.now() + BUSY_TIMEOUT_MS,
): Db {
  // SQLite keeps the log beside the file that a link leads to; `filename` names its place.
  const place = existsSync(path) ? realpathSync(path) : path
  const sqlite = new Database(place, { strict: true, create: true })
  try {
    return wrapDb(sqlite, options)
  } catch (error) {
    sqlite.close()
    // The last process to close a database checkpoints its log, and SQLite does not wait for that
    // by itself.
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

const READ_BUSY_TIMEOUT_MS = 250
const READ_CACHE_KIB = 4 * 1024

/** Opens a connection of a thread that only reads. */
export function openReadDb(path: string): ReadDb {
  const sqlite = new Database(path, { readonly: true, strict: true })
  sqlite.run(`pragma busy_timeout = ${READ_BUSY_TIMEOUT_MS}`)
  sqlite.run(`pragma cache_size = -${READ_CACHE_KIB}`)
  sqlite.run('pragma temp_store = memory')
  sqlite.run('pragma mmap_size = 268435456')
  return { orm: drizzleOn(sqlite), sqlite, statements: new Map() }
}

const UNWATCHED: TransactionWatch = { took: () => undefined, busy: () => undefined }
const UNREPORTED: Db['storage'] = { state: null, failed: () => undefined, wrote: () => undefined }

/** Applies the settings to an open SQLite connection and wraps it with Drizzle. */
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
  limitLogSize(sqlite, DEFAULT_PAGES)
  return {
    orm: drizzleOn(sqlite),
    sqlite,
    afterBegin: () => undefined,
    beforeCommit: () => undefined,
    afterCommit: () => undefined,
    watch: UNWATCHED,
    storage: UNREPORTED,
    isFlushed: options.synchronous === 'full',
    logFlush: new LogFlush(sqlite),
    checkpoints: sqliteCheckpoints(sqlite),
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    statements: new Map(),
    groups: emptyGroups(),
  }
}

/** Compiled statements that a connection keeps, by recent use. */
Database.MAX_QUERY_CACHE_SIZE = 500

/**
 * Drizzle on a connection that keeps compiled statements: Drizzle prepares each query again, and
 * compiling takes longer than running most of them.
 */
function drizzleOn(sqlite: Database): BunSQLiteDatabase {
  const client = {
    prepare: (text: string) => sqlite.query(text),
    transaction: sqlite.transaction.bind(sqlite),
  }
  return drizzle({ client: client as unknown as Database }) // all that Drizzle calls
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

/** Sets how long a transaction waits for another writing process, milliseconds. */
export function setBusyTimeout(db: Db, ms: number): void {
  db.busyTimeoutMs = ms
  db.sqlite.run(`pragma busy_timeout = ${ms}`)
}

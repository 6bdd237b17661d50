import { Database } from 'bun:sqlite'

import { drizzle, type BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'

import { boundLog, PAGES } from './checkpoints/wal-limit'
import { ownCheckpoints, type Checkpoints } from './checkpoints/thread'
import { quickenRows } from './rows'
import { TROUBLES, type StorageReason, type StorageWatch } from './storage-health'

/** The connection that writes: Drizzle over Bun's SQLite, with what follows a commit. */
export interface Db {
  readonly orm: BunSQLiteDatabase
  readonly sqlite: Database
  /**
   * Called by `transact` before each commit with what its work came to; what it writes is committed
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
   * How long a transaction waits for another process that writes, milliseconds; nothing else is
   * done meanwhile.
   */
  patienceMs: number
}

/** Who counts and times transactions. */
export interface TransactionWatch {
  took(seconds: number): void
  busy(): void
}

/** A transaction in progress. Every query in it must end in `.run()`, `.get()` or `.all()`. */
export type Tx = Parameters<Parameters<BunSQLiteDatabase['transaction']>[0]>[0]

type NotAPromise<T> = T extends PromiseLike<unknown> ? never : T

/** How SQLite is to be opened: flushing of commits and the page cache in MiB. */
export interface DbOptions {
  synchronous: 'full' | 'normal'
  cacheMib: number
}

/** SQLite before this version can corrupt a WAL database under rare conditions. */
const OLDEST_SQLITE = [3, 51, 3] as const

const BUSY_TIMEOUT_MS = 2_000

/**
 * So long a transaction waits while another process is known to hold the database: requests that
 * only read go on in between.
 */
const SHORT_PATIENCE_MS = 25

/** The database cannot be used; the message is one sentence for the operator. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
}

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
      Bun.sleepSync(SHORT_PATIENCE_MS)
      return openDb(path, options, untilMs)
    }
    if (isDamaged(error)) throw damaged(path)
    if (codeOf(error) !== 'SQLITE_NOTADB') throw error
    throw new DatabaseError(
      `The file ${path} is not a database; restore a backup or choose another DATA_DIR.`,
    )
  }
}

/** What the operator is told of a database file that SQLite cannot make sense of. */
export const damaged = (path: string): DatabaseError =>
  new DatabaseError(`The database ${path} is damaged; restore a backup.`)

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
  quickenRows(orm)
  return {
    orm,
    sqlite,
    beforeCommit: () => undefined,
    afterCommit: () => undefined,
    watch: UNWATCHED,
    storage: UNTOLD,
    isFlushed: options.synchronous === 'full',
    checkpoints: ownCheckpoints(sqlite),
    patienceMs: BUSY_TIMEOUT_MS,
  }
}

/** Statements that are kept compiled, those used last. */
const MAX_STATEMENTS = 500

/**
 * Columns of which an index holds only the rows with certain values: whether it can be used depends
 * on what the column is compared with. A test holds this against the schema.
 */
export const VALUES_CHOOSE_INDEX = /^(?:is_\w+|state|status|stage|direction)$/

/** A bound value that is compared with a column or set to one, and a bound number of rows. */
const BOUND = /(?:(?:"?(\w+)"? )?=|\b(?:limit|offset)) \?(?!\d)/g

/**
 * The statement as it is compiled. SQLite looks at the values that are bound when it plans, and so
 * compiles most statements anew each time they are run, which takes up to a hundred times as long
 * as running them. `= +?` means the same as `= ?` and has it look at none.
 */
const planOnce = (text: string): string =>
  text.replace(BOUND, (found, column?: string) =>
    column !== undefined && VALUES_CHOOSE_INDEX.test(column) ? found : found.replace('?', '+?'),
  )

/**
 * Keeps statements compiled: Drizzle asks for each anew, and compiling one takes longer than most
 * of them run.
 */
function keepStatements(sqlite: Database): void {
  const compile = sqlite.prepare.bind(sqlite)
  const prepare = ((text: string, ...values: []) =>
    compile(planOnce(text), ...values)) as typeof compile
  const kept = new Map<string, ReturnType<typeof prepare>>()
  sqlite.prepare = ((text: string, ...values: unknown[]) => {
    if (values.length > 0) return prepare(text, ...(values as []))
    const known = kept.get(text)
    if (known) kept.delete(text)
    const statement = known ?? prepare(text)
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
        `SQLite ${row?.version} is too old; ${OLDEST_SQLITE.join('.')} or newer is needed.`,
      )
  }
}

/**
 * The only way to a transaction: immediate, synchronous, rolled back by a throw. The type and the
 * run time both refuse a promise, because SQLite would commit at its first await.
 */
export function transact<T>(db: Db, work: (tx: Tx) => NotAPromise<T>): T {
  const result = transactApart(db, work)
  db.afterCommit()
  return result
}

/**
 * A transaction like any other on which neither relay nor worker wake: it writes no event and no
 * job.
 */
export function transactApart<T>(db: Db, work: (tx: Tx) => NotAPromise<T>): T {
  const startedMs = performance.now()
  const result = begun(db, work)
  db.watch.took((performance.now() - startedMs) / 1_000)
  return result
}

/**
 * A transaction like any other whose commit is not flushed by itself but by the next one that is:
 * for notes that a power cut may undo because the work they are about is then undone too, such as
 * who has taken a job. A process that is killed loses nothing of it.
 */
export function transactUnflushed<T>(db: Db, work: (tx: Tx) => NotAPromise<T>): T {
  if (!db.isFlushed) return transact(db, work)
  db.sqlite.query('pragma synchronous = normal').run()
  try {
    return transact(db, work)
  } finally {
    db.sqlite.query('pragma synchronous = full').run()
  }
}

function begun<T>(db: Db, work: (tx: Tx) => NotAPromise<T>): T {
  const isTroubled = db.storage.state !== null
  const changes = isTroubled ? changesOf(db) : 0
  let done: Tx | null = null
  try {
    const outcome = db.orm.transaction(
      (tx) => {
        connections.set(tx, db.sqlite)
        const result: unknown = work(tx)
        if (result instanceof Promise)
          throw new TypeError('the work of a transaction must be synchronous')
        finish(tx)
        const failed = failedParts.get(tx)
        if (failed) throw failed
        db.beforeCommit(tx, result)
        done = tx
        return result as T
      },
      { behavior: 'immediate' },
    )
    if (done) for (const tell of commits.get(done) ?? []) tell()
    if (isTroubled) noteCalm(db, changesOf(db) > changes)
    return outcome
  } catch (error) {
    noteStorageError(db, error)
    throw error
  }
}

const changesOf = (db: Db): number =>
  db.sqlite.query<{ n: number }, []>('select total_changes() as n').get()?.n ?? 0

function noteStorageError(db: Db, error: unknown): void {
  if (codeOf(error)?.startsWith('SQLITE_BUSY')) db.watch.busy()
  if (!isStorageError(error)) return
  const reason = reasonOf(error)
  if (reason === 'locked') db.sqlite.run(`pragma busy_timeout = ${SHORT_PATIENCE_MS}`)
  db.storage.failed(reason)
}

function noteCalm(db: Db, hasWritten: boolean): void {
  db.sqlite.run(`pragma busy_timeout = ${db.patienceMs}`)
  if (hasWritten) db.storage.wrote()
}

function reasonOf(error: unknown): StorageReason {
  const code = codeOf(error) ?? ''
  if (code.startsWith('SQLITE_FULL')) return 'full'
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return 'locked'
  return code.startsWith('SQLITE_READONLY') ? 'read_only' : 'failing'
}

/**
 * Writes the head of the database as it is: where nothing else is to be written, one learns by this
 * that trouble is over. Throws as long as it is not.
 */
export function tryToWrite(db: Db): void {
  const version =
    db.sqlite.query<{ user_version: number }, []>('pragma user_version').get()?.user_version ?? 0
  transact(db, () => void db.sqlite.run(`pragma user_version = ${version}`))
  db.storage.wrote()
}

/** Sets how long a transaction waits for another process that writes, milliseconds. */
export function setPatience(db: Db, ms: number): void {
  db.patienceMs = ms
  db.sqlite.run(`pragma busy_timeout = ${ms}`)
}

/** On which connection a transaction runs. */
const connections = new WeakMap<Tx, Database>()

/** Of which transaction a savepoint is a part. */
const outermost = new WeakMap<Tx, Tx>()

/** The transaction that `tx` is, or is a savepoint of. */
export const wholeOf = (tx: Tx): Tx => outermost.get(tx) ?? tx

/**
 * A part of a transaction that can fail alone: a throw undoes only what `work` wrote. Its
 * statements are compiled once, which Drizzle's own savepoints are not; every job and every inbound
 * item has one.
 */
export function savepoint<T>(tx: Tx, work: (tx: Tx) => NotAPromise<T>): T {
  const sqlite = connections.get(tx)
  if (!sqlite) throw new TypeError('a savepoint needs a transaction that is open')
  // The same in every respect, but for being another one: what is to be done at its end is noted by
  // it.
  const inner = Object.create(tx) as Tx
  connections.set(inner, sqlite)
  outermost.set(inner, wholeOf(tx))
  if (!sqlite.inTransaction) throw new TypeError('the transaction has ended')
  const isHopeful = hopeful.has(tx)
  if (isHopeful) hopeful.add(inner)
  else sqlite.query('savepoint part').run()
  try {
    const outcome: unknown = work(inner)
    if (outcome instanceof Promise)
      throw new TypeError('the work of a savepoint must be synchronous')
    finish(inner)
    if (!isHopeful) sqlite.query('release part').run()
    for (const tell of commits.get(inner) ?? []) onceCommitted(tx, tell)
    return outcome as T
  } catch (error) {
    if (isHopeful) throw isLost(error) ? error : new PartFailed(error, wholeOf(tx))
    // A full or failing disk makes SQLite undo the whole transaction by itself.
    if (sqlite.inTransaction) {
      sqlite.query('rollback to part').run()
      sqlite.query('release part').run()
    }
    throw error
  }
}

/** Transactions whose parts are expected to succeed. */
const hopeful = new WeakSet<Tx>()

/**
 * What failed in a hopeful transaction: it is not committed, even where whoever began the part goes
 * on.
 */
const failedParts = new WeakMap<Tx, PartFailed>()

/**
 * A part of a transaction failed that was expected to succeed: all of it is undone, and done again
 * part by part.
 */
class PartFailed extends Error {
  override readonly name = 'PartFailed'

  constructor(cause: unknown, whole: Tx) {
    super('a part of a transaction failed', { cause })
    failedParts.set(whole, this)
  }
}

/**
 * Whether an error ends the whole transaction: whoever catches what a part throws has to let it
 * through.
 */
export const isLost = (error: unknown): boolean =>
  isStorageError(error) || error instanceof PartFailed

/**
 * A transaction of many parts of which hardly any ever fails. With savepoints SQLite keeps a copy
 * of every page each of them touches, a sixth of all that a delivery costs; so the parts are first
 * done without, and only when one throws is everything undone and done again with them. `work` may
 * be called twice and begins anew each time.
 */
export function transactHopefully<T>(db: Db, work: (tx: Tx) => NotAPromise<T>): T {
  try {
    return transact(db, (tx) => {
      hopeful.add(tx)
      return work(tx)
    })
  } catch (error) {
    if (!(error instanceof PartFailed)) throw error
    return transact(db, work)
  }
}

const commits = new WeakMap<Tx, (() => void)[]>()

/**
 * Does something that is not undone with a transaction, such as counting, once all of it is
 * committed; not when it or its part is undone. It must not throw.
 */
export function onceCommitted(tx: Tx, tell: () => void): void {
  const known = commits.get(tx)
  if (known) known.push(tell)
  else commits.set(tx, [tell])
}

const endings = new WeakMap<Tx, (() => void)[]>()

/**
 * Does something as the last thing of a transaction, or of the savepoint that `tx` stands for; not
 * when it is undone.
 */
export function atEndOf(tx: Tx, work: () => void): void {
  const known = endings.get(tx)
  if (known) known.push(work)
  else endings.set(tx, [work])
}

function finish(tx: Tx): void {
  for (const work of endings.get(tx) ?? []) work()
  endings.delete(tx)
}

/**
 * A query of a hot path, compiled once per connection. There is one connection, so it runs inside
 * whatever transaction is open.
 */
export function compiled<Q>(build: (orm: BunSQLiteDatabase) => Q): (db: Db) => Q {
  const byConnection = new WeakMap<Database, Q>()
  return (db) => {
    const known = byConnection.get(db.sqlite)
    if (known !== undefined) return known
    const query = build(db.orm)
    byConnection.set(db.sqlite, query)
    return query
  }
}

/** Whether an error says that a unique key is taken. */
export const isUniqueViolation = (error: unknown): boolean =>
  codeOf(error) === 'SQLITE_CONSTRAINT_UNIQUE' || codeOf(error) === 'SQLITE_CONSTRAINT_PRIMARYKEY'

/** Whether an error says that another process holds the database. */
export const isLocked = (error: unknown): boolean =>
  isStorageError(error) && reasonOf(error) === 'locked'

/**
 * Whether an error says that the disk or the database cannot take writes now (full, read-only,
 * busy, I/O).
 */
export const isStorageError = (error: unknown): boolean =>
  /^SQLITE_(FULL|READONLY|BUSY|LOCKED|IOERR|CANTOPEN|NOMEM)/.test(codeOf(error) ?? '')

/**
 * What the operator is told when a command ends with trouble of the disk or the database; `null`
 * for any other error.
 */
export const troubleIn = (error: unknown): string | null =>
  isStorageError(error)
    ? `The database cannot be used: ${TROUBLES[reasonOf(error)]}${reasonOf(error) === 'failing' ? '; see whether it is full' : ''}.`
    : null

/** Whether an error says that the database file is damaged. */
export const isDamaged = (error: unknown): boolean =>
  codeOf(error)?.startsWith('SQLITE_CORRUPT') ?? false

/** Drizzle wraps a driver's error; the code is on the cause. */
function codeOf(error: unknown): string | null {
  let at: unknown = error
  for (let depth = 0; depth < 5 && at instanceof Error; depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code
    at = at.cause
  }
  return null
}

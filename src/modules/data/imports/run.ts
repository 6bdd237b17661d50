import { AppError, ForbiddenError } from '../../../lib/errors'
import type { BulkWrite } from '../../../infra/checkpoints/thread'
import type { Ctx, JobCtx } from '../../../infra/ctx'
import type { Permission } from '../../../infra/permissions'
import { isStorageError } from '../../../infra/db/errors'
import { transact, type Tx } from '../../../infra/db/transact'
import type { Outcome } from '../../../infra/jobs/work'
import { delegatedCtx, type RequestedBy } from '../../organization/auth/delegated-ctx'
import { endIn, failIn } from './finish'
import { deleteRows } from './erase'
import { DryRunState } from './dry-run-state'
import {
  changeImportIn,
  findImport,
  noteProgressIn,
  openReport,
  SAME_AS,
  type ImportReport,
} from './state'
import { publishWorkIn } from './publish-work'
import { readRows, type RowWithEnd } from './stored-rows'
import { optionsOf, type ImportRow } from './view'
import {
  refused,
  type Done,
  type ReadRow,
  type FileImportRun,
  type FileImportWork,
} from './importer'
import { yieldEvery, yieldToEventLoop } from '../../../infra/event-loop'

/** Maximum number of rows in one transaction (messages contract 3, rule 9). */
const MAX_ROWS = 500

/** Imports with at least this many rows checkpoint the write-ahead log while they run. */
const MANY_ROWS = 2_000

/** No further row is started in a transaction after this many milliseconds. */
const MAX_MS_LENGTH = 10

/** Rows are read for this many milliseconds before yielding to the event loop. */
const READING_MS = 4

/** Number of rows imported one by one after a failure. */
const ONE_BY_ONE = 50

/** The importer of the rows, and the permissions the requester needs. */
export interface How {
  workOf: (row: ImportRow) => FileImportWork<unknown>
  permission: Permission
}

/**
 * Processes an import from its stored position. Each transaction imports a batch and stores the
 * position, so a restarted process continues there. Ends early if the import was canceled or the
 * requester lost a permission.
 */
export async function runImport(ctx: JobCtx, importId: string, how: How): Promise<Outcome> {
  const row = transact(ctx.db, (tx) => beginIn(tx, ctx, importId))
  if (row === null) return undefined
  if (row.storedAs === null || !(await ctx.files.has(row.storedAs)))
    return fail(ctx, importId, {
      code: 'file_gone',
      message: 'The rows of the file have been deleted.',
    })
  if (row.rowsDone === 0) await deleteRows(ctx, importId) // the report of its trial
  const log = row.rowsTotal >= MANY_ROWS ? ctx.db.checkpoints.duringBulkWrite() : null
  try {
    return await workOff(
      ctx,
      {
        row,
        work: how.workOf(row),
        permission: how.permission,
        log,
        foreseen: new DryRunState(),
      },
      ctx.files.pathOf(row.storedAs),
    )
  } finally {
    log?.end()
  }
}

/** Processes the remaining rows and ends the import. */
async function workOff(ctx: JobCtx, about: About, path: string): Promise<undefined> {
  const { row, work } = about
  for await (const placed of readRows(path, row.position)) {
    let left = await readAll(ctx, work.reader(ctx, optionsOf(row)), placed)
    while (left.length > 0) {
      ctx.signal.throwIfAborted()
      const done = chunk(ctx, about, left.slice(0, MAX_ROWS))
      if (done === null) return undefined
      left = left.slice(done)
      await yieldToEventLoop()
      await about.log?.whenShort()
    }
  }
  const storedAs = transact(ctx.db, (tx) => endIn(tx, ctx, row.id, 'completed'))
  if (storedAs !== null) await ctx.files.remove(storedAs)
  return undefined
}

const NOTHING_DONE = { position: 0, rowsDone: 0, created: 0, updated: 0, skipped: 0, failed: 0 }

/**
 * Starts an import; `null` if it has already ended. Runs inside the caller's transaction. An
 * interrupted dry run starts over because its rows depend on earlier ones.
 */
function beginIn(tx: Tx, ctx: Ctx, importId: string): ImportRow | null {
  const row = findImport(ctx, importId)
  if (row?.status === 'queued')
    return changeImportIn(tx, ctx, importId, { status: 'running', startedAtMs: ctx.clock.nowMs() })
  if (row?.status !== 'running' || row.finishedAtMs !== null) return null
  return row.isDryRun && row.rowsDone > 0 ? changeImportIn(tx, ctx, importId, NOTHING_DONE) : row
}

async function fail(
  ctx: Ctx,
  importId: string,
  error: { code: string; message: string },
): Promise<undefined> {
  const storedAs = transact(ctx.db, (tx) => failIn(tx, ctx, importId, error))
  if (storedAs !== null) await ctx.files.remove(storedAs)
  return undefined
}

/** Reads rows for a few milliseconds at a time. */
async function readAll(
  ctx: JobCtx,
  read: (placed: RowWithEnd) => ReadRow<unknown>,
  placed: RowWithEnd[],
): Promise<ReadRow<unknown>[]> {
  const rows: ReadRow<unknown>[] = []
  const yieldIfDue = yieldEvery(READING_MS)
  for (const one of placed) {
    rows.push(read(one))
    await yieldIfDue()
    ctx.signal.throwIfAborted()
  }
  return rows
}

/**
 * Imports some rows in one transaction. Returns their number, or `null` if the import
 * has ended.
 */
function chunk(ctx: JobCtx, about: About, rows: ReadRow<unknown>[]): number | null {
  try {
    return attempt(ctx, about, rows)
  } catch (error) {
    if (isStorageError(error)) throw error
    return oneByOne(ctx, about, rows.slice(0, ONE_BY_ONE))
  }
}

/** A running import. */
interface About {
  row: ImportRow
  work: FileImportWork<unknown>
  permission: Permission
  /** Checkpoints of the write-ahead log; `null` for few rows. */
  log: BulkWrite | null
  foreseen: DryRunState
}

/**
 * Imports each row in its own transaction after one row made a batch fail. Records that row as
 * failed.
 */
function oneByOne(ctx: JobCtx, about: About, rows: ReadRow<unknown>[]): number | null {
  for (const row of rows)
    try {
      if (attempt(ctx, about, [row]) === null) return null
    } catch (error) {
      if (isStorageError(error)) throw error
      ctx.log.error(
        { error, import_id: about.row.id, row: row.row, organization_id: ctx.organizationId },
        'import row failed',
      )
      const problems = [
        {
          column: null,
          message: 'could not be imported because of an internal error',
          value: row.written,
        },
      ]
      if (attempt(ctx, about, [{ ...row, problems }]) === null) return null
    }
  return rows.length
}

/**
 * Imports rows in one transaction without its own flush to disk. A power cut loses the rows
 * together with the position, so they are imported again. The end of the import is flushed, and
 * with it everything before.
 */
function attempt(ctx: JobCtx, at: About, rows: ReadRow<unknown>[]): number | null {
  const { row: about, work, permission, foreseen } = at
  return transact(
    ctx.db,
    (tx) => {
      const row = findImport(ctx, about.id)
      if (row?.status !== 'running' || row.finishedAtMs !== null) return null
      const delegated = delegatedCtxOrNull(ctx, row, permission)
      if (delegated === null) {
        const message = 'The user who requested the import no longer has the permission for it.'
        failIn(tx, ctx, row.id, { code: 'permission_denied', message })
        return null
      }
      const run: FileImportRun = {
        ctx: atOneMoment(delegated),
        options: optionsOf(row),
        isDryRun: row.isDryRun,
        foreseen,
      }
      const done = rowsIn(tx, run, row, work, rows)
      publishWorkIn(tx, ctx, { ...row, rowsDone: row.rowsDone + done })
      return done
    },
    { isFlushed: false },
  )
}

/**
 * Returns a context with a fixed time, so that all changes of a transaction share it and later
 * changes are recognized.
 */
function atOneMoment(ctx: Ctx): Ctx {
  const nowMs = ctx.clock.nowMs()
  return { ...ctx, clock: { ...ctx.clock, nowMs: () => nowMs } }
}

function delegatedCtxOrNull(ctx: Ctx, row: ImportRow, permission: Permission): Ctx | null {
  try {
    return delegatedCtx(ctx, JSON.parse(row.actor) as RequestedBy, [permission])
  } catch (error) {
    if (error instanceof ForbiddenError) return null
    throw error
  }
}

function rowsIn(
  tx: Tx,
  run: FileImportRun,
  row: ImportRow,
  work: FileImportWork<unknown>,
  rows: ReadRow<unknown>[],
): number {
  const startedMs = performance.now()
  const doer = work.doer(tx, run)
  const report = openReport(run.ctx, row.id)
  const counts = {
    created: row.created,
    updated: row.updated,
    skipped: row.skipped,
    failed: row.failed,
  }
  let done = 0
  let position = row.position
  for (const one of rows) {
    const outcome = outcomeOf(report, one, doer.one)
    report.note(one, outcome)
    counts[outcome.outcome] += 1
    position = one.end
    done += 1
    if (performance.now() - startedMs > MAX_MS_LENGTH) break
  }
  doer.settle()
  report.writeIn(tx)
  noteProgressIn(tx, run.ctx, row.id, { ...counts, position, rowsDone: row.rowsDone + done })
  return done
}

/** Returns the result of one row. An error in it does not stop the others. */
function outcomeOf(
  report: ImportReport,
  row: ReadRow<unknown>,
  doRow: (row: ReadRow<unknown>) => Done,
): Done {
  if (row.problems.length > 0)
    return { outcome: 'failed', targetId: null, problems: row.problems, undo: null }
  const first = row.identity === null ? null : report.rowNaming(row.identity)
  if (first !== null)
    return refused('skipped', { column: null, message: `${SAME_AS}${first}`, value: row.written })
  try {
    return doRow(row)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return refused('failed', { column: null, message: error.message, value: row.written })
  }
}

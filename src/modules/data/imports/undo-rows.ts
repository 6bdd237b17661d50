import { and, desc, eq, isNotNull, lt } from 'drizzle-orm'

import { ForbiddenError } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { delegatedCtx, type RequestedBy } from '../../organization/auth/delegated-ctx'
import { publishBatchIn, publishIn, recordIn, notifyRequesterIn, type ImportError } from './finish'
import type { RowProblem } from './model'
import { changeImportIn, findImport } from './state'
import { publishWorkIn } from './publish-work'
import { importRows } from './table'
import type { ImportRow, OutcomeRow } from './view'
import { workOf } from './importers'
import { noticeText } from '../../organization/notifications/catalog'

/** Progress of an undo. */
export interface Undoing {
  importId: string
  /** Rows before this one remain. The undo starts with the last row. */
  before: number
  /** Number of records restored to former values, and number deleted. */
  updated: number
  deleted: number
  asker: RequestedBy
}

/** Maximum number of rows in one transaction, and its time budget, milliseconds. */
const MAX_ROWS = 500
const CHUNK_MS = 5

/**
 * Undoes a batch of rows. Runs inside the caller's transaction. Returns the progress; `null` at the
 * end.
 */
export function undoRowsIn(tx: Tx, ctx: Ctx, at: Undoing): Undoing | null {
  const about = findImport(ctx, at.importId)
  if (about?.status !== 'running' || about.finishedAtMs === null) return null
  const delegated = delegatedCtxOrNull(ctx, at.asker)
  if (delegated === null) {
    stopUndoingIn(tx, ctx, about.id, {
      code: 'permission_denied',
      message: 'The user who undid the import no longer has the permission for it.',
    })
    return null
  }
  const rows = rowsBefore(tx, ctx, at)
  const next = takeBackIn(tx, delegated, about, rows, at)
  if (rows.length > 0) return next
  finishIn(tx, delegated, about, at)
  return null
}

/**
 * Stops an undo that cannot continue. It can be started again. Runs inside the caller's
 * transaction.
 */
export function stopUndoingIn(tx: Tx, ctx: Ctx, importId: string, error: ImportError): void {
  publishWorkIn(
    tx,
    ctx,
    changeImportIn(tx, ctx, importId, { status: 'failed', error: JSON.stringify(error) }),
  )
}

function delegatedCtxOrNull(ctx: Ctx, asker: RequestedBy): Ctx | null {
  try {
    return delegatedCtx(ctx, asker, ['contacts:import'])
  } catch (error) {
    if (error instanceof ForbiddenError) return null
    throw error
  }
}

const rowsBefore = (tx: Tx, ctx: Ctx, { importId, before }: Undoing): OutcomeRow[] =>
  tx
    .select()
    .from(importRows)
    .where(
      inOrganization(
        ctx,
        importRows,
        and(
          eq(importRows.importId, importId),
          lt(importRows.row, before),
          isNotNull(importRows.former),
        ),
      ),
    )
    .orderBy(desc(importRows.row))
    .limit(MAX_ROWS)
    .all()

function takeBackIn(tx: Tx, ctx: Ctx, about: ImportRow, rows: OutcomeRow[], at: Undoing): Undoing {
  const startedMs = performance.now()
  const work = workOf(about)
  const next = { ...at }
  const taken: Record<'updated' | 'deleted', string[]> = { updated: [], deleted: [] }
  for (const row of rows) {
    const isTaken =
      row.targetId !== null &&
      row.former !== null &&
      work.takeBackIn(tx, ctx, { targetId: row.targetId, undo: row.former })
    const became = row.outcome === 'created' ? 'deleted' : 'updated'
    if (isTaken) {
      next[became] += 1
      if (row.targetId !== null) taken[became].push(row.targetId)
    }
    finishUndoIn(tx, ctx, row, isTaken)
    next.before = row.row
    if (performance.now() - startedMs > CHUNK_MS) break
  }
  if (about.target === 'contacts') publishBatchIn(tx, ctx, about.id, { created: [], ...taken })
  return next
}

const CHANGED_SINCE: RowProblem = {
  column: null,
  message: 'was changed since and is not undone',
  value: null,
}

/** Marks a row as processed by the undo. */
function finishUndoIn(tx: Tx, ctx: Ctx, row: OutcomeRow, isTaken: boolean): void {
  const problems = JSON.parse(row.errors) as RowProblem[]
  tx.update(importRows)
    .set({
      former: null,
      ...(isTaken ? {} : { errors: JSON.stringify([...problems, CHANGED_SINCE]) }),
    })
    .where(
      inOrganization(
        ctx,
        importRows,
        and(eq(importRows.importId, row.importId), eq(importRows.row, row.row)),
      ),
    )
    .run()
}

function finishIn(tx: Tx, ctx: Ctx, about: ImportRow, { updated, deleted }: Undoing): void {
  const row = changeImportIn(tx, ctx, about.id, { status: 'undone' })
  publishWorkIn(tx, ctx, row)
  publishIn(tx, ctx, row, { created: 0, updated, deleted })
  recordIn(tx, ctx, row, 'import_undone', { updated, deleted })
  notifyRequesterIn(tx, ctx, row, {
    title: `Import undone: ${row.filename}`,
    text: noticeText('import_undone', { about: row.filename, deleted, updated }),
    body: `${deleted} deleted, ${updated} restored.`,
  })
}

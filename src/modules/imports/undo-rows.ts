import { and, desc, eq, isNotNull, lt } from 'drizzle-orm'

import { ForbiddenError } from '../../lib/errors'
import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { delegatedCtx, type RequestedBy } from '../auth/delegated-ctx'
import { announceIn, recordIn, tellIn, type ImportError } from './finish'
import type { RowProblem } from './model'
import { changeImportIn, findImport } from './state'
import { importRows } from './table'
import type { ImportRow, OutcomeRow } from './view'
import { workOf } from './importers'

/** How far the undoing of an import has come. */
export interface Undoing {
  importId: string
  /** Rows before this one are still to be taken back: the last one first. */
  before: number
  /** How many got their former values, and how many were deleted. */
  updated: number
  deleted: number
  asker: RequestedBy
}

/** Rows of one transaction, and how long it takes at most, milliseconds. */
const MAX_ROWS = 500
const CHUNK_MS = 5

/**
 * Takes some rows of an import back, in the caller's transaction. Returns how far it has come;
 * `null` at the end.
 */
export function undoRowsIn(tx: Tx, ctx: Ctx, at: Undoing): Undoing | null {
  const about = findImport(ctx, at.importId)
  if (about?.status !== 'running' || about.finishedAtMs === null) return null
  const acting = actingOrNull(ctx, at.asker)
  if (acting === null) {
    stopUndoingIn(tx, ctx, about.id, {
      code: 'permission_denied',
      message: 'The user who undid the import no longer has the permission for it.',
    })
    return null
  }
  const rows = rowsBefore(tx, ctx, at)
  const next = takeBackIn(tx, acting, about, rows, at)
  if (rows.length > 0) return next
  finishIn(tx, acting, about, at)
  return null
}

/**
 * Leaves an import half undone because that cannot go on, in the caller's transaction; it can be
 * undone again.
 */
export function stopUndoingIn(tx: Tx, ctx: Ctx, importId: string, error: ImportError): void {
  changeImportIn(tx, ctx, importId, { status: 'failed', error: JSON.stringify(error) })
}

function actingOrNull(ctx: Ctx, asker: RequestedBy): Ctx | null {
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
  for (const row of rows) {
    const isTaken =
      row.targetId !== null &&
      row.former !== null &&
      work.takeBackIn(tx, ctx, { targetId: row.targetId, undo: row.former })
    if (isTaken) next[row.outcome === 'created' ? 'deleted' : 'updated'] += 1
    finishUndoIn(tx, ctx, row, isTaken)
    next.before = row.row
    if (performance.now() - startedMs > CHUNK_MS) break
  }
  return next
}

const CHANGED_SINCE: RowProblem = {
  column: null,
  message: 'was changed since and is not undone',
  value: null,
}

/** Notes that a row was looked at: it is not looked at again. */
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
  announceIn(tx, ctx, row, { created: 0, updated, deleted })
  recordIn(tx, ctx, row, 'import_undone', { updated, deleted })
  tellIn(tx, ctx, row, {
    title: 'Import undone',
    body: `${row.filename}: ${deleted} deleted, ${updated} restored.`,
  })
}

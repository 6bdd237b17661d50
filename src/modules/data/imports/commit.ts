import { DAY_MS } from '../../../lib/clock'
import { ConflictError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { recordAudit } from '../../organization/audit/record'
import { requestedByOf } from '../../organization/auth/delegated-ctx'
import { endIn } from './finish'
import { UndoImport, RunImport } from './jobs'
import type { ImportView } from './model'
import { publishStartIn } from './publish-work'
import { changeImportIn, getVisibleImport } from './state'
import { importView, type ImportRow } from './view'

/** An import can be undone, and a dry run committed, for this long after it ended. */
const UNDO_MS = 7 * DAY_MS

const wrongState = (message: string): ConflictError =>
  new ConflictError(message, { code: 'wrong_state' })

const tooLate = (message: string): ConflictError => new ConflictError(message, { code: 'too_late' })

/** Reports whether an import ended too long ago to be undone or committed. */
const isOld = (ctx: Ctx, row: ImportRow): boolean =>
  (row.finishedAtMs ?? 0) < ctx.clock.nowMs() - UNDO_MS

/**
 * Runs a completed dry run for real, with the caller's permissions. Throws NotFoundError and
 * ConflictError `wrong_state`, `too_late`.
 */
export function commitImport(ctx: Ctx, id: string): ImportView {
  return transact(ctx.db, (tx) => {
    const row = getVisibleImport(ctx, id)
    if (!row.isDryRun || row.status !== 'completed')
      throw wrongState('Only a completed dry run can be committed.')
    if (row.storedAs === null || isOld(ctx, row))
      throw tooLate('Dry runs can be committed within seven days. Import the file again.')
    const committed = changeImportIn(tx, ctx, id, {
      ...{ isDryRun: false, status: 'queued', actor: JSON.stringify(requestedByOf(ctx.actor)) },
      ...{ position: 0, rowsDone: 0, created: 0, updated: 0, skipped: 0, failed: 0, error: null },
      ...{ startedAtMs: null, finishedAtMs: null },
    })
    enqueue(tx, ctx, RunImport, {
      args: { importId: id },
      orderingKey: `imports:${ctx.organizationId}`,
    })
    publishStartIn(tx, ctx, committed)
    return importView(committed)
  })
}

/**
 * Cancels an import. Rows already imported stay. Throws NotFoundError and ConflictError
 * `wrong_state`.
 */
export async function cancelImport(ctx: Ctx, id: string): Promise<ImportView> {
  const { view, storedAs } = transact(ctx.db, (tx) => {
    const row = getVisibleImport(ctx, id)
    const isUnderWay =
      row.finishedAtMs === null && ['draft', 'queued', 'running'].includes(row.status)
    if (!isUnderWay) throw wrongState('Only drafts and queued or running imports can be canceled.')
    const file = endIn(tx, ctx, id, 'cancelled')
    recordAudit(tx, ctx, {
      action: 'cancelled',
      resourceType: 'import',
      resourceId: id,
      resourceName: row.filename,
    })
    return { view: importView(getVisibleImport(ctx, id)), storedAs: file }
  })
  if (storedAs !== null) await ctx.files.remove(storedAs)
  return view
}

/**
 * Schedules the undo of an import: created records are deleted, and updated ones get their former
 * values unless they were changed since. Throws NotFoundError and ConflictError `wrong_state`,
 * `too_late`.
 */
export function undoImport(ctx: Ctx, id: string): ImportView {
  return transact(ctx.db, (tx) => {
    const row = getVisibleImport(ctx, id)
    const isEnded =
      row.status === 'completed' || row.status === 'cancelled' || row.status === 'failed'
    if (row.target === 'recipients')
      throw wrongState(
        'Imported campaign recipients cannot be undone here. Remove them from the campaign.',
      )
    if (row.isDryRun || !isEnded)
      throw wrongState('Only a finished import that was not a dry run can be undone.')
    if (isOld(ctx, row)) throw tooLate('Imports can be undone within seven days.')
    const undone = changeImportIn(tx, ctx, id, { status: 'running', error: null })
    const asker = requestedByOf(ctx.actor)
    enqueue(tx, ctx, UndoImport, {
      args: { importId: id, before: Number.MAX_SAFE_INTEGER, updated: 0, deleted: 0, asker },
    })
    publishStartIn(tx, ctx, undone)
    return importView(undone)
  })
}

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../lib/clock'
import { enqueue } from '../../../infra/jobs/enqueue'
import { defineSchedule } from '../../../infra/jobs/define-schedule'
import { work, workInTransaction } from '../../../infra/jobs/work'
import { enqueueFileDeletionIn } from '../../channel/media/delete-files'
import { endPartIn } from '../privacy/erasure-steps'
import { countErasedIn } from '../privacy/requests'
import { dropOldRows, dropTrialsIn, eraseContactFromReportsIn, isOlderUnderWay } from './erase'
import { failIn, publishRowsIn } from './finish'
import { workOf } from './importers'
import {
  EraseContactInImports,
  EraseContactInReports,
  ExpireImports,
  PublishImport,
  RunImport,
  UndoImport,
} from './jobs'
import { runImport } from './run'
import { stopUndoingIn, undoRowsIn } from './undo-rows'

const INTERNAL = {
  code: 'internal_error',
  message: 'The server failed unexpectedly.',
}

export const importWorkers = [
  work(
    RunImport,
    (ctx, { importId }) => runImport(ctx, importId, { workOf, permission: 'contacts:import' }),
    {
      timeoutMs: HOUR_MS,
      whenDiscarded(tx, ctx, { importId }) {
        const file = failIn(tx, ctx, importId, INTERNAL)
        if (file !== null) enqueueFileDeletionIn(tx, ctx, [file])
      },
    },
  ),

  workInTransaction(
    PublishImport,
    (tx, ctx, { importId, after }) => {
      const last = publishRowsIn(tx, ctx, { importId, after })
      if (last !== null) enqueue(tx, ctx, PublishImport, { args: { importId, after: last } })
    },
    { isKept: false },
  ),

  workInTransaction(
    UndoImport,
    (tx, ctx, at) => {
      const next = undoRowsIn(tx, ctx, at)
      if (next !== null) enqueue(tx, ctx, UndoImport, { args: next })
    },
    {
      isKept: false,
      whenDiscarded: (tx, ctx, { importId }) => stopUndoingIn(tx, ctx, importId, INTERNAL),
    },
  ),

  workInTransaction(
    EraseContactInReports,
    (tx, ctx, { requestId, ...at }) => {
      // The file and report of a running import may contain the person and are kept until it ends.
      if (at.importId === '' && requestId !== undefined && isOlderUnderWay(ctx, requestId))
        return { snoozeMs: SECOND_MS }
      const { next, erasedRows } = eraseContactFromReportsIn(tx, ctx, at)
      if (next !== null) {
        if (requestId !== undefined) countErasedIn(tx, ctx, requestId, { import_rows: erasedRows })
        enqueue(tx, ctx, EraseContactInReports, {
          args: { ...next, ...(requestId === undefined ? {} : { requestId }) },
        })
        return undefined
      }
      const files = dropTrialsIn(tx, ctx)
      if (requestId !== undefined)
        endPartIn(tx, ctx, requestId, { import_rows: erasedRows, import_files: files })
      return undefined
    },
    { isKept: false },
  ),

  workInTransaction(
    EraseContactInImports,
    (tx, ctx, { contactId, reason, requestId }) => {
      const about = requestId === undefined ? {} : { requestId }
      if (reason === 'erased')
        enqueue(tx, ctx, EraseContactInReports, {
          args: { contactId, importId: '', row: 0, ...about },
        })
    },
    { isKept: false },
  ),

  work(ExpireImports, (ctx) => dropOldRows(ctx), { timeoutMs: 30 * MINUTE_MS }),
]

export const importSchedules = [defineSchedule(DAY_MS / 4, ExpireImports)]

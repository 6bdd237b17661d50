import { Type } from '@sinclair/typebox'

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock'
import { defineJob, defineTransactionJob, type TransactionJob } from '../../infra/jobs/define'
import { enqueue } from '../../infra/jobs/enqueue'
import { defineSchedule } from '../../infra/jobs/schedule'
import { endPartIn } from '../privacy/erasure-steps'
import { countErasedIn } from '../privacy/requests'
import { ContactDeleted } from '../contacts/events'
import { removeBytesIn } from '../media/delete-files'
import { failIn } from './finish'
import {
  dropOldRows,
  dropTrialsIn,
  forgetContactIn,
  isOlderUnderWay,
  type Forgetting,
} from './erase'
import { runImport } from './run'
import { workOf } from './importers'
import { stopUndoingIn, undoRowsIn, type Undoing } from './undo-rows'

const textOrNull = Type.Union([Type.String(), Type.Null()])

const INTERNAL = {
  code: 'internal_error',
  message: 'It could not go on because of an error of this server.',
}

/** Works off an import. */
export const workOffImport = defineJob({
  name: 'import.run',
  lane: 'default',
  args: Type.Object({ importId: Type.String() }),
  timeoutMs: HOUR_MS,
  run: (ctx, { importId }) => runImport(ctx, importId, { workOf, permission: 'contacts:import' }),
  whenDiscarded(tx, ctx, { importId }) {
    const file = failIn(tx, ctx, importId, INTERNAL)
    if (file !== null) removeBytesIn(tx, ctx, [file])
  },
})

/** Takes back what an import did, some rows at a time. */
export const undoRows: TransactionJob<Undoing> = defineTransactionJob({
  name: 'import.undo',
  lane: 'default',
  args: Type.Object({
    importId: Type.String(),
    before: Type.Integer(),
    updated: Type.Integer(),
    deleted: Type.Integer(),
    asker: Type.Object({ userId: textOrNull, apiKeyId: textOrNull }),
  }),
  isKept: false,
  run(tx, ctx, at) {
    const next = undoRowsIn(tx, ctx, at)
    if (next !== null) enqueue(tx, ctx, undoRows, { args: next })
  },
  whenDiscarded: (tx, ctx, { importId }) => stopUndoingIn(tx, ctx, importId, INTERNAL),
})

/** Takes what reports say of a contact out of them, some rows at a time. */
export const forgetInReports: TransactionJob<Forgetting & { requestId?: string }> =
  defineTransactionJob({
    name: 'import.forget-contact',
    lane: 'default',
    args: Type.Object({
      contactId: Type.String(),
      importId: Type.String(),
      row: Type.Integer(),
      requestId: Type.Optional(Type.String()),
    }),
    isKept: false,
    run(tx, ctx, { requestId, ...at }) {
      // The file and the report of an import under way may name the person, and it keeps them until
      // it has ended.
      if (at.importId === '' && requestId !== undefined && isOlderUnderWay(ctx, requestId))
        return { snoozeMs: SECOND_MS }
      const { next, forgotten } = forgetContactIn(tx, ctx, at)
      if (next !== null) {
        if (requestId !== undefined) countErasedIn(tx, ctx, requestId, { import_rows: forgotten })
        enqueue(tx, ctx, forgetInReports, {
          args: { ...next, ...(requestId === undefined ? {} : { requestId }) },
        })
        return undefined
      }
      const files = dropTrialsIn(tx, ctx)
      if (requestId !== undefined)
        endPartIn(tx, ctx, requestId, { import_rows: forgotten, import_files: files })
      return undefined
    },
  })

/** Follows the end of a contact: one that was erased for good is in no report any more. */
export const forgetErased = defineTransactionJob({
  name: 'import.contact-gone',
  lane: 'default',
  args: ContactDeleted.payload,
  isKept: false,
  run(tx, ctx, { contactId, reason, requestId }) {
    const about = requestId === undefined ? {} : { requestId }
    if (reason === 'erased')
      enqueue(tx, ctx, forgetInReports, { args: { contactId, importId: '', row: 0, ...about } })
  },
})

/** Deletes rows and reports that were kept long enough. */
export const dropReports = defineJob({
  name: 'import.expire',
  lane: 'default',
  args: Type.Object({}),
  timeoutMs: 30 * MINUTE_MS,
  run: (ctx) => dropOldRows(ctx),
})

export const importSchedule = defineSchedule('import.expire', DAY_MS / 4, dropReports)

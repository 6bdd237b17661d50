import { HOUR_MS } from '../../../lib/clock'
import { defineSchedule } from '../../../infra/jobs/define-schedule'
import { transact } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { work } from '../../../infra/jobs/work'
import { expireDryRuns } from './expire'
import { forgetOldIn } from './forget'
import { ExpireImports, ImportOrganization } from './jobs'
import { runImport } from './run/job'
import { cleanUp, endImportIn, shownError } from './undo'

export const organizationImportWorkers = [
  work(ImportOrganization, (ctx, { importId }) => runImport(ctx, importId), {
    timeoutMs: 12 * HOUR_MS,
    whenDiscarded: (tx, ctx, { importId }) => {
      endImportIn(tx, ctx, importId, { state: 'failed', error: shownError(null) })
      enqueue(tx, ctx, ImportOrganization, { args: { importId } }) // cleans up
    },
  }),

  work(ExpireImports, async (ctx) => {
    transact(ctx.db, (tx) => forgetOldIn(tx, ctx))
    for (const id of transact(ctx.db, (tx) => expireDryRuns(tx, ctx))) await cleanUp(ctx, id)
  }),
]

export const organizationImportSchedules = [defineSchedule(HOUR_MS, ExpireImports)]

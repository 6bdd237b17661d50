import { HOUR_MS, MINUTE_MS } from '../../../lib/clock'
import { enqueue } from '../../../infra/jobs/enqueue'
import { defineSchedule } from '../../../infra/jobs/define-schedule'
import { work, workInTransaction } from '../../../infra/jobs/work'
import { endPartIn } from '../privacy/erasure-steps'
import { countErasedIn } from '../privacy/requests'
import { dropFilesOfPeopleIn, expireExports } from './expire'
import { DropErasedExports, ExpireExports, WriteExport } from './jobs'
import { failExportIn, writeExport } from './write-file'

export const exportWorkers = [
  work(WriteExport, (ctx, { exportId }) => writeExport(ctx, exportId), {
    timeoutMs: HOUR_MS,
    whenDiscarded: (tx, ctx, { exportId }) =>
      failExportIn(tx, ctx, exportId, {
        code: 'internal_error',
        message: 'The server failed unexpectedly.',
      }),
  }),

  workInTransaction(
    DropErasedExports,
    (tx, ctx, args) => {
      if (args.reason !== 'erased') return
      const dropped = dropFilesOfPeopleIn(tx, ctx)
      if (dropped > 0) {
        if (args.requestId !== undefined)
          countErasedIn(tx, ctx, args.requestId, { exports: dropped })
        enqueue(tx, ctx, DropErasedExports, { args })
      } else if (args.requestId !== undefined) endPartIn(tx, ctx, args.requestId)
    },
    { isKept: false },
  ),

  work(ExpireExports, (ctx) => expireExports(ctx), { timeoutMs: 10 * MINUTE_MS }),
]

export const exportSchedules = [defineSchedule(HOUR_MS, ExpireExports)]

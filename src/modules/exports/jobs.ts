import { Type, type Static } from '@sinclair/typebox'

import { HOUR_MS, MINUTE_MS } from '../../lib/clock'
import { defineJob, defineTransactionJob, type TransactionJob } from '../../infra/jobs/define'
import { enqueue } from '../../infra/jobs/enqueue'
import { defineSchedule } from '../../infra/jobs/schedule'
import { endPartIn } from '../privacy/erasure-steps'
import { countErasedIn } from '../privacy/requests'
import { ContactDeleted } from '../contacts/events'
import { dropFilesOfPeopleIn, expireExports } from './expire'
import { failExportIn, writeExport } from './write-file'

/** Writes an export to its file. */
export const writeFile = defineJob({
  name: 'export.write',
  lane: 'default',
  args: Type.Object({ exportId: Type.String() }),
  timeoutMs: HOUR_MS,
  run: (ctx, { exportId }) => writeExport(ctx, exportId),
  whenDiscarded: (tx, ctx, { exportId }) =>
    failExportIn(tx, ctx, exportId, {
      code: 'internal_error',
      message: 'It could not be written because of an error of this server.',
    }),
})

/**
 * Follows the end of a contact: files that may hold one that was erased for good go, some at a
 * time.
 */
export const dropErased: TransactionJob<Static<typeof ContactDeleted.payload>> =
  defineTransactionJob({
    name: 'export.contact-gone',
    lane: 'default',
    args: ContactDeleted.payload,
    isKept: false,
    run(tx, ctx, args) {
      if (args.reason !== 'erased') return
      const dropped = dropFilesOfPeopleIn(tx, ctx)
      if (dropped > 0) {
        if (args.requestId !== undefined)
          countErasedIn(tx, ctx, args.requestId, { exports: dropped })
        enqueue(tx, ctx, dropErased, { args })
      } else if (args.requestId !== undefined) endPartIn(tx, ctx, args.requestId)
    },
  })

/** Deletes files that were kept long enough. */
export const dropExports = defineJob({
  name: 'export.expire',
  lane: 'default',
  args: Type.Object({}),
  timeoutMs: 10 * MINUTE_MS,
  run: (ctx) => expireExports(ctx),
})

export const exportSchedule = defineSchedule('export.expire', HOUR_MS, dropExports)

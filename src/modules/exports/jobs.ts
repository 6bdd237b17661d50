import { Type } from '@sinclair/typebox'

import { HOUR_MS, MINUTE_MS } from '../../lib/clock'
import { defineJob } from '../../infra/jobs/define'
import { defineSchedule } from '../../infra/jobs/schedule'
import { expireExports } from './expiring'
import { failExportIn, writeExport } from './writing'

/** Writes an export to its file. */
export const writeFile = defineJob({
  name: 'export.write',
  lane: 'default',
  args: Type.Object({ exportId: Type.String() }),
  timeoutMs: HOUR_MS,
  run: (ctx, { exportId }) => writeExport(ctx, exportId),
  whenDiscarded: (tx, ctx, { exportId }) =>
    failExportIn(tx, ctx, exportId, { code: 'internal_error', message: 'It could not be written because of an error of this server.' }),
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

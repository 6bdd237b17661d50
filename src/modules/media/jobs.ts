import { Type } from '@sinclair/typebox'

import { HOUR_MS, MINUTE_MS } from '../../lib/clock'
import { defineJob } from '../../infra/jobs/define'
import { defineCalendarSchedule, defineSchedule } from '../../infra/jobs/schedule'
import { failMediaIn, fetchInbound } from './download'
import { MAX_ATTEMPTS } from './rules'
import { expireFiles, sweepOrphans } from './expire'

const NoArgs = Type.Object({})

/**
 * Fetches one incoming file from the platform. The file's row counts the attempts; the job has one
 * more for a process that ended.
 */
export const downloadMedia = defineJob({
  name: 'media.download',
  lane: 'media',
  args: Type.Object({ mediaId: Type.String() }),
  maxAttempts: MAX_ATTEMPTS + 5,
  timeoutMs: 6 * MINUTE_MS,
  run: (ctx, { mediaId }) => fetchInbound(ctx, mediaId),
  whenDiscarded: (tx, ctx, { mediaId }) =>
    failMediaIn(tx, ctx, mediaId, {
      code: 'internal_error',
      message: 'The file could not be fetched because of an error of this server.',
    }),
})

/** Deletes the bytes of files that were taken away. */
export const deleteFiles = defineJob({
  name: 'media.delete-files',
  lane: 'default',
  args: Type.Object({ names: Type.Array(Type.String()) }),
  async run(ctx, { names }) {
    for (const name of names) await ctx.files.remove(name)
  },
})

/** Takes away uploads nobody sent and files that were kept long enough. */
export const expireMedia = defineJob({
  name: 'media.expire',
  lane: 'default',
  args: NoArgs,
  timeoutMs: 30 * MINUTE_MS,
  run: (ctx) => expireFiles(ctx),
})

/** Deletes what lies on disk and belongs to nothing. */
export const sweepMedia = defineJob({
  name: 'media.sweep',
  lane: 'default',
  args: NoArgs,
  timeoutMs: 30 * MINUTE_MS,
  run: (ctx) => sweepOrphans(ctx),
})

export const mediaSchedules = [
  defineSchedule('media.expire', HOUR_MS, expireMedia),
  defineCalendarSchedule('media.sweep', { cron: '30 3 * * *', timeZone: 'UTC' }, sweepMedia),
]

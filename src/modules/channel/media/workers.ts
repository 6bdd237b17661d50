import { HOUR_MS, MINUTE_MS } from '../../../lib/clock'
import { defineCalendarSchedule, defineSchedule } from '../../../infra/jobs/define-schedule'
import { work } from '../../../infra/jobs/work'
import { failMediaIn, fetchInbound } from './download'
import { expireFiles } from './expire'
import { sweepOrphans } from './sweep'
import { DeleteFiles, DownloadMedia, ExpireMedia, SweepMedia } from './jobs'

export const mediaWorkers = [
  work(DownloadMedia, (ctx, { mediaId }) => fetchInbound(ctx, mediaId), {
    timeoutMs: 6 * MINUTE_MS,
    whenDiscarded: (tx, ctx, { mediaId }) =>
      failMediaIn(tx, ctx, mediaId, {
        code: 'internal_error',
        message: 'The file could not be downloaded because of an internal error.',
      }),
  }),

  work(DeleteFiles, async (ctx, { names }) => {
    for (const name of names) await ctx.files.remove(name)
  }),

  work(ExpireMedia, (ctx) => expireFiles(ctx), { timeoutMs: 30 * MINUTE_MS }),

  work(SweepMedia, (ctx) => sweepOrphans(ctx), { timeoutMs: 30 * MINUTE_MS }),
]

export const mediaSchedules = [
  defineSchedule(HOUR_MS, ExpireMedia),
  defineCalendarSchedule({ cron: '30 3 * * *', timeZone: 'UTC' }, SweepMedia),
]

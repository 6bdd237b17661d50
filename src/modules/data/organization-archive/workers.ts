import { HOUR_MS, MINUTE_MS } from '../../../lib/clock'
import { defineSchedule } from '../../../infra/jobs/define-schedule'
import { enqueue } from '../../../infra/jobs/enqueue'
import { work, workInTransaction } from '../../../infra/jobs/work'
import { endPartIn } from '../privacy/erasure-steps'
import { countErasedIn } from '../privacy/requests'
import { dropArchivesIn, expireArchives } from './expire'
import { DropErasedArchives, ExpireArchives, WriteArchive } from './jobs'
import { discardArchiveIn, runArchive } from './run'

export const archiveWorkers = [
  work(WriteArchive, (ctx, { archiveId }) => runArchive(ctx, archiveId), {
    timeoutMs: 6 * HOUR_MS,
    whenDiscarded: (tx, ctx, { archiveId }) => discardArchiveIn(tx, ctx, archiveId),
  }),

  workInTransaction(
    DropErasedArchives,
    (tx, ctx, args) => {
      if (args.reason !== 'erased') return
      const dropped = dropArchivesIn(tx, ctx)
      const { requestId } = args
      if (dropped > 0) enqueue(tx, ctx, DropErasedArchives, { args })
      if (requestId === undefined) return
      if (dropped > 0) countErasedIn(tx, ctx, requestId, { organization_archives: dropped })
      else endPartIn(tx, ctx, requestId)
    },
    { isKept: false },
  ),

  work(ExpireArchives, (ctx) => expireArchives(ctx), { timeoutMs: 10 * MINUTE_MS }),
]

export const archiveSchedules = [defineSchedule(HOUR_MS, ExpireArchives)]

import { HOUR_MS } from '../../lib/clock'
import { systemCtx } from '../../infra/ctx'
import { transact } from '../../infra/db/transact'
import { defineSchedule } from '../../infra/jobs/define-schedule'
import { enqueue } from '../../infra/jobs/enqueue'
import { work } from '../../infra/jobs/work'
import { foldRollups } from './rollups/fold'
import { FoldDueRollups, FoldRollups, RebuildRollups } from './jobs'
import { organizationsToFold } from './rollups/queries'
import { rebuildRollups } from './rollups/rebuild'

export const analyticsWorkers = [
  work(RebuildRollups, (ctx, args) => rebuildRollups(ctx, args), { timeoutMs: 12 * HOUR_MS }),
  work(FoldRollups, (ctx) => foldRollups(ctx), { timeoutMs: HOUR_MS }),
  work(FoldDueRollups, (ctx) => {
    const hour = Math.floor(ctx.clock.nowMs() / HOUR_MS)
    transact(ctx.db, (tx) => {
      for (const organizationId of organizationsToFold(ctx))
        enqueue(tx, systemCtx(ctx, organizationId), FoldRollups, {
          args: {},
          uniqueKey: `analytics.fold:${organizationId}:${hour}`,
        })
    })
    return Promise.resolve()
  }),
]

export const analyticsSchedules = [defineSchedule(HOUR_MS, FoldDueRollups)]

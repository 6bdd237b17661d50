import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/clock'
import { systemCtx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { defineSchedule } from '../../../infra/jobs/define-schedule'
import { enqueue } from '../../../infra/jobs/enqueue'
import { work, workInTransaction } from '../../../infra/jobs/work'
import { foldRollups } from './rollups/fold'
import { isHeld } from '../../organization/organizations/service'
import {
  FoldDueRollups,
  FoldRollups,
  PruneReportRuns,
  RebuildRollups,
  SendScheduledReport,
  StartDueReports,
} from './jobs'
import { organizationsToFold } from './rollups/queries'
import { rebuildRollups } from './rollups/rebuild'
import { deliverRun, failRunIn, retryRunIn } from './scheduled/deliver'
import { pruneRunsIn, startDueReportsIn } from './scheduled/start'

export const analyticsWorkers = [
  work(RebuildRollups, (ctx, args) => rebuildRollups(ctx, args), { timeoutMs: 12 * HOUR_MS }),
  work(FoldRollups, (ctx) => foldRollups(ctx), { timeoutMs: HOUR_MS }),
  work(FoldDueRollups, (ctx) => {
    const hour = Math.floor(ctx.clock.nowMs() / HOUR_MS)
    transact(ctx.db, (tx) => {
      for (const organizationId of organizationsToFold(ctx)) {
        // The same job may arrive with an organization that moves here.
        if (isHeld(ctx, organizationId, FoldRollups.queue)) continue
        enqueue(tx, systemCtx(ctx, organizationId), FoldRollups, {
          args: {},
          uniqueKey: `analytics.fold:${organizationId}:${hour}`,
        })
      }
    })
    return Promise.resolve()
  }),

  work(SendScheduledReport, deliverRun, {
    timeoutMs: 10 * MINUTE_MS,
    whenDiscarded: failRunIn,
    whenRetried: retryRunIn,
  }),

  workInTransaction(
    StartDueReports,
    (tx, ctx) => {
      if (startDueReportsIn(tx, ctx)) enqueue(tx, ctx, StartDueReports, { args: {} })
    },
    { isKept: false },
  ),

  workInTransaction(
    PruneReportRuns,
    (tx, ctx) => {
      if (pruneRunsIn(tx, ctx)) enqueue(tx, ctx, PruneReportRuns, { args: {} })
    },
    { isKept: false },
  ),
]

export const analyticsSchedules = [
  defineSchedule(HOUR_MS, FoldDueRollups),
  defineSchedule(MINUTE_MS, StartDueReports),
  defineSchedule(DAY_MS, PruneReportRuns),
]

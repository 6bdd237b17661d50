import { DAY_MS, MINUTE_MS } from '../../../lib/clock'
import { defineSchedule } from '../../../infra/jobs/define-schedule'
import { enqueue } from '../../../infra/jobs/enqueue'
import { work, workInTransaction } from '../../../infra/jobs/work'
import { deliverRun, failRunIn, retryRunIn } from './deliver'
import { PruneReportRuns, SendScheduledReport, StartDueReports } from './jobs'
import { pruneRunsIn, startDueReportsIn } from './start'

export const scheduledReportWorkers = [
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

export const scheduledReportSchedules = [
  defineSchedule(MINUTE_MS, StartDueReports),
  defineSchedule(DAY_MS, PruneReportRuns),
]

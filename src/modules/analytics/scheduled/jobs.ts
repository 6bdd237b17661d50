import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'

/** Sends the emails of a run. */
export const SendScheduledReport = job(
  'analytics.send-report',
  Type.Object({
    reportId: Type.String(),
    startDate: Type.String(),
    requestedAtMs: Type.Integer(),
  }),
  { queue: 'default', maxAttempts: 3 },
)

/** Starts the runs of reports that are due in all organizations. */
export const StartDueReports = job('analytics.start-reports', Type.Object({}), { queue: 'default' })

/** Deletes old runs of all organizations. */
export const PruneReportRuns = job('analytics.prune-reports', Type.Object({}), {
  queue: 'default',
  priority: 'low',
})

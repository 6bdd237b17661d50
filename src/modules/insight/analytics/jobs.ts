import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'

/** Counts everything of an organization again that is still stored. */
export const RebuildRollups = job('analytics.rebuild', Type.Object({ part: Type.Integer() }), {
  queue: 'default',
})

/** Adds the counts of an organization's past quarter hours to days, and of old days to months. */
export const FoldRollups = job('analytics.fold', Type.Object({}), { queue: 'default' })

/** Starts `FoldRollups` in each organization that has something to move. */
export const FoldDueRollups = job('analytics.fold-due', Type.Object({}), { queue: 'default' })

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

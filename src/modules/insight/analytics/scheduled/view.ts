import { isoTime, isoTimeOrNull } from '../../../../lib/clock'
import type { MailedReport, ScheduledReportView } from './model'
import type { scheduledReportRuns, scheduledReports } from './table'

export type ScheduledReportRow = typeof scheduledReports.$inferSelect

export type RunRow = typeof scheduledReportRuns.$inferSelect

/** The reports in the emails of a scheduled report. */
export const reportsOf = ({ reports }: Pick<ScheduledReportRow, 'reports'>): MailedReport[] =>
  JSON.parse(reports) as MailedReport[]

/** Returns a scheduled report as the API shows it. */
export const scheduledReportView = (
  row: ScheduledReportRow,
  { userIds, lastRun }: { userIds: string[]; lastRun: RunRow | null },
): ScheduledReportView => ({
  id: row.id,
  reports: reportsOf(row),
  every: row.every,
  user_ids: userIds,
  at: row.at,
  is_active: row.isActive,
  made_by: row.madeBy,
  next_at: isoTimeOrNull(row.nextAtMs),
  last_at: lastRun === null ? null : isoTime(lastRun.startedAtMs),
  last_outcome: lastRun?.state ?? null,
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})

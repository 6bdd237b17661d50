import { and, asc, desc, eq, type SQL } from 'drizzle-orm'

import { NotFoundError } from '../../../../lib/errors'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { ScheduledReportView } from './model'
import { scheduledReportRecipients, scheduledReportRuns, scheduledReports } from './table'
import { scheduledReportView, type RunRow, type ScheduledReportRow } from './view'

/** Returns a scheduled report as stored, or `null`. */
export const findScheduledReport = (ctx: Ctx, id: string): ScheduledReportRow | null =>
  ctx.db.orm
    .select()
    .from(scheduledReports)
    .where(inOrganization(ctx, scheduledReports, eq(scheduledReports.id, id)))
    .get() ?? null

/** Returns a scheduled report as stored. Throws NotFoundError. */
export function getScheduledReport(ctx: Ctx, id: string): ScheduledReportRow {
  const row = findScheduledReport(ctx, id)
  if (!row) throw new NotFoundError('Scheduled report')
  return row
}

/** Returns the scheduled reports of the organization as stored, oldest first. */
export const scheduledReportRows = (ctx: Ctx): ScheduledReportRow[] =>
  ctx.db.orm
    .select()
    .from(scheduledReports)
    .where(inOrganization(ctx, scheduledReports))
    .orderBy(asc(scheduledReports.createdAtMs), asc(scheduledReports.id))
    .all()

/** Returns the scheduled reports of the organization, oldest first. There are few. */
export const listScheduledReports = (ctx: Ctx): { items: ScheduledReportView[] } => ({
  items: scheduledReportRows(ctx).map((row) => viewOf(ctx, row)),
})

/** Returns the view of a scheduled report. */
export const viewOf = (ctx: Ctx, row: ScheduledReportRow): ScheduledReportView =>
  scheduledReportView(row, { userIds: recipientsOf(ctx, row.id), lastRun: lastRunOf(ctx, row.id) })

/** Returns the people who get a scheduled report. */
export const recipientsOf = (ctx: Ctx, reportId: string): string[] =>
  ctx.db.orm
    .select({ userId: scheduledReportRecipients.userId })
    .from(scheduledReportRecipients)
    .where(
      inOrganization(
        ctx,
        scheduledReportRecipients,
        eq(scheduledReportRecipients.reportId, reportId),
      ),
    )
    .orderBy(asc(scheduledReportRecipients.userId))
    .all()
    .map(({ userId }) => userId)

const lastRunOf = (ctx: Ctx, reportId: string): RunRow | null =>
  ctx.db.orm
    .select()
    .from(scheduledReportRuns)
    .where(inOrganization(ctx, scheduledReportRuns, eq(scheduledReportRuns.reportId, reportId)))
    .orderBy(desc(scheduledReportRuns.startedAtMs), desc(scheduledReportRuns.requestedAtMs))
    .limit(1)
    .get() ?? null

/** The key of a run within its organization. */
export type RunKey = Pick<RunRow, 'reportId' | 'startDate' | 'requestedAtMs'>

/** Returns the condition for a run of the organization. */
export const isRun = ({ reportId, startDate, requestedAtMs }: RunKey): SQL | undefined =>
  and(
    eq(scheduledReportRuns.reportId, reportId),
    eq(scheduledReportRuns.startDate, startDate),
    eq(scheduledReportRuns.requestedAtMs, requestedAtMs),
  )

/** Returns a run, or `null` if it was deleted with its report. */
export const findRun = (ctx: Ctx, key: RunKey): RunRow | null =>
  ctx.db.orm
    .select()
    .from(scheduledReportRuns)
    .where(inOrganization(ctx, scheduledReportRuns, isRun(key)))
    .get() ?? null

import { and, asc, eq, lt, lte, ne } from 'drizzle-orm'

import { DAY_MS } from '../../../../lib/clock'
import { inOrganization, systemCtx, type Ctx, type JobCtx } from '../../../../infra/ctx'
import { inWorkingOrganizations } from '../../../../infra/working-organizations'
import type { Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { getOrganization } from '../../../organization/organizations/service'
import { SendScheduledReport } from '../jobs'
import { recipientsOf } from './queries'
import { lastOccasion, nextOccasion } from './rules'
import { scheduledReportMails, scheduledReportRuns, scheduledReports } from './table'
import type { ScheduledReportRow } from './view'

/** Reports handled in one transaction. */
const AT_ONCE = 50

/**
 * Starts the runs of reports that are due, in the transaction of the job. After downtime, only the
 * newest missed week or month has a run. Returns whether there may be more.
 */
export function startDueReportsIn(tx: Tx, ctx: JobCtx): boolean {
  const nowMs = ctx.clock.nowMs()
  const due = tx
    .select()
    .from(scheduledReports)
    .where(
      inWorkingOrganizations(
        'each report is started in the scope of its own organization',
        scheduledReports,
        lte(scheduledReports.nextAtMs, nowMs),
      ),
    )
    .orderBy(asc(scheduledReports.nextAtMs))
    .limit(AT_ONCE)
    .all()
  for (const row of due) startDueIn(tx, systemCtx(ctx, row.organizationId), row)
  return due.length === AT_ONCE
}

function startDueIn(tx: Tx, ctx: Ctx, row: ScheduledReportRow): void {
  const { timezone } = getOrganization(ctx)
  const nowMs = ctx.clock.nowMs()
  const occasion = lastOccasion(row, timezone, nowMs)
  startRunIn(tx, ctx, row, { ...occasion, requestedAtMs: 0 })
  tx.update(scheduledReports)
    .set({ nextAtMs: nextOccasion(row, timezone, nowMs).dueAtMs })
    .where(inOrganization(ctx, scheduledReports, eq(scheduledReports.id, row.id)))
    .run()
}

/**
 * Starts a run in the caller's transaction: one email for each person who gets the report now. Does
 * nothing if there is a run of this span already.
 */
export function startRunIn(
  tx: Tx,
  ctx: Ctx,
  { id: reportId }: ScheduledReportRow,
  {
    startDate,
    endDate,
    requestedAtMs,
  }: { startDate: string; endDate: string; requestedAtMs: number },
): void {
  const { organizationId } = ctx
  const nowMs = ctx.clock.nowMs()
  const key = { reportId, startDate, requestedAtMs }
  const userIds = recipientsOf(ctx, reportId)
  const isEmpty = userIds.length === 0
  const started = tx
    .insert(scheduledReportRuns)
    .values({
      organizationId,
      ...key,
      endDate,
      state: isEmpty ? 'left_out' : 'sending',
      startedAtMs: nowMs,
      endedAtMs: isEmpty ? nowMs : null,
    })
    .onConflictDoNothing({
      target: [
        scheduledReportRuns.organizationId,
        scheduledReportRuns.reportId,
        scheduledReportRuns.startDate,
        scheduledReportRuns.requestedAtMs,
      ],
    })
    .returning()
    .all()
  if (started.length === 0 || isEmpty) return
  tx.insert(scheduledReportMails)
    .values(
      userIds.map((userId) => ({
        organizationId,
        ...key,
        userId,
        state: 'pending' as const,
        updatedAtMs: nowMs,
      })),
    )
    .run()
  enqueue(tx, ctx, SendScheduledReport, {
    args: key,
    uniqueKey: `analytics.send-report:${reportId}:${startDate}:${requestedAtMs}`,
  })
}

/** How long ended runs are kept, milliseconds. */
const KEPT_MS = 400 * DAY_MS

/** Deletes old runs, in the transaction of the job. Returns whether there may be more. */
export function pruneRunsIn(tx: Tx, ctx: JobCtx): boolean {
  const old = tx
    .select()
    .from(scheduledReportRuns)
    .where(
      inWorkingOrganizations(
        'only the age of runs counts',
        scheduledReportRuns,
        and(
          ne(scheduledReportRuns.state, 'sending'),
          lt(scheduledReportRuns.startedAtMs, ctx.clock.nowMs() - KEPT_MS),
        ),
      ),
    )
    .limit(AT_ONCE)
    .all()
  for (const { organizationId, reportId, startDate, requestedAtMs } of old) {
    const own = systemCtx(ctx, organizationId)
    for (const table of [scheduledReportMails, scheduledReportRuns])
      tx.delete(table)
        .where(
          inOrganization(
            own,
            table,
            and(
              eq(table.reportId, reportId),
              eq(table.startDate, startDate),
              eq(table.requestedAtMs, requestedAtMs),
            ),
          ),
        )
        .run()
  }
  return old.length === AT_ONCE
}

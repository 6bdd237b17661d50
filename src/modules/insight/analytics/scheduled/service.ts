import { eq } from 'drizzle-orm'

import { ConflictError, ForbiddenError } from '../../../../lib/errors'
import { hasPermission, inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { of } from '../../../../infra/scoped'
import { canMail } from '../../../../infra/mail/queue'
import { differences, recordAudit } from '../../../organization/audit/record'
import { getOrganization } from '../../../organization/organizations/service'
import type { NewScheduledReport, ScheduledReportChanges, ScheduledReportView } from './model'
import { getScheduledReport, recipientsOf, scheduledReportRows, viewOf } from './queries'
import { requireReaders, setRecipientsIn } from './recipients'
import { lastOccasion, nextOccasion, type ReportSchedule } from './rules'
import { startRunIn } from './start'
import {
  scheduledReportMails,
  scheduledReportRecipients,
  scheduledReportRuns,
  scheduledReports,
} from './table'
import type { ScheduledReportRow } from './view'

/** Scheduled reports that an organization can have. */
export const MAX_REPORTS = 20

const DEFAULT_AT = '07:00'

/**
 * Creates a scheduled report. Throws InvalidError for people who may not get it, and ConflictError
 * `mail_not_configured` and `limit_reached`.
 */
export function createScheduledReport(ctx: Ctx, input: NewScheduledReport): ScheduledReportView {
  requireMail(ctx)
  return transact(ctx.db, (tx) => {
    if (scheduledReportRows(ctx).length >= MAX_REPORTS)
      throw new ConflictError(
        `The organization has ${MAX_REPORTS} scheduled reports, which is the maximum. Delete one first.`,
        { code: 'limit_reached' },
      )
    requireReaders(ctx, input.user_ids)
    const { every, at = DEFAULT_AT, is_active: isActive = true } = input
    const nowMs = ctx.clock.nowMs()
    const row = tx
      .insert(scheduledReports)
      .values({
        organizationId: ctx.organizationId,
        id: ctx.ids.next(),
        madeBy: ctx.actor.userId,
        reports: JSON.stringify(input.reports),
        ...{ every, at, isActive },
        nextAtMs: isActive ? nextAtMs(ctx, { every, at }) : null,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      })
      .returning()
      .get()
    setRecipientsIn(tx, ctx, row.id, input.user_ids)
    recordAudit(tx, ctx, { action: 'created', ...resourceOf(row) })
    return viewOf(ctx, row)
  })
}

/**
 * Changes the given fields of a scheduled report. Throws NotFoundError, ForbiddenError for somebody
 * else's without settings:update, and InvalidError for people who may not get it.
 */
export function updateScheduledReport(
  ctx: Ctx,
  id: string,
  changes: ScheduledReportChanges,
): ScheduledReportView {
  return transact(ctx.db, (tx) => {
    const before = getOwn(ctx, id)
    if (changes.user_ids) requireReaders(ctx, changes.user_ids)
    const { every = before.every, at = before.at, is_active: isActive = before.isActive } = changes
    const isSame = every === before.every && at === before.at && isActive === before.isActive
    const old = auditedOf(before, recipientsOf(ctx, id))
    const row = tx
      .update(scheduledReports)
      .set({
        ...(changes.reports ? { reports: JSON.stringify(changes.reports) } : {}),
        ...{ every, at, isActive },
        ...(isSame ? {} : { nextAtMs: isActive ? nextAtMs(ctx, { every, at }) : null }),
        updatedAtMs: ctx.clock.nowMs(),
      })
      .where(inOrganization(ctx, scheduledReports, eq(scheduledReports.id, id)))
      .returning()
      .get()
    if (changes.user_ids) setRecipientsIn(tx, ctx, id, changes.user_ids)
    recordAudit(tx, ctx, {
      action: 'updated',
      ...resourceOf(row),
      changes: differences(old, auditedOf(row, recipientsOf(ctx, id))),
    })
    return viewOf(ctx, row)
  })
}

/**
 * Deletes a scheduled report with its history. Throws NotFoundError, and ForbiddenError for somebody
 * else's without settings:update.
 */
export function deleteScheduledReport(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const row = getOwn(ctx, id)
    for (const table of [scheduledReportMails, scheduledReportRuns, scheduledReportRecipients])
      tx.delete(table)
        .where(inOrganization(ctx, table, eq(table.reportId, id)))
        .run()
    tx.delete(scheduledReports)
      .where(inOrganization(ctx, scheduledReports, eq(scheduledReports.id, id)))
      .run()
    recordAudit(tx, ctx, { action: 'deleted', ...resourceOf(row) })
  })
}

/**
 * Sends a scheduled report for the last full week or month now, unless its emails are on their way
 * already: a second press sends none twice. Throws NotFoundError, ForbiddenError
 * for somebody else's without settings:update, and ConflictError `mail_not_configured`.
 */
export function sendScheduledReport(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const row = getOwn(ctx, id)
    requireMail(ctx)
    const nowMs = ctx.clock.nowMs()
    // At any hour of the first day, the week or month before is full.
    const span = lastOccasion({ ...row, at: '00:00' }, getOrganization(ctx).timezone, nowMs)
    if (!isOnItsWay(ctx, id, span.startDate))
      startRunIn(tx, ctx, row, { ...span, requestedAtMs: nowMs })
    recordAudit(tx, ctx, { action: 'resent', ...resourceOf(row) })
  })
}

/** Whether an email of a span waits for everybody who gets the report now. */
function isOnItsWay(ctx: Ctx, reportId: string, startDate: string): boolean {
  const mails = of(ctx, scheduledReportMails)
  const userIds = recipientsOf(ctx, reportId)
  const waits = (userId: string): boolean =>
    mails.count({ reportId, startDate, userId, state: 'pending' }) > 0
  return userIds.length > 0 && userIds.every(waits)
}

const nextAtMs = (ctx: Ctx, schedule: ReportSchedule): number =>
  nextOccasion(schedule, getOrganization(ctx).timezone, ctx.clock.nowMs()).dueAtMs

/** Returns a scheduled report that the caller may change. */
function getOwn(ctx: Ctx, id: string): ScheduledReportRow {
  const row = getScheduledReport(ctx, id)
  if (row.madeBy !== ctx.actor.userId && !hasPermission(ctx.actor, 'settings:update'))
    throw new ForbiddenError(
      'Only the person who made a scheduled report, or a holder of `settings:update`, may change it.',
      { code: 'permission_denied' },
    )
  return row
}

function requireMail(ctx: Ctx): void {
  if (!canMail(ctx))
    throw new ConflictError(
      'This installation cannot send email. Its operator must set `SMTP_URL` first.',
      { code: 'mail_not_configured' },
    )
}

const resourceOf = ({ id, every }: ScheduledReportRow) => ({
  resourceType: 'scheduled_report',
  resourceId: id,
  resourceName: every === 'week' ? 'Weekly report' : 'Monthly report',
})

const auditedOf = (row: ScheduledReportRow, userIds: string[]) => ({
  reports: row.reports,
  every: row.every,
  at: row.at,
  is_active: row.isActive,
  user_ids: userIds.join(', '),
})

import { and, asc, eq, inArray } from 'drizzle-orm'

import { printable } from '../../../../lib/printable'
import { sha256Hex } from '../../../../lib/hash'
import { inOrganization, type Ctx, type JobCtx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import type { Outcome } from '../../../../infra/jobs/work'
import { canMail } from '../../../../infra/mail/queue'
import type { MailLogo } from '../../../../infra/mail/link-mail'
import { mailTrouble, openSmtp, type OutgoingMail, type Smtp } from '../../../../infra/mail/smtp'
import { findAdmins } from '../../../organization/memberships/admins'
import { notifyIn } from '../../../organization/notifications/service'
import { mailLogo } from '../../../organization/organizations/logo'
import { getOrganization } from '../../../organization/organizations/service'
import { sectionOf } from './content'
import { mailHtml, type ReportMail } from './mail-html'
import { mailText } from './mail-text'
import { findRun, findScheduledReport, isRun, type RunKey } from './queries'
import { readersAmong, removeRecipientIn, type ReportReader } from './recipients'
import { dueTimeOf, isTooLate } from './rules'
import { scheduledReportMails, scheduledReportRuns } from './table'
import { unsubscribeUrl } from './unsubscribe/service'
import { reportsOf, type RunRow, type ScheduledReportRow } from './view'
import { spanLabel } from './words'
import { noticeText } from '../../../organization/notifications/catalog'

type MailState = (typeof scheduledReportMails.$inferSelect)['state']

/**
 * Sends the emails of a run that are not sent yet, each recorded as soon as the mail server has
 * accepted it. Recipients who may no longer read reports get no email and are removed from the
 * report. Emails whose time was more than three days ago are not sent. Throws if an email could not
 * be sent, so that the job tries again.
 */
export async function deliverRun(ctx: JobCtx, key: RunKey): Promise<Outcome> {
  const run = findRun(ctx, key)
  const report = findScheduledReport(ctx, key.reportId)
  if (run?.state !== 'sending' || !report) return undefined
  const dueAtMs = dueTimeOf(run, report, getOrganization(ctx).timezone)
  const isLate = (): boolean => isTooLate({ dueAtMs }, ctx.clock.nowMs())
  if (!isLate()) {
    if (!canMail(ctx)) return { giveUp: 'no mail server is configured any more' }
    const mail = await contentOf(ctx, report, run)
    const smtp = await openSmtp(ctx.settings)
    try {
      await sendAll(ctx, { run, mail, smtp, isLate })
    } finally {
      smtp.close()
    }
  }
  transact(ctx.db, (tx) => {
    if (isLate()) setMailsIn(tx, ctx, run, { userIds: pendingOf(ctx, run), state: 'too_late' })
    endRunIn(tx, ctx, run)
  })
  return undefined
}

/** Everything in an email but the recipient. */
type SharedMail = Omit<ReportMail, 'unsubscribeUrl'>

async function contentOf(
  ctx: JobCtx,
  report: ScheduledReportRow,
  { startDate, endDate }: RunRow,
): Promise<SharedMail> {
  const sections = []
  for (const name of reportsOf(report)) {
    ctx.signal.throwIfAborted()
    sections.push(await sectionOf(ctx, name, { startDate, endDate }))
  }
  return {
    title: titleOf(report),
    organization: printable(getOrganization(ctx).name.replaceAll(/\s+/g, ' ')),
    logo: logoOf(ctx),
    span: spanLabel(startDate, endDate),
    sections,
    reportsUrl: `${ctx.settings.baseUrl}/analytics`,
  }
}

const logoOf = (ctx: Ctx): MailLogo | null => mailLogo(ctx, getOrganization(ctx).name).logo ?? null

const titleOf = ({ every }: ScheduledReportRow): string =>
  every === 'week' ? 'Weekly report' : 'Monthly report'

async function sendAll(
  ctx: JobCtx,
  { run, mail, smtp, isLate }: { run: RunRow; mail: SharedMail; smtp: Smtp; isLate: () => boolean },
): Promise<void> {
  const troubles: string[] = []
  for (const userId of pendingOf(ctx, run)) {
    ctx.signal.throwIfAborted()
    if (isLate()) return
    const reader = judge(ctx, run, userId)
    if (!reader) continue
    try {
      await smtp.send(mailTo(ctx, { run, mail, reader }))
    } catch (error) {
      const { reason, isOfServer } = mailTrouble(error)
      troubles.push(reason)
      if (isOfServer) continue
      break // the server cannot be reached for the others either
    }
    transact(ctx.db, (tx) => setMailsIn(tx, ctx, run, { userIds: [userId], state: 'sent' }))
  }
  const [first] = troubles
  if (first !== undefined) throw new Error(first, { cause: null })
}

const isMailOf = (ctx: Ctx, { reportId, startDate, requestedAtMs }: RunKey) =>
  inOrganization(
    ctx,
    scheduledReportMails,
    and(
      eq(scheduledReportMails.reportId, reportId),
      eq(scheduledReportMails.startDate, startDate),
      eq(scheduledReportMails.requestedAtMs, requestedAtMs),
    ),
  )

const mailsIn = (ctx: Ctx, key: RunKey, state: MailState): string[] =>
  ctx.db.orm
    .select({ userId: scheduledReportMails.userId })
    .from(scheduledReportMails)
    .where(and(isMailOf(ctx, key), eq(scheduledReportMails.state, state)))
    .orderBy(asc(scheduledReportMails.userId))
    .all()
    .map(({ userId }) => userId)

const pendingOf = (ctx: Ctx, key: RunKey): string[] => mailsIn(ctx, key, 'pending')

function setMailsIn(
  tx: Tx,
  ctx: Ctx,
  key: RunKey,
  { userIds, state }: { userIds: string[]; state: MailState },
): void {
  tx.update(scheduledReportMails)
    .set({ state, updatedAtMs: ctx.clock.nowMs() })
    .where(and(isMailOf(ctx, key), inArray(scheduledReportMails.userId, userIds)))
    .run()
}

/** Returns the person if they may read reports now. Otherwise leaves them out and takes them off. */
function judge(ctx: Ctx, key: RunKey, userId: string): ReportReader | null {
  const [reader] = readersAmong(ctx, [userId])
  if (reader) return reader
  transact(ctx.db, (tx) => {
    setMailsIn(tx, ctx, key, { userIds: [userId], state: 'left_out' })
    removeRecipientIn(tx, ctx, { reportId: key.reportId, userId })
  })
  return null
}

/**
 * Returns the `Message-ID` of an email: the same if it is repeated, also under another address of the
 * server or from another server, so that mail programs show it once.
 */
function messageIdOf(
  { organizationId }: Ctx,
  { reportId, startDate, requestedAtMs }: RunRow,
  { userId }: ReportReader,
): string {
  const name = [organizationId, reportId, startDate, requestedAtMs, userId].join(' ')
  return `<${sha256Hex(name).slice(0, 40)}@reports.switchboard>`
}

function mailTo(
  ctx: Ctx,
  { run, mail, reader }: { run: RunRow; mail: SharedMail; reader: ReportReader },
): OutgoingMail {
  const { reportId, startDate, endDate } = run
  const link = unsubscribeUrl(ctx, { reportId, userId: reader.userId })
  const own: ReportMail = { ...mail, unsubscribeUrl: link }
  return {
    to: reader.email,
    subject: `${mail.title} of ${mail.organization}: ${mail.span}`,
    text: mailText(own),
    html: mailHtml(own),
    messageId: messageIdOf(ctx, run, reader),
    headers: {
      'Auto-Submitted': 'auto-generated',
      'List-Unsubscribe': `<${link}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
    attachments: mail.sections.map(({ file }) => ({
      filename: `${file.name}-${startDate}-to-${endDate}.csv`,
      content: file.text,
      contentType: 'text/csv; charset=utf-8',
    })),
  }
}

/** Ends a run whose emails are all settled, in the caller's transaction. */
function endRunIn(tx: Tx, ctx: Ctx, key: RunKey): void {
  if (pendingOf(ctx, key).length > 0) return
  const has = (state: MailState): boolean => mailsIn(ctx, key, state).length > 0
  const state = has('too_late') ? 'too_late' : has('sent') ? 'sent' : 'left_out'
  tx.update(scheduledReportRuns)
    .set({ state, endedAtMs: ctx.clock.nowMs() })
    .where(
      inOrganization(
        ctx,
        scheduledReportRuns,
        isRun(key),
        eq(scheduledReportRuns.state, 'sending'),
      ),
    )
    .run()
}

/**
 * Ends a run after its last try and notifies its maker, or the admins if it has none. Runs in the
 * transaction that discards the job.
 */
export function failRunIn(tx: Tx, ctx: Ctx, key: RunKey, reason: string): void {
  const report = findScheduledReport(ctx, key.reportId)
  const userIds = pendingOf(ctx, key)
  if (userIds.length > 0) setMailsIn(tx, ctx, key, { userIds, state: 'failed' })
  const ended = tx
    .update(scheduledReportRuns)
    .set({ state: 'failed', endedAtMs: ctx.clock.nowMs() })
    .where(
      inOrganization(
        ctx,
        scheduledReportRuns,
        isRun(key),
        eq(scheduledReportRuns.state, 'sending'),
      ),
    )
    .returning()
    .all()
  if (!report || ended.length === 0) return
  const people = report.madeBy === null ? findAdmins(ctx) : [report.madeBy]
  for (const userId of people)
    notifyIn(tx, ctx, {
      userId,
      kind: 'report_failed',
      severity: 'warning',
      title: `${titleOf(report)} could not be sent`,
      text: noticeText('report_failed', { every: report.every, count: userIds.length, reason }),
      body:
        `${userIds.length === 1 ? 'One email was' : `${userIds.length} emails were`} not sent ` +
        `in three tries: ${reason}.`,
      link: '/analytics',
    })
}

/** Makes the failed emails of a run pending again, when a person retries its job. */
export function retryRunIn(tx: Tx, ctx: Ctx, key: RunKey): void {
  const userIds = mailsIn(ctx, key, 'failed')
  if (userIds.length > 0) setMailsIn(tx, ctx, key, { userIds, state: 'pending' })
  tx.update(scheduledReportRuns)
    .set({ state: 'sending', endedAtMs: null })
    .where(
      inOrganization(ctx, scheduledReportRuns, isRun(key), eq(scheduledReportRuns.state, 'failed')),
    )
    .run()
}

import { NotFoundError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { of } from '../../../infra/scoped'
import { notifyIn } from '../../organization/notifications/service'
import { holdersOf } from '../../organization/roles/holders'
import { TemplateChanged } from './events'
import { archiveColumns } from './archive-columns'
import { templates } from './table'
import type { TemplateRow } from './view'
import { noticeText, textAbout, type NoticeText } from '../../organization/notifications/catalog'

/** Who changed a template, and when, if not now. */
interface ChangeOf {
  /** Whether a person here changed it, who needs no notice. */
  isOwn?: boolean
  atMs?: number
}

/**
 * Updates a template in the caller's transaction, emits an event with the changed fields, and
 * notifies people about status, category and quality changes.
 */
export function changeTemplateIn(
  tx: Tx,
  ctx: Ctx,
  before: TemplateRow,
  set: Partial<TemplateRow>,
  changed: string[],
  { isOwn = false, atMs = ctx.clock.nowMs() }: ChangeOf = {},
): TemplateRow {
  const archived = archiveColumns(before, set.status, atMs)
  const columns = { ...archived, ...set, updatedAtMs: ctx.clock.nowMs() }
  const [row] = of(ctx, templates).update(tx, { id: before.id }, columns)
  if (!row) throw new NotFoundError('Template')
  if (changed.length > 0) emitTemplateChangedIn(tx, ctx, row.id, changed, row.deletedAtMs !== null)
  if (!isOwn) notifyOfChangeIn(tx, ctx, before, row)
  return row
}

/** Emits the event that a template changed, in the caller's transaction. */
export const emitTemplateChangedIn = (
  tx: Tx,
  ctx: Ctx,
  templateId: string,
  changed: string[],
  isDeleted = false,
): void =>
  emit(tx, ctx, TemplateChanged, { contactId: null, payload: { templateId, changed, isDeleted } })

/** Notification text for each status that needs attention. */
const STATUS_NOTICES: Readonly<
  Record<
    string,
    { severity: 'warning' | 'critical'; title: string; body: string; text: NoticeText }
  >
> = {
  REJECTED: {
    severity: 'warning',
    title: 'Template rejected',
    text: noticeText('template_rejected'),
    body: 'WhatsApp did not approve this template. Change it and publish it again.',
  },
  PAUSED: {
    severity: 'warning',
    title: 'Template paused',
    text: noticeText('template_paused'),
    body:
      'WhatsApp paused this template for a few hours because of low quality. Queued ' +
      'messages wait. Improve the template in the meantime.',
  },
  ARCHIVED: {
    severity: 'warning',
    title: 'Template archived',
    text: noticeText('template_archived'),
    body:
      'WhatsApp archives templates that were not used for 12 months, and deletes them 28 days later. ' +
      'Restore it if you still need it.',
  },
  DISABLED: {
    severity: 'critical',
    title: 'Template disabled',
    text: noticeText('template_disabled'),
    body: 'WhatsApp disabled this template. Use another one.',
  },
}

function notifyOfChangeIn(tx: Tx, ctx: Ctx, before: TemplateRow, row: TemplateRow): void {
  if (row.deletedAtMs !== null) return
  const news = row.status === before.status ? undefined : STATUS_NOTICES[row.status]
  const why = [row.reason, row.recommendation].filter((words) => words !== null).join(' ')
  if (news)
    notifyEditorsIn(tx, ctx, row, {
      ...news,
      text: noticeText(news.text.code, {
        ...(row.reason === null ? {} : { reason: row.reason }),
        ...(row.recommendation === null ? {} : { advice: row.recommendation }),
      }),
      body: why === '' ? news.body : `${news.body} Reason: ${why.slice(0, 500)}`,
    })
  if (row.category !== before.category && before.platformId !== null)
    notifyEditorsIn(tx, ctx, row, {
      severity: 'warning',
      title: 'Template category changed',
      text: noticeText('template_category_changed', { from: before.category, to: row.category }),
      body:
        `WhatsApp changed the category from ${before.category} to ${row.category}. This ` +
        'changes the price.',
    })
  else if (row.announcedCategory !== null && row.announcedCategory !== before.announcedCategory)
    notifyEditorsIn(tx, ctx, row, {
      severity: 'warning',
      title: 'Template category will change',
      text: noticeText('template_category_will_change', {
        from: row.category,
        to: row.announcedCategory,
      }),
      body:
        `WhatsApp will change the category from ${row.category} to ${row.announcedCategory}. ` +
        'This will change the price.',
    })
  if (row.quality === 'RED' && before.quality !== 'RED')
    notifyEditorsIn(tx, ctx, row, {
      severity: 'warning',
      title: 'Low template quality',
      text: noticeText('template_quality'),
      body: 'Many customers block or report this template. WhatsApp may pause it.',
    })
}

function notifyEditorsIn(
  tx: Tx,
  ctx: Ctx,
  row: TemplateRow,
  notice: { severity: 'warning' | 'critical'; title: string; body: string; text: NoticeText },
): void {
  for (const userId of holdersOf(tx, ctx, 'templates:update'))
    notifyIn(tx, ctx, {
      ...notice,
      ...textAbout(notice.text, `${row.name} (${row.language})`),
      userId,
      kind: 'template_notice',
      title: `${notice.title}: ${row.name} (${row.language})`,
      link: `/templates/${row.id}`,
    })
}

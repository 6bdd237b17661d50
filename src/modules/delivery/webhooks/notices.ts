import { DAY_MS } from '../../../lib/clock'
import { printable } from '../../../lib/printable'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { queueMail } from '../../../infra/mail/queue'
import { notifyIn, type NewNotification } from '../../organization/notifications/service'
import { mailLogo } from '../../organization/organizations/logo'
import { getOrganization } from '../../organization/organizations/service'
import { holdersOf } from '../../organization/roles/holders'
import { findUser } from '../../organization/users/service'
import type { EndpointRow, ReplayRow } from './row'
import { noticeText, textAbout } from '../../organization/notifications/catalog'

type Notice = Pick<NewNotification, 'kind' | 'severity' | 'title' | 'body' | 'text'>

/** A notice that could not be mailed for so long is not mailed any more. */
const MAIL_KEPT_MS = DAY_MS

/** Notifies the members who may change endpoints, in the caller's transaction. Mails what is bad. */
function notifyAboutIn(
  tx: Tx,
  ctx: Ctx,
  endpoint: Pick<EndpointRow, 'id' | 'name'>,
  notice: Notice,
): void {
  const title = `${notice.title}: ${endpoint.name}`
  const link = `/settings/webhooks/${endpoint.id}`
  for (const userId of holdersOf(tx, ctx, 'webhooks:update')) {
    notifyIn(tx, ctx, { ...notice, ...textAbout(notice.text, endpoint.name), title, userId, link })
    if (notice.severity !== 'info') mailIn(tx, ctx, userId, { ...notice, title, link })
  }
}

function mailIn(tx: Tx, ctx: Ctx, userId: string, notice: Notice & { link: string }): void {
  const user = findUser(ctx, userId)
  if (user?.emailNotifications !== true) return
  queueMail(tx, ctx, {
    to: user.email,
    kind: 'notice',
    subject: printable(notice.title.replaceAll(/\s+/g, ' ')),
    text: notice.body,
    link: `${ctx.settings.baseUrl}${notice.link}`,
    expiresAtMs: ctx.clock.nowMs() + MAIL_KEPT_MS,
    ...mailLogo(ctx, getOrganization(ctx).name),
  })
}

const DISABLED = {
  failing_5_days: 'It has not accepted an event for five days.',
  gone: 'It answered 410 Gone.',
}

/** Notifies that an endpoint was disabled by the server. */
export const notifyDisabledIn = (
  tx: Tx,
  ctx: Ctx,
  endpoint: EndpointRow,
  reason: keyof typeof DISABLED,
): void =>
  notifyAboutIn(tx, ctx, endpoint, {
    kind: 'webhook_disabled',
    severity: 'critical',
    title: 'Webhook endpoint disabled',
    text: noticeText(reason === 'gone' ? 'webhook_gone' : 'webhook_disabled'),
    body: `${DISABLED[reason]} Its events are kept for seven days; enable it and replay them.`,
  })

/** Notifies that an endpoint has been failing for so many hours. */
export const notifyFailingIn = (tx: Tx, ctx: Ctx, endpoint: EndpointRow, hours: number): void =>
  notifyAboutIn(tx, ctx, endpoint, {
    kind: 'webhook_failing',
    severity: 'warning',
    title: 'Webhook endpoint fails',
    text: noticeText('webhook_failing', { hours }),
    body: `It has not accepted an event for ${hours} hours.`,
  })

/** Notifies that the oldest deliveries were given up because too many were waiting. */
export const notifyBacklogIn = (tx: Tx, ctx: Ctx, endpoint: EndpointRow): void =>
  notifyAboutIn(tx, ctx, endpoint, {
    kind: 'webhook_failing',
    severity: 'critical',
    title: 'Webhook events given up',
    text: noticeText('webhook_backlog'),
    body: 'More than 100,000 events were waiting. The oldest ones were given up.',
  })

/** Notifies that a replay has ended. */
export const notifyReplayIn = (
  tx: Tx,
  ctx: Ctx,
  endpoint: Pick<EndpointRow, 'id' | 'name'>,
  { delivered, failed }: Pick<ReplayRow, 'delivered' | 'failed'>,
): void =>
  notifyAboutIn(tx, ctx, endpoint, {
    kind: 'webhook_replay_done',
    severity: 'info',
    title: 'Webhook replay done',
    text: noticeText('webhook_replay_done', { delivered, failed }),
    body: `Delivered: ${delivered}. Failed: ${failed}.`,
  })

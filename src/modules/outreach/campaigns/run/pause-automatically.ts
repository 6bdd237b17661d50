import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { recordPauseIn } from '../audit'
import { notifyAboutCampaignIn } from '../results/notify'
import type { OwnReason } from '../rules'
import { pauseIn } from './pause'
import { noticeText } from '../../../organization/notifications/catalog'

/** The notification text for each reason. */
const PAUSE_MESSAGES: Record<OwnReason, string> = {
  error_rate: 'Too many recent messages failed. Check the errors before you resume.',
  quality:
    'The quality rating of the phone number is low because customers are blocking or ' +
    'reporting it.',
  template: 'Its template can no longer be sent, or its category changed.',
  account: 'The phone number cannot send at the moment.',
  budget: 'The next message would exceed the budget.',
  quota:
    'The daily messaging limit of the platform is used up. The campaign resumes ' +
    'automatically when the limit resets.',
  restriction:
    'The platform currently only allows the phone number to reply to customers. The ' +
    'campaign resumes automatically when this ends.',
  funding:
    'The phone number has no payment method. The campaign resumes automatically when it has one.',
}

/**
 * Pauses a campaign and notifies users once. `note` replaces the text of the reason. Runs inside
 * the caller's transaction.
 */
export function pauseAutomaticallyIn(
  tx: Tx,
  ctx: Ctx,
  id: string,
  why: { reason: OwnReason; resumesAtMs?: number | null; note?: string },
): void {
  const row = pauseIn(tx, ctx, id, why)
  if (!row) return
  recordPauseIn(tx, ctx, row, why.reason)
  notifyAboutCampaignIn(tx, ctx, row, {
    kind: 'campaign_paused',
    severity: 'warning',
    title: 'Campaign paused',
    text: noticeText('campaign_paused', {
      ...{ pause: why.reason, message: why.note ?? PAUSE_MESSAGES[why.reason] },
    }),
    body: why.note ?? PAUSE_MESSAGES[why.reason],
  })
}

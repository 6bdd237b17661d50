import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { publishStateChangeIn } from '../results/publish'
import { notifyAboutCampaignIn } from '../results/notify'
import type { OwnReason, PauseReason } from '../rules'
import { changeCampaignIn, countsOf, changeStateIn } from '../state'
import type { CampaignRow } from '../view'
import { WithdrawMessages } from '../jobs'
import { isRetrying } from './retry-key'

/** Why a campaign pauses by itself, as people are told. */
const BECAUSE: Record<OwnReason, string> = {
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
}

/**
 * Stops a campaign that sends, in the caller's transaction; what it has claimed is taken back.
 * `null` when it was not sending.
 */
export function pauseIn(
  tx: Tx,
  ctx: Ctx,
  id: string,
  why: { reason: PauseReason; resumesAtMs?: number | null },
): CampaignRow | null {
  const { reason, resumesAtMs = null } = why
  const row = changeStateIn(tx, ctx, id, {
    from: ['sending'],
    set: { status: 'paused', pauseReason: reason, resumesAtMs },
  })
  if (!row) return null
  enqueue(tx, ctx, WithdrawMessages, { args: { campaignId: id } })
  publishStateChangeIn(tx, ctx, id, 'paused')
  return row
}

/**
 * Lets a campaign pause by itself, in the transaction of what it pauses for; people are told once.
 * `note` says more than the reason does.
 */
export function pauseAutomaticallyIn(
  tx: Tx,
  ctx: Ctx,
  id: string,
  why: { reason: OwnReason; resumesAtMs?: number | null; note?: string },
): void {
  const row = pauseIn(tx, ctx, id, why)
  if (!row) return
  notifyAboutCampaignIn(tx, ctx, row, {
    kind: 'campaign_paused',
    severity: 'warning',
    title: 'Campaign paused',
    body: why.note ?? BECAUSE[why.reason],
  })
}

/**
 * Ends a campaign that has nothing left to send, in the caller's transaction. Returns whether it
 * did.
 */
export function completeWhenDoneIn(tx: Tx, ctx: Ctx, row: CampaignRow): boolean {
  if (row.status !== 'sending' || !row.isPlanned) return false
  const { pending, sending } = countsOf(ctx, row.id)
  if (pending > 0 || sending > 0 || isRetrying(ctx, row.id)) return false
  const ended = changeStateIn(tx, ctx, row.id, {
    from: ['sending'],
    set: { status: 'completed', completedAtMs: ctx.clock.nowMs() },
  })
  if (!ended) return false
  publishStateChangeIn(tx, ctx, row.id, 'completed')
  return true
}

/** Forgets what counted for a pause before, when somebody lets a campaign go on. */
export const resetErrorCountIn = (
  tx: Tx,
  ctx: Ctx,
  id: string,
  ignoresErrors: boolean,
): CampaignRow => changeCampaignIn(tx, ctx, id, { errorsSinceMs: ctx.clock.nowMs(), ignoresErrors })

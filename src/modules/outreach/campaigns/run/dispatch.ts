import { HOUR_MS, SECOND_MS } from '../../../../lib/clock'
import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { countAvailable } from '../../../../infra/jobs/queue-state'
import type { Outcome } from '../../../../infra/jobs/work'
import { findAccount } from '../../../channel/accounts/queries'
import { throughputLimit } from '../../../channel/accounts/view'
import { gateKeyOf } from '../../../inbox/messages/outbound/gate-keys'
import { WARNING_SHARE, quotaOf } from '../../../inbox/messages/outbound/messaging-limit'
import { blockReasonOf } from '../../../inbox/messages/outbound/send-gate'
import { findTemplateOf } from '../draft/template'
import { WithdrawMessages } from '../jobs'
import { notifyAboutCampaignIn } from '../results/notify'
import { publishCampaignIn } from '../results/publish'
import { MAX_CLAIMED, claimedAhead } from '../rules'
import { changeCampaignIn, countsOf, findCampaign } from '../state'
import { windowOf, type CampaignRow } from '../view'
import {
  blockerOfAccount,
  blockerOfFunding,
  blockerOfSpend,
  blockerOfTemplate,
  blockerOfValues,
} from './blockers'
import { claimBatchIn, type DispatchInput } from './claim-batch'
import { completeWhenDoneIn } from './complete'
import { pauseAutomaticallyIn } from './pause-automatically'
import { spanAt } from './window'
import { noticeText } from '../../../organization/notifications/catalog'

/** Interval of dispatch while the send queue has enough messages, milliseconds. */
const RECHECK_MS = 200

/**
 * Maximum interval of dispatch while the phone number is paused, the send window is closed or all
 * recipients are claimed.
 */
const BLOCKED_RECHECK_MS = 5 * SECOND_MS

/**
 * If the send queue has messages for this many seconds, dispatch waits this many milliseconds
 * between two transactions.
 */
const ENOUGH_QUEUED_S = 0.25

const SLOWDOWN_MS = 20

/**
 * Creates the next messages of a campaign, limited by the send queue, send window, budget and
 * messaging limit. Pauses the campaign if it is blocked. Returns when to run again, or `undefined`
 * when it is complete or when planning, which enqueues the job again, has not selected more. Runs inside the caller's transaction.
 */
export function dispatchIn(tx: Tx, ctx: Ctx, campaignId: string): Outcome {
  const campaign = findCampaign(ctx, campaignId)
  if (campaign?.status !== 'sending') return undefined
  if (completeWhenDoneIn(tx, ctx, campaign)) return undefined
  const account = findAccount(ctx, campaign.accountId)
  const template = findTemplateOf(ctx, campaign.templateId)
  const nowMs = ctx.clock.nowMs()
  const blocker =
    blockerOfAccount(account, nowMs) ??
    blockerOfTemplate(ctx, template, account) ??
    blockerOfValues(ctx, campaign, template) ??
    blockerOfFunding(account) ??
    (countsOf(ctx, campaignId).pending > 0 ? blockerOfSpend(ctx, campaign, template) : null)
  if (blocker || !account || !template) {
    const { reason = 'account', untilMs = null, message = '' } = blocker ?? {}
    pauseAutomaticallyIn(tx, ctx, campaignId, { reason, resumesAtMs: untilMs, note: message })
    return undefined
  }
  const closedMs = applySendWindowIn(tx, ctx, campaign, nowMs)
  if (closedMs !== null) return { snoozeMs: closedMs }
  const blockReason = blockReasonOf(account, nowMs)
  if (blockReason)
    return {
      snoozeMs:
        blockReason.untilMs === null
          ? BLOCKED_RECHECK_MS
          : Math.min(BLOCKED_RECHECK_MS, Math.max(1, blockReason.untilMs - nowMs)),
    }
  return claimNextIn(tx, ctx, { campaign, account, template })
}

/**
 * Stores the end of the current send window for the send gate. Returns `null` if the window is
 * open. Otherwise withdraws claimed messages and returns how long to wait, milliseconds.
 */
function applySendWindowIn(tx: Tx, ctx: Ctx, campaign: CampaignRow, nowMs: number): number | null {
  const window = windowOf(campaign)
  const span = window && spanAt(window, campaign.timezone, nowMs)
  const endsAtMs = span === null ? null : span.fromMs <= nowMs ? span.beforeMs : nowMs
  const isOpen = span === null || span.fromMs <= nowMs
  // While the window is closed, its end stays in the past.
  if (
    isOpen
      ? campaign.windowEndsAtMs !== endsAtMs
      : campaign.windowEndsAtMs === null || campaign.windowEndsAtMs > nowMs
  )
    changeCampaignIn(tx, ctx, campaign.id, { windowEndsAtMs: endsAtMs })
  if (isOpen) return null
  if (countsOf(ctx, campaign.id).sending > 0)
    enqueue(tx, ctx, WithdrawMessages, { args: { campaignId: campaign.id } })
  return Math.min(HOUR_MS, Math.max(1, span.fromMs - nowMs))
}

function claimNextIn(tx: Tx, ctx: Ctx, { campaign, account, template }: DispatchInput): Outcome {
  const { pending, sending } = countsOf(ctx, campaign.id)
  if (pending === 0 && !campaign.isPlanned) return undefined
  const perS = Math.min(throughputLimit(account), campaign.rateLimit ?? Infinity)
  const ahead = claimedAhead(perS)
  const gateKey = gateKeyOf({ accountId: account.id, rank: 'campaign', campaignId: campaign.id })
  const waiting = countAvailable(ctx.db, {
    queue: 'send',
    organizationId: ctx.organizationId,
    gateKey,
    most: ahead,
  })
  const quota = quotaOf(ctx, account, ctx.clock.nowMs())
  notifyQuotaIn(tx, ctx, campaign, quota)
  const left = quota.remaining === null ? Infinity : quota.remaining - sending
  if (left <= 0 && pending > 0) {
    if (sending > 0) return { snoozeMs: BLOCKED_RECHECK_MS }
    pauseAutomaticallyIn(tx, ctx, campaign.id, {
      reason: 'quota',
      resumesAtMs: quota.nextFreeAtMs ?? ctx.clock.nowMs() + HOUR_MS,
    })
    return undefined
  }
  const freeSlots = Math.min(ahead - waiting, MAX_CLAIMED - sending, left)
  if (freeSlots <= 0 || pending === 0)
    return { snoozeMs: pending === 0 ? BLOCKED_RECHECK_MS : RECHECK_MS }
  const outcome = claimBatchIn(tx, ctx, { campaign, account, template }, freeSlots)
  publishCampaignIn(tx, ctx, campaign.id, 'counters')
  if (outcome === 'over_budget') {
    if (countsOf(ctx, campaign.id).sending > 0) return { snoozeMs: RECHECK_MS }
    pauseAutomaticallyIn(tx, ctx, campaign.id, { reason: 'budget' })
    return undefined
  }
  if (completeWhenDoneIn(tx, ctx, campaign)) return undefined
  if (outcome === 'more') return { snoozeMs: waiting < perS * ENOUGH_QUEUED_S ? 0 : SLOWDOWN_MS }
  return { snoozeMs: RECHECK_MS }
}

function notifyQuotaIn(
  tx: Tx,
  ctx: Ctx,
  campaign: CampaignRow,
  { most, remaining }: { most: number | null; remaining: number | null },
): void {
  if (
    campaign.isQuotaNotified ||
    most === null ||
    remaining === null ||
    most - remaining < most * WARNING_SHARE
  )
    return
  changeCampaignIn(tx, ctx, campaign.id, { isQuotaNotified: true })
  notifyAboutCampaignIn(tx, ctx, campaign, {
    kind: 'campaign_quota',
    severity: 'warning',
    title: 'Most of the daily messaging limit is used',
    text: noticeText('campaign_quota', { used: most - remaining, most }),
    body:
      `You have started conversations with ${most - remaining} of the ${most} people allowed ` +
      'within 24 hours.',
  })
}

import { and, asc, eq, sql } from 'drizzle-orm'

import { HOUR_MS, SECOND_MS } from '../../../lib/clock'
import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import { isStorageError } from '../../../infra/db/errors'
import { savepoint, type Tx } from '../../../infra/db/transact'
import type { Outcome } from '../../../infra/jobs/work'
import { countAvailable, enqueue } from '../../../infra/jobs/enqueue'
import { findAccount } from '../../accounts/queries'
import { throughputLimit, type AccountRow } from '../../accounts/view'
import { blockReasonOf } from '../../messages/outbound/send-gate'
import { gateKeyOf } from '../../messages/outbound/gate-keys'
import { quotaOf, WARNING_SHARE } from '../../messages/outbound/messaging-limit'
import { ownFailure } from '../../messages/outbound/delivery-state'
import { publishCampaignIn } from '../results/publish'
import { loadEligibilityContext } from './eligibility'
import { notifyAboutCampaignIn } from '../results/notify'
import { blockerOfAccount, blockerOfValues, blockerOfTemplate } from './blockers'
import { completeWhenDoneIn, pauseAutomaticallyIn } from './pause-automatically'
import { claimedAhead, MAX_CLAIMED } from '../rules'
import { changeCampaignIn, countsOf, failRecipientIn, findCampaign } from '../state'
import { campaignRecipients } from '../table'
import { findTemplateOf, type CampaignTemplate } from '../draft/template'
import { spanAt } from './window'
import { windowOf, type CampaignRow, type RecipientRow } from '../view'
import { WithdrawMessages } from '../jobs'
import { watchErrorsIn } from './error-rate'
import { claimIn, type Claimed } from './claim'

/** A campaign that has enough waiting is looked at again so often, milliseconds. */
const RECHECK_MS = 200
/**
 * One that waits for its number, for hours to begin or for what was claimed is looked at again at
 * least so often.
 */
const BLOCKED_RECHECK_MS = 5 * SECOND_MS

/**
 * One transaction of messages takes about so long, milliseconds; so many are made however long they
 * take.
 */
const AT_ONCE_MS = 5
const READ_AT_ONCE = 64
/**
 * While messages for so long wait already, seconds, others have the event loop for so many
 * milliseconds after each transaction.
 */
const ENOUGH_S = 0.25
const BREATHER_MS = 20

/**
 * Makes the next messages of a campaign, in the caller's transaction: as many as are to wait ahead
 * of the calls, no more than its window, budget and quota allow. Pauses it by itself when something
 * stands in the way. Returns when to look again; nothing when it is over.
 */
export function dispatchIn(tx: Tx, ctx: Ctx, campaignId: string): Outcome {
  const campaign = findCampaign(ctx, campaignId)
  if (campaign?.status !== 'sending' || !campaign.isPlanned) return undefined
  if (completeWhenDoneIn(tx, ctx, campaign)) return undefined
  const account = findAccount(ctx, campaign.accountId)
  const template = findTemplateOf(ctx, campaign.templateId)
  const nowMs = ctx.clock.nowMs()
  const obstacle =
    blockerOfAccount(account, nowMs) ??
    blockerOfTemplate(ctx, template, account) ??
    blockerOfValues(ctx, campaign, template)
  if (obstacle || !account || !template) {
    const { reason = 'account', untilMs = null, message = '' } = obstacle ?? {}
    pauseAutomaticallyIn(tx, ctx, campaignId, { reason, resumesAtMs: untilMs, note: message })
    return undefined
  }
  const closedMs = keepHoursIn(tx, ctx, campaign, nowMs)
  if (closedMs !== null) return { snoozeMs: closedMs }
  const hold = blockReasonOf(account, nowMs)
  if (hold)
    return {
      snoozeMs:
        hold.untilMs === null
          ? BLOCKED_RECHECK_MS
          : Math.min(BLOCKED_RECHECK_MS, Math.max(1, hold.untilMs - nowMs)),
    }
  return claimSomeIn(tx, ctx, { campaign, account, template })
}

/**
 * Lets the gate know until when the hours last; outside of them says for how long to wait, and
 * takes back what was claimed.
 */
function keepHoursIn(tx: Tx, ctx: Ctx, campaign: CampaignRow, nowMs: number): number | null {
  const window = windowOf(campaign)
  const span = window && spanAt(window, campaign.timezone, nowMs)
  const endsAtMs = span === null ? null : span.fromMs <= nowMs ? span.beforeMs : nowMs
  const isOpen = span === null || span.fromMs <= nowMs
  // While it is shut the end stays in the past.
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

interface Sending {
  campaign: CampaignRow
  account: AccountRow
  template: CampaignTemplate
}

function claimSomeIn(tx: Tx, ctx: Ctx, { campaign, account, template }: Sending): Outcome {
  const { pending, sending } = countsOf(ctx, campaign.id)
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
  tellQuotaIn(tx, ctx, campaign, quota)
  const left = quota.remaining === null ? Infinity : quota.remaining - sending
  if (left <= 0 && pending > 0) {
    if (sending > 0) return { snoozeMs: BLOCKED_RECHECK_MS }
    pauseAutomaticallyIn(tx, ctx, campaign.id, {
      reason: 'quota',
      resumesAtMs: quota.nextFreeAtMs ?? ctx.clock.nowMs() + HOUR_MS,
    })
    return undefined
  }
  const room = Math.min(ahead - waiting, MAX_CLAIMED - sending, left)
  if (room <= 0 || pending === 0)
    return { snoozeMs: pending === 0 ? BLOCKED_RECHECK_MS : RECHECK_MS }
  const outcome = claimUpToIn(tx, ctx, { campaign, account, template }, room)
  publishCampaignIn(tx, ctx, campaign.id, 'counters')
  if (outcome === 'broke') {
    if (countsOf(ctx, campaign.id).sending > 0) return { snoozeMs: RECHECK_MS }
    pauseAutomaticallyIn(tx, ctx, campaign.id, { reason: 'budget' })
    return undefined
  }
  if (completeWhenDoneIn(tx, ctx, campaign)) return undefined
  if (outcome === 'more') return { snoozeMs: waiting < perS * ENOUGH_S ? 0 : BREATHER_MS }
  return { snoozeMs: RECHECK_MS }
}

function tellQuotaIn(
  tx: Tx,
  ctx: Ctx,
  campaign: CampaignRow,
  { most, remaining }: { most: number | null; remaining: number | null },
): void {
  if (
    campaign.isQuotaTold ||
    most === null ||
    remaining === null ||
    most - remaining < most * WARNING_SHARE
  )
    return
  changeCampaignIn(tx, ctx, campaign.id, { isQuotaTold: true })
  notifyAboutCampaignIn(tx, ctx, campaign, {
    kind: 'campaign_quota',
    severity: 'warning',
    title: 'Most of the daily messaging limit is used',
    body:
      `You have started conversations with ${most - remaining} of the ${most} people allowed ` +
      'within 24 hours.',
  })
}

/**
 * Claims recipients until there is no more room, time or budget; `more` when it should go on at
 * once.
 */
function claimUpToIn(tx: Tx, ctx: Ctx, sending: Sending, room: number): 'done' | 'more' | 'broke' {
  const { campaign, account, template } = sending
  const startedMs = performance.now()
  const desk = loadEligibilityContext(ctx, campaign, template)
  const { organizationId } = ctx
  const rows = nextPending(ctx.db).all({
    organizationId,
    campaignId: campaign.id,
    limit: Math.min(room, READ_AT_ONCE),
  })
  for (const [index, row] of rows.entries()) {
    if (index > 0 && performance.now() - startedMs > AT_ONCE_MS) return 'more'
    const claimed = claimOneIn(tx, ctx, row, () => claimIn(tx, ctx, { desk, account, row }))
    if (claimed === 'broke') return 'broke'
    if (claimed === 'failed' && watchErrorsIn(tx, ctx, campaign)) return 'done'
  }
  return rows.length === READ_AT_ONCE && room > READ_AT_ONCE ? 'more' : 'done'
}

/**
 * One recipient that brings down everything is noted as failed and stops no other; trouble of the
 * storage is not theirs and goes on up.
 */
function claimOneIn(tx: Tx, ctx: Ctx, row: RecipientRow, claim: () => Claimed): Claimed {
  try {
    return savepoint(tx, claim)
  } catch (error) {
    if (isStorageError(error)) throw error
    ctx.log.error(
      { error, campaign_id: row.campaignId, organization_id: ctx.organizationId },
      'campaign message not created',
    )
    failRecipientIn(
      tx,
      ctx,
      row,
      ownFailure(
        'internal_error',
        'The server could not create the message because of an internal error.',
        true,
      ),
    )
    return 'failed'
  }
}

const nextPending = compiled((orm) =>
  orm
    .select()
    .from(campaignRecipients)
    .where(
      inOrganization(
        anyScope,
        campaignRecipients,
        and(
          eq(campaignRecipients.campaignId, sql.placeholder('campaignId')),
          sql`${campaignRecipients.status} = 'pending'`,
        ),
      ),
    )
    .orderBy(asc(campaignRecipients.id))
    .limit(sql.placeholder('limit'))
    .prepare(),
)

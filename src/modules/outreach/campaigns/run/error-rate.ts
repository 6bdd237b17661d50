import { and, desc, eq, gte, lt, sql } from 'drizzle-orm'

import { MINUTE_MS } from '../../../../lib/clock'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { pauseAutomaticallyIn } from './pause-automatically'
import { failsTooOften, RECENT_LIMIT, type Finished } from '../rules'
import { campaignRecipients } from '../table'
import type { CampaignRow } from '../view'

/** An accepted message without a status for this long counts as finished: the phone is off. */
const QUIET_MS = MINUTE_MS

/**
 * Pauses a campaign if too many of its recent messages failed (templates contract C, rule 7).
 * Returns whether it did. Runs inside the caller's transaction.
 */
export function watchErrorsIn(tx: Tx, ctx: Ctx, campaign: CampaignRow): boolean {
  if (campaign.status !== 'sending' || campaign.ignoresErrors) return false
  const last = [...recentResults(tx, ctx, campaign), ...recentWithoutStatus(tx, ctx, campaign)]
    .toSorted((a, b) => b.atMs - a.atMs)
    .slice(0, RECENT_LIMIT)
  if (!failsTooOften(last, campaign.errorThreshold)) return false
  pauseAutomaticallyIn(tx, ctx, campaign.id, { reason: 'error_rate' })
  return true
}

const ofCampaign = (ctx: Ctx, { id }: CampaignRow) =>
  inOrganization(ctx, campaignRecipients, eq(campaignRecipients.campaignId, id))

/** Returns the recipients with the newest results. */
const recentResults = (tx: Tx, ctx: Ctx, campaign: CampaignRow): Finished[] =>
  tx
    .select({
      status: campaignRecipients.status,
      atMs: sql<number>`${campaignRecipients.finishedAtMs}`,
      platformCode: sql<
        number | null
      >`json_extract(${campaignRecipients.error}, '$.platform_code')`,
    })
    .from(campaignRecipients)
    .where(
      and(ofCampaign(ctx, campaign), gte(campaignRecipients.finishedAtMs, campaign.errorsSinceMs)),
    )
    .orderBy(desc(campaignRecipients.finishedAtMs))
    .limit(RECENT_LIMIT)
    .all()

/** Returns the newest accepted messages without a status for a while. */
const recentWithoutStatus = (tx: Tx, ctx: Ctx, campaign: CampaignRow): Finished[] =>
  tx
    .select({
      status: campaignRecipients.status,
      atMs: sql<number>`${campaignRecipients.sentAtMs} + ${QUIET_MS}`,
      platformCode: sql<null>`null`,
    })
    .from(campaignRecipients)
    .where(
      and(
        ofCampaign(ctx, campaign),
        eq(campaignRecipients.status, 'sent'),
        gte(campaignRecipients.sentAtMs, campaign.errorsSinceMs - QUIET_MS),
        lt(campaignRecipients.sentAtMs, ctx.clock.nowMs() - QUIET_MS),
      ),
    )
    .orderBy(desc(campaignRecipients.sentAtMs))
    .limit(RECENT_LIMIT)
    .all()

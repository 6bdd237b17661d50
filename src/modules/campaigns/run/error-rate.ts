import { and, desc, eq, gte, lt, sql } from 'drizzle-orm'

import { MINUTE_MS } from '../../../lib/clock'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { pauseAutomaticallyIn } from './pause-automatically'
import { failsTooOften, LOOKED_BACK, type Finished } from '../rules'
import { campaignRecipients } from '../table'
import type { CampaignRow } from '../view'

/** One that was taken so long ago and not heard of since has finished: its phone is off. */
const QUIET_MS = MINUTE_MS

/**
 * Pauses a campaign of whose last finished recipients too many failed, in the caller's transaction
 * (templates contract C, rule 7). Returns whether it did.
 */
export function watchErrorsIn(tx: Tx, ctx: Ctx, campaign: CampaignRow): boolean {
  if (campaign.status !== 'sending' || campaign.ignoresErrors) return false
  const last = [...heardOf(tx, ctx, campaign), ...quietOnes(tx, ctx, campaign)]
    .toSorted((a, b) => b.atMs - a.atMs)
    .slice(0, LOOKED_BACK)
  if (!failsTooOften(last, campaign.errorThreshold)) return false
  pauseAutomaticallyIn(tx, ctx, campaign.id, { reason: 'error_rate' })
  return true
}

const ofCampaign = (ctx: Ctx, { id }: CampaignRow) =>
  inOrganization(ctx, campaignRecipients, eq(campaignRecipients.campaignId, id))

/** The last that arrived or failed. */
const heardOf = (tx: Tx, ctx: Ctx, campaign: CampaignRow): Finished[] =>
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
    .limit(LOOKED_BACK)
    .all()

/** The last that were taken and of which nothing was heard for a while. */
const quietOnes = (tx: Tx, ctx: Ctx, campaign: CampaignRow): Finished[] =>
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
    .limit(LOOKED_BACK)
    .all()

import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'

import { inOrganization, systemCtx, type Ctx, type Deps } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { LOST_AFTER_RESTORE } from '../../messages/outbound/mark-unknown-after-restore'
import { organizations } from '../../organizations/table'
import { notifyAboutCampaignIn } from '../results/notify'
import { campaignRecipients, campaigns } from '../table'

/**
 * Pauses every scheduled, sending or paused campaign of a restored database: its recipients may
 * have received messages since the backup was made. Recipients with a message in progress become
 * unknown. Returns the number of campaigns.
 */
export function pauseRestored(deps: Pick<Deps, 'db' | 'clock' | 'ids'>): number {
  return transact(deps.db, (tx) =>
    tx
      .select({ id: organizations.id })
      .from(organizations)
      .orderBy(asc(organizations.id))
      .all()
      .map(({ id }) => pauseAllIn(tx, systemCtx(deps as Deps, id))) // only its scope, clock and ids are used
      .reduce((sum, paused) => sum + paused, 0),
  )
}

/** The same for one organization, in the caller's transaction. */
export function pauseAllIn(tx: Tx, ctx: Ctx): number {
  const nowMs = ctx.clock.nowMs()
  tx.update(campaignRecipients)
    .set({
      status: 'unknown',
      error: JSON.stringify(LOST_AFTER_RESTORE),
      errorCode: LOST_AFTER_RESTORE.code,
      updatedAtMs: nowMs,
    })
    .where(inOrganization(ctx, campaignRecipients, eq(campaignRecipients.status, 'sending')))
    .run()
  const paused = tx
    .update(campaigns)
    .set({
      status: 'paused',
      pauseReason: 'restored',
      resumesAtMs: null,
      startedAtMs: sql`coalesce(${campaigns.startedAtMs}, ${nowMs})`,
      updatedAtMs: nowMs,
    })
    .where(
      inOrganization(
        ctx,
        campaigns,
        and(
          isNull(campaigns.deletedAtMs),
          inArray(campaigns.status, ['scheduled', 'sending', 'paused']),
        ),
      ),
    )
    .returning({ id: campaigns.id, name: campaigns.name })
    .all()
  for (const campaign of paused)
    notifyAboutCampaignIn(tx, ctx, campaign, {
      kind: 'campaign_paused',
      severity: 'warning',
      title: 'Campaign paused',
      body:
        'A backup was restored. Recipients may have received messages since the backup was ' +
        'made. Check this before you resume the campaign.',
    })
  return paused.length
}

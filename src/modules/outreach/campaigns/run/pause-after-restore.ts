import { and, asc, eq, gt, inArray, isNull, or, sql, type SQL } from 'drizzle-orm'

import { inOrganization, systemCtx, type Ctx, type Deps } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { LOST_AFTER_RESTORE } from '../../../inbox/messages/outbound/mark-unknown-after-restore'
import { organizations } from '../../../organization/organizations/table'
import { recordPauseIn } from '../audit'
import { notifyAboutCampaignIn } from '../results/notify'
import { campaignRecipients, campaigns } from '../table'
import { noticeText } from '../../../organization/notifications/catalog'

/**
 * Pauses every scheduled, sending or paused campaign of a restored database: its recipients may
 * have received messages since the backup was made. Its recipients without a result become unknown, so
 * that they can be listed. Returns the number of campaigns.
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
function pauseAllIn(tx: Tx, ctx: Ctx): number {
  const paused = pauseIn(tx, ctx)
  const ids = tx
    .select({ id: campaigns.id })
    .from(campaigns)
    .where(inOrganization(ctx, campaigns, eq(campaigns.pauseReason, 'restored')))
  const isLeft = and(
    eq(campaignRecipients.status, 'pending'),
    inArray(campaignRecipients.campaignId, ids),
  )
  markUnknownIn(tx, ctx, or(isInProgress, isLeft))
  return paused
}

/** Recipients marked in one transaction. */
const AT_ONCE = 100

/**
 * The same for the next campaign of an organization after an ID, in the caller's transaction. Returns the ID
 * after which to go on, `null` at the end.
 */
export function pauseNextIn(tx: Tx, ctx: Ctx, after: string): string | null {
  const next = tx
    .select({ id: campaigns.id, isUnderway: sql<number>`${isUnderway}` })
    .from(campaigns)
    .where(inOrganization(ctx, campaigns, gt(campaigns.id, after)))
    .orderBy(asc(campaigns.id))
    .limit(1)
    .get()
  if (!next) return null
  const isUncertain = and(
    eq(campaignRecipients.campaignId, next.id),
    next.isUnderway === 1
      ? inArray(campaignRecipients.status, ['pending', 'sending'])
      : isInProgress,
  )
  const ids = tx
    .select({ id: campaignRecipients.id })
    .from(campaignRecipients)
    .where(inOrganization(ctx, campaignRecipients, isUncertain))
    .limit(AT_ONCE)
    .all()
    .map(({ id }) => id)
  markUnknownIn(tx, ctx, inArray(campaignRecipients.id, ids))
  if (ids.length === AT_ONCE) return after
  pauseIn(tx, ctx, eq(campaigns.id, next.id))
  return next.id
}

const isInProgress = eq(campaignRecipients.status, 'sending')

/** Whether a campaign may have sent messages since. */
const isUnderway = and(
  isNull(campaigns.deletedAtMs),
  inArray(campaigns.status, ['scheduled', 'sending', 'paused']),
)

function markUnknownIn(tx: Tx, ctx: Ctx, condition: SQL | undefined): void {
  tx.update(campaignRecipients)
    .set({
      status: 'unknown',
      error: JSON.stringify(LOST_AFTER_RESTORE),
      errorCode: LOST_AFTER_RESTORE.code,
      updatedAtMs: ctx.clock.nowMs(),
    })
    .where(inOrganization(ctx, campaignRecipients, condition))
    .run()
}

/** Pauses campaigns and notifies about each. Returns their number. */
function pauseIn(tx: Tx, ctx: Ctx, condition?: SQL): number {
  const nowMs = ctx.clock.nowMs()
  const paused = tx
    .update(campaigns)
    .set({
      status: 'paused',
      pauseReason: 'restored',
      resumesAtMs: null,
      startedAtMs: sql`coalesce(${campaigns.startedAtMs}, ${nowMs})`,
      updatedAtMs: nowMs,
    })
    .where(inOrganization(ctx, campaigns, and(isUnderway, condition)))
    .returning({ id: campaigns.id, name: campaigns.name })
    .all()
  for (const campaign of paused) {
    recordPauseIn(tx, ctx, campaign, 'restored')
    notifyAboutCampaignIn(tx, ctx, campaign, {
      kind: 'campaign_paused',
      severity: 'warning',
      title: 'Campaign paused',
      text: noticeText('campaign_paused_restore'),
      body:
        'A backup was restored. Recipients may have received messages since the backup was ' +
        'made. Check this before you resume the campaign.',
    })
  }
  return paused.length
}

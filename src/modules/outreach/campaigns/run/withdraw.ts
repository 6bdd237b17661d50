import { and, asc, eq, inArray } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { PENDING_STATES } from '../../../inbox/messages/outbound/delivery-state'
import { messages } from '../../../inbox/messages/table'
import { withdrawMessageIn } from '../../../inbox/messages/outbound/withdraw'
import { publishCampaignIn } from '../results/publish'
import { changeRecipientIn, findAnyCampaign, isCurrentSend } from '../state'
import { campaignRecipients, campaignSends } from '../table'

/** Maximum duration of one transaction, milliseconds. */
const AT_ONCE_MS = 6
const AT_ONCE = 50
const CANCELLED_AT_ONCE = 500

/**
 * Withdraws a batch of unsent messages of a campaign that is paused, canceled or outside its send
 * window. The recipients become pending again, or are canceled together with the pending ones.
 * Returns whether there may be more. Runs inside the caller's transaction.
 */
export function withdrawIn(tx: Tx, ctx: Ctx, campaignId: string): boolean {
  // A campaign can be deleted right after it was canceled.
  const row = findAnyCampaign(ctx, campaignId)
  const isOutsideWindow =
    row?.status === 'sending' &&
    row.windowEndsAtMs !== null &&
    row.windowEndsAtMs <= ctx.clock.nowMs()
  if (!row || (row.status !== 'paused' && row.status !== 'cancelled' && !isOutsideWindow))
    return false
  const status = row.status === 'cancelled' ? 'cancelled' : 'pending'
  const hasMore =
    withdrawBatchIn(tx, ctx, campaignId, status) ||
    (status === 'cancelled' && cancelBatchIn(tx, ctx, campaignId))
  publishCampaignIn(tx, ctx, campaignId, 'counters')
  return hasMore
}

function withdrawBatchIn(
  tx: Tx,
  ctx: Ctx,
  campaignId: string,
  status: 'pending' | 'cancelled',
): boolean {
  const startedMs = performance.now()
  const claimed = tx
    .select({ id: campaignRecipients.id, messageId: messages.id })
    .from(campaignRecipients)
    .innerJoin(campaignSends, isCurrentSend)
    .innerJoin(
      messages,
      and(
        eq(messages.organizationId, campaignSends.organizationId),
        eq(messages.id, campaignSends.messageId),
      ),
    )
    .where(
      inOrganization(
        ctx,
        campaignRecipients,
        and(
          eq(campaignRecipients.campaignId, campaignId),
          eq(campaignRecipients.status, 'sending'),
          inArray(messages.stage, [...PENDING_STATES]),
        ),
      ),
    )
    .orderBy(asc(campaignRecipients.id))
    .limit(AT_ONCE)
    .all()
  for (const [index, { id, messageId }] of claimed.entries()) {
    if (withdrawMessageIn(tx, ctx, messageId))
      changeRecipientIn(tx, ctx, { campaignId, id }, { status, costMicros: null })
    if (performance.now() - startedMs > AT_ONCE_MS)
      return index + 1 < claimed.length || claimed.length === AT_ONCE
  }
  return claimed.length === AT_ONCE
}

function cancelBatchIn(tx: Tx, ctx: Ctx, campaignId: string): boolean {
  const waiting = inOrganization(
    ctx,
    campaignRecipients,
    and(eq(campaignRecipients.campaignId, campaignId), eq(campaignRecipients.status, 'pending')),
  )
  const batch = tx
    .select({ id: campaignRecipients.id })
    .from(campaignRecipients)
    .where(waiting)
    .limit(CANCELLED_AT_ONCE)
    .all()
  if (batch.length === 0) return false
  tx.update(campaignRecipients)
    .set({ status: 'cancelled', updatedAtMs: ctx.clock.nowMs() })
    .where(
      and(
        waiting,
        inArray(
          campaignRecipients.id,
          batch.map(({ id }) => id),
        ),
      ),
    )
    .run()
  return batch.length === CANCELLED_AT_ONCE
}

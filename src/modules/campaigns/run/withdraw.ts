import { and, asc, eq, inArray } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { PENDING_STATES } from '../../messages/outbound/delivery-state'
import { messages } from '../../messages/table'
import { withdrawMessageIn } from '../../messages/outbound/withdraw'
import { publishCampaignIn } from '../results/publish'
import { changeRecipientIn, findAnyCampaign, isPresentSend } from '../state'
import { campaignRecipients, campaignSends } from '../table'

/** Messages taken back in one transaction take no longer than this, milliseconds. */
const AT_ONCE_MS = 6
const AT_ONCE = 50
const CANCELLED_AT_ONCE = 500

/**
 * Takes messages of a campaign that was paused or cancelled back that were claimed and not called
 * yet, some of them, in the caller's transaction: their recipients wait again, or are cancelled
 * with all that wait. Returns whether there may be more.
 */
export function withdrawIn(tx: Tx, ctx: Ctx, campaignId: string): boolean {
  // Also of one that was deleted right after it was cancelled.
  const row = findAnyCampaign(ctx, campaignId)
  const isOutOfHours =
    row?.status === 'sending' &&
    row.windowEndsAtMs !== null &&
    row.windowEndsAtMs <= ctx.clock.nowMs()
  if (!row || (row.status !== 'paused' && row.status !== 'cancelled' && !isOutOfHours)) return false
  const status = row.status === 'cancelled' ? 'cancelled' : 'pending'
  const hasMore =
    takeBackSomeIn(tx, ctx, campaignId, status) ||
    (status === 'cancelled' && cancelSomeIn(tx, ctx, campaignId))
  publishCampaignIn(tx, ctx, campaignId, 'counters')
  return hasMore
}

function takeBackSomeIn(
  tx: Tx,
  ctx: Ctx,
  campaignId: string,
  status: 'pending' | 'cancelled',
): boolean {
  const startedMs = performance.now()
  const claimed = tx
    .select({ id: campaignRecipients.id, messageId: messages.id })
    .from(campaignRecipients)
    .innerJoin(campaignSends, isPresentSend)
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

function cancelSomeIn(tx: Tx, ctx: Ctx, campaignId: string): boolean {
  const waiting = inOrganization(
    ctx,
    campaignRecipients,
    and(eq(campaignRecipients.campaignId, campaignId), eq(campaignRecipients.status, 'pending')),
  )
  const some = tx
    .select({ id: campaignRecipients.id })
    .from(campaignRecipients)
    .where(waiting)
    .limit(CANCELLED_AT_ONCE)
    .all()
  if (some.length === 0) return false
  tx.update(campaignRecipients)
    .set({ status: 'cancelled', updatedAtMs: ctx.clock.nowMs() })
    .where(
      and(
        waiting,
        inArray(
          campaignRecipients.id,
          some.map(({ id }) => id),
        ),
      ),
    )
    .run()
  return some.length === CANCELLED_AT_ONCE
}

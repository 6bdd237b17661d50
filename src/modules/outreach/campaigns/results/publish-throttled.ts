import { SECOND_MS } from '../../../../lib/clock'
import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { CampaignChanged } from '../events'
import { findProgress, notePublishedIn } from '../state'

/** Minimum interval between two published changes, milliseconds: of counters, and of the state. */
export const MIN_INTERVAL_MS = { counters: SECOND_MS, state: SECOND_MS / 2 } as const

/** Publishes a change of a campaign to sockets now. Runs inside the caller's transaction. */
export function publishNowIn(tx: Tx, ctx: Ctx, campaignId: string): void {
  notePublishedIn(tx, ctx, campaignId, { publishedAtMs: ctx.clock.nowMs(), isPublishDue: false })
  emit(tx, ctx, CampaignChanged, { contactId: null, payload: { campaignId } })
}

/**
 * Publishes a delayed change, unless a later change was already published. Runs inside the caller's
 * transaction.
 */
export function publishHeldBackIn(tx: Tx, ctx: Ctx, campaignId: string): void {
  if (findProgress(ctx, campaignId)?.isPublishDue === true) publishNowIn(tx, ctx, campaignId)
}

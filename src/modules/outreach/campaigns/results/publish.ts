import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { emit } from '../../../../infra/outbox/events'
import { CampaignStateChanged } from '../events'
import { findProgress, notePublishedIn } from '../state'
import { PublishCampaignChange } from '../jobs'
import { MIN_INTERVAL_MS, publishNowIn } from './publish-throttled'

/**
 * Publishes a change of the state or the counters. Changes that follow within the minimum interval
 * are published together; the last change is always published (templates contract C, rule 13). Runs
 * inside the caller's transaction.
 */
export function publishCampaignIn(
  tx: Tx,
  ctx: Ctx,
  campaignId: string,
  about: keyof typeof MIN_INTERVAL_MS,
): void {
  const row = findProgress(ctx, campaignId)
  if (!row) return
  const nowMs = ctx.clock.nowMs()
  const sinceMs = nowMs - (row.publishedAtMs ?? 0)
  // If the clock was set back, publish now.
  if (sinceMs >= MIN_INTERVAL_MS[about] || sinceMs < 0) return publishNowIn(tx, ctx, campaignId)
  if (row.isPublishDue && about === 'counters') return undefined
  if (!row.isPublishDue) notePublishedIn(tx, ctx, campaignId, { isPublishDue: true })
  enqueue(tx, ctx, PublishCampaignChange, {
    args: { campaignId },
    runAtMs: nowMs - sinceMs + MIN_INTERVAL_MS[about],
  })
  return undefined
}

/** Publishes a change of the state. Runs inside the transaction that changes it. */
export function publishStateChangeIn(
  tx: Tx,
  ctx: Ctx,
  campaignId: string,
  turn: 'started' | 'paused' | 'resumed' | 'completed' | 'cancelled',
): void {
  emit(tx, ctx, CampaignStateChanged, { contactId: null, payload: { campaignId, turn } })
  publishCampaignIn(tx, ctx, campaignId, 'state')
}

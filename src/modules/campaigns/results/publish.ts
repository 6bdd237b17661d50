import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { emit } from '../../../infra/outbox/events'
import { CampaignTurned } from '../events'
import { changeCampaignIn, findCampaign } from '../state'
import { PublishCampaignChange } from '../jobs'
import { EVERY_MS, tellIn } from './publish-throttled'

/**
 * Announces that a campaign's state or counters moved, in the caller's transaction: at once, or
 * when it was announced a moment ago together with whatever else moves in that time; the last move
 * is always told (templates contract C, rule 13).
 */
export function publishCampaignIn(
  tx: Tx,
  ctx: Ctx,
  campaignId: string,
  about: keyof typeof EVERY_MS,
): void {
  const row = findCampaign(ctx, campaignId)
  if (!row) return
  const nowMs = ctx.clock.nowMs()
  const sinceMs = nowMs - (row.announcedAtMs ?? 0)
  // A clock that was put back must not hold anything back.
  if (sinceMs >= EVERY_MS[about] || sinceMs < 0) return tellIn(tx, ctx, campaignId)
  if (row.isAnnounceDue && about === 'counters') return undefined
  if (!row.isAnnounceDue) changeCampaignIn(tx, ctx, campaignId, { isAnnounceDue: true })
  enqueue(tx, ctx, PublishCampaignChange, {
    args: { campaignId },
    runAtMs: nowMs - sinceMs + EVERY_MS[about],
  })
  return undefined
}

/** Announces that a campaign came to another state, in the transaction in which it did. */
export function publishStateChangeIn(
  tx: Tx,
  ctx: Ctx,
  campaignId: string,
  turn: 'started' | 'paused' | 'resumed' | 'completed' | 'cancelled',
): void {
  emit(tx, ctx, CampaignTurned, { contactId: null, payload: { campaignId, turn } })
  publishCampaignIn(tx, ctx, campaignId, 'state')
}

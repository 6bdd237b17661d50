import { SECOND_MS } from '../../../lib/clock'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { CampaignMoved } from '../events'
import { changeCampaignIn, findCampaign } from '../state'

/** Counters are told at most so often; with changes of the state twice as often. */
export const EVERY_MS = { counters: SECOND_MS, state: SECOND_MS / 2 } as const

/** Tells sockets what has become of a campaign, in the caller's transaction. */
export function tellIn(tx: Tx, ctx: Ctx, campaignId: string): void {
  changeCampaignIn(tx, ctx, campaignId, { announcedAtMs: ctx.clock.nowMs(), isAnnounceDue: false })
  emit(tx, ctx, CampaignMoved, { contactId: null, payload: { campaignId } })
}

/** Tells what was held back of a campaign; nothing when it was told meanwhile. */
export function publishHeldBackIn(tx: Tx, ctx: Ctx, campaignId: string): void {
  if (findCampaign(ctx, campaignId)?.isAnnounceDue === true) tellIn(tx, ctx, campaignId)
}

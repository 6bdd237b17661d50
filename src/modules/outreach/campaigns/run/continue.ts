import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { expedite, hasLiveJob } from '../../../../infra/jobs/waiting-jobs'
import { DispatchCampaign, PlanCampaign } from '../jobs'
import { countsOf } from '../state'
import type { CampaignRow } from '../view'
import { completeWhenDoneIn } from './complete'

/**
 * Enqueues the jobs that a sending campaign needs and does not have: planning until all recipients
 * are selected, and dispatch as soon as there are some. Completes a campaign that has nothing left
 * to send. Runs inside the caller's transaction.
 */
export function continueIn(tx: Tx, ctx: Ctx, row: CampaignRow): void {
  if (!row.isPlanned) {
    const orderingKey = `plan:${row.id}`
    if (!hasLiveJob(ctx, { kind: PlanCampaign.name, orderingKeys: [orderingKey] }))
      enqueue(tx, ctx, PlanCampaign, {
        args: { campaignId: row.id, phase: 'upload', after: '', micros: 0 },
        orderingKey,
      })
    if (countsOf(ctx, row.id).pending > 0) dispatchUnlessLiveIn(tx, ctx, row.id)
    return
  }
  if (completeWhenDoneIn(tx, ctx, row)) return
  expedite(tx, ctx, dispatchOf(row.id))
  dispatchUnlessLiveIn(tx, ctx, row.id)
}

const dispatchOf = (campaignId: string) => ({
  kind: DispatchCampaign.name,
  orderingKeys: [`campaign:${campaignId}`],
})

function dispatchUnlessLiveIn(tx: Tx, ctx: Ctx, campaignId: string): void {
  if (hasLiveJob(ctx, dispatchOf(campaignId))) return
  enqueue(tx, ctx, DispatchCampaign, {
    args: { campaignId },
    orderingKey: `campaign:${campaignId}`,
  })
}

import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { enqueue, expedite, hasLiveJob } from '../../../infra/jobs/enqueue'
import { DispatchCampaign, PlanCampaign } from '../jobs'
import type { CampaignRow } from '../view'
import { completeWhenDoneIn } from './complete'

/**
 * Enqueues the job that plans or dispatches a sending campaign, unless there is one. Runs inside
 * the caller's transaction.
 */
export function continueIn(tx: Tx, ctx: Ctx, row: CampaignRow): void {
  const which = { kind: DispatchCampaign.name, orderingKeys: [`campaign:${row.id}`] }
  if (!row.isPlanned) {
    if (!hasLiveJob(ctx, { kind: PlanCampaign.name, orderingKeys: [`campaign:${row.id}`] }))
      enqueue(tx, ctx, PlanCampaign, {
        args: { campaignId: row.id, phase: 'upload', after: '', micros: 0 },
        orderingKey: `campaign:${row.id}`,
      })
    return
  }
  if (completeWhenDoneIn(tx, ctx, row)) return
  expedite(tx, ctx, which)
  if (!hasLiveJob(ctx, which))
    enqueue(tx, ctx, DispatchCampaign, {
      args: { campaignId: row.id },
      orderingKey: `campaign:${row.id}`,
    })
}

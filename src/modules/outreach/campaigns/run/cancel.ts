import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { recordCampaignIn } from '../audit'
import { WithdrawMessages } from '../jobs'
import type { CampaignView } from '../model'
import { campaignViewOf } from '../queries'
import { publishStateChangeIn } from '../results/publish'
import { STEPS } from '../rules'
import { changeStateIn, getCampaignRow, wrongState } from '../state'
import { withdrawIn } from './withdraw'

/**
 * Ends a campaign permanently; remaining recipients get no message. Throws NotFoundError and
 * ConflictError `wrong_state`.
 */
export function cancelCampaign(ctx: Ctx, id: string): CampaignView {
  return transact(ctx.db, (tx) => {
    const set = { status: 'cancelled', completedAtMs: ctx.clock.nowMs() } as const
    const row = changeStateIn(tx, ctx, id, { from: STEPS.cancel, set })
    if (!row) throw wrongState(getCampaignRow(ctx, id))
    if (withdrawIn(tx, ctx, id)) enqueue(tx, ctx, WithdrawMessages, { args: { campaignId: id } })
    recordCampaignIn(tx, ctx, row, 'cancelled')
    publishStateChangeIn(tx, ctx, id, 'cancelled')
    return campaignViewOf(ctx, getCampaignRow(ctx, id))
  })
}

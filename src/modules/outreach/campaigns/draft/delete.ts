import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { recordCampaignIn } from '../audit'
import { EraseRecipients } from '../jobs'
import { STEPS } from '../rules'
import { changeCampaignIn, getCampaignRow, wrongState } from '../state'

/**
 * Deletes a campaign that is not scheduled, sending or paused. Its messages stay; the data of its
 * recipients is erased. Throws NotFoundError and ConflictError `wrong_state`.
 */
export function deleteCampaign(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const row = getCampaignRow(ctx, id)
    if (!STEPS.delete.some((status) => status === row.status)) throw wrongState(row)
    changeCampaignIn(tx, ctx, id, { deletedAtMs: ctx.clock.nowMs() })
    enqueue(tx, ctx, EraseRecipients, { args: { campaignId: id, after: '' } })
    recordCampaignIn(tx, ctx, row, 'deleted')
  })
}

import type { Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { recordCampaignIn } from '../audit'
import { WithdrawMessages } from '../jobs'
import type { CampaignView } from '../model'
import { campaignViewOf } from '../queries'
import { publishStateChangeIn } from '../results/publish'
import type { PauseReason } from '../rules'
import { changeStateIn, getCampaignRow, wrongState } from '../state'
import type { CampaignRow } from '../view'

/** Pauses a campaign. Throws NotFoundError and ConflictError `wrong_state`. */
export function pauseCampaign(ctx: Ctx, id: string): CampaignView {
  return transact(ctx.db, (tx) => {
    const row = pauseIn(tx, ctx, id, { reason: 'user' })
    if (!row) throw wrongState(getCampaignRow(ctx, id))
    recordCampaignIn(tx, ctx, row, 'paused')
    return campaignViewOf(ctx, row)
  })
}

/**
 * Pauses a sending campaign and withdraws its claimed messages. Returns `null` if it was not
 * sending. Runs inside the caller's transaction.
 */
export function pauseIn(
  tx: Tx,
  ctx: Ctx,
  id: string,
  why: { reason: PauseReason; resumesAtMs?: number | null },
): CampaignRow | null {
  const { reason, resumesAtMs = null } = why
  const row = changeStateIn(tx, ctx, id, {
    from: ['sending'],
    set: { status: 'paused', pauseReason: reason, resumesAtMs },
  })
  if (!row) return null
  enqueue(tx, ctx, WithdrawMessages, { args: { campaignId: id } })
  publishStateChangeIn(tx, ctx, id, 'paused')
  return row
}

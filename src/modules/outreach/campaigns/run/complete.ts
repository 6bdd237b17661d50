import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { recordCampaignIn } from '../audit'
import { publishStateChangeIn } from '../results/publish'
import { changeStateIn, countsOf, type CampaignProgress } from '../state'
import { isRetrying } from './retry-key'

/**
 * Completes a campaign that has nothing left to send. Returns whether it did. Runs inside the
 * caller's transaction.
 */
export function completeWhenDoneIn(
  tx: Tx,
  ctx: Ctx,
  row: Pick<CampaignProgress, 'id' | 'status' | 'isPlanned'>,
): boolean {
  if (row.status !== 'sending' || !row.isPlanned) return false
  const { pending, sending } = countsOf(ctx, row.id)
  if (pending > 0 || sending > 0 || isRetrying(ctx, row.id)) return false
  const ended = changeStateIn(tx, ctx, row.id, {
    from: ['sending'],
    set: { status: 'completed', completedAtMs: ctx.clock.nowMs() },
  })
  if (!ended) return false
  recordCampaignIn(tx, ctx, ended, 'completed')
  publishStateChangeIn(tx, ctx, row.id, 'completed')
  return true
}

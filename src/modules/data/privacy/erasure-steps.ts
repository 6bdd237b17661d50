import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { bytesKey } from '../../channel/media/delete-files'
import { CompleteErasure } from './jobs'
import { changeRequestIn, countErasedIn, findRequest, type PrivacyCounts } from './requests'

/**
 * Records that a step of an erasure has finished and adds its last counts. After the last step,
 * schedules the job that completes the erasure.
 */
export function endPartIn(tx: Tx, ctx: Ctx, requestId: string, erased: PrivacyCounts = {}): void {
  countErasedIn(tx, ctx, requestId, erased)
  const row = findRequest(ctx, requestId)
  if (row?.state !== 'running') return
  const partsLeft = row.partsLeft - 1
  changeRequestIn(tx, ctx, requestId, { partsLeft })
  if (partsLeft === 0)
    enqueue(tx, ctx, CompleteErasure, { args: { requestId }, orderingKey: bytesKey(ctx) })
}

import { isoTime } from '../../../../lib/clock'
import { sha256Hex } from '../../../../lib/hash'
import { transact } from '../../../../infra/db'
import type { JobCtx } from '../../../../infra/jobs/define'
import { areFilesGoing } from '../../../media/removal'
import { changeRequestIn, findRequest } from '../requests'

/** Completes an erasure whose parts have all ended. Returns whether it is completed; not while bytes of it may still stand in a file. */
export async function completeRequest(ctx: JobCtx, requestId: string): Promise<boolean> {
  if (findRequest(ctx, requestId)?.state !== 'running') return true
  if (areFilesGoing(ctx, ctx.jobId) || !(await ctx.db.checkpoints.empty())) return false
  transact(ctx.db, (tx) => {
    const row = findRequest(ctx, requestId)
    if (row?.state !== 'running') return
    const completedAtMs = ctx.clock.nowMs()
    const facts = JSON.stringify([row.id, row.contactId, row.counts, isoTime(row.createdAtMs), isoTime(completedAtMs)])
    changeRequestIn(tx, ctx, requestId, { state: 'completed', completedAtMs, sha256: sha256Hex(facts) })
  })
  return true
}

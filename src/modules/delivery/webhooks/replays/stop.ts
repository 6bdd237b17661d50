import { ConflictError, NotFoundError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { recordAudit } from '../../../organization/audit/record'
import { advanceWorkIn } from '../../../organization/notifications/work/note'
import { endDeliveryIn, type End } from '../delivery/record'
import { findDelivery } from '../delivery/store'
import { EndReplay } from '../jobs'
import type { ReplayView } from '../model'
import { getEndpointRow, openDeliveries } from '../queries'
import type { ReplayRow } from '../row'
import { replayView } from '../view'
import { changeReplayIn, findReplay } from './progress'

/** How the deliveries of a stopped replay end. */
export const STOPPED: End = { state: 'cancelled', reason: 'The replay was stopped.' }

function getReplayRow(ctx: Ctx, endpointId: string, id: string): ReplayRow {
  getEndpointRow(ctx, endpointId)
  const row = findReplay(ctx, id)
  if (row?.endpointId !== endpointId) throw new NotFoundError('Webhook replay')
  return row
}

/** Returns a replay of an endpoint. Throws NotFoundError. */
export const getReplay = (ctx: Ctx, endpointId: string, id: string): ReplayView =>
  replayView(getReplayRow(ctx, endpointId, id))

/**
 * Stops a replay: no further deliveries are made, and those that wait are cancelled in the
 * background. Throws NotFoundError and ConflictError `wrong_state`.
 */
export function stopReplay(ctx: Ctx, endpointId: string, id: string): ReplayView {
  return transact(ctx.db, (tx) => {
    const row = getReplayRow(ctx, endpointId, id)
    if (row.state !== 'running')
      throw new ConflictError('The replay is not running.', { code: 'wrong_state' })
    const set = { state: 'stopped' as const, endedAtMs: ctx.clock.nowMs() }
    changeReplayIn(tx, ctx, id, set)
    advanceWorkIn(tx, ctx, id, { state: 'cancelled' })
    enqueue(tx, ctx, EndReplay, { args: { replayId: id, afterId: null } })
    recordAudit(tx, ctx, {
      action: 'cancelled',
      resourceType: 'webhook_replay',
      resourceId: id,
      resourceName: getEndpointRow(ctx, endpointId).name,
    })
    return replayView({ ...row, ...set })
  })
}

/** Open deliveries of the endpoint looked at in one transaction. */
const BATCH = 200

/**
 * Ends the next open deliveries of a stopped replay, in the caller's transaction, and enqueues the
 * rest. A request that is under way decides about its own delivery.
 */
export function endStoppedReplayIn(
  tx: Tx,
  ctx: Ctx,
  { replayId, afterId }: { replayId: string; afterId: string | null },
): void {
  const replay = findReplay(ctx, replayId)
  if (replay?.state !== 'stopped') return
  const last = afterId === null ? null : findDelivery(ctx, afterId)
  const after = last
    ? { value: last.createdAtMs, id: last.id }
    : { value: replay.createdAtMs, id: '' }
  const open = openDeliveries(ctx, replay.endpointId, { limit: BATCH, after })
  for (const row of open)
    if (row.replayId === replayId && !ctx.webhookTraffic.sending.has(row.id))
      endDeliveryIn(tx, ctx, row, STOPPED)
  const end = open.at(-1)
  if (end && open.length === BATCH)
    enqueue(tx, ctx, EndReplay, { args: { replayId, afterId: end.id } })
}

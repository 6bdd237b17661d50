import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { EndDeliveries } from '../jobs'
import { findEndpoint, openDeliveries } from '../queries'
import { releaseDeliveriesIn } from './health'
import { endDeliveryIn, endOfEndpoint } from './record'

/** Deliveries ended in one transaction. */
const BATCH = 200

/**
 * Ends the next open deliveries of an endpoint that is disabled or deleted, in the caller's
 * transaction, and enqueues the rest. A request that is under way decides about its own delivery.
 */
export function endOpenDeliveriesIn(
  tx: Tx,
  ctx: Ctx,
  { endpointId }: { endpointId: string },
): void {
  const end = endOfEndpoint(findEndpoint(ctx, endpointId))
  if (!end) return
  const open = openDeliveries(ctx, endpointId, { limit: BATCH })
  for (const row of open)
    if (!ctx.webhookTraffic.sending.has(row.id)) endDeliveryIn(tx, ctx, row, end)
  // Their jobs end as well: later deliveries of their contacts must not wait for them.
  const hasMoreJobs = releaseDeliveriesIn(tx, ctx, endpointId)
  if (open.length === BATCH || hasMoreJobs)
    enqueue(tx, ctx, EndDeliveries, { args: { endpointId } })
}

import { and, eq, inArray } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { rekeyJobsIn } from '../../infra/jobs/waiting-jobs'
import { orderingKeyOf } from './delivery/store'
import { endpointsOf } from './queries'
import { webhookAttempts, webhookDeliveries, webhookPayloads } from './table'

const BATCH = 300

/**
 * Erases what endpoints were or would be sent about a contact, a batch at a time, in the caller's
 * transaction. Open deliveries end as `cancelled` when their turn comes. Returns the number of
 * erased payloads; there may be more unless it is 0.
 */
export function erasePayloadsIn(tx: Tx, ctx: Ctx, contactId: string): number {
  const ids = tx
    .select({ id: webhookPayloads.id })
    .from(webhookPayloads)
    .where(inOrganization(ctx, webhookPayloads, eq(webhookPayloads.contactId, contactId)))
    .limit(BATCH)
    .all()
    .map(({ id }) => id)
  if (ids.length === 0) return 0
  const deliveries = tx
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(inOrganization(ctx, webhookDeliveries, inArray(webhookDeliveries.payloadId, ids)))
    .all()
    .map(({ id }) => id)
  // What a receiver answered may repeat what it was sent.
  tx.update(webhookAttempts)
    .set({ responseExcerpt: null, responseHeaders: null })
    .where(
      inOrganization(ctx, webhookAttempts, and(inArray(webhookAttempts.deliveryId, deliveries))),
    )
    .run()
  tx.delete(webhookPayloads)
    .where(inOrganization(ctx, webhookPayloads, inArray(webhookPayloads.id, ids)))
    .run()
  return ids.length
}

/**
 * Moves what endpoints are sent about a contact to the contact it was merged into, and what waits
 * to the other one's line.
 */
export function moveDeliveriesIn(
  tx: Tx,
  ctx: Ctx,
  { from, to }: { from: string; to: string },
): void {
  for (const table of [webhookPayloads, webhookDeliveries])
    tx.update(table)
      .set({ contactId: to })
      .where(inOrganization(ctx, table, eq(table.contactId, from)))
      .run()
  for (const { id: endpointId } of endpointsOf(ctx))
    rekeyJobsIn(tx, ctx, {
      from: orderingKeyOf({ endpointId, contactId: from }),
      to: orderingKeyOf({ endpointId, contactId: to }),
    })
}

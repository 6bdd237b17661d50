import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { newestEventsOf } from '../../../../infra/outbox/events'
import { endpointsOf } from '../queries'
import { readerPosition } from './position'
import { storeDeliveriesIn } from './store-deliveries'

/**
 * Stores the deliveries of a contact's events that were not read yet, because its deletion removes
 * them from the log. An erased contact gets none. Runs in the transaction of the deletion.
 */
export function storeUnreadIn(
  tx: Tx,
  ctx: Ctx,
  { contactId, reason }: { contactId: string; reason: string },
): void {
  if (reason !== 'deleted') return
  const endpoints = endpointsOf(ctx)
  if (endpoints.length === 0) return
  for (const event of newestEventsOf(ctx, { contactId, after: readerPosition(ctx) }))
    storeDeliveriesIn(tx, ctx, event, endpoints)
}

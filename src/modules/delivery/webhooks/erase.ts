import { and, eq, inArray } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { emptied } from '../../../infra/db/define-table'
import type { Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { rekeyJobsIn } from '../../../infra/jobs/waiting-jobs'
import { idsOfPerson } from '../../inbox/contacts/erase/erase'
import { findContact } from '../../inbox/contacts/service'
import { orderingKeyOf } from './delivery/store'
import { MoveDeliveries } from './jobs'
import { endpointsOf } from './queries'
import { webhookAttempts, webhookDeliveries, webhookPayloads } from './table'

const BATCH = 300

/**
 * Erases what endpoints were or would be sent about a contact and those merged into it, a batch at a time, in the caller's
 * transaction. Open deliveries end as `cancelled` when their turn comes. Returns the number of
 * erased payloads; there may be more unless it is 0.
 */
export function erasePayloadsIn(tx: Tx, ctx: Ctx, contactId: string): number {
  const ids = tx
    .select({ id: webhookPayloads.id })
    .from(webhookPayloads)
    .where(
      inOrganization(
        ctx,
        webhookPayloads,
        inArray(webhookPayloads.contactId, idsOfPerson(ctx, contactId)),
      ),
    )
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
    .set(emptied(webhookAttempts))
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
 * Moves what endpoints are sent about a contact to the contact it was merged into, and what waits to the
 * other one's line, in the transaction of their merge. Jobs move the rest of many.
 */
export function followMergeIn(tx: Tx, ctx: Ctx, { from, to }: { from: string; to: string }): void {
  for (const { id: endpointId } of endpointsOf(ctx))
    rekeyJobsIn(tx, ctx, {
      from: orderingKeyOf({ endpointId, contactId: from }),
      to: orderingKeyOf({ endpointId, contactId: to }),
    })
  moveDeliveriesIn(tx, ctx, from)
}

/**
 * Moves up to 300 payloads and deliveries of a contact that was merged to the contact that remains, in the
 * caller's transaction, and schedules the next ones. Moves none after the merge was undone.
 */
export function moveDeliveriesIn(tx: Tx, ctx: Ctx, contactId: string): void {
  const to = remainingOf(ctx, contactId)
  if (to === contactId) return
  const moved = [webhookPayloads, webhookDeliveries].map((table) => {
    const ids = tx
      .select({ id: table.id })
      .from(table)
      .where(inOrganization(ctx, table, eq(table.contactId, contactId)))
      .limit(BATCH)
      .all()
      .map(({ id }) => id)
    if (ids.length > 0)
      tx.update(table)
        .set({ contactId: to })
        .where(inOrganization(ctx, table, inArray(table.id, ids)))
        .run()
    return ids.length
  })
  if (moved.includes(BATCH)) enqueue(tx, ctx, MoveDeliveries, { args: { contactId } })
}

/** Returns the contact into which a contact was merged in the end; itself if it was not. */
function remainingOf(ctx: Ctx, contactId: string): string {
  const into = findContact(ctx, contactId)?.mergedInto ?? null
  return into === null ? contactId : remainingOf(ctx, into)
}

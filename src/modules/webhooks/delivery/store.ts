import { and, eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { DeliverWebhook } from '../jobs'
import type { DeliveryRow, EndpointRow } from '../row'
import { webhookDeliveries, webhookPayloads } from '../table'

/** Stores the signed bytes of an event in the caller's transaction. Returns the ID. */
export function insertPayloadIn(
  tx: Tx,
  ctx: Ctx,
  payload: { body: string; contactId: string | null },
): string {
  const id = ctx.ids.next()
  tx.insert(webhookPayloads)
    .values({
      organizationId: ctx.organizationId,
      id,
      ...payload,
      createdAtMs: ctx.clock.nowMs(),
    })
    .run()
  return id
}

/** A new delivery. */
type NewDelivery = Pick<
  typeof webhookDeliveries.$inferInsert,
  | 'endpointId'
  | 'payloadId'
  | 'event'
  | 'seq'
  | 'contactId'
  | 'state'
  | 'originalId'
  | 'isManual'
  | 'replayId'
>

/** Stores a delivery in the caller's transaction. */
export function insertDeliveryIn(tx: Tx, ctx: Ctx, delivery: NewDelivery): DeliveryRow {
  const nowMs = ctx.clock.nowMs()
  return tx
    .insert(webhookDeliveries)
    .values({
      organizationId: ctx.organizationId,
      id: ctx.ids.next(),
      createdAtMs: nowMs,
      nextAttemptAtMs: delivery.state === 'pending' ? nowMs : null,
      ...delivery,
    })
    .returning()
    .get()
}

/** Key of the gate that admits deliveries of an endpoint; those of replays have their own. */
export const gateKeyOf = (endpointId: string, isReplay: boolean): string =>
  isReplay ? `${endpointId}:replay` : endpointId

/** Returns the endpoint of a gate, and whether its deliveries belong to replays. */
export function parseGateKey(key: string): { endpointId: string; isReplay: boolean } {
  const [endpointId = '', part] = key.split(':')
  return { endpointId, isReplay: part === 'replay' }
}

/** The line of deliveries that are sent one by one: those of a contact, or those without one. */
export const lineOf = (
  row: Pick<DeliveryRow, 'endpointId' | 'contactId' | 'replayId'>,
): { orderingKey: string; gateKey: string } => ({
  orderingKey: `webhook:${row.endpointId}:${row.contactId ?? ''}`,
  gateKey: gateKeyOf(row.endpointId, row.replayId !== null),
})

/** Enqueues the job that sends a delivery, in the caller's transaction. */
export function enqueueDeliveryIn(
  tx: Tx,
  ctx: Ctx,
  endpoint: Pick<EndpointRow, 'ordering'>,
  row: Pick<DeliveryRow, 'id' | 'endpointId' | 'contactId' | 'replayId'>,
): void {
  const { gateKey, orderingKey } = lineOf(row)
  enqueue(tx, ctx, DeliverWebhook, {
    args: { deliveryId: row.id },
    gateKey,
    ...(endpoint.ordering === 'per_contact' ? { orderingKey } : {}),
  })
}

/** Returns a delivery, or `null`. */
export const findDelivery = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  id: string,
): DeliveryRow | null =>
  ctx.db.orm
    .select()
    .from(webhookDeliveries)
    .where(inOrganization(ctx, webhookDeliveries, eq(webhookDeliveries.id, id)))
    .get() ?? null

/** Returns the signed bytes of an event, or `null` if they were deleted. */
export const findPayload = (ctx: Pick<Ctx, 'db' | 'organizationId'>, id: string): string | null =>
  ctx.db.orm
    .select({ body: webhookPayloads.body })
    .from(webhookPayloads)
    .where(inOrganization(ctx, webhookPayloads, and(eq(webhookPayloads.id, id))))
    .get()?.body ?? null

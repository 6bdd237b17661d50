import { eq, getTableColumns, sql, type Placeholder } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import { compiledUpdate } from '../../../../infra/db/compiled-update'
import type { Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { maskBody } from '../events/mask-body'
import { DeliverWebhook } from '../jobs'
import type { DeliveryRow, EndpointRow } from '../row'
import { webhookDeliveries, webhookPayloads } from '../table'

/** Returns placeholders for columns of an insert. */
const placesFor = <const C extends string>(columns: readonly C[]): Record<C, Placeholder> =>
  Object.fromEntries(
    columns.map((column) => [column, sql.placeholder(column) as Placeholder] as const),
  ) as Record<C, Placeholder>

const PAYLOAD_COLUMNS = [
  'organizationId',
  'id',
  'contactId',
  'body',
  'isMasked',
  'createdAtMs',
] as const

const insertPayload = compiled((orm) =>
  orm.insert(webhookPayloads).values(placesFor(PAYLOAD_COLUMNS)).prepare(),
)

/** Stores the signed bytes of an event in the caller's transaction. Returns the ID. */
export function insertPayloadIn(
  _tx: Tx,
  ctx: Ctx,
  payload: { body: string; isMasked: boolean; contactId: string | null },
): string {
  const id = ctx.ids.next()
  insertPayload(ctx.db).run({
    organizationId: ctx.organizationId,
    id,
    ...payload,
    createdAtMs: ctx.clock.nowMs(),
  })
  return id
}

type NewDelivery = Pick<
  DeliveryRow,
  'endpointId' | 'payloadId' | 'event' | 'seq' | 'contactId' | 'state'
> &
  Partial<Pick<DeliveryRow, 'originalId' | 'isManual' | 'replayId'>>

/** A delivery before its first attempt, without the columns of `NewDelivery` that must be given. */
const UNTRIED = {
  originalId: null,
  attempts: 0,
  nextAttemptAtMs: null,
  firstFailedAtMs: null,
  lastStatusCode: null,
  lastError: null,
  deliveredAtMs: null,
  isManual: false,
  replayId: null,
}

const DELIVERY_COLUMNS = Object.keys(getTableColumns(webhookDeliveries)) as (keyof DeliveryRow)[]

const insertDelivery = compiled((orm) =>
  orm.insert(webhookDeliveries).values(placesFor(DELIVERY_COLUMNS)).prepare(),
)

/** Stores a delivery in the caller's transaction. */
export function insertDeliveryIn(_tx: Tx, ctx: Ctx, delivery: NewDelivery): DeliveryRow {
  const nowMs = ctx.clock.nowMs()
  const row: DeliveryRow = {
    ...UNTRIED,
    organizationId: ctx.organizationId,
    id: ctx.ids.next(),
    createdAtMs: nowMs,
    ...delivery,
    nextAttemptAtMs: delivery.state === 'pending' ? nowMs : null,
  }
  insertDelivery(ctx.db).run({ ...row })
  return row
}

const changeDelivery = compiledUpdate(
  webhookDeliveries,
  inOrganization(
    anyScope,
    webhookDeliveries,
    eq(webhookDeliveries.id, place(webhookDeliveries.id, 'id')),
  ),
)

/** Changes columns of a delivery in the caller's transaction. */
export const changeDeliveryIn = (
  _tx: Tx,
  { db, organizationId }: Ctx,
  id: string,
  set: Partial<DeliveryRow>,
): void => changeDelivery(db, { organizationId, id }, set)

/** Key of the gate that admits deliveries of an endpoint; those of replays have their own. */
export const gateKeyOf = (endpointId: string, isReplay: boolean): string =>
  isReplay ? `${endpointId}:replay` : endpointId

/** Returns the endpoint of a gate, and whether its deliveries belong to replays. */
export function parseGateKey(key: string): { endpointId: string; isReplay: boolean } {
  const [endpointId = '', part] = key.split(':')
  return { endpointId, isReplay: part === 'replay' }
}

/** The key of deliveries that are sent one by one: those of a contact, or those without one. */
export const orderingKeyOf = (row: Pick<DeliveryRow, 'endpointId' | 'contactId'>): string =>
  `webhook:${row.endpointId}:${row.contactId ?? ''}`

/** The line of a delivery: its ordering key behind its gate. */
export const lineOf = (
  row: Pick<DeliveryRow, 'endpointId' | 'contactId' | 'replayId'>,
): { orderingKey: string; gateKey: string } => ({
  orderingKey: orderingKeyOf(row),
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

const deliveryById = compiled((orm) =>
  orm
    .select()
    .from(webhookDeliveries)
    .where(
      inOrganization(
        anyScope,
        webhookDeliveries,
        eq(webhookDeliveries.id, place(webhookDeliveries.id, 'id')),
      ),
    )
    .prepare(),
)

/** Returns a delivery, or `null`. */
export const findDelivery = (
  { db, organizationId }: Pick<Ctx, 'db' | 'organizationId'>,
  id: string,
): DeliveryRow | null => deliveryById(db).get({ organizationId, id }) ?? null

const payloadById = compiled((orm) =>
  orm
    .select({ body: webhookPayloads.body, isMasked: webhookPayloads.isMasked })
    .from(webhookPayloads)
    .where(
      inOrganization(
        anyScope,
        webhookPayloads,
        eq(webhookPayloads.id, place(webhookPayloads.id, 'id')),
      ),
    )
    .prepare(),
)

/**
 * Returns the signed bytes of an event, or `null` if they were deleted. With `hidesNumbers`, phone
 * numbers are masked, even if the event was rendered with whole ones.
 */
export function findPayload(
  { db, organizationId }: Pick<Ctx, 'db' | 'organizationId'>,
  id: string,
  { hidesNumbers }: { hidesNumbers: boolean },
): string | null {
  const payload = payloadById(db).get({ organizationId, id })
  if (!payload) return null
  return hidesNumbers && !payload.isMasked ? maskBody(payload.body) : payload.body
}

const payloadExists = compiled((orm) =>
  orm
    .select({ id: webhookPayloads.id })
    .from(webhookPayloads)
    .where(
      inOrganization(
        anyScope,
        webhookPayloads,
        eq(webhookPayloads.id, place(webhookPayloads.id, 'id')),
      ),
    )
    .prepare(),
)

/** Returns whether the signed bytes of an event are still stored. */
export const hasPayload = (
  { db, organizationId }: Pick<Ctx, 'db' | 'organizationId'>,
  id: string,
): boolean => payloadExists(db).get({ organizationId, id }) !== undefined

import { and, asc, desc, eq, gt, inArray, isNotNull, lt, notExists, sql, sum } from 'drizzle-orm'

import {
  acrossOrganizations,
  inOrganization,
  systemCtx,
  type Ctx,
  type JobCtx,
} from '../../infra/ctx'
import { transact } from '../../infra/db/transact'
import { yieldToEventLoop } from '../../infra/event-loop'
import { DELIVERY_KEPT_MS, MAX_DELIVERED, PAYLOAD_KEPT_MS } from './rules'
import {
  webhookAttempts,
  webhookDeliveries,
  webhookEndpoints,
  webhookHours,
  webhookPayloads,
  webhookReplays,
} from './table'

const BATCH = 500
const MAX_ROUNDS = 2_000

const ALL = 'old rows are pruned for all organizations at once'

/** Deletes payloads after seven days, deliveries after thirty, and what deleted endpoints left. */
export async function pruneWebhooks(ctx: JobCtx): Promise<void> {
  for (const prune of [prunePayloads, pruneDeliveries, pruneHours, pruneEndpoints])
    for (let round = 0; round < MAX_ROUNDS && prune(ctx) > 0; round += 1) {
      if (ctx.signal.aborted) return
      await yieldToEventLoop()
    }
  await pruneSurplus(ctx)
}

/** Deletes a batch of payloads that are a week old and that no open delivery needs. */
function prunePayloads(ctx: JobCtx): number {
  const old = ctx.db.orm
    .select({ organizationId: webhookPayloads.organizationId, id: webhookPayloads.id })
    .from(webhookPayloads)
    .where(
      acrossOrganizations(
        ALL,
        and(
          lt(webhookPayloads.createdAtMs, ctx.clock.nowMs() - PAYLOAD_KEPT_MS),
          notExists(
            ctx.db.orm
              .select({ one: sql`1` })
              .from(webhookDeliveries)
              .where(
                acrossOrganizations(
                  'joined by organization',
                  and(
                    eq(webhookDeliveries.organizationId, webhookPayloads.organizationId),
                    eq(webhookDeliveries.payloadId, webhookPayloads.id),
                    eq(webhookDeliveries.state, 'pending'),
                  ),
                ),
              ),
          ),
        ),
      ),
    )
    .limit(BATCH)
    .all()
  const ids = old.map(({ id }) => id)
  if (ids.length > 0)
    transact(ctx.db, (tx) => {
      tx.delete(webhookPayloads)
        .where(
          acrossOrganizations(
            ALL,
            and(
              inArray(webhookPayloads.organizationId, [
                ...new Set(old.map(({ organizationId }) => organizationId)),
              ]),
              inArray(webhookPayloads.id, ids),
            ),
          ),
        )
        .run()
    })
  return ids.length
}

/**
 * Deletes deliveries that are a month old, with their attempts: a batch of each endpoint. Returns
 * how many.
 */
function pruneDeliveries(ctx: JobCtx): number {
  const endpoints = ctx.db.orm
    .select({ organizationId: webhookEndpoints.organizationId, id: webhookEndpoints.id })
    .from(webhookEndpoints)
    .where(acrossOrganizations(ALL))
    .all()
  let pruned = 0
  for (const [organizationId, own] of Map.groupBy(endpoints, (one) => one.organizationId)) {
    const scope = systemCtx(ctx, organizationId)
    const beforeMs = ctx.clock.nowMs() - DELIVERY_KEPT_MS
    for (const { id } of own) pruned += pruneDeliveriesOf(scope, id, beforeMs)
  }
  return pruned
}

/**
 * Deletes the delivered rows of each organization that are older than its million newest ones. Others
 * stay: they may still be sent, or sent again.
 */
async function pruneSurplus(ctx: JobCtx): Promise<void> {
  const busy = ctx.db.orm
    .select({ organizationId: webhookHours.organizationId })
    .from(webhookHours)
    .where(acrossOrganizations(ALL))
    .groupBy(webhookHours.organizationId)
    .having(gt(sum(webhookHours.delivered), MAX_DELIVERED))
    .all()
  for (const { organizationId } of busy) {
    const scope = systemCtx(ctx, organizationId)
    const last = await lastKept(scope, ctx.signal)
    while (last !== null && !ctx.signal.aborted && pruneDelivered(scope, last) > 0)
      await yieldToEventLoop()
  }
}

/** Delivered rows of an organization before an ID, newest first. */
const deliveredBefore = (ctx: Ctx, id: string | null) =>
  ctx.db.orm
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(
      inOrganization(
        ctx,
        webhookDeliveries,
        and(
          eq(webhookDeliveries.state, 'delivered'),
          id === null ? undefined : lt(webhookDeliveries.id, id),
        ),
      ),
    )
    .orderBy(desc(webhookDeliveries.id))

/** Rows passed over at a time while looking for the oldest one that is kept. */
const STRIDE = 5_000

/** Returns the ID of the millionth newest delivered row, or `null` if there are fewer. */
async function lastKept(ctx: Ctx, signal: AbortSignal): Promise<string | null> {
  let id: string | null = null
  for (let passed = 0; passed < MAX_DELIVERED; passed += STRIDE) {
    const found: { id: string } | undefined = deliveredBefore(ctx, id)
      .limit(1)
      .offset(STRIDE - 1)
      .get()
    if (!found || signal.aborted) return null
    id = found.id
    await yieldToEventLoop()
  }
  return id
}

function pruneDelivered(ctx: Ctx, last: string): number {
  const ids = deliveredBefore(ctx, last)
    .limit(BATCH)
    .all()
    .map((row) => row.id)
  deleteDeliveries(ctx, ids)
  return ids.length
}

function pruneDeliveriesOf(ctx: Ctx, endpointId: string, beforeMs: number): number {
  const ids = ctx.db.orm
    .select({ id: webhookDeliveries.id, createdAtMs: webhookDeliveries.createdAtMs })
    .from(webhookDeliveries)
    .where(
      inOrganization(ctx, webhookDeliveries, and(eq(webhookDeliveries.endpointId, endpointId))),
    )
    .orderBy(asc(webhookDeliveries.createdAtMs), asc(webhookDeliveries.id))
    .limit(BATCH)
    .all()
    .filter(({ createdAtMs }) => createdAtMs < beforeMs)
    .map(({ id }) => id)
  deleteDeliveries(ctx, ids)
  return ids.length
}

function deleteDeliveries(ctx: Ctx, ids: string[]): void {
  if (ids.length === 0) return
  transact(ctx.db, (tx) => {
    tx.delete(webhookAttempts)
      .where(inOrganization(ctx, webhookAttempts, inArray(webhookAttempts.deliveryId, ids)))
      .run()
    tx.delete(webhookDeliveries)
      .where(inOrganization(ctx, webhookDeliveries, inArray(webhookDeliveries.id, ids)))
      .run()
  })
}

function pruneHours(ctx: JobCtx): number {
  transact(ctx.db, (tx) =>
    tx
      .delete(webhookHours)
      .where(
        acrossOrganizations(ALL, lt(webhookHours.hourMs, ctx.clock.nowMs() - DELIVERY_KEPT_MS)),
      )
      .run(),
  )
  return 0
}

/** Deletes deleted endpoints that have no deliveries left. */
function pruneEndpoints(ctx: JobCtx): number {
  const gone = ctx.db.orm
    .select()
    .from(webhookEndpoints)
    .where(
      acrossOrganizations(
        ALL,
        and(
          isNotNull(webhookEndpoints.deletedAtMs),
          notExists(
            ctx.db.orm
              .select({ one: sql`1` })
              .from(webhookDeliveries)
              .where(
                acrossOrganizations(
                  'joined by organization',
                  and(
                    eq(webhookDeliveries.organizationId, webhookEndpoints.organizationId),
                    eq(webhookDeliveries.endpointId, webhookEndpoints.id),
                  ),
                ),
              ),
          ),
        ),
      ),
    )
    .limit(BATCH)
    .all()
  transact(ctx.db, (tx) => {
    for (const { organizationId, id } of gone)
      for (const table of [webhookHours, webhookReplays])
        tx.delete(table)
          .where(
            acrossOrganizations(
              ALL,
              and(eq(table.organizationId, organizationId), eq(table.endpointId, id)),
            ),
          )
          .run()
    for (const { organizationId, id } of gone)
      tx.delete(webhookEndpoints)
        .where(
          acrossOrganizations(
            ALL,
            and(eq(webhookEndpoints.organizationId, organizationId), eq(webhookEndpoints.id, id)),
          ),
        )
        .run()
  })
  return gone.length
}

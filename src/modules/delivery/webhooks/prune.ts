import { and, asc, desc, eq, inArray, lt, notExists, sql, sum } from 'drizzle-orm'

import { SECOND_MS } from '../../../lib/clock'
import {
  acrossOrganizations,
  inOrganization,
  systemCtx,
  type Ctx,
  type JobCtx,
} from '../../../infra/ctx'
import { inWorkingOrganizations } from '../../../infra/working-organizations'
import { transact } from '../../../infra/db/transact'
import type { Outcome } from '../../../infra/jobs/work'
import { yieldEvery, yieldToEventLoop } from '../../../infra/event-loop'
import { eachEndpoint } from './queries'
import type { EndpointRow } from './row'
import { DELIVERY_KEPT_MS, MAX_DELIVERED, PAYLOAD_KEPT_MS } from './rules'
import {
  webhookAttempts,
  webhookDeliveries,
  webhookEndpoints,
  webhookHours,
  webhookPayloads,
  webhookReplays,
} from './table'

/** Rows deleted in one transaction. */
const BATCH = 200

const ALL = 'old rows are pruned for all organizations at once'

/** How long it works without letting requests be served, milliseconds. */
const WORK_MS = 4

/** Pause before it goes on when it could not do everything in its time. */
const GOES_ON_AFTER_MS = 10 * SECOND_MS

/**
 * Deletes payloads after seven days, deliveries after thirty, and what deleted endpoints left. Goes
 * on later if its time is over: a day may leave more than it deletes in one run.
 */
export async function pruneWebhooks(ctx: JobCtx): Promise<Outcome> {
  await pruneAll(ctx)
  return ctx.signal.aborted ? { snoozeMs: GOES_ON_AFTER_MS } : undefined
}

async function pruneAll(ctx: JobCtx): Promise<void> {
  while (!ctx.signal.aborted && prunePayloads(ctx) > 0) await yieldToEventLoop()
  const yieldIfDue = yieldEvery(WORK_MS)
  let organizationId = ''
  for await (const endpoint of eachEndpoint(ctx)) {
    const scope = systemCtx(ctx, endpoint.organizationId)
    if (endpoint.organizationId !== organizationId) await pruneSurplus(scope, ctx.signal)
    organizationId = endpoint.organizationId
    await pruneEndpoint(scope, endpoint, ctx.signal)
    if (ctx.signal.aborted) return
    await yieldIfDue()
  }
}

/** Deletes a batch of payloads that are a week old and that no open delivery needs. */
function prunePayloads(ctx: JobCtx): number {
  const old = ctx.db.orm
    .select({ organizationId: webhookPayloads.organizationId, id: webhookPayloads.id })
    .from(webhookPayloads)
    .where(
      inWorkingOrganizations(
        ALL,
        webhookPayloads,
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
  if (old.length > 0)
    transact(ctx.db, (tx) => {
      for (const [organizationId, own] of Map.groupBy(old, (one) => one.organizationId))
        tx.delete(webhookPayloads)
          .where(
            inOrganization(
              systemCtx(ctx, organizationId),
              webhookPayloads,
              inArray(
                webhookPayloads.id,
                own.map(({ id }) => id),
              ),
            ),
          )
          .run()
    })
  return old.length
}

/**
 * Deletes the deliveries of an endpoint that are a month old, with their attempts and counts, and the
 * endpoint itself if it was deleted and nothing of it is left.
 */
async function pruneEndpoint(ctx: Ctx, endpoint: EndpointRow, signal: AbortSignal): Promise<void> {
  const beforeMs = ctx.clock.nowMs() - DELIVERY_KEPT_MS
  while (!signal.aborted && pruneDeliveriesOf(ctx, endpoint.id, beforeMs) === BATCH)
    await yieldToEventLoop()
  const ofEndpoint = eq(webhookHours.endpointId, endpoint.id)
  const oldest = ctx.db.orm
    .select({ hourMs: webhookHours.hourMs })
    .from(webhookHours)
    .where(inOrganization(ctx, webhookHours, ofEndpoint))
    .orderBy(asc(webhookHours.hourMs))
    .limit(1)
    .get()
  if (oldest && oldest.hourMs < beforeMs)
    transact(ctx.db, (tx) =>
      tx
        .delete(webhookHours)
        .where(
          inOrganization(ctx, webhookHours, and(ofEndpoint, lt(webhookHours.hourMs, beforeMs))),
        )
        .run(),
    )
  if (endpoint.deletedAtMs !== null) removeDeleted(ctx, endpoint.id)
}

/**
 * Deletes the delivered rows of an organization that are older than its million newest ones. Others
 * stay: they may still be sent, or sent again.
 */
async function pruneSurplus(ctx: Ctx, signal: AbortSignal): Promise<void> {
  const { delivered } =
    ctx.db.orm
      .select({ delivered: sum(webhookHours.delivered) })
      .from(webhookHours)
      .where(inOrganization(ctx, webhookHours, undefined))
      .get() ?? {}
  if (Number(delivered ?? 0) <= MAX_DELIVERED) return
  const last = await lastKept(ctx, signal)
  while (last !== null && !signal.aborted && pruneDelivered(ctx, last) > 0) await yieldToEventLoop()
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
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(
      inOrganization(
        ctx,
        webhookDeliveries,
        and(
          eq(webhookDeliveries.endpointId, endpointId),
          lt(webhookDeliveries.createdAtMs, beforeMs),
        ),
      ),
    )
    .orderBy(asc(webhookDeliveries.createdAtMs), asc(webhookDeliveries.id))
    .limit(BATCH)
    .all()
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

/** Deletes a deleted endpoint that has no deliveries left. */
function removeDeleted(ctx: Ctx, endpointId: string): void {
  const left = ctx.db.orm
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(
      inOrganization(ctx, webhookDeliveries, and(eq(webhookDeliveries.endpointId, endpointId))),
    )
    .limit(1)
    .get()
  if (left) return
  transact(ctx.db, (tx) => {
    for (const table of [webhookHours, webhookReplays])
      tx.delete(table)
        .where(inOrganization(ctx, table, eq(table.endpointId, endpointId)))
        .run()
    tx.delete(webhookEndpoints)
      .where(inOrganization(ctx, webhookEndpoints, eq(webhookEndpoints.id, endpointId)))
      .run()
  })
}

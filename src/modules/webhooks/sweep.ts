import { and, asc, count, eq, isNotNull, isNull, lt, sql } from 'drizzle-orm'

import { HOUR_MS } from '../../lib/clock'
import {
  acrossOrganizations,
  inOrganization,
  systemCtx,
  type Ctx,
  type JobCtx,
} from '../../infra/ctx'
import { transact } from '../../infra/db/transact'
import { yieldToEventLoop } from '../../infra/event-loop'
import { changeEndpointIn } from './endpoints/update'
import { endDeliveryIn } from './delivery/record'
import { notifyBacklogIn, notifyDisabledIn, notifyFailingIn } from './notices'
import { isOpen } from './queries'
import type { DeliveryRow, EndpointRow } from './row'
import { DISABLED_AFTER_MS, MAX_AGE_MS, MAX_WAITING, NOTICES_AFTER_MS } from './rules'
import { webhookDeliveries, webhookEndpoints } from './table'

/** Deliveries ended in one transaction. */
const BATCH = 200

/**
 * Looks after failing endpoints: sends notices, disables them after five days, and ends deliveries
 * that are too old or too many.
 */
export async function sweepWebhooks(ctx: JobCtx): Promise<void> {
  const failing = ctx.db.orm
    .select()
    .from(webhookEndpoints)
    .where(
      acrossOrganizations(
        'each endpoint is swept in its own organization',
        and(
          isNotNull(webhookEndpoints.failingSinceMs),
          isNull(webhookEndpoints.deletedAtMs),
          isNull(webhookEndpoints.disabledAtMs),
        ),
      ),
    )
    .all()
  for (const endpoint of failing) {
    const scope = systemCtx(ctx, endpoint.organizationId)
    judge(scope, endpoint)
    while (!ctx.signal.aborted && endOld(scope, endpoint) === BATCH) await yieldToEventLoop()
    let hasNotified = false
    for (let left = surplusOf(scope, endpoint); left > 0 && !ctx.signal.aborted; left -= BATCH) {
      endOldest(scope, endpoint, { most: Math.min(left, BATCH), isFirst: !hasNotified })
      hasNotified = true
      await yieldToEventLoop()
    }
    await yieldToEventLoop()
  }
  ctx.webhookTraffic.forgetIdle(ctx.clock.nowMs())
}

/** Sends a notice or disables an endpoint, by how long it has failed. */
function judge(ctx: Ctx, endpoint: EndpointRow): void {
  const nowMs = ctx.clock.nowMs()
  const failedMs = nowMs - (endpoint.failingSinceMs ?? nowMs)
  const due = NOTICES_AFTER_MS.filter((afterMs) => failedMs >= afterMs).length
  if (failedMs >= DISABLED_AFTER_MS)
    transact(ctx.db, (tx) => {
      changeEndpointIn(tx, ctx, endpoint.id, {
        disabledAtMs: nowMs,
        disabledReason: 'failing_5_days',
        downSinceMs: null,
        nextProbeAtMs: null,
        missed: 0,
      })
      notifyDisabledIn(tx, ctx, endpoint, 'failing_5_days')
    })
  else if (due > endpoint.notices)
    transact(ctx.db, (tx) => {
      changeEndpointIn(tx, ctx, endpoint.id, { notices: due })
      notifyFailingIn(tx, ctx, endpoint, Math.floor(failedMs / HOUR_MS))
    })
}

const openOf = (ctx: Ctx, endpoint: EndpointRow, limit: number): DeliveryRow[] =>
  ctx.db.orm
    .select()
    .from(webhookDeliveries)
    .where(
      inOrganization(
        ctx,
        webhookDeliveries,
        and(eq(webhookDeliveries.endpointId, endpoint.id), isOpen),
      ),
    )
    .orderBy(asc(webhookDeliveries.id))
    .limit(limit)
    .all()

/** Ends a batch of deliveries older than 75 hours. Returns their number. */
function endOld(ctx: Ctx, endpoint: EndpointRow): number {
  const beforeMs = ctx.clock.nowMs() - MAX_AGE_MS
  const rows = openOf(ctx, endpoint, BATCH).filter(
    ({ createdAtMs, attempts }) =>
      createdAtMs < beforeMs && (attempts === 0 || endpoint.downSinceMs !== null),
  )
  if (rows.length > 0)
    transact(ctx.db, (tx) => {
      for (const row of rows)
        endDeliveryIn(tx, ctx, row, {
          state: 'exhausted',
          reason: 'The delivery was not possible for 75 hours.',
        })
    })
  return rows.length
}

/** Returns how many open deliveries of an endpoint exceed the limit, at most 10,000. */
function surplusOf(ctx: Ctx, endpoint: EndpointRow): number {
  const some = ctx.db.orm
    .select({ one: sql`1`.as('one') })
    .from(webhookDeliveries)
    .where(
      inOrganization(
        ctx,
        webhookDeliveries,
        and(eq(webhookDeliveries.endpointId, endpoint.id), isOpen),
      ),
    )
    .limit(MAX_WAITING + MAX_SURPLUS)
    .as('some')
  return (ctx.db.orm.select({ rows: count() }).from(some).get()?.rows ?? 0) - MAX_WAITING
}

const MAX_SURPLUS = 10_000

function endOldest(
  ctx: Ctx,
  endpoint: EndpointRow,
  { most, isFirst }: { most: number; isFirst: boolean },
): void {
  const rows = openOf(ctx, endpoint, most)
  transact(ctx.db, (tx) => {
    for (const row of rows) endDeliveryIn(tx, ctx, row, { state: 'exhausted', reason: 'backlog' })
    if (isFirst) notifyBacklogIn(tx, ctx, endpoint)
  })
}

/** Deletes the previous secrets that are no longer valid. */
export function dropExpiredSecrets(ctx: JobCtx): void {
  transact(ctx.db, (tx) => {
    tx.update(webhookEndpoints)
      .set({ previousSecretSealed: null, previousExpiresAtMs: null })
      .where(
        acrossOrganizations(
          'expired secrets are deleted for all organizations at once',
          lt(webhookEndpoints.previousExpiresAtMs, ctx.clock.nowMs()),
        ),
      )
      .run()
  })
}

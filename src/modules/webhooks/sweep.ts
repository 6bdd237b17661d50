import { and, count, eq, lt, sql } from 'drizzle-orm'

import { HOUR_MS } from '../../lib/clock'
import {
  acrossOrganizations,
  anyScope,
  inOrganization,
  systemCtx,
  type Ctx,
  type JobCtx,
} from '../../infra/ctx'
import { compiled } from '../../infra/db/compiled'
import { fixedLimit } from '../../infra/db/opaque-param'
import { transact } from '../../infra/db/transact'
import { uuidPlaceholder } from '../../infra/db/uuid'
import { yieldEvery, yieldToEventLoop } from '../../infra/event-loop'
import { changeEndpointIn } from './endpoints/change'
import { disableFailingIn } from './endpoints/disable'
import { endDeliveryIn } from './delivery/record'
import { notifyBacklogIn, notifyFailingIn } from './notices'
import { eachEndpoint, isOpen, openDeliveries } from './queries'
import type { EndpointRow } from './row'
import { DISABLED_AFTER_MS, MAX_AGE_MS, MAX_WAITING, NOTICES_AFTER_MS } from './rules'
import { webhookDeliveries, webhookEndpoints } from './table'

/** Deliveries ended in one transaction. */
const BATCH = 200

/** How long it works without letting requests be served, milliseconds. */
const WORK_MS = 4

/**
 * Looks after all endpoints: ends deliveries that are too many; of failing ones, sends notices,
 * disables them after five days and ends deliveries that are too old.
 */
export async function sweepWebhooks(ctx: JobCtx): Promise<void> {
  const yieldIfDue = yieldEvery(WORK_MS)
  for await (const endpoint of eachEndpoint(ctx)) {
    if (ctx.signal.aborted) return
    if (endpoint.deletedAtMs !== null || endpoint.disabledAtMs !== null) continue
    const scope = systemCtx(ctx, endpoint.organizationId)
    if (endpoint.failingSinceMs !== null) await sweepFailing(scope, endpoint, ctx.signal)
    await endSurplus(scope, endpoint, ctx.signal)
    await yieldIfDue()
  }
  ctx.webhookTraffic.forgetIdle(ctx.clock.nowMs())
}

async function sweepFailing(ctx: Ctx, endpoint: EndpointRow, signal: AbortSignal): Promise<void> {
  judge(ctx, endpoint)
  while (!signal.aborted && endOld(ctx, endpoint) === BATCH) await yieldToEventLoop()
  await yieldToEventLoop()
}

async function endSurplus(ctx: Ctx, endpoint: EndpointRow, signal: AbortSignal): Promise<void> {
  let hasNotified = false
  for (let left = surplusOf(ctx, endpoint); left > 0 && !signal.aborted; left -= BATCH) {
    endOldest(ctx, endpoint, { most: Math.min(left, BATCH), isFirst: !hasNotified })
    hasNotified = true
    await yieldToEventLoop()
  }
}

/** Sends a notice or disables an endpoint, by how long it has failed. */
function judge(ctx: Ctx, endpoint: EndpointRow): void {
  const nowMs = ctx.clock.nowMs()
  const failedMs = nowMs - (endpoint.failingSinceMs ?? nowMs)
  const due = NOTICES_AFTER_MS.filter((afterMs) => failedMs >= afterMs).length
  if (failedMs >= DISABLED_AFTER_MS)
    transact(ctx.db, (tx) => disableFailingIn(tx, ctx, endpoint, 'failing_5_days'))
  else if (due > endpoint.notices)
    transact(ctx.db, (tx) => {
      changeEndpointIn(tx, ctx, endpoint.id, { notices: due })
      notifyFailingIn(tx, ctx, endpoint, Math.floor(failedMs / HOUR_MS))
    })
}

/** Ends a batch of deliveries older than 75 hours. Returns their number. */
function endOld(ctx: Ctx, endpoint: EndpointRow): number {
  const beforeMs = ctx.clock.nowMs() - MAX_AGE_MS
  const rows = openDeliveries(ctx, endpoint.id, { limit: BATCH }).filter(
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

const firstBeyond = compiled((orm) =>
  orm
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(
      inOrganization(
        anyScope,
        webhookDeliveries,
        and(eq(webhookDeliveries.endpointId, uuidPlaceholder('endpointId')), isOpen),
      ),
    )
    .orderBy(webhookDeliveries.createdAtMs, webhookDeliveries.id)
    .limit(fixedLimit(1))
    .offset(fixedLimit(MAX_WAITING))
    .prepare(),
)

/** Returns how many open deliveries of an endpoint exceed the limit, at most 10,000. */
function surplusOf(ctx: Ctx, endpoint: EndpointRow): number {
  const { organizationId } = ctx
  if (!firstBeyond(ctx.db).get({ organizationId, endpointId: endpoint.id })) return 0
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
  const rows = openDeliveries(ctx, endpoint.id, { limit: most })
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

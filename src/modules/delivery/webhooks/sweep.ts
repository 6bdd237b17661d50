import { and, count, eq, lt, sql } from 'drizzle-orm'

import { HOUR_MS } from '../../../lib/clock'
import { anyScope, inOrganization, systemCtx, type Ctx, type JobCtx } from '../../../infra/ctx'
import { inWorkingOrganizations } from '../../../infra/working-organizations'
import { compiled, atMost, place } from '../../../infra/db/compiled'
import { transact } from '../../../infra/db/transact'
import { yieldEvery, yieldToEventLoop } from '../../../infra/event-loop'
import { changeEndpointIn } from './endpoints/change'
import { disableFailingIn } from './endpoints/disable'
import { endDeliveryIn } from './delivery/record'
import { notifyBacklogIn, notifyFailingIn } from './notices'
import { eachEndpoint, findEndpoint, isOpen, openDeliveries } from './queries'
import type { EndpointRow } from './row'
import {
  BACKLOG_NOTICE_EVERY_MS,
  MAX_AGE_MS,
  MAX_WAITING,
  mustBeDisabled,
  NOTICES_AFTER_MS,
} from './rules'
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
    if (endpoint.failingSinceMs !== null) await sweepFailing(scope, endpoint.id, ctx.signal)
    await endSurplus(scope, endpoint, ctx.signal)
    await yieldIfDue()
  }
  ctx.webhookTraffic.forgetIdle(ctx.clock.nowMs())
}

async function sweepFailing(ctx: Ctx, id: string, signal: AbortSignal): Promise<void> {
  // Read again: it may have been disabled, or accepted an event, since the page was read.
  const endpoint = findEndpoint(ctx, id)
  if (endpoint?.disabledAtMs !== null || endpoint.deletedAtMs !== null) return
  judge(ctx, endpoint)
  while (!signal.aborted && endOld(ctx, endpoint) === BATCH) await yieldToEventLoop()
  await yieldToEventLoop()
}

async function endSurplus(ctx: Ctx, endpoint: EndpointRow, signal: AbortSignal): Promise<void> {
  const surplus = surplusOf(ctx, endpoint)
  if (surplus > 0) notifyBacklog(ctx, endpoint)
  for (let left = surplus; left > 0 && !signal.aborted; left -= BATCH) {
    endOldest(ctx, endpoint, Math.min(left, BATCH))
    await yieldToEventLoop()
  }
}

/** Sends a notice that deliveries are given up, unless there was one in the last day. */
function notifyBacklog(ctx: Ctx, endpoint: EndpointRow): void {
  const nowMs = ctx.clock.nowMs()
  const sinceMs = nowMs - (endpoint.backlogNoticeAtMs ?? -Infinity)
  if (sinceMs >= 0 && sinceMs < BACKLOG_NOTICE_EVERY_MS) return
  transact(ctx.db, (tx) => {
    changeEndpointIn(tx, ctx, endpoint.id, { backlogNoticeAtMs: nowMs })
    notifyBacklogIn(tx, ctx, endpoint)
  })
}

/** Sends a notice or disables an endpoint, by how long it has failed. */
function judge(ctx: Ctx, endpoint: EndpointRow): void {
  const nowMs = ctx.clock.nowMs()
  const failedMs = nowMs - (endpoint.failingSinceMs ?? nowMs)
  const due = NOTICES_AFTER_MS.filter((afterMs) => failedMs >= afterMs).length
  if (mustBeDisabled(endpoint, nowMs))
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
        and(
          eq(webhookDeliveries.endpointId, place(webhookDeliveries.endpointId, 'endpointId')),
          isOpen,
        ),
      ),
    )
    .orderBy(webhookDeliveries.createdAtMs, webhookDeliveries.id)
    .limit(atMost(1))
    .offset(atMost(MAX_WAITING))
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

function endOldest(ctx: Ctx, endpoint: EndpointRow, most: number): void {
  const rows = openDeliveries(ctx, endpoint.id, { limit: most })
  transact(ctx.db, (tx) => {
    for (const row of rows) endDeliveryIn(tx, ctx, row, { state: 'exhausted', reason: 'backlog' })
  })
}

/** Deletes the previous secrets that are no longer valid. */
export function dropExpiredSecrets(ctx: JobCtx): void {
  transact(ctx.db, (tx) => {
    tx.update(webhookEndpoints)
      .set({ previousSecretSealed: null, previousExpiresAtMs: null })
      .where(
        inWorkingOrganizations(
          'expired secrets are deleted for all organizations at once',
          webhookEndpoints,
          lt(webhookEndpoints.previousExpiresAtMs, ctx.clock.nowMs()),
        ),
      )
      .run()
  })
}

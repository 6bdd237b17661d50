import { eq, sql } from 'drizzle-orm'

import { HOUR_MS } from '../../../lib/clock'
import { inOrganization, type Ctx, type JobCtx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { retryBlocksMs } from '../../../infra/jobs/choose'
import { enqueue } from '../../../infra/jobs/enqueue'
import type { Outcome } from '../../../infra/jobs/work'
import { findEndpoint } from '../queries'
import type { DeliveryRow, EndpointRow } from '../row'
import { PassDelivery } from '../jobs'
import { askedPauseMs, retryPauseMs } from '../rules'
import { webhookAttempts, webhookDeliveries, webhookHours } from '../table'
import { countReplayedIn } from '../deliveries/replay-progress'
import { noteFailureIn, noteSuccessIn, type Ended } from './health'
import type { RequestResult } from './request'
import { lineOf } from './store'

/** How a delivery ends without a request. */
export interface End {
  state: 'exhausted' | 'cancelled' | 'missed'
  reason: string
}

/** Columns of a delivery that a result changes. */
type Columns = Partial<typeof webhookDeliveries.$inferInsert>

const setIn = (tx: Tx, ctx: Ctx, id: string, set: Columns): void =>
  tx
    .update(webhookDeliveries)
    .set(set)
    .where(inOrganization(ctx, webhookDeliveries, eq(webhookDeliveries.id, id)))
    .run()

/**
 * Stores the result of a request: attempt, delivery, endpoint and replay, in the caller's
 * transaction. Returns when the delivery is tried again.
 */
export function recordResultIn(tx: Tx, ctx: JobCtx, ended: Ended): Outcome {
  const { row, result } = ended
  const endpoint = findEndpoint(ctx, row.endpointId)
  if (!endpoint) return
  const wasDown = endpoint.downSinceMs !== null
  if (result.errorKind === null) {
    insertAttemptIn(tx, ctx, row, result)
    setIn(tx, ctx, row.id, {
      state: 'delivered',
      attempts: row.attempts + 1,
      nextAttemptAtMs: null,
      lastStatusCode: result.statusCode,
      lastError: null,
      deliveredAtMs: ctx.clock.nowMs(),
    })
    countEndIn(tx, ctx, row, 'delivered')
    noteSuccessIn(tx, ctx, endpoint)
    return
  }
  const isDown = noteFailureIn(tx, ctx, endpoint, ended)
  // A probe uses up no attempt: the delivery waits at the gate, in its place.
  if (wasDown && isDown) {
    setIn(tx, ctx, row.id, { lastStatusCode: result.statusCode, lastError: result.error })
    return { backToGate: true }
  }
  insertAttemptIn(tx, ctx, row, result)
  const again = retryIn(tx, ctx, endpoint, { row, result })
  // Of an endpoint that just went down, it waits for a probe like all others.
  return again && isDown ? { backToGate: true } : again
}

/** Schedules the next attempt of a failed delivery, or ends it after the last one. */
function retryIn(
  tx: Tx,
  ctx: JobCtx,
  endpoint: EndpointRow,
  { row, result }: { row: DeliveryRow; result: RequestResult },
): Outcome {
  const nowMs = ctx.clock.nowMs()
  const attempts = row.attempts + 1
  const firstFailedAtMs = row.firstFailedAtMs ?? nowMs
  const columns = {
    attempts,
    firstFailedAtMs,
    lastStatusCode: result.statusCode,
    lastError: result.error,
  }
  const asked = { status: result.statusCode, header: result.responseHeaders?.['retry-after'] }
  const pauseMs = retryPauseMs(attempts, {
    random: ctx.random,
    askedMs: askedPauseMs(asked, nowMs),
  })
  if (pauseMs === null) {
    setIn(tx, ctx, row.id, { ...columns, state: 'exhausted', nextAttemptAtMs: null })
    countEndIn(tx, ctx, row, 'failed')
    return
  }
  setIn(tx, ctx, row.id, { ...columns, state: 'pending', nextAttemptAtMs: nowMs + pauseMs })
  const passAtMs = firstFailedAtMs + retryBlocksMs('webhooks')
  // Later deliveries of the contact wait for it no longer than that.
  if (endpoint.ordering === 'per_contact' && nowMs < passAtMs && passAtMs < nowMs + pauseMs)
    enqueue(tx, ctx, PassDelivery, { args: lineOf(row), runAtMs: passAtMs })
  return { retryInMs: pauseMs, reason: result.error ?? 'failed' }
}

/** Ends a delivery without a request, in the caller's transaction. */
export function endDeliveryIn(tx: Tx, ctx: Ctx, row: DeliveryRow, end: End): void {
  setIn(tx, ctx, row.id, { state: end.state, nextAttemptAtMs: null, lastError: end.reason })
  countEndIn(tx, ctx, row, end.state === 'exhausted' ? 'failed' : null)
}

function insertAttemptIn(tx: Tx, ctx: Ctx, row: DeliveryRow, result: RequestResult): void {
  tx.insert(webhookAttempts)
    .values({
      organizationId: ctx.organizationId,
      deliveryId: row.id,
      number: row.attempts + 1,
      atMs: ctx.clock.nowMs() - result.durationMs,
      durationMs: result.durationMs,
      statusCode: result.statusCode,
      errorKind: result.errorKind,
      responseHeaders: result.responseHeaders && JSON.stringify(result.responseHeaders),
      responseExcerpt: result.responseExcerpt,
    })
    // The same attempt again, after the process ended before the job was done.
    .onConflictDoNothing()
    .run()
}

/** Counts the end of a delivery for its endpoint's hour and its replay. */
function countEndIn(tx: Tx, ctx: Ctx, row: DeliveryRow, as: 'delivered' | 'failed' | null): void {
  if (as !== null) {
    const nowMs = ctx.clock.nowMs()
    tx.insert(webhookHours)
      .values({
        organizationId: ctx.organizationId,
        endpointId: row.endpointId,
        hourMs: nowMs - (nowMs % HOUR_MS),
        [as]: 1,
      })
      .onConflictDoUpdate({
        target: [webhookHours.organizationId, webhookHours.endpointId, webhookHours.hourMs],
        set: { [as]: sql`${webhookHours[as]} + 1` },
      })
      .run()
  }
  if (row.replayId !== null)
    countReplayedIn(tx, ctx, row.replayId, as === 'delivered' ? 'delivered' : 'failed')
}

/** Stores the result of a test, which is tried once. */
export function recordSingleResultIn(
  tx: Tx,
  ctx: Ctx,
  row: DeliveryRow,
  result: RequestResult,
): void {
  const isDelivered = result.errorKind === null
  insertAttemptIn(tx, ctx, row, result)
  setIn(tx, ctx, row.id, {
    state: isDelivered ? 'delivered' : 'exhausted',
    attempts: 1,
    lastStatusCode: result.statusCode,
    lastError: result.error,
    deliveredAtMs: isDelivered ? ctx.clock.nowMs() : null,
  })
}

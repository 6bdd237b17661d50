import { sql } from 'drizzle-orm'

import { HOUR_MS } from '../../../../lib/clock'
import type { Ctx, JobCtx } from '../../../../infra/ctx'
import { compiled } from '../../../../infra/db/compiled'
import { onCommit, type Tx } from '../../../../infra/db/transact'
import { retryBlocksMs } from '../../../../infra/jobs/choose'
import { enqueue } from '../../../../infra/jobs/enqueue'
import type { Outcome } from '../../../../infra/jobs/work'
import { findEndpoint, findEndpointTraffic } from '../queries'
import type { DeliveryRow, EndpointRow } from '../row'
import { PassDelivery } from '../jobs'
import { askedPauseMs, retryPauseMs } from '../rules'
import { webhookAttempts, webhookHours } from '../table'
import { countReplayedIn } from '../replays/progress'
import { noteFailureIn, noteSuccessIn, type Ended } from './health'
import type { RequestResult } from './request'
import { changeDeliveryIn as setIn, findDelivery, hasPayload, lineOf } from './store'

/** How a delivery ends without a request. */
export interface End {
  state: 'exhausted' | 'cancelled' | 'missed'
  reason: string
}

/** Returns how all deliveries of an endpoint end, or `null` if it takes them. */
export function endOfEndpoint(
  endpoint: Pick<EndpointRow, 'deletedAtMs' | 'disabledAtMs'> | null,
): End | null {
  if (endpoint?.deletedAtMs !== null)
    return { state: 'cancelled', reason: 'The endpoint was deleted.' }
  return endpoint.disabledAtMs === null
    ? null
    : { state: 'missed', reason: 'The endpoint is disabled.' }
}

/**
 * Stores the result of a request: attempt, delivery, endpoint and replay, in the caller's
 * transaction. Returns when the delivery is tried again.
 */
export function recordResultIn(tx: Tx, ctx: JobCtx, ended: Ended): Outcome {
  const { row, result } = ended
  if (result.errorKind === null) {
    const traffic = findEndpointTraffic(ctx, row.endpointId)
    if (!traffic) return
    insertAttemptIn(tx, ctx, row, result)
    setIn(tx, ctx, row.id, {
      state: 'delivered',
      attempts: row.attempts + 1,
      nextAttemptAtMs: null,
      lastStatusCode: result.statusCode,
      lastError: null,
      deliveredAtMs: ctx.clock.nowMs(),
    })
    countIn(tx, ctx, row, 'delivered')
    countReplayIn(tx, ctx, row, 'delivered')
    noteSuccessIn(tx, ctx, traffic)
    return
  }
  const endpoint = findEndpoint(ctx, row.endpointId)
  if (!endpoint) return
  countIn(tx, ctx, row, 'failed')
  const wasDown = endpoint.downSinceMs !== null
  const isDown = noteFailureIn(tx, ctx, endpoint, ended)
  // A probe uses up no attempt: the delivery waits at the gate, in its place.
  if (wasDown && isDown) {
    setIn(tx, ctx, row.id, { lastStatusCode: result.statusCode, lastError: result.error })
    return { backToGate: true }
  }
  insertAttemptIn(tx, ctx, row, result)
  // The answer, or somebody meanwhile, may have disabled it.
  const again = retryIn(tx, ctx, findEndpoint(ctx, endpoint.id) ?? endpoint, { row, result })
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
  const end = endOfEndpoint(endpoint)
  if (end) {
    setIn(tx, ctx, row.id, {
      ...columns,
      state: end.state,
      nextAttemptAtMs: null,
      lastError: end.reason,
    })
    countReplayIn(tx, ctx, row, null)
    return
  }
  const asked = { status: result.statusCode, header: result.responseHeaders?.['retry-after'] }
  const pauseMs = retryPauseMs(attempts, {
    random: ctx.random,
    askedMs: askedPauseMs(asked, nowMs),
    failingMs: nowMs - firstFailedAtMs,
  })
  if (pauseMs === null) {
    setIn(tx, ctx, row.id, { ...columns, state: 'exhausted', nextAttemptAtMs: null })
    countReplayIn(tx, ctx, row, 'failed')
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
  onCommit(tx, () => {
    ctx.webhookTraffic.onChange(row)
  })
  const isFailed = end.state === 'exhausted'
  if (isFailed) countIn(tx, ctx, row, 'failed')
  countReplayIn(tx, ctx, row, isFailed ? 'failed' : null)
}

/** Ends a delivery whose job an operator discarded, in the caller's transaction. */
export function endDiscardedIn(tx: Tx, ctx: Ctx, deliveryId: string, reason: string): void {
  const row = findDelivery(ctx, deliveryId)
  if (row?.state === 'pending') endDeliveryIn(tx, ctx, row, { state: 'exhausted', reason })
}

const insertAttempt = compiled((orm) =>
  orm
    .insert(webhookAttempts)
    .values({
      organizationId: sql.placeholder('organizationId'),
      deliveryId: sql.placeholder('deliveryId'),
      number: sql.placeholder('number'),
      atMs: sql.placeholder('atMs'),
      durationMs: sql.placeholder('durationMs'),
      statusCode: sql.placeholder('statusCode'),
      errorKind: sql.placeholder('errorKind'),
      responseHeaders: sql.placeholder('responseHeaders'),
      responseExcerpt: sql.placeholder('responseExcerpt'),
    })
    // The same attempt again, after the process ended before the job was done.
    .onConflictDoNothing({
      target: [webhookAttempts.organizationId, webhookAttempts.deliveryId, webhookAttempts.number],
    })
    .prepare(),
)

/** The answer about a contact that was erased meanwhile: it may repeat what was sent. */
const ERASED = { responseHeaders: null, responseExcerpt: null }

function insertAttemptIn(_tx: Tx, ctx: Ctx, row: DeliveryRow, result: RequestResult): void {
  const { durationMs, statusCode, errorKind } = result
  const { responseHeaders, responseExcerpt } = hasPayload(ctx, row.payloadId) ? result : ERASED
  insertAttempt(ctx.db).run({
    organizationId: ctx.organizationId,
    deliveryId: row.id,
    number: row.attempts + 1,
    atMs: ctx.clock.nowMs() - durationMs,
    durationMs,
    statusCode,
    errorKind,
    responseHeaders: responseHeaders && JSON.stringify(responseHeaders),
    responseExcerpt,
  })
}

const count = compiled((orm) =>
  orm
    .insert(webhookHours)
    .values({
      organizationId: sql.placeholder('organizationId'),
      endpointId: sql.placeholder('endpointId'),
      hourMs: sql.placeholder('hourMs'),
      delivered: sql.placeholder('delivered'),
      failed: sql.placeholder('failed'),
    })
    .onConflictDoUpdate({
      target: [webhookHours.organizationId, webhookHours.endpointId, webhookHours.hourMs],
      set: {
        delivered: sql`${webhookHours.delivered} + excluded.delivered`,
        failed: sql`${webhookHours.failed} + excluded.failed`,
      },
    })
    .prepare(),
)

/** Counts a request, or a delivery that is given up while it waits, in the hour of its endpoint. */
function countIn(_tx: Tx, ctx: Ctx, row: DeliveryRow, as: 'delivered' | 'failed'): void {
  const nowMs = ctx.clock.nowMs()
  count(ctx.db).run({
    organizationId: ctx.organizationId,
    endpointId: row.endpointId,
    hourMs: nowMs - (nowMs % HOUR_MS),
    delivered: as === 'delivered' ? 1 : 0,
    failed: as === 'failed' ? 1 : 0,
  })
}

/** Counts the end of a delivery for its replay; `null` if it neither arrived nor failed. */
function countReplayIn(
  tx: Tx,
  ctx: Ctx,
  { replayId }: DeliveryRow,
  as: 'delivered' | 'failed' | null,
): void {
  if (replayId !== null) countReplayedIn(tx, ctx, replayId, as)
}

/**
 * Stores the result of a test, which is tried once. A success ends an outage like that of any other
 * delivery; a failure says nothing about the others.
 */
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
  const endpoint = findEndpoint(ctx, row.endpointId)
  if (isDelivered && endpoint) noteSuccessIn(tx, ctx, endpoint)
}

import type { JobCtx } from '../../../../infra/ctx'
import { transactGrouped } from '../../../../infra/db/group-commit'
import type { Outcome } from '../../../../infra/jobs/work'
import { findEndpoint } from '../queries'
import type { DeliveryRow, EndpointRow } from '../row'
import { isOverloaded, MAX_AGE_MS } from '../rules'
import { messageIdOf } from '../view'
import { findReplay } from '../replays/progress'
import { STOPPED } from '../replays/stop'
import { endDeliveryIn, endOfEndpoint, recordResultIn, type End } from './record'
import { sendRequest, type RequestResult } from './request'
import { findDelivery, findPayload } from './store'

/**
 * Sends a delivery once and records the result; says when it is tried again. It may run twice for
 * one attempt if the process ends before the result is stored: receivers drop repeats by their
 * `webhook-id`.
 */
export async function deliver(
  ctx: JobCtx,
  { deliveryId }: { deliveryId: string },
): Promise<Outcome> {
  const row = findDelivery(ctx, deliveryId)
  if (row?.state !== 'pending') return
  const endpoint = findEndpoint(ctx, row.endpointId)
  const body = findPayload(ctx, row.payloadId, {
    hidesNumbers: endpoint?.includePhoneNumbers === false,
  })
  const end = endOf(ctx, row, { endpoint, body })
  if (!endpoint || body === null || end !== null) {
    await transactGrouped(ctx.db, 'soon', (tx) => endDeliveryIn(tx, ctx, row, end ?? CANCELLED))
    return
  }
  const { webhookTraffic: traffic } = ctx
  traffic.sending.add(row.id)
  traffic.onChange(row)
  try {
    return await send(ctx, endpoint, { row, body })
  } finally {
    traffic.sending.delete(row.id)
    traffic.onChange(row)
  }
}

async function send(
  ctx: JobCtx,
  endpoint: EndpointRow,
  { row, body }: { row: DeliveryRow; body: string },
): Promise<Outcome> {
  const { webhookTraffic: traffic, clock } = ctx
  const isReplay = row.replayId !== null
  const isProbe = endpoint.downSinceMs !== null
  traffic.started(endpoint, { isReplay, nowMs: clock.nowMs() })
  const result = await sendRequest(ctx, endpoint, {
    messageId: messageIdOf(row),
    attempt: row.attempts + 1,
    body,
  })
  traffic.ended(endpoint, { isReplay, nowMs: clock.nowMs(), result: effectOf(result) })
  // The result of an aborted request is unknown: the job runs again after the next start.
  ctx.signal.throwIfAborted()
  return await transactGrouped(ctx.db, 'soon', (tx) =>
    recordResultIn(tx, ctx, { row, result, isProbe }),
  )
}

const effectOf = ({ errorKind, statusCode }: RequestResult) =>
  errorKind === null ? 'success' : isOverloaded(statusCode) ? 'overloaded' : 'failure'

const CANCELLED: End = { state: 'cancelled', reason: 'The data of the event was deleted.' }

function endOf(
  ctx: JobCtx,
  row: DeliveryRow,
  { endpoint, body }: { endpoint: EndpointRow | null; body: string | null },
): End | null {
  const end = endOfEndpoint(endpoint)
  if (end?.state === 'cancelled') return end
  if (body === null) return CANCELLED
  if (row.replayId !== null && findReplay(ctx, row.replayId)?.state === 'stopped') return STOPPED
  if (end) return end
  // One that was tried follows its schedule, whose last attempt may be a little later.
  return row.attempts === 0 && ctx.clock.nowMs() - row.createdAtMs > MAX_AGE_MS
    ? { state: 'exhausted', reason: 'The delivery was not possible for 75 hours.' }
    : null
}

import { MINUTE_MS } from '../../../../lib/clock'
import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { RELEASED_AT_ONCE, releaseGateIn } from '../../../../infra/jobs/waiting-jobs'
import { changeEndpointIn } from '../endpoints/change'
import { disableFailingIn } from '../endpoints/disable'
import { ReleaseDeliveries } from '../jobs'
import { findEndpoint, type EndpointTraffic } from '../queries'
import type { DeliveryRow, EndpointRow } from '../row'
import { FAILURES_UNTIL_DOWN, probePauseMs } from '../rules'
import type { RequestResult } from './request'
import { gateKeyOf } from './store'

/** The time of the last success is stored at most this often. */
const STORED_EVERY_MS = MINUTE_MS

/** Notes a success: the endpoint is healthy, and waiting deliveries may go. */
export function noteSuccessIn(tx: Tx, ctx: Ctx, endpoint: EndpointTraffic): void {
  const nowMs = ctx.clock.nowMs()
  const { lastSuccessAtMs } = endpoint
  if (
    endpoint.failingSinceMs === null &&
    lastSuccessAtMs !== null &&
    nowMs - lastSuccessAtMs < STORED_EVERY_MS
  )
    return
  changeEndpointIn(tx, ctx, endpoint.id, {
    lastSuccessAtMs: nowMs,
    failures: 0,
    firstFailedId: null,
    downSinceMs: null,
    nextProbeAtMs: null,
    probes: 0,
    failingSinceMs: null,
    notices: 0,
  })
  // Those that failed before it went down would wait for their next attempt otherwise.
  if (endpoint.downSinceMs !== null) releaseDeliveriesIn(tx, ctx, endpoint.id)
}

/**
 * Makes the deliveries of an endpoint that just went down due, a batch at a time, in the caller's
 * transaction: they wait for a probe like all others, not for their own next attempt.
 */
export function releaseAtOutageIn(tx: Tx, ctx: Ctx, { endpointId }: { endpointId: string }): void {
  if (findEndpoint(ctx, endpointId)?.downSinceMs == null) return
  if (releaseDeliveriesIn(tx, ctx, endpointId))
    enqueue(tx, ctx, ReleaseDeliveries, { args: { endpointId } })
}

/**
 * Makes deliveries due that wait for their next attempt, up to a limit. Returns whether there may
 * be more.
 */
export function releaseDeliveriesIn(tx: Tx, ctx: Ctx, endpointId: string): boolean {
  const released = [false, true].map((isReplay) =>
    releaseGateIn(tx, ctx, gateKeyOf(endpointId, isReplay)),
  )
  return released.includes(RELEASED_AT_ONCE)
}

/** Failures that say something about the endpoint, not only about one delivery. */
const isOutage = ({ statusCode }: RequestResult): boolean =>
  statusCode === null || statusCode >= 500

/** A request that ended. */
export interface Ended {
  row: DeliveryRow
  result: RequestResult
  /** Whether the endpoint was down when the request began. */
  isProbe: boolean
}

/**
 * Notes a failure. The endpoint is down after ten failures in a row over at least two deliveries:
 * then all of its deliveries wait for a probe that succeeds. A 410 disables it at once. Returns
 * whether the delivery waits for a probe, too. One that is refused (4xx) does not: it follows its own
 * schedule, and the next delivery is the next probe. So neither does one bad delivery hold back all
 * others, nor does an endpoint that answers 404 to everything get them all.
 */
export function noteFailureIn(
  tx: Tx,
  ctx: Ctx,
  endpoint: EndpointRow,
  { row, result, isProbe }: Ended,
): boolean {
  const nowMs = ctx.clock.nowMs()
  const wasDown = endpoint.downSinceMs !== null
  const isRefused = isProbe && !isOutage(result)
  const failures = isOutage(result) ? endpoint.failures + 1 : isRefused ? 0 : endpoint.failures
  const firstFailedId = endpoint.firstFailedId ?? row.id
  const base = {
    failures,
    firstFailedId,
    failingSinceMs: Math.min(endpoint.failingSinceMs ?? nowMs, nowMs),
    lastFailureAtMs: nowMs,
  }
  if (result.statusCode === 410) {
    changeEndpointIn(tx, ctx, endpoint.id, base)
    // Others of its requests may have been answered at the same time.
    if (endpoint.disabledAtMs === null && endpoint.deletedAtMs === null)
      disableFailingIn(tx, ctx, endpoint, 'gone')
    return false
  }
  const isDown = wasDown || (failures >= FAILURES_UNTIL_DOWN && firstFailedId !== row.id)
  const wentDown = isDown && !wasDown
  // The first answer after an outage lets the next probe come soon.
  const answersAgain = isRefused && endpoint.failures > 0
  const probes = wentDown || answersAgain ? 0 : endpoint.probes + 1
  changeEndpointIn(tx, ctx, endpoint.id, {
    ...base,
    // Requests that began before it went down are no probes.
    ...(wentDown || (isDown && isProbe)
      ? {
          downSinceMs: endpoint.downSinceMs ?? nowMs,
          probes,
          nextProbeAtMs: nowMs + probePauseMs(probes),
        }
      : {}),
  })
  if (wentDown) releaseAtOutageIn(tx, ctx, { endpointId: endpoint.id })
  return isDown && !isRefused
}

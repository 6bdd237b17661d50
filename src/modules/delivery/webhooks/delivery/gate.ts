import type { Gate } from '../../../../infra/jobs/work'
import { countAvailable } from '../../../../infra/jobs/waiting-jobs'
import { findEndpointTraffic } from '../queries'
import { isProbeDue } from '../rules'
import { gateKeyOf, parseGateKey } from './store'

/** Deliveries of deleted and disabled endpoints that end at a time. */
const ENDING = 16

/**
 * Admits the deliveries of an endpoint as fast as it takes them: all that may run at once, and one
 * at a time while the endpoint is down. Those of replays get what live ones leave free, at most
 * half (webhooks-out 4.5, 4.9).
 */
export const webhookGate: Gate = {
  queue: 'webhooks',
  check(deps, { organizationId, gateKey }) {
    const { endpointId, isReplay } = parseGateKey(gateKey)
    const endpoint = findEndpointTraffic({ db: deps.db, organizationId }, endpointId)
    if (!endpoint || endpoint.deletedAtMs !== null || endpoint.disabledAtMs !== null)
      return { room: ENDING, nextAtMs: null }
    const nowMs = deps.clock.nowMs()
    const running = deps.webhookTraffic.runningOf(endpoint)
    const waiting = (most: number): number =>
      countAvailable(
        { db: deps.db, organizationId },
        { queue: 'webhooks', gateKey: gateKeyOf(endpointId, false), most },
      )
    if (endpoint.nextProbeAtMs !== null) {
      const mayProbe = isProbeDue(endpoint.nextProbeAtMs, nowMs) && (!isReplay || waiting(1) === 0)
      return { room: mayProbe ? 1 : 0, nextAtMs: Math.max(nowMs + 1, endpoint.nextProbeAtMs) }
    }
    const { room, nextAtMs } = deps.webhookTraffic.opening(endpoint, nowMs)
    if (room <= 0) return { room, nextAtMs }
    if (!isReplay) return { room: room - running.replay, nextAtMs }
    const left = room - running.live
    const half = Math.max(1, Math.floor(room / 2))
    return { room: Math.min(half, left > 0 ? left - waiting(left) : 0), nextAtMs }
  },
}

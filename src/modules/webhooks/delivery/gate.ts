import type { Gate } from '../../../infra/jobs/work'
import { findEndpoint } from '../queries'
import { parseGateKey } from './store'

/** Deliveries of deleted and disabled endpoints that end at a time. */
const ENDING = 16

/**
 * Admits the deliveries of an endpoint as fast as it takes them: all that may run at once, those of
 * replays at half of that, and one at a time while the endpoint is down (webhooks-out 4.5).
 */
export const webhookGate: Gate = {
  queue: 'webhooks',
  check(deps, { organizationId, gateKey }) {
    const { endpointId, isReplay } = parseGateKey(gateKey)
    const endpoint = findEndpoint({ db: deps.db, organizationId }, endpointId)
    if (!endpoint || endpoint.deletedAtMs !== null || endpoint.disabledAtMs !== null)
      return { room: ENDING, nextAtMs: null }
    const nowMs = deps.clock.nowMs()
    if (endpoint.nextProbeAtMs !== null) {
      const mayProbe = endpoint.nextProbeAtMs <= nowMs && !isReplay
      return { room: mayProbe ? 1 : 0, nextAtMs: Math.max(nowMs + 1, endpoint.nextProbeAtMs) }
    }
    const opening = deps.webhookTraffic.opening(endpoint, nowMs)
    return isReplay && opening.room > 0
      ? { ...opening, room: Math.max(1, Math.floor(opening.room / 2)) }
      : opening
  },
}

import type { Ctx } from '../../../../infra/ctx'
import type { Hub } from '../../../../infra/hub'
import { frameText } from '../../realtime/frames/kind'
import { deliveryTopic } from '../../realtime/subscriptions'
import { watchTopic } from '../../realtime/topics'
import { findDelivery } from './store'

const FRAME_TYPE = 'delivery:updated'

/**
 * Tells the sockets that watch a delivery that it changed. Like everything that is only watched, it
 * is not kept: who begins to watch, or was away, loads the delivery.
 */
export function publishDelivery(
  deps: Pick<Ctx, 'db' | 'clock'>,
  hub: Hub,
  { organizationId, id }: { organizationId: string; id: string },
): void {
  const topic = watchTopic(organizationId, deliveryTopic(id), 'clear')
  const row = hub.hasListeners(topic) ? findDelivery({ db: deps.db, organizationId }, id) : null
  if (!row) return
  const payload = { id, endpoint_id: row.endpointId }
  const text = frameText({ type: FRAME_TYPE, payload }, { seq: null, atMs: deps.clock.nowMs() })
  hub.publish(topic, text, FRAME_TYPE)
}

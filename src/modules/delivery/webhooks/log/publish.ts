import type { Deps } from '../../../../infra/ctx'
import type { Hub } from '../../../../infra/hub'
import type { LoggedEvent } from '../../../../infra/outbox/events'
import { frameText } from '../../realtime/frames/kind'
import { WEBHOOKS_TOPIC } from '../../realtime/subscriptions'
import { CLARITIES, eventTopic, patternsOf, watchTopic } from '../../realtime/topics'
import { bodyOf, eventId, renderCtx } from '../events/produce'
import { producedBy } from '../events/producers'

/** Type of the frame that carries an event as webhooks send it. */
const FRAME_TYPE = 'webhook:event'

/**
 * Publishes committed events, as webhooks would send them, to sockets that watch them. They
 * are not kept: a socket that was away does not get them.
 */
export function publishToListeners(deps: Deps, hub: Hub, batch: LoggedEvent[]): void {
  for (const event of batch)
    for (const clarity of CLARITIES) {
      const topic = watchTopic(event.organizationId, WEBHOOKS_TOPIC, clarity)
      if (!hub.hasListeners(topic)) continue
      try {
        for (const { type, text } of framesOf(deps, event, clarity === 'masked'))
          for (const events of patternsOf(type)) {
            const chosen = eventTopic(event.organizationId, events, clarity)
            if (hub.hasListeners(chosen)) hub.publish(chosen, text, FRAME_TYPE)
          }
      } catch (error) {
        deps.log.error(
          { error, organization_id: event.organizationId, event: event.type, seq: event.seq },
          'event not sent to listeners',
        )
      }
    }
}

function framesOf(
  deps: Deps,
  event: LoggedEvent,
  isMasked: boolean,
): { type: string; text: string }[] {
  const ctx = renderCtx(deps, event.organizationId, isMasked)
  return producedBy(ctx, event).flatMap(({ type, render }) => {
    const data = render(ctx)
    if (!data) return []
    const id = eventId(deps.eventLog.logId, { position: event.position, type })
    const payload = JSON.parse(bodyOf({ ...event, id, type }, data)) as Record<string, unknown>
    const text = frameText({ type: FRAME_TYPE, payload }, { seq: null, atMs: event.atMs })
    return [{ type, text }]
  })
}

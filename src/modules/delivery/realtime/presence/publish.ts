import type { Hub } from '../../../../infra/hub'
import { viewersOf, seesAll, seesGeneralQueue } from '../../../inbox/contacts/sight/visibility'
import { GENERAL_QUEUE } from '../../../inbox/contacts/table'
import { hasPermission, type Ctx } from '../../../../infra/ctx'
import { frameText } from '../frames/kind'
import type { Place, PresentUser } from './presence'
import type { Listeners } from '../publish'
import { apiKeyTopic, CLARITIES, everyContactTopic, viewerTopic, userTopic } from '../topics'

/**
 * Publishes who is in a conversation to everybody who sees its contact. The frame is not in the log
 * and is never replayed.
 */
export function publishPresence(
  deps: Pick<Ctx, 'db' | 'clock'>,
  hub: Hub,
  listeners: Listeners,
  at: { place: Place; users: PresentUser[] },
): void {
  const { organizationId, conversationId, contactId } = at.place
  const viewers = viewersOf({ db: deps.db, organizationId }, contactId)
  const type = 'conversation:presence'
  const payload = { conversation_id: conversationId, contact_id: contactId, users: at.users }
  const text = frameText({ type, payload }, { seq: null, atMs: deps.clock.nowMs() })
  const people = viewers.filter((viewer) => viewer !== GENERAL_QUEUE)
  const topics = CLARITIES.flatMap((clarity) => [
    everyContactTopic(organizationId, 'messages', clarity),
    ...people.map((viewer) => viewerTopic({ organizationId, viewer }, 'messages', clarity)),
  ])
  if (viewers.includes(GENERAL_QUEUE))
    for (const actor of listeners.actorsIn(organizationId)) {
      const isReached = seesAll(actor) || people.includes(actor.userId ?? '')
      const mayRead = hasPermission(actor, 'messages:read') && hasPermission(actor, 'contacts:read')
      if (isReached || !mayRead || !seesGeneralQueue({ actor })) continue
      topics.push(
        actor.apiKeyId === null
          ? userTopic(organizationId, actor.userId ?? '')
          : apiKeyTopic(organizationId, actor.apiKeyId),
      )
    }
  for (const topic of topics) if (hub.hasListeners(topic)) hub.publish(topic, text, type)
}

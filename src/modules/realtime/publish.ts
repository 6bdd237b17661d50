import type { Ctx } from '../../infra/ctx'
import type { Hub } from '../../infra/hub'
import type { LoggedEvent } from '../../infra/outbox/events'
import { keysOwnedBy } from '../api-keys/queries'
import { assigneesOf } from '../contacts/visibility'
import { visibilityLossOf } from './frames/contact'
import { frameText, type FrameKind, type FrameScope } from './frames/kind'
import { frameKindOf } from './frames/registry'
import { personalKindOf } from './frames/personal'
import {
  type Clarity,
  CLARITIES,
  everyContactTopic,
  ownContactsTopic,
  organizationTopic,
  areaTopic,
  userTopic,
  apiKeyTopic,
  apiKeysTopic,
  watchTopic,
} from './topics'
import type { EventScope } from './render-past-event'
import { contactViewersOf } from './contact-viewers'

/** The sockets to review after an event changed what they may receive. */
export interface AccessReview {
  /** All sockets of these users in the organization. */
  ofUsers(organizationId: string, userIds: string[]): void
  /** The sockets that watch a contact. */
  ofWatchers(organizationId: string, contactId: string): void
}

/**
 * Publishes committed events to the topics of permitted sockets. Renders each event at most once
 * per masking, and only if a socket listens. An event that cannot be rendered does not block
 * others. Changes of permissions or visibility take effect from the next event on.
 */
export function publishEvents(
  deps: Pick<Ctx, 'db' | 'log'>,
  hub: Hub,
  batch: LoggedEvent[],
  review: AccessReview,
): void {
  for (const event of batch) {
    const { organizationId, contactId } = event
    if (!hub.hasListeners(organizationTopic(organizationId))) continue
    const scope = { db: deps.db, organizationId }
    try {
      publishEvent(scope, hub, event)
    } catch (error) {
      deps.log.error(
        { error, organization_id: organizationId, event: event.type, seq: event.seq },
        'event not sent to WebSocket clients',
      )
    }
    const touched = rightsTouchedBy(scope, event)
    if (touched.length > 0) review.ofUsers(organizationId, touched)
    if (contactId !== null && endsSight(event)) review.ofWatchers(organizationId, contactId)
  }
}

/** Returns the users whose permissions an event changed. */
function rightsTouchedBy(scope: FrameScope, event: LoggedEvent): string[] {
  const personal = personalKindOf(event)
  if (personal?.type === 'permissions:updated') return personal.usersOf(scope, event)
  const person = frameKindOf(event)?.personOf?.(event)
  return person === undefined ? [] : [person]
}

/** Whether an event may have hidden a contact from a user. */
const endsSight = (event: LoggedEvent): boolean =>
  visibilityLossOf(event) !== null || frameKindOf(event)?.seenBy !== undefined

function publishEvent(scope: FrameScope, hub: Hub, event: LoggedEvent): void {
  publishPersonally(scope, hub, event)
  const kind = frameKindOf(event)
  if (!kind) return
  const watched = kind.watchedAs?.(event) ?? null
  if (watched) return publishToWatchers(scope, hub, kind, { event, watched })
  for (const clarity of CLARITIES) {
    const topics = topicsFor(scope, kind, event, clarity).filter((topic) => hub.hasListeners(topic))
    if (topics.length === 0) continue
    const payload = kind.render(scope, event, clarity === 'masked')
    if (!payload) continue
    const type = kind.typeOf(event)
    const text = frameText({ type, payload }, { seq: event.seq, atMs: event.atMs })
    for (const topic of topics) hub.publish(topic, text, type)
  }
  publishLoss(scope, hub, kind, event)
}

/**
 * Publishes an event to watching sockets. These frames have no sequence number, because they cannot
 * be replayed.
 */
function publishToWatchers(
  scope: FrameScope,
  hub: Hub,
  kind: FrameKind,
  at: { event: LoggedEvent; watched: string[] },
): void {
  const { event, watched } = at
  for (const clarity of CLARITIES) {
    const all = watched.map((topic) => watchTopic(scope.organizationId, topic, clarity))
    // A topic without phone numbers is the same with and without masking.
    const topics = all.filter(
      (topic) => hub.hasListeners(topic) && (clarity === 'masked' || topic.endsWith(`/${clarity}`)),
    )
    const payload = topics.length === 0 ? null : kind.render(scope, event, clarity === 'masked')
    if (!payload) continue
    const text = frameText({ type: kind.typeOf(event), payload }, { seq: null, atMs: event.atMs })
    for (const topic of topics) hub.publish(topic, text, kind.typeOf(event))
  }
}

/** Publishes a personal event to each user it concerns and to their API keys. */
function publishPersonally(scope: FrameScope, hub: Hub, event: LoggedEvent): void {
  const kind = personalKindOf(event)
  // After a change of owner, the key still listens on the topic of its former owner.
  const only = kind?.keyOf(event) ?? null
  for (const userId of kind?.usersOf(scope, event) ?? []) {
    const keys =
      only !== null
        ? [only]
        : hub.hasListeners(apiKeysTopic(scope.organizationId, userId))
          ? keysOwnedBy(scope, userId)
          : []
    for (const apiKeyId of [null, ...keys]) {
      const topic =
        apiKeyId === null
          ? userTopic(scope.organizationId, userId)
          : apiKeyTopic(scope.organizationId, apiKeyId)
      const payload = hub.hasListeners(topic)
        ? kind?.render(scope, event, { userId, apiKeyId })
        : null
      if (kind && payload)
        hub.publish(
          topic,
          frameText({ type: kind.type, payload }, { seq: event.seq, atMs: event.atMs }),
          kind.type,
        )
    }
  }
}

/**
 * Publishes the loss of visibility to users who can no longer see a contact. Users with
 * `contacts:read_all` do not listen on these topics.
 */
function publishLoss(scope: FrameScope, hub: Hub, kind: FrameKind, event: LoggedEvent): void {
  const lost = visibilityLossOf(event)
  if (!lost || event.contactId === null) return
  const seeing = assigneesOf(scope, event.contactId)
  const type = kind.typeOf(event)
  const text = frameText({ type, payload: lost.payload }, { seq: event.seq, atMs: event.atMs })
  for (const userId of lost.users.filter((id) => !seeing.includes(id)))
    for (const clarity of CLARITIES)
      hub.publish(
        ownContactsTopic({ organizationId: scope.organizationId, userId }, kind.resource, clarity),
        text,
        type,
      )
}

function topicsFor(
  scope: FrameScope,
  kind: FrameKind,
  event: LoggedEvent,
  clarity: Clarity,
): string[] {
  const { organizationId } = scope
  if (kind.audience === 'area') {
    const person = kind.personOf?.(event)
    const apart =
      person === undefined
        ? []
        : [ownContactsTopic({ organizationId, userId: person }, kind.resource, 'clear')]
    return clarity === 'clear' ? [areaTopic(organizationId, kind.resource), ...apart] : []
  }
  const assignees = contactViewersOf(scope, kind, event)
  return [
    everyContactTopic(organizationId, kind.resource, clarity),
    ...assignees.map((userId) =>
      ownContactsTopic({ organizationId, userId }, kind.resource, clarity),
    ),
  ]
}

/**
 * Whether an event changed the actor's permissions or visibility, so that cached data may be wrong.
 */
export function changesRightsOf(ctx: EventScope, event: LoggedEvent): boolean {
  const kind = personalKindOf(event)
  const to = { userId: ctx.actor.userId ?? '', apiKeyId: ctx.actor.apiKeyId }
  return (
    kind?.type === 'permissions:updated' &&
    kind.usersOf(ctx, event).includes(to.userId) &&
    kind.render(ctx, event, to) !== null
  )
}

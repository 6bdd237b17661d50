import type { Actor } from '../../../infra/actor'
import { hasPermission, type Ctx } from '../../../infra/ctx'
import type { Hub } from '../../../infra/hub'
import type { LoggedEvent } from '../../../infra/outbox/events'
import { keysOwnedBy } from '../../organization/api-keys/queries'
import {
  viewersOf,
  isAmong,
  masksNumbers,
  seesAll,
  seesGeneralQueue,
} from '../../inbox/contacts/sight/visibility'
import { GENERAL_QUEUE } from '../../inbox/contacts/table'
import { visibilityLossOf } from './frames/contact'
import { frameText, type FrameKind, type FrameScope } from './frames/kind'
import { frameKindOf } from './frames/registry'
import { personalKindOf } from './frames/personal'
import { reducedTransfer, transferAudience } from './frames/transfer'
import {
  type Clarity,
  CLARITIES,
  everyContactTopic,
  viewerTopic,
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

/** The callers with open sockets. */
export interface Listeners {
  /** Users and API keys with open sockets in an organization, each once. */
  actorsIn(organizationId: string): Actor[]
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
  sockets: AccessReview & Listeners,
): void {
  for (const event of batch) {
    const { organizationId, contactId } = event
    if (!hub.hasListeners(organizationTopic(organizationId))) continue
    const scope = { db: deps.db, organizationId }
    try {
      publishEvent(scope, hub, event, sockets)
    } catch (error) {
      deps.log.error(
        { error, organization_id: organizationId, event: event.type, seq: event.seq },
        'event not sent to WebSocket clients',
      )
    }
    const touched = rightsTouchedBy(scope, event)
    if (touched.length > 0) sockets.ofUsers(organizationId, touched)
    if (contactId !== null && endsSight(event)) sockets.ofWatchers(organizationId, contactId)
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

function publishEvent(scope: FrameScope, hub: Hub, event: LoggedEvent, listeners: Listeners): void {
  publishPersonally(scope, hub, event)
  const kind = frameKindOf(event)
  if (!kind) return
  const watched = kind.watchedAs?.(event) ?? null
  if (watched) return publishToWatchers(scope, hub, kind, { event, watched })
  if (kind.audience === 'listed') return publishTransfer(scope, hub, { kind, event, listeners })
  const viewers = kind.audience === 'sight' ? contactViewersOf(scope, kind, event) : []
  const selves = queueListeners(scope, { kind, viewers, listeners })
  for (const clarity of CLARITIES) {
    const topics = [
      ...topicsFor(scope, kind, { event, viewers }, clarity),
      ...selves[clarity],
    ].filter((topic) => hub.hasListeners(topic))
    if (topics.length === 0) continue
    const payload = kind.render(scope, event, clarity === 'masked')
    if (!payload) continue
    const type = kind.typeOf(event)
    const text = frameText({ type, payload }, { seq: event.seq, atMs: event.atMs })
    for (const topic of topics) hub.publish(topic, text, type)
  }
  publishLoss(scope, hub, kind, { event, listeners })
}

/** Returns the topic of one caller. */
const selfTopic = (organizationId: string, { userId, apiKeyId }: Actor): string =>
  apiKeyId === null
    ? userTopic(organizationId, userId ?? '')
    : apiKeyTopic(organizationId, apiKeyId)

/**
 * Returns the topics of callers who see a contact in the general queue and no other way, by masking.
 */
function queueListeners(
  scope: FrameScope,
  at: { kind: FrameKind; viewers: string[]; listeners: Listeners },
): Record<Clarity, string[]> {
  const topics: Record<Clarity, string[]> = { clear: [], masked: [] }
  if (!at.viewers.includes(GENERAL_QUEUE)) return topics
  for (const actor of at.listeners.actorsIn(scope.organizationId)) {
    const isReached = seesAll(actor) || at.viewers.includes(actor.userId ?? '')
    if (isReached || !seesGeneralQueue({ actor }) || !hears(actor, at.kind)) continue
    const clarity = masksNumbers({ ...scope, actor }) ? 'masked' : 'clear'
    topics[clarity].push(selfTopic(scope.organizationId, actor))
  }
  return topics
}

/** Whether a caller has the permissions for frames about contacts. */
const hears = (actor: Actor, { resource }: FrameKind): boolean =>
  hasPermission(actor, `${resource}:read`) && hasPermission(actor, 'contacts:read')

/** Publishes an event about a transfer to each caller with an open socket who may receive it. */
function publishTransfer(
  scope: FrameScope,
  hub: Hub,
  at: { kind: FrameKind; event: LoggedEvent; listeners: Listeners },
): void {
  const { kind, event } = at
  const formFor = transferAudience(scope, event)
  const texts = new Map<string, string | null>()
  const textOf = (form: Clarity | 'reduced'): string | null => {
    const known = texts.get(form)
    if (known !== undefined) return known
    const payload =
      form === 'reduced'
        ? reducedTransfer(scope, event)
        : kind.render(scope, event, form === 'masked')
    const type = kind.typeOf(event)
    const text = payload && frameText({ type, payload }, { seq: event.seq, atMs: event.atMs })
    texts.set(form, text)
    return text
  }
  for (const actor of at.listeners.actorsIn(scope.organizationId)) {
    const form = formFor(actor)
    const clarity: Clarity = masksNumbers({ ...scope, actor }) ? 'masked' : 'clear'
    const text = form === null ? null : textOf(form === 'reduced' ? form : clarity)
    if (text !== null) hub.publish(selfTopic(scope.organizationId, actor), text, kind.typeOf(event))
  }
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

/** Publishes the loss of visibility to callers who can no longer see a contact. */
function publishLoss(
  scope: FrameScope,
  hub: Hub,
  kind: FrameKind,
  { event, listeners }: { event: LoggedEvent; listeners: Listeners },
): void {
  const lost = visibilityLossOf(event)
  if (!lost || event.contactId === null) return
  const { organizationId } = scope
  const seeing = viewersOf(scope, event.contactId)
  const type = kind.typeOf(event)
  const text = frameText({ type, payload: lost.payload }, { seq: event.seq, atMs: event.atMs })
  for (const actor of listeners.actorsIn(organizationId)) {
    const sees = seesAll(actor) || isAmong({ actor }, seeing)
    if (isAmong({ actor }, lost.users) && !sees && hears(actor, kind))
      hub.publish(selfTopic(organizationId, actor), text, type)
  }
}

function topicsFor(
  scope: FrameScope,
  kind: FrameKind,
  { event, viewers }: { event: LoggedEvent; viewers: string[] },
  clarity: Clarity,
): string[] {
  const { organizationId } = scope
  if (kind.audience === 'area') {
    const person = kind.personOf?.(event)
    const apart =
      person === undefined
        ? []
        : [viewerTopic({ organizationId, viewer: person }, kind.resource, 'clear')]
    return clarity === 'clear' ? [areaTopic(organizationId, kind.resource), ...apart] : []
  }
  return [
    everyContactTopic(organizationId, kind.resource, clarity),
    ...viewers
      .filter((viewer) => viewer !== GENERAL_QUEUE)
      .map((viewer) => viewerTopic({ organizationId, viewer }, kind.resource, clarity)),
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

import { hasPermission, type Ctx } from '../../infra/ctx'
import type { Hub } from '../../infra/hub'
import type { LoggedEvent } from '../../infra/outbox/events'
import { keysOwnedBy } from '../api-keys/queries'
import { assigneesOf, masksNumbers, seesAll } from '../contacts/visibility'
import { visibilityLossOf } from './frames/contact'
import { frameText, type FrameKind, type FrameScope } from './frames/kind'
import { frameKindOf } from './frames/registry'
import { personalKindOf } from './frames/personal'

/** How phone numbers are shown to a group of listeners. */
type Clarity = 'clear' | 'masked'

const CLARITIES: Clarity[] = ['clear', 'masked']

const all = (organizationId: string, resource: string, clarity: Clarity): string =>
  `all/${organizationId}/${resource}/${clarity}`
const own = (
  at: { organizationId: string; userId: string },
  resource: string,
  clarity: Clarity,
): string => `own/${at.organizationId}/${at.userId}/${resource}/${clarity}`
/**
 * Topic of every socket of an organization. Nothing is published on it; its subscriber count shows
 * whether a socket is open.
 */
const anybody = (organizationId: string): string => `anybody/${organizationId}`
const area = (organizationId: string, resource: string): string =>
  `area/${organizationId}/${resource}`
const self = (organizationId: string, userId: string): string => `self/${organizationId}/${userId}`
const keySelf = (organizationId: string, apiKeyId: string): string =>
  `key/${organizationId}/${apiKeyId}`
/**
 * Topic of the sockets of a user's API keys. Nothing is published on it; its subscriber count shows
 * whether one is open.
 */
const anyKey = (organizationId: string, userId: string): string =>
  `any-key/${organizationId}/${userId}`

/**
 * Topic of the sockets that watch a contact or campaign. Contact topics are separate for masked and
 * full phone numbers.
 */
const watch = (organizationId: string, topic: string, clarity: Clarity): string => {
  const [kind = '', id = ''] = topic.split(':')
  return kind === 'contact'
    ? `contact/${organizationId}/${id}/${clarity}`
    : `${kind}/${organizationId}/${id}`
}

/**
 * Resources whose events go to users who see the contact, and resources whose events go to all
 * holders of the permission.
 */
const SIGHT_RESOURCES = ['messages', 'contacts'] as const
const AREA_RESOURCES = ['accounts', 'users', 'contacts', 'flows', 'campaigns', 'templates'] as const
/**
 * Resources with events that also go to the user they are about, whatever the permissions. API keys
 * of the user are excluded.
 */
const PERSON_RESOURCES: ReadonlySet<string> = new Set(['users'])

/**
 * Returns the topics of a socket, from the actor's current permissions, visibility and masking, and
 * from its subscriptions.
 */
export function topicsOf(
  ctx: Pick<Ctx, 'db' | 'organizationId' | 'actor'>,
  watched: ReadonlySet<string>,
): string[] {
  const { actor, organizationId } = ctx
  const clarity: Clarity = masksNumbers(ctx) ? 'masked' : 'clear'
  const userId = actor.userId ?? ''
  const sight = SIGHT_RESOURCES.filter(
    (resource) => hasPermission(actor, `${resource}:read`) && hasPermission(actor, 'contacts:read'),
  ).map((resource) =>
    seesAll(actor)
      ? all(organizationId, resource, clarity)
      : own({ organizationId, userId }, resource, clarity),
  )
  const areas = AREA_RESOURCES.flatMap((resource) => {
    if (hasPermission(actor, `${resource}:read`)) return area(organizationId, resource)
    return PERSON_RESOURCES.has(resource) && actor.apiKeyId === null
      ? own({ organizationId, userId }, resource, 'clear')
      : []
  })
  const watching = [...watched].map((topic) => watch(organizationId, topic, clarity))
  const selves =
    actor.apiKeyId === null
      ? [self(organizationId, userId)]
      : [keySelf(organizationId, actor.apiKeyId), anyKey(organizationId, userId)]
  return [...sight, ...areas, ...watching, ...selves, anybody(organizationId)]
}

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
    if (!hub.hasListeners(anybody(organizationId))) continue
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
    const all = watched.map((topic) => watch(scope.organizationId, topic, clarity))
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
        : hub.hasListeners(anyKey(scope.organizationId, userId))
          ? keysOwnedBy(scope, userId)
          : []
    for (const apiKeyId of [null, ...keys]) {
      const topic =
        apiKeyId === null
          ? self(scope.organizationId, userId)
          : keySelf(scope.organizationId, apiKeyId)
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
        own({ organizationId: scope.organizationId, userId }, kind.resource, clarity),
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
      person === undefined ? [] : [own({ organizationId, userId: person }, kind.resource, 'clear')]
    return clarity === 'clear' ? [area(organizationId, kind.resource), ...apart] : []
  }
  const assignees = seersOf(scope, kind, event)
  return [
    all(organizationId, kind.resource, clarity),
    ...assignees.map((userId) => own({ organizationId, userId }, kind.resource, clarity)),
  ]
}

/** Returns the users who see the contact of an event through an assignment. */
const seersOf = (scope: FrameScope, kind: FrameKind, event: LoggedEvent): string[] =>
  kind.seenBy?.(event) ?? (event.contactId === null ? [] : assigneesOf(scope, event.contactId))

/**
 * A past event that is replayed to several sockets. Lookups and rendered frames are shared between
 * them.
 */
export interface PastEvent {
  event: LoggedEvent
  /** Rendered frames, by masking. */
  texts: Map<'clear' | 'masked' | 'lost', string | null>
  /** Users who see its contact through an assignment; `null` until first needed. */
  seers: string[] | null
}

type Hearer = Pick<Ctx, 'db' | 'organizationId' | 'actor'>

/**
 * Returns the frame of a past event for the actor, or `null` if the actor may not receive it now.
 */
export function shownAs(
  ctx: Hearer,
  past: PastEvent,
): 'clear' | 'masked' | 'lost' | 'personal' | null {
  const { event } = past
  const userId = ctx.actor.userId ?? ''
  const kind = frameKindOf(event)
  if (!kind)
    return personalKindOf(event)?.usersOf(ctx, event).includes(userId) === true ? 'personal' : null
  if (kind.watchedAs?.(event)) return null
  const isAbout =
    ctx.actor.apiKeyId === null &&
    kind.personOf !== undefined &&
    kind.personOf(event) === ctx.actor.userId
  if (!isAbout && !hasPermission(ctx.actor, `${kind.resource}:read`)) return null
  if (kind.audience === 'area' || sees(ctx, kind, past))
    return masksNumbers(ctx) ? 'masked' : 'clear'
  return visibilityLossOf(event)?.users.includes(userId) === true ? 'lost' : null
}

/**
 * Returns a past event as the actor may see it now, or `null` if the actor may not see it or its
 * subject is gone.
 */
export function renderFor(ctx: Hearer, past: PastEvent): string | null {
  const shown = shownAs(ctx, past)
  if (shown === null) return null
  if (shown === 'personal') return renderPersonally(ctx, past.event)
  const known = past.texts.get(shown)
  if (known !== undefined) return known
  const text = renderShown(ctx, past.event, shown)
  past.texts.set(shown, text)
  return text
}

function renderShown(
  ctx: FrameScope,
  event: LoggedEvent,
  shown: 'clear' | 'masked' | 'lost',
): string | null {
  const kind = frameKindOf(event)
  const payload =
    shown === 'lost'
      ? visibilityLossOf(event)?.payload
      : kind?.render(ctx, event, shown === 'masked')
  return kind && payload
    ? frameText(
        { type: kind.typeOf(event), payload },
        { seq: event.seq, atMs: event.atMs, replayed: true },
      )
    : null
}

function renderPersonally(ctx: Hearer, event: LoggedEvent): string | null {
  const kind = personalKindOf(event)
  const to = { userId: ctx.actor.userId ?? '', apiKeyId: ctx.actor.apiKeyId }
  const payload = kind?.usersOf(ctx, event).includes(to.userId) ? kind.render(ctx, event, to) : null
  return kind && payload
    ? frameText({ type: kind.type, payload }, { seq: event.seq, atMs: event.atMs, replayed: true })
    : null
}

function sees(ctx: Hearer, kind: FrameKind, past: PastEvent): boolean {
  if (!hasPermission(ctx.actor, 'contacts:read')) return false
  if (seesAll(ctx.actor)) return true
  past.seers ??= seersOf(ctx, kind, past.event)
  return past.seers.includes(ctx.actor.userId ?? '')
}

/**
 * Whether an event changed the actor's permissions or visibility, so that cached data may be wrong.
 */
export function changesRightsOf(ctx: Hearer, event: LoggedEvent): boolean {
  const kind = personalKindOf(event)
  const to = { userId: ctx.actor.userId ?? '', apiKeyId: ctx.actor.apiKeyId }
  return (
    kind?.type === 'permissions:updated' &&
    kind.usersOf(ctx, event).includes(to.userId) &&
    kind.render(ctx, event, to) !== null
  )
}

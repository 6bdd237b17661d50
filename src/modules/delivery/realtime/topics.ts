import { hasPermission, type Ctx } from '../../../infra/ctx'
import { UNASSIGNED } from '../../inbox/contacts/table'
import { masksNumbers, seesAll, seesUnassigned } from '../../inbox/contacts/sight/visibility'
import {
  BOARD_TOPIC,
  DASHBOARD_TOPIC,
  eventsOf,
  SERVER_TOPIC,
  WEBHOOKS_TOPIC,
} from './subscriptions'

/** How phone numbers are shown to a group of listeners. */
export type Clarity = 'clear' | 'masked'

/** Both ways to show phone numbers. */
export const CLARITIES: Clarity[] = ['clear', 'masked']

/** Topic of a resource for users who see every contact. */
export const everyContactTopic = (
  organizationId: string,
  resource: string,
  clarity: Clarity,
): string => `all/${organizationId}/${resource}/${clarity}`

/** Topic of a resource for the callers that a viewer of contacts stands for: a user, or `UNASSIGNED`. */
export const viewerTopic = (
  at: { organizationId: string; viewer: string },
  resource: string,
  clarity: Clarity,
): string => `own/${at.organizationId}/${at.viewer}/${resource}/${clarity}`

/**
 * Topic of every socket of an organization. Nothing is published on it; its subscriber count shows
 * whether a socket is open.
 */
export const organizationTopic = (organizationId: string): string => `anybody/${organizationId}`

/** Topic of a resource that does not depend on contacts. */
export const areaTopic = (organizationId: string, resource: string): string =>
  `area/${organizationId}/${resource}`

/** Topic of the sockets of a user. */
export const userTopic = (organizationId: string, userId: string): string =>
  `self/${organizationId}/${userId}`

/** Topic of the sockets of an API key. */
export const apiKeyTopic = (organizationId: string, apiKeyId: string): string =>
  `key/${organizationId}/${apiKeyId}`

/**
 * Topic of the sockets of a user's API keys. Nothing is published on it; its subscriber count shows
 * whether one is open.
 */
export const apiKeysTopic = (organizationId: string, userId: string): string =>
  `any-key/${organizationId}/${userId}`

/**
 * Topic of the sockets that watch a contact, campaign or delivery. Contact topics are separate for masked and
 * full phone numbers.
 */
export const watchTopic = (organizationId: string, topic: string, clarity: Clarity): string => {
  const [kind = '', id = ''] = topic.split(':')
  if (kind === SERVER_TOPIC) return kind
  if (kind === WEBHOOKS_TOPIC) return `${kind}/${organizationId}/${clarity}`
  if (kind === DASHBOARD_TOPIC || kind === BOARD_TOPIC) return `${kind}/${organizationId}`
  return kind === 'contact'
    ? `contact/${organizationId}/${id}/${clarity}`
    : `${kind}/${organizationId}/${id}`
}

/** Topic of the sockets that hear events of webhooks: `*`, `message.*` or `message.received`. */
export const eventTopic = (organizationId: string, events: string, clarity: Clarity): string =>
  `${watchTopic(organizationId, WEBHOOKS_TOPIC, clarity)}/${events}`

/** Patterns that choose an event type, the widest first. */
export const patternsOf = (type: string): string[] => ['*', `${type.split('.')[0] ?? ''}.*`, type]

/**
 * Returns the topics of watched events. Nothing is published on that of `webhooks` itself; its
 * subscriber count shows whether somebody listens. Each event comes once, however many patterns
 * choose it.
 */
function watchedEvents(
  organizationId: string,
  watched: ReadonlySet<string>,
  clarity: Clarity,
): string[] {
  const chosen = new Set([...watched].map(eventsOf).filter((events) => events !== null))
  const widest = [...chosen].filter(
    (events) => patternsOf(events).find((one) => chosen.has(one)) === events,
  )
  return widest.length === 0
    ? []
    : [
        watchTopic(organizationId, WEBHOOKS_TOPIC, clarity),
        ...widest.map((events) => eventTopic(organizationId, events, clarity)),
      ]
}

/**
 * Resources whose events go to users who see the contact, and resources whose events go to all
 * holders of the permission.
 */
const SIGHT_RESOURCES = ['messages', 'contacts'] as const

const AREA_RESOURCES = [
  'accounts',
  'users',
  'contacts',
  'flows',
  'campaigns',
  'templates',
  'chatbot',
] as const

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
  // A contact that nobody has is seen in no other way, so that no frame comes twice.
  const viewersHeard = [userId, ...(seesUnassigned(ctx) ? [UNASSIGNED] : [])]
  const sight = SIGHT_RESOURCES.filter(
    (resource) => hasPermission(actor, `${resource}:read`) && hasPermission(actor, 'contacts:read'),
  ).flatMap((resource) =>
    seesAll(actor)
      ? everyContactTopic(organizationId, resource, clarity)
      : viewersHeard.map((viewer) => viewerTopic({ organizationId, viewer }, resource, clarity)),
  )
  const areas = AREA_RESOURCES.flatMap((resource) => {
    if (hasPermission(actor, `${resource}:read`)) return areaTopic(organizationId, resource)
    return PERSON_RESOURCES.has(resource) && actor.apiKeyId === null
      ? viewerTopic({ organizationId, viewer: userId }, resource, 'clear')
      : []
  })
  const watching = [
    ...[...watched]
      .filter((topic) => eventsOf(topic) === null)
      .map((topic) => watchTopic(organizationId, topic, clarity)),
    ...watchedEvents(organizationId, watched, clarity),
  ]
  const selves =
    actor.apiKeyId === null
      ? [userTopic(organizationId, userId)]
      : [apiKeyTopic(organizationId, actor.apiKeyId), apiKeysTopic(organizationId, userId)]
  return [...sight, ...areas, ...watching, ...selves, organizationTopic(organizationId)]
}

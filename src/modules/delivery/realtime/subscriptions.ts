import { isUuid } from '../../../lib/ids'
import { hasPermission, type Ctx } from '../../../infra/ctx'
import type { Permission } from '../../../infra/permissions'
import { lackOf } from '../../../infra/require-permissions'
import { liveContact } from './frames/contact'
import { findCampaign } from '../../outreach/campaigns/state'
import { isVisible } from '../../inbox/contacts/sight/visibility'
import { isEventPattern, permissionsFor } from './webhook-events'

/** Maximum number of topics per socket. */
const MAX_TOPICS = 50

/** Kinds of topics and the permission each requires. */
const WATCHED = {
  contact: 'messages:read',
  campaign: 'campaigns:read',
  delivery: 'webhooks:read',
} as const

/** Topic of a delivery of an outbound webhook. */
export const deliveryTopic = (id: string): string => `delivery:${id}`

/** Topic of the events as outbound webhooks send them. */
export const WEBHOOKS_TOPIC = 'webhooks'

/** Topic of the figures of the dashboard. */
export const DASHBOARD_TOPIC = 'dashboard'

/** Topic of the live board. */
export const BOARD_TOPIC = 'board'

/** Topic of what needs an operator, the same for all organizations. */
export const SERVER_TOPIC = 'server'

/** Topics that stand for themselves. */
const SINGLE = new Set([WEBHOOKS_TOPIC, DASHBOARD_TOPIC, BOARD_TOPIC, SERVER_TOPIC])

/** Returns the events that a topic such as `webhooks:message.*` names, `null` for another topic. */
export function eventsOf(topic: string): string | null {
  if (topic === WEBHOOKS_TOPIC) return '*'
  const [kind, events = ''] = topic.split(':')
  return kind === WEBHOOKS_TOPIC && isEventPattern(events) ? events : null
}

/** Permissions to see events of outbound webhooks, as an endpoint needs them (webhooks-out 6.2a). */
const permissionsToHear = (events: string): Permission[] => [
  'webhooks:update',
  'contacts:read_all',
  ...permissionsFor([events]),
]

/** Errors of a subscription. One rejected topic rejects all. */
export interface TopicRefusal {
  code: 'bad_topic' | 'not_found' | 'forbidden' | 'too_many_topics'
  message: string
}

type Scope = Pick<Ctx, 'db' | 'organizationId' | 'actor'>

/** Returns the kind and ID of a topic, or `null` if it is invalid. */
function partsOf(topic: string): { kind: keyof typeof WATCHED; id: string } | null {
  const [kind = '', id = '', ...rest] = topic.split(':')
  return Object.hasOwn(WATCHED, kind) && isUuid(id) && rest.length === 0
    ? { kind: kind as keyof typeof WATCHED, id: id.toLowerCase() } // just looked up
    : null
}

function normal(topic: string): string | null {
  if (SINGLE.has(topic)) return topic
  const events = eventsOf(topic)
  if (events !== null) return events === '*' ? WEBHOOKS_TOPIC : topic
  const parts = partsOf(topic)
  return parts && `${parts.kind}:${parts.id}`
}

/**
 * Returns the normalized, distinct topics of a client, or `null` unless there are 1 to 50 valid
 * topics.
 */
export function readTopics(named: unknown): string[] | null {
  if (!Array.isArray(named) || named.length === 0 || named.length > MAX_TOPICS) return null
  const topics = named.map((topic: unknown) => (typeof topic === 'string' ? normal(topic) : null))
  const good = topics.filter((topic) => topic !== null)
  return good.length === topics.length ? [...new Set(good)] : null
}

/** Returns the refusal that names all permissions the socket lacks, or `null`. */
function forbidden({ actor }: Scope, needed: Permission[]): TopicRefusal | null {
  const message = lackOf(actor, needed)
  return message === null ? null : { code: 'forbidden', message }
}

/** Whether the caller may read `GET /api/team-board`. */
const mayWatchBoard = ({ actor }: Scope): boolean =>
  hasPermission(actor, 'analytics:read') || hasPermission(actor, 'transfers:assign')

/** Whether something can be watched. About a delivery that is unknown, nothing is ever sent. */
function isThere(scope: Scope, { kind, id }: NonNullable<ReturnType<typeof partsOf>>): boolean {
  if (kind === 'delivery') return true
  if (kind === 'campaign') return findCampaign(scope, id) !== null
  return isVisible(scope, id) && liveContact(scope, id) !== null
}

/**
 * Returns why a socket may not watch a topic now, or `null`. Unknown topics, topics of other
 * organizations and invisible ones are all "not found".
 */
function refusalOf(scope: Scope, topic: string): TopicRefusal | null {
  const events = eventsOf(topic)
  if (events !== null) return forbidden(scope, permissionsToHear(events))
  if (topic === DASHBOARD_TOPIC) return forbidden(scope, ['analytics:read'])
  if (topic === BOARD_TOPIC)
    return mayWatchBoard(scope) ? null : forbidden(scope, ['analytics:read'])
  if (topic === SERVER_TOPIC)
    return scope.actor.isSuperAdmin
      ? null
      : { code: 'forbidden', message: 'Only super admins can watch the server.' }
  const parts = partsOf(topic)
  if (!parts)
    return {
      code: 'bad_topic',
      message:
        'A topic must be contact:<id>, campaign:<id>, delivery:<id>, dashboard, board, webhooks, webhooks:<events> or server.',
    }
  const refusal = forbidden(scope, [WATCHED[parts.kind]])
  if (refusal) return refusal
  return isThere(scope, parts)
    ? null
    : { code: 'not_found', message: `There is no ${parts.kind} with this ID.` }
}

/** Whether a socket may still watch a topic. */
export const maySubscribe = (scope: Scope, topic: string): boolean =>
  refusalOf(scope, topic) === null

/**
 * Returns why a socket that watches `current` may not also watch `wanted`, or `null` if it may
 * watch all of them.
 */
export function refusalOfAll(
  scope: Scope,
  wanted: string[],
  current: ReadonlySet<string>,
): TopicRefusal | null {
  const refusal = wanted.map((topic) => refusalOf(scope, topic)).find((each) => each !== null)
  if (refusal) return refusal
  if (current.union(new Set(wanted)).size <= MAX_TOPICS) return null
  return {
    code: 'too_many_topics',
    message: `A connection can subscribe to up to ${MAX_TOPICS} topics.`,
  }
}

import type { Static, TSchema } from '@sinclair/typebox'
import { eq } from 'drizzle-orm'

import { UnauthorizedError } from '../../../../lib/errors'
import type { Actor } from '../../../../infra/actor'
import { hasPermission, inOrganization } from '../../../../infra/ctx'
import type { EventDefinition, LoggedEvent } from '../../../../infra/outbox/events'
import { findKeyRow } from '../../../organization/api-keys/queries'
import {
  actorOf,
  actorOfKey,
  identityOf,
  type ActingRole,
} from '../../../organization/auth/authenticate'
import { masksNumbers, seesAll } from '../../../inbox/contacts/sight/visibility'
import { NotificationCreated, WorkProgressed } from '../../../organization/notifications/events'
import { findNotification } from '../../../organization/notifications/queries'
import { PermissionsChanged } from '../../../organization/memberships/events'
import { memberships } from '../../../organization/memberships/table'
import { RoleChanged } from '../../../organization/roles/events'
import { ScheduledChanged } from '../../../inbox/scheduled-messages/events'
import { findScheduled, factsOfRows } from '../../../inbox/scheduled-messages/queries'
import { findUser } from '../../../organization/users/service'
import { fitted } from './truncate'
import type { FrameScope } from './kind'

/** A frame for individual users, with a different payload for each. */
export interface PersonalKind {
  /** Frame type, spec 6.2. */
  type: string
  /** Ids of the users it concerns. */
  usersOf: (scope: FrameScope, event: LoggedEvent) => string[]
  /**
   * The only API key it concerns; `null` when it concerns the users themselves and all of their
   * keys.
   */
  keyOf: (event: LoggedEvent) => string | null
  /** `null` if there is nothing to send to this listener. */
  render: (
    scope: FrameScope,
    event: LoggedEvent,
    to: FrameListener,
  ) => Record<string, unknown> | null
}

/** The receiver of a personal frame: a user, or an API key of that user. */
export interface FrameListener {
  userId: string
  apiKeyId: string | null
}

const kinds = new Map<string, PersonalKind>()

function personal<S extends TSchema>(
  event: EventDefinition<S>,
  kind: {
    type: string
    usersOf: (scope: FrameScope, payload: Static<S>) => string[]
    keyOf?: (payload: Static<S>) => string | undefined
    render: (
      scope: FrameScope,
      payload: Static<S>,
      to: FrameListener,
    ) => Record<string, unknown> | null
  },
): void {
  kinds.set(event.name, {
    type: kind.type,
    usersOf: (scope, logged) => kind.usersOf(scope, logged.payload as Static<S>),
    keyOf: (logged) => kind.keyOf?.(logged.payload as Static<S>) ?? null,
    render(scope, logged, to) {
      const payload = kind.render(scope, logged.payload as Static<S>, to)
      return payload && fitted(payload)
    },
  })
}

/** The personal frame an event becomes; `null` when it concerns no single people. */
export const personalKindOf = (event: LoggedEvent): PersonalKind | null =>
  kinds.get(event.type) ?? null

/** Returns the names of the events that may change a user's permissions. */
export const rightsEvents = (): string[] =>
  [...kinds].filter(([, { type }]) => type === 'permissions:updated').map(([name]) => name)

const membersOf = (scope: FrameScope, roleId: string | null): string[] =>
  scope.db.orm
    .select({ userId: memberships.userId })
    .from(memberships)
    .where(
      inOrganization(
        scope,
        memberships,
        eq(memberships.isActive, true),
        roleId === null ? undefined : eq(memberships.roleId, roleId),
      ),
    )
    .all()
    .map(({ userId }) => userId)

/**
 * Returns the current permissions and masking of a user or API key; `null` if its access has ended,
 * or if masking or teams have changed but make no difference to it.
 */
function permissionsOf(
  scope: FrameScope,
  to: FrameListener,
  reason: string,
): Record<string, unknown> | null {
  const found = listenerNow(scope, to)
  if (!found) return null
  const { role, actor } = found
  if (reason === 'masking_changed' && hasPermission(actor, 'contacts:unmask')) return null
  if (reason === 'team_changed' && seesAll(actor)) return null
  return {
    role_id: role.id,
    role_name: role.name,
    permissions: [...actor.permissions].toSorted(),
    visibility: seesAll(actor) ? 'all' : 'assigned',
    masked: masksNumbers({ ...scope, actor }),
    reason,
  }
}

/**
 * Returns a user or API key with its current permissions and role; `null` if its access has ended.
 */
function listenerNow(
  scope: FrameScope,
  { userId, apiKeyId }: FrameListener,
): { role: ActingRole; actor: Actor } | null {
  const user = findUser(scope, userId)
  try {
    if (!user) return null
    const identity = identityOf(scope, user, scope.organizationId)
    if (apiKeyId === null)
      return {
        role: identity.role,
        actor: actorOf(identity, { sessionId: '', issuedAtS: 0, expiresAtMs: 0 }),
      }
    const key = findKeyRow(scope, apiKeyId)
    return key?.ownerUserId === userId
      ? { role: identity.role, actor: actorOfKey(scope, key) }
      : null
  } catch (error) {
    if (error instanceof UnauthorizedError) return null
    throw error
  }
}

personal(PermissionsChanged, {
  type: 'permissions:updated',
  usersOf: (scope, { userId }) => (userId === null ? membersOf(scope, null) : [userId]),
  keyOf: ({ apiKeyId }) => apiKeyId,
  render: (scope, { reason, apiKeyId }, to) =>
    apiKeyId === undefined || apiKeyId === to.apiKeyId ? permissionsOf(scope, to, reason) : null,
})
personal(RoleChanged, {
  type: 'permissions:updated',
  usersOf: (scope, { roleId }) => membersOf(scope, roleId),
  render: (scope, _payload, to) => permissionsOf(scope, to, 'role_edited'),
})
personal(NotificationCreated, {
  type: 'notification:new',
  usersOf: (_scope, { userId }) => [userId],
  render(scope, { notificationId }, { apiKeyId }) {
    const view = apiKeyId === null ? findNotification(scope, notificationId) : null
    if (!view) return null
    const { read_at: _readAt, ...payload } = view
    return payload
  },
})
personal(WorkProgressed, {
  type: 'work:progress',
  usersOf: (_scope, { userId }) => [userId],
  render: (_scope, { work }, { apiKeyId }) => (apiKeyId === null ? { ...work } : null),
})
personal(ScheduledChanged, {
  type: 'scheduled:updated',
  usersOf: (_scope, { userId }) => (userId === null ? [] : [userId]),
  keyOf: ({ apiKeyId }) => apiKeyId,
  render(scope, { scheduledId, apiKeyId }, to) {
    const isAuthor = (apiKeyId ?? null) === to.apiKeyId
    const row = isAuthor ? findScheduled(scope, scheduledId) : null
    return row && (factsOfRows(scope, [row], () => false)[0] ?? null)
  },
})

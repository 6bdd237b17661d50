import type { Static, TSchema } from '@sinclair/typebox'
import { eq } from 'drizzle-orm'

import { UnauthorizedError } from '../../lib/errors'
import { holds, inOrganization, type Actor } from '../../infra/ctx'
import type { EventDefinition, LoggedEvent } from '../../infra/outbox/events'
import { identityOf } from '../auth/authenticate'
import { masksNumbers, seesAll } from '../contacts/visibility'
import { NotificationCreated } from '../notifications/events'
import { findNotification } from '../notifications/queries'
import { PermissionsChanged } from '../organizations/members/events'
import { memberships } from '../organizations/members/table'
import { RoleChanged } from '../roles/events'
import { findUser } from '../users/service'
import { fitted } from './fitting'
import type { FrameScope } from './frame-kinds'

/** A frame that concerns single people and says something else to each of them. */
export interface PersonalKind {
  /** Frame type, spec 6.2. */
  type: string
  /** Ids of the users it concerns. */
  usersOf: (scope: FrameScope, event: LoggedEvent) => string[]
  /** `null` when there is nothing to say to this one. */
  render: (scope: FrameScope, event: LoggedEvent, userId: string) => Record<string, unknown> | null
}

const kinds = new Map<string, PersonalKind>()

function personal<S extends TSchema>(
  event: EventDefinition<S>,
  kind: {
    type: string
    usersOf: (scope: FrameScope, payload: Static<S>) => string[]
    render: (scope: FrameScope, payload: Static<S>, userId: string) => Record<string, unknown> | null
  },
): void {
  kinds.set(event.name, {
    type: kind.type,
    usersOf: (scope, logged) => kind.usersOf(scope, logged.payload as Static<S>),
    render(scope, logged, userId) {
      const payload = kind.render(scope, logged.payload as Static<S>, userId)
      return payload && fitted(payload)
    },
  })
}

/** The personal frame an event becomes; `null` when it concerns no single people. */
export const personalKindOf = (event: LoggedEvent): PersonalKind | null => kinds.get(event.type) ?? null

const membersOf = (scope: FrameScope, roleId: string | null): string[] =>
  scope.db.orm
    .select({ userId: memberships.userId })
    .from(memberships)
    .where(inOrganization(scope, memberships, eq(memberships.isActive, true), roleId === null ? undefined : eq(memberships.roleId, roleId)))
    .all()
    .map(({ userId }) => userId)

/** What a person may do and see now; `null` when it is no longer a member, or when masking has changed and it sees full numbers all the same. */
function permissionsOf(scope: FrameScope, userId: string, reason: string): Record<string, unknown> | null {
  const identity = identityIn(scope, userId)
  if (!identity) return null
  const { role, permissions, user } = identity
  const actor: Actor = {
    type: 'user',
    organizationId: scope.organizationId,
    userId,
    userName: user.fullName,
    sessionId: null,
    apiKeyId: null,
    isSuperAdmin: user.isSuperAdmin,
    permissions: new Set(permissions),
    expiresAtMs: null,
  }
  if (reason === 'masking_changed' && holds(actor, 'contacts:unmask')) return null
  return {
    role_id: role.id,
    role_name: role.name,
    permissions: permissions.toSorted(),
    visibility: seesAll(actor) ? 'all' : 'assigned',
    masked: masksNumbers({ ...scope, actor }),
    reason,
  }
}

function identityIn(scope: FrameScope, userId: string) {
  const user = findUser(scope, userId)
  try {
    return user && identityOf(scope, user, scope.organizationId)
  } catch (error) {
    if (error instanceof UnauthorizedError) return null
    throw error
  }
}

personal(PermissionsChanged, {
  type: 'permissions:updated',
  usersOf: (scope, { userId }) => (userId === null ? membersOf(scope, null) : [userId]),
  render: (scope, { reason }, userId) => permissionsOf(scope, userId, reason),
})
personal(RoleChanged, {
  type: 'permissions:updated',
  usersOf: (scope, { roleId }) => membersOf(scope, roleId),
  render: (scope, _payload, userId) => permissionsOf(scope, userId, 'role_edited'),
})
personal(NotificationCreated, {
  type: 'notification:new',
  usersOf: (_scope, { userId }) => [userId],
  render(scope, { notificationId }) {
    const view = findNotification(scope, notificationId)
    if (!view) return null
    const { read_at: _readAt, ...told } = view
    return told
  },
})

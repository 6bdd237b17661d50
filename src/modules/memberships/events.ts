import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../infra/outbox/events'

const id = Type.String()

/**
 * A membership began, changed or ended, or the person went away or came back. All facts are kept:
 * the membership may be gone when they are told.
 */
export const MemberChanged = defineEvent(
  'member.changed',
  Type.Object({
    userId: id,
    membershipId: id,
    fullName: Type.String(),
    roleId: id,
    roleName: Type.String(),
    isActive: Type.Boolean(),
    isAvailable: Type.Boolean(),
    change: Type.Union(
      ['added', 'updated', 'removed', 'availability'].map((word) => Type.Literal(word)),
    ),
  }),
)

/**
 * What somebody may do or see has changed: one person with its API keys, or with `userId: null`
 * every member of the organization with theirs. With `apiKeyId` only that key, and the reason is
 * `key_edited`.
 */
export const PermissionsChanged = defineEvent(
  'member.permissions_changed',
  Type.Object({
    userId: Type.Union([id, Type.Null()]),
    apiKeyId: Type.Optional(id),
    reason: Type.Union(
      ['role_changed', 'role_edited', 'super_admin_changed', 'masking_changed', 'key_edited'].map(
        (word) => Type.Literal(word),
      ),
    ),
  }),
)

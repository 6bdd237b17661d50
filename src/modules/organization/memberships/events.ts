import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../../infra/outbox/events'

const id = Type.String()

/**
 * A membership began, changed or ended, or the member went away or came back. The event holds all
 * facts, because the membership may be deleted when it is published.
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
 * Permissions or visibility changed: of one person with its API keys, or of every member and key of
 * the organization with `userId: null`. With `apiKeyId` only that key changed, and the reason is
 * `key_edited`. With `team_changed` the user sees other contacts.
 */
export const PermissionsChanged = defineEvent(
  'member.permissions_changed',
  Type.Object({
    userId: Type.Union([id, Type.Null()]),
    apiKeyId: Type.Optional(id),
    reason: Type.Union(
      [
        'role_changed',
        'confirmed',
        'role_edited',
        'super_admin_changed',
        'masking_changed',
        'key_edited',
        'team_changed',
      ].map((word) => Type.Literal(word)),
    ),
  }),
)

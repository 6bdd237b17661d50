import { Type, type Static } from '@sinclair/typebox'

import { nameText, oneOf } from '../../../lib/fields'
import { PERMISSIONS } from './catalog'

/** The key of a permission. */
export const PermissionKey = oneOf([...PERMISSIONS] as [string, ...string[]], {
  title: 'PermissionKey',
  error: 'is not a known permission; `GET /api/permissions` lists them',
  maxLength: 100,
  description: 'A permission as `resource:action`. `GET /api/permissions` describes each.',
})

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })

const permission = {
  id: Type.String({
    format: 'uuid',
    description:
      'ID of the role. System roles have the same ID on every installation: UUID version 5 ' +
      'of the key.',
  }),
  resource: Type.String(),
  action: Type.String(),
  description: Type.String({ description: 'Actions that the permission allows.' }),
}

/** A permission of the catalog. */
export const PermissionView = Type.Object(
  { ...permission, key: PermissionKey },
  {
    title: 'Permission',
    examples: [
      {
        id: 'c8cbc2b1-619a-592e-873e-4df758a1e5f9',
        resource: 'contacts',
        action: 'read',
        description: 'See contacts assigned to the user, directly or through a conversation',
        key: 'contacts:read',
      },
    ],
  },
)
export type PermissionView = Static<typeof PermissionView>

const summary = {
  id: Uuid,
  name: Type.String(),
  description: Type.Union([Type.String(), Type.Null()]),
  is_system: Type.Boolean({
    description:
      'Whether this is a system role, which every organization has and nobody can change.',
  }),
  is_default: Type.Boolean({
    description:
      'Whether new members without an explicit role get this role. Exactly one role is the ' +
      'default.',
  }),
  permission_count: Type.Integer(),
  user_count: Type.Integer({ description: 'Number of members with this role, active or not.' }),
  created_at: Time,
  updated_at: Time,
}

/** A role in a list. */
export const RoleSummary = Type.Object(summary, { title: 'RoleSummary' })
export type RoleSummary = Static<typeof RoleSummary>

/** A role with its permissions. */
export const RoleView = Type.Object(
  { ...summary, permissions: Type.Array(Type.Object(permission)) },
  { title: 'Role' },
)
export type RoleView = Static<typeof RoleView>

const fields = {
  name: nameText(100, { description: 'Unique in the organization. Case-insensitive.' }),
  description: Type.Optional(Type.Union([Type.String({ maxLength: 500 }), Type.Null()])),
  permissions: Type.Array(PermissionKey, {
    maxItems: 500,
    description: 'Replaces the permissions of the role.',
  }),
  is_default: Type.Optional(
    Type.Boolean({ description: 'Whether new members without an explicit role get this role.' }),
  ),
}

/** Body of a new role. */
export const NewRole = Type.Object(fields, {
  title: 'RoleInput',
  examples: [
    {
      name: 'Supervisor',
      description: 'Supervises the agents',
      permissions: ['contacts:read', 'messages:read'],
    },
  ],
})
export type NewRole = Static<typeof NewRole>

/** Changes to a role. Omitted fields stay unchanged. */
export const RoleChanges = Type.Partial(Type.Object(fields), {
  title: 'RoleChanges',
  minProperties: 1,
  examples: [
    {
      description: 'Supervises the agents and replies',
      permissions: ['contacts:read', 'messages:read', 'messages:create'],
    },
  ],
})
export type RoleChanges = Static<typeof RoleChanges>

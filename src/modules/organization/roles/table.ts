import { desc, sql } from 'drizzle-orm'
import { foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { storedByKey, tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { organizations } from '../organizations/table'

/** Roles of an organization: named sets of permissions. */
export const roles = tableWithoutPeople(
  'roles',
  'names of roles',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    name: text('name').notNull(),
    /** The name in lower case, unique in the organization. */
    nameKey: text('name_key').notNull(),
    description: text('description').notNull().default(''),
    /** Name and description without case and accents, for search. */
    words: text('words').notNull().default(''),
    /** Whether it is one of the three roles that every organization has and nobody can change. */
    isSystem: integer('is_system', { mode: 'boolean' }).notNull(),
    /** Whether new members get it if no other role is named. Exactly one per organization. */
    isDefault: integer('is_default', { mode: 'boolean' }).notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    uniqueIndex('roles_name').on(table.organizationId, table.nameKey),
    index('roles_sorted').on(table.organizationId, desc(table.isSystem), table.nameKey),
    uniqueIndex('roles_default')
      .on(table.organizationId)
      .where(sql`${table.isDefault} = 1`),
  ],
)

/** Permissions of a role: one row per `resource:action`. */
export const rolePermissions = storedByKey(
  tableWithoutPeople(
    'role_permissions',
    'names of permissions',
    {
      organizationId: uuid('organization_id').notNull(),
      roleId: uuid('role_id').notNull(),
      permission: text('permission').notNull(),
    },
    (table) => [
      primaryKey({ columns: [table.organizationId, table.roleId, table.permission] }),
      foreignKey({
        columns: [table.organizationId, table.roleId],
        foreignColumns: [roles.organizationId, roles.id],
      }).onDelete('cascade'),
    ],
  ),
)

/** Numbers of the catalog changes applied to this database. */
export const permissionSeeds = tableWithoutPeople(
  'permission_seeds',
  'numbers of changes that were applied',
  {
    number: integer('number').primaryKey(),
    appliedAtMs: integer('applied_at_ms').notNull(),
  },
)

import { foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { roles } from '../roles/table'
import { users } from '../users/table'
import { organizations } from '../organizations/table'

/** Members of an organization and their roles: the only source of permissions. */
export const memberships = tableWithPeople(
  'memberships',
  { of: 'users', erased: 'rows' },
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id)
      .business(),
    id: uuid('id').notNull().business(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id)
      .business(),
    roleId: uuid('role_id').notNull().business(),
    isActive: integer('is_active', { mode: 'boolean' }).notNull().default(true).business(),
    /** The organization in which a sign-in starts; one per user. */
    isDefault: integer('is_default', { mode: 'boolean' }).notNull().default(false).business(),
    /**
     * Whether an admin, or an invitation, vouches for the person. Who joined with nothing but the ID of
     * the organization sees no customer until then.
     */
    isConfirmed: integer('is_confirmed', { mode: 'boolean' }).notNull().default(true).business(),
    isAvailable: integer('is_available', { mode: 'boolean' }).notNull().default(true).business(),
    /** Copy of the account's disabled flag, for the lists. */
    isDisabled: integer('is_disabled', { mode: 'boolean' }).notNull().default(false).derived(),
    /**
     * Name and email of the account in lower case, one per line, so that lists are sorted and
     * searched without reading the accounts.
     */
    words: text('words').notNull().default('').derived(),
    /**
     * When the person accepted the membership; until then its home organization manages the
     * account. Null for a person who was added by others and has not switched here yet.
     */
    acceptedFromMs: integer('accepted_from_ms').business(),
    createdAtMs: integer('created_at_ms').notNull().business(),
    updatedAtMs: integer('updated_at_ms').notNull().business(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.roleId],
      foreignColumns: [roles.organizationId, roles.id],
    }),
    uniqueIndex('memberships_user').on(table.organizationId, table.userId),
    index('memberships_of_user').on(table.userId),
    // One covering index for each filter and order of the lists, so that only the rows of the page
    // are read.
    index('memberships_by_name').on(
      table.organizationId,
      table.words,
      table.isActive,
      table.isDisabled,
      table.isAvailable,
    ),
    index('memberships_recent').on(
      table.organizationId,
      table.createdAtMs,
      table.id,
      table.isActive,
      table.isDisabled,
      table.isAvailable,
      table.words,
    ),
    index('memberships_role').on(
      table.organizationId,
      table.roleId,
      table.words,
      table.isActive,
      table.isDisabled,
      table.isAvailable,
    ),
    index('memberships_role_recent').on(
      table.organizationId,
      table.roleId,
      table.createdAtMs,
      table.id,
      table.isActive,
      table.isDisabled,
      table.isAvailable,
      table.words,
    ),
  ],
)

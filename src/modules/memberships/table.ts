import {
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

import { roles } from '../roles/table'
import { users } from '../users/table'
import { organizations } from '../organizations/table'

/** Who belongs to an organization and with which role: the only source of rights. */
export const memberships = sqliteTable(
  'memberships',
  {
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: text('id').notNull(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    roleId: text('role_id').notNull(),
    isActive: integer('is_active', { mode: 'boolean' }).notNull().default(true),
    /** The organization a login starts in; one per user. */
    isDefault: integer('is_default', { mode: 'boolean' }).notNull().default(false),
    isAvailable: integer('is_available', { mode: 'boolean' }).notNull().default(true),
    /** Whether the account is disabled altogether, as its row says; kept here for the lists. */
    isDisabled: integer('is_disabled', { mode: 'boolean' }).notNull().default(false),
    /**
     * The person's name and e-mail in lower case, a line each: lists are sorted and searched by it
     * without touching the accounts.
     */
    words: text('words').notNull().default(''),
    /**
     * From when the membership counts as accepted by the person: its home organization manages the
     * account until then. null for somebody who was added by others and has not switched here yet.
     */
    acceptedFromMs: integer('accepted_from_ms'),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.roleId],
      foreignColumns: [roles.organizationId, roles.id],
    }),
    uniqueIndex('memberships_user').on(table.organizationId, table.userId),
    index('memberships_of_user').on(table.userId),
    // For each filter and order of the lists one that holds all they look at: rows are read only
    // for the page that is shown.
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

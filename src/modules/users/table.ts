import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

import { organizations } from '../organizations/table'

/** Accounts of people, of the whole installation; what they may do hangs on their memberships. */
export const users = sqliteTable('users', {
  id: text('id').primaryKey(),
  /** Trimmed, lower case. */
  email: text('email').notNull().unique(),
  /** Argon2id in PHC form. */
  passwordHash: text('password_hash').notNull(),
  fullName: text('full_name').notNull(),
  isSuperAdmin: integer('is_super_admin', { mode: 'boolean' }).notNull().default(false),
  isDisabled: integer('is_disabled', { mode: 'boolean' }).notNull().default(false),
  /** Whether somebody else chose the password. */
  mustChangePassword: integer('must_change_password', { mode: 'boolean' }).notNull().default(false),
  /** The organization that manages the account; null when none does. */
  homeOrganizationId: text('home_organization_id').references(() => organizations.id),
  lastLoginAtMs: integer('last_login_at_ms'),
  createdAtMs: integer('created_at_ms').notNull(),
  updatedAtMs: integer('updated_at_ms').notNull(),
})

import { foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithPeople, tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { organizations } from '../organizations/table'
import { roles } from '../roles/table'
import { users } from '../users/table'

/** Links to join an organization. */
export const invitations = tableWithPeople(
  'invitations',
  { of: 'users', kept: 'the organization has to see whom it invited' },
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id)
      .business(),
    id: uuid('id').notNull().business(),
    /** Lower case; null for a link that anyone can use. */
    email: text('email').personal(),
    /** Null if the role was deleted in the meantime: the default role is assigned then. */
    roleId: uuid('role_id').business(),
    /** SHA-256 of the token. */
    tokenHash: text('token_hash').notNull().business({ vouched: 'in moves' }),
    invitedBy: uuid('invited_by')
      .notNull()
      .references(() => users.id)
      .business(),
    expiresAtMs: integer('expires_at_ms').notNull().business(),
    acceptedAtMs: integer('accepted_at_ms').business(),
    acceptedByUserId: uuid('accepted_by_user_id')
      .references(() => users.id)
      .business(),
    revokedAtMs: integer('revoked_at_ms').business(),
    /** Whether it asks a person to confirm a membership that is suspended until then. */
    isConfirmation: integer('is_confirmation', { mode: 'boolean' })
      .notNull()
      .default(false)
      .business(),
    createdAtMs: integer('created_at_ms').notNull().business(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.roleId],
      foreignColumns: [roles.organizationId, roles.id],
    }),
    uniqueIndex('invitations_token').on(table.tokenHash),
    // Covers all columns of the list's filters, so that only the rows of the page are read.
    index('invitations_recent').on(
      table.organizationId,
      table.createdAtMs,
      table.id,
      table.acceptedAtMs,
      table.revokedAtMs,
      table.expiresAtMs,
      table.email,
    ),
    index('invitations_email').on(table.organizationId, table.email),
    index('invitations_role').on(table.organizationId, table.roleId),
  ],
)

/** People whom others removed from an organization, until they are members again. */
export const memberRemovals = tableWithoutPeople(
  'member_removals',
  'ids of former colleagues, with times',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    removedAtMs: integer('removed_at_ms').notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.userId] })],
)

/** Breaks of members. */
export const memberBreaks = tableWithoutPeople(
  'member_breaks',
  'ids of colleagues, with times',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    startedAtMs: integer('started_at_ms').notNull(),
    endedAtMs: integer('ended_at_ms'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    index('member_breaks_of_user').on(table.organizationId, table.userId, table.startedAtMs),
  ],
)

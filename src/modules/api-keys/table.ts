import {
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

import { organizations } from '../organizations/table'
import { users } from '../users/table'

/** Keys for programs. What one may do is its own set, cut to what its owner may do now. */
export const apiKeys = sqliteTable(
  'api_keys',
  {
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: text('id').notNull(),
    name: text('name').notNull(),
    /** The name without case and accents: what it is found by. */
    nameKey: text('name_key').notNull().default(''),
    /** SHA-256 of the key. */
    keyHash: text('key_hash').notNull(),
    /** The first 8 characters after `swb_`, by which people tell keys apart. */
    keyPrefix: text('key_prefix').notNull(),
    /** Who answers for it; it stops working with the owner's membership. */
    ownerUserId: text('owner_user_id')
      .notNull()
      .references(() => users.id),
    /**
     * The membership by which the owner answers for it: one who was removed and comes back has
     * another, and the key stays stopped. null when a super admin who is no member made it.
     */
    ownerMembershipId: text('owner_membership_id'),
    isActive: integer('is_active', { mode: 'boolean' }).notNull().default(true),
    expiresAtMs: integer('expires_at_ms'),
    /** Written at most once a minute. */
    lastUsedAtMs: integer('last_used_at_ms'),
    lastUsedIp: text('last_used_ip'),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    uniqueIndex('api_keys_hash').on(table.keyHash),
    // Holds all the list looks at: rows are read only for the page that is shown.
    index('api_keys_recent').on(
      table.organizationId,
      table.createdAtMs,
      table.id,
      table.isActive,
      table.nameKey,
      table.keyPrefix,
    ),
    index('api_keys_owner').on(table.organizationId, table.ownerUserId),
  ],
)

/** The pairs a key was given: one row per `resource:action`. */
export const apiKeyPermissions = sqliteTable(
  'api_key_permissions',
  {
    organizationId: text('organization_id').notNull(),
    apiKeyId: text('api_key_id').notNull(),
    permission: text('permission').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.apiKeyId, table.permission] }),
    foreignKey({
      columns: [table.organizationId, table.apiKeyId],
      foreignColumns: [apiKeys.organizationId, apiKeys.id],
    }).onDelete('cascade'),
  ],
)

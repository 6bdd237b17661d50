import {
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

import { uuid } from '../../infra/db/uuid'
import { organizations } from '../organizations/table'
import { users } from '../users/table'

/** API keys. A key has its own set of permissions, limited to those its owner has now. */
export const apiKeys = sqliteTable(
  'api_keys',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    name: text('name').notNull(),
    /** The name without case and accents, for search. */
    nameKey: text('name_key').notNull().default(''),
    /** SHA-256 of the key. */
    keyHash: text('key_hash').notNull(),
    /** The first 8 characters after `swb_`, which identify a key to people. */
    keyPrefix: text('key_prefix').notNull(),
    /** The owner. The key stops working when the owner's membership ends. */
    ownerUserId: uuid('owner_user_id')
      .notNull()
      .references(() => users.id),
    /**
     * The owner's membership on which the key depends. A person who is removed and added again has
     * another one, so the key stays disabled. Null for a key of a super admin who is not a member.
     */
    ownerMembershipId: uuid('owner_membership_id'),
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
    // Covering index of the list, so that only the rows of the page are read.
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

/** Permissions given to a key: one row per `resource:action`. */
export const apiKeyPermissions = sqliteTable(
  'api_key_permissions',
  {
    organizationId: uuid('organization_id').notNull(),
    apiKeyId: uuid('api_key_id').notNull(),
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

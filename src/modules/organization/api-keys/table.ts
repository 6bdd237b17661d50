import { foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { storedByKey, tableWithPeople, tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { organizations } from '../organizations/table'
import { users } from '../users/table'

/** API keys. A key has its own set of permissions, limited to those its owner has now. */
export const apiKeys = tableWithPeople(
  'api_keys',
  { of: 'users', kept: 'the organization has to see where its keys were used' },
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id)
      .business(),
    id: uuid('id').notNull().business(),
    name: text('name').notNull().business(),
    /** The name without case and accents, for search. */
    nameKey: text('name_key').notNull().default('').business(),
    /** SHA-256 of the key. */
    keyHash: text('key_hash').notNull().business(),
    /** The first 8 characters after `swb_`, which identify a key to people. */
    keyPrefix: text('key_prefix').notNull().business(),
    /** The owner. The key stops working when the owner's membership ends. */
    ownerUserId: uuid('owner_user_id')
      .notNull()
      .references(() => users.id)
      .business(),
    /**
     * The owner's membership on which the key depends. A person who is removed and added again has
     * another one, so the key stays disabled. Null for a key of a super admin who is not a member.
     */
    ownerMembershipId: uuid('owner_membership_id').business(),
    isActive: integer('is_active', { mode: 'boolean' }).notNull().default(true).business(),
    expiresAtMs: integer('expires_at_ms').business(),
    /** Written at most once a minute. */
    lastUsedAtMs: integer('last_used_at_ms').business(),
    lastUsedIp: text('last_used_ip').personal(),
    createdAtMs: integer('created_at_ms').notNull().business(),
    updatedAtMs: integer('updated_at_ms').notNull().business(),
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
export const apiKeyPermissions = storedByKey(
  tableWithoutPeople(
    'api_key_permissions',
    'names of permissions',
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
  ),
)

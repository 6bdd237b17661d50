import { index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithPeople, tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { organizations } from '../../organization/organizations/table'
import { users } from '../../organization/users/table'

/** The key pair that identifies this installation to push services (RFC 8292). One row at most. */
export const pushKeys = tableWithoutPeople('push_keys', 'keys of this installation', {
  id: integer('id').primaryKey(),
  /** Uncompressed point, base64url. */
  publicKey: text('public_key').notNull(),
  privateKeySealed: text('private_key_sealed').notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
})

/** Browsers that people want to be notified in, each in one organization. */
export const pushSubscriptions = tableWithPeople(
  'push_subscriptions',
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
    /** The session that subscribed. The subscription ends with it. */
    sessionId: uuid('session_id').notNull().business(),
    /** SHA-256 of the address. */
    endpointHash: text('endpoint_hash').notNull().personal(),
    /** Address and keys of the browser, JSON, encrypted. */
    targetSealed: text('target_sealed').notNull().personal(),
    /** When a conversation was last pushed, by its ID, JSON. The newest 50. */
    recent: text('recent').notNull().default('{}').personal(),
    createdAtMs: integer('created_at_ms').notNull().business(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    uniqueIndex('push_subscriptions_endpoint').on(table.organizationId, table.endpointHash),
    index('push_subscriptions_of_user').on(table.organizationId, table.userId, table.createdAtMs),
    index('push_subscriptions_session').on(table.sessionId),
  ],
)

import { check, foreignKey, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

import { isPlatformId, platformId } from '../../../infra/db/platform-id'
import { uuid } from '../../../infra/db/uuid'
import { accounts } from '../../accounts/table'

/**
 * Statuses reported for outgoing messages. The message's status is derived from them, so order and
 * repetition do not matter.
 */
export const messageStatuses = sqliteTable(
  'message_statuses',
  {
    organizationId: uuid('organization_id').notNull(),
    accountId: uuid('account_id').notNull(),
    waMessageId: platformId('wa_message_id').notNull(),
    status: text('status').notNull(),
    /** Group member; empty for a single recipient. */
    participant: text('participant').notNull().default(''),
    /** Platform time; the earliest of repeats. */
    timestampMs: integer('timestamp_ms').notNull(),
    receivedAtMs: integer('received_at_ms').notNull(),
    /** `[{code, title, message, details, href}]`, JSON. */
    errors: text('errors').notNull().default('[]'),
    /** JSON. */
    pricing: text('pricing'),
  },
  (table) => [
    check('message_statuses_platform_id_bytes', isPlatformId(table.waMessageId)),
    primaryKey({
      columns: [
        table.organizationId,
        table.accountId,
        table.waMessageId,
        table.status,
        table.participant,
      ],
    }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
  ],
)

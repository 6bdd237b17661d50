import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

import { uuid } from '../../infra/db/uuid'
import { organizations } from '../organizations/table'
import { users } from '../users/table'

/**
 * Notifications of a person, kept for 90 days. Not tied to a membership, so that they stay readable
 * after it ends.
 */
export const notifications = sqliteTable(
  'notifications',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    /** membership_added, credentials_changed, token_reused, api_key_stopped … */
    kind: text('kind').notNull(),
    severity: text('severity', { enum: ['info', 'warning', 'critical'] }).notNull(),
    title: text('title').notNull(),
    body: text('body').notNull(),
    link: text('link'),
    createdAtMs: integer('created_at_ms').notNull(),
    readAtMs: integer('read_at_ms'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    // One index for each order of the list.
    index('notifications_of_user').on(
      table.organizationId,
      table.userId,
      table.createdAtMs,
      table.id,
      table.readAtMs,
    ),
    index('notifications_unread')
      .on(table.organizationId, table.userId, table.createdAtMs, table.id)
      .where(sql`${table.readAtMs} is null`),
    index('notifications_age').on(table.createdAtMs),
  ],
)

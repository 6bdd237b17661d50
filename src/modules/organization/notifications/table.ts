import { sql } from 'drizzle-orm'
import { index, primaryKey } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { organizations } from '../organizations/table'
import { users } from '../users/table'

/**
 * Notifications of a person, kept for 90 days. Not tied to a membership, so that they stay readable
 * after it ends.
 */
export const notifications = tableWithPeople(
  'notifications',
  { of: 'users', kept: 'they are deleted after 90 days' },
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
    /** membership_added, credentials_changed, token_reused, api_key_stopped … */
    kind: text('kind').notNull().business(),
    severity: text('severity', { enum: ['info', 'warning', 'critical'] })
      .notNull()
      .business(),
    title: text('title').notNull().personal(),
    body: text('body').notNull().personal(),
    /** What it says as a code with values, JSON (`NoticeText`); null if only in English. */
    text: text('text').personal(),
    link: text('link').personal(),
    createdAtMs: integer('created_at_ms').notNull().business(),
    readAtMs: integer('read_at_ms').business(),
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

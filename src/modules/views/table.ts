import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

import { uuid } from '../../infra/db/uuid'
import { organizations } from '../organizations/table'
import { users } from '../users/table'

/** Lists that a view can show. */
export const VIEW_RESOURCES = ['conversations', 'contacts', 'campaigns'] as const

/** Saved filters of lists. */
export const views = sqliteTable(
  'views',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    /** The person who saved it. Shared views stay after that person has left. */
    ownerId: uuid('owner_id')
      .notNull()
      .references(() => users.id),
    name: text('name').notNull(),
    resource: text('resource', { enum: VIEW_RESOURCES }).notNull(),
    /** The query parameters of the list, JSON. */
    filter: text('filter').notNull(),
    isShared: integer('is_shared', { mode: 'boolean' }).notNull(),
    position: integer('position').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    index('views_of_owner').on(table.organizationId, table.ownerId),
    index('views_shared')
      .on(table.organizationId)
      .where(sql`${table.isShared} = 1`),
  ],
)

import { sql } from 'drizzle-orm'
import { index, primaryKey } from 'drizzle-orm/sqlite-core'

import { freeObject } from '../../../lib/fields'
import { integer, json, text } from '../../../infra/db/columns'
import { tableWithPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { organizations } from '../../organization/organizations/table'
import { users } from '../../organization/users/table'

/** Lists that a view can show. */
export const VIEW_RESOURCES = ['conversations', 'contacts', 'campaigns'] as const

/** Saved filters of lists. */
export const views = tableWithPeople(
  'views',
  { of: 'contacts', erased: 'mentions' },
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id)
      .business(),
    id: uuid('id').notNull().business(),
    /** The person who saved it. Shared views stay after that person has left. */
    ownerId: uuid('owner_id')
      .notNull()
      .references(() => users.id)
      .business(),
    name: text('name').notNull().business(),
    resource: text('resource', { enum: VIEW_RESOURCES }).notNull().business(),
    /** The query parameters of the list. */
    filter: json('filter', freeObject()).notNull().personal(),
    isShared: integer('is_shared', { mode: 'boolean' }).notNull().business(),
    position: integer('position').notNull().business(),
    createdAtMs: integer('created_at_ms').notNull().business(),
    updatedAtMs: integer('updated_at_ms').notNull().business(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    index('views_of_owner').on(table.organizationId, table.ownerId),
    index('views_with_search')
      .on(table.organizationId)
      .where(sql`${table.filter} ->> 'search' is not null`),
    index('views_shared')
      .on(table.organizationId)
      .where(sql`${table.isShared} = 1`),
  ],
)

/** A row of the views table. */
export type ViewRow = typeof views.$inferSelect

/** A filter as stored. */
export type StoredFilter = ViewRow['filter']

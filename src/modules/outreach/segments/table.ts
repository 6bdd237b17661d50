import { index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { freeObject } from '../../../lib/fields'
import { integer, json, text } from '../../../infra/db/columns'
import { tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { organizations } from '../../organization/organizations/table'

/** Saved contact filters. */
export const segments = tableWithoutPeople(
  'segments',
  'rules by which contacts are chosen, not contacts',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    name: text('name').notNull(),
    /**
     * The name in lower case; unique among shared segments and among the private segments of one
     * user.
     */
    nameKey: text('name_key').notNull(),
    description: text('description'),
    filter: json('filter', freeObject()).notNull(),
    isShared: integer('is_shared', { mode: 'boolean' }).notNull(),
    /** User ID; empty if the segment was created by the system. */
    createdBy: uuid('created_by').notNull(),
    lastCount: integer('last_count'),
    lastCountedAtMs: integer('last_counted_at_ms'),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    uniqueIndex('segments_name').on(
      table.organizationId,
      table.nameKey,
      table.isShared,
      table.createdBy,
    ),
    index('segments_shared').on(table.organizationId, table.isShared, table.nameKey),
  ],
)

import { primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { organizations } from '../../organization/organizations/table'

export const TAG_COLORS = ['blue', 'red', 'green', 'yellow', 'purple', 'gray'] as const

/** Tags of contacts. */
export const tags = tableWithoutPeople(
  'tags',
  'words for everybody',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    name: text('name').notNull(),
    /** The name in lower case, for uniqueness, sorting and search. */
    nameKey: text('name_key').notNull(),
    color: text('color', { enum: TAG_COLORS }).notNull(),
    /**
     * Number of active contacts with the tag. Kept by triggers on `contact_tags` and `contacts`.
     */
    contactCount: integer('contact_count').notNull().default(0),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    uniqueIndex('tags_name').on(table.organizationId, table.nameKey),
  ],
)

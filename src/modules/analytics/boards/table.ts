import { foreignKey, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

import { uuid } from '../../../infra/db/uuid'
import { organizations } from '../../organizations/table'

/** Boards: one per person, and one of the organization for people without a board of their own. */
export const boards = sqliteTable(
  'boards',
  {
    organizationId: uuid('organization_id').notNull(),
    /** The person; empty for the board of the organization. */
    userId: uuid('user_id').notNull(),
    /** The widgets in their order, JSON (`Widget`). */
    widgets: text('widgets').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.userId] }),
    foreignKey({ columns: [table.organizationId], foreignColumns: [organizations.id] }),
  ],
)

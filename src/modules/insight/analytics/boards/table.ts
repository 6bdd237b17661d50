import { foreignKey, primaryKey } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../../infra/db/columns'
import { tableWithoutPeople } from '../../../../infra/db/define-table'
import { uuid } from '../../../../infra/db/uuid'
import { organizations } from '../../../organization/organizations/table'

/** Boards: one per person, and one of the organization for people without a board of their own. */
export const boards = tableWithoutPeople(
  'boards',
  'the reports that a colleague wants to see',
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

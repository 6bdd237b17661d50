import { foreignKey, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

import { uuid } from '../../../infra/db/uuid'
import { contacts } from '../table'

/** Internal notes about a contact. Customers never see them. */
export const notes = sqliteTable(
  'notes',
  {
    organizationId: uuid('organization_id').notNull(),
    id: uuid('id').notNull(),
    contactId: uuid('contact_id').notNull(),
    content: text('content').notNull(),
    /** User IDs, JSON array. */
    mentions: text('mentions').notNull().default('[]'),
    isPinned: integer('is_pinned', { mode: 'boolean' }).notNull().default(false),
    createdBy: uuid('created_by'),
    createdByName: text('created_by_name'),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    index('notes_of_contact').on(
      table.organizationId,
      table.contactId,
      table.createdAtMs,
      table.id,
    ),
  ],
)

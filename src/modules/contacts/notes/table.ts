import { foreignKey, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

import { contacts } from '../table'

/** Internal notes about a contact. Customers never see them. */
export const notes = sqliteTable(
  'notes',
  {
    organizationId: text('organization_id').notNull(),
    id: text('id').notNull(),
    contactId: text('contact_id').notNull(),
    content: text('content').notNull(),
    /** User IDs, JSON array. */
    mentions: text('mentions').notNull().default('[]'),
    isPinned: integer('is_pinned', { mode: 'boolean' }).notNull().default(false),
    createdBy: text('created_by'),
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

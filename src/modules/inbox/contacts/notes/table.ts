import { foreignKey, index, primaryKey } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../../infra/db/columns'
import { tableWithPeople } from '../../../../infra/db/define-table'
import { uuid } from '../../../../infra/db/uuid'
import { contacts } from '../table'

/** Internal notes about a contact. Customers never see them. */
export const notes = tableWithPeople(
  'notes',
  { of: 'contacts', erased: 'rows' },
  {
    organizationId: uuid('organization_id').notNull().business(),
    id: uuid('id').notNull().business(),
    contactId: uuid('contact_id').notNull().business(),
    content: text('content').notNull().personal(),
    /** User IDs, JSON array. */
    mentions: text('mentions').notNull().default('[]').business(),
    isPinned: integer('is_pinned', { mode: 'boolean' }).notNull().default(false).business(),
    createdBy: uuid('created_by').business(),
    createdByName: text('created_by_name').business(),
    createdAtMs: integer('created_at_ms').notNull().business(),
    updatedAtMs: integer('updated_at_ms').notNull().business(),
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
    index('notes_recent').on(table.organizationId, table.createdAtMs, table.id),
  ],
)

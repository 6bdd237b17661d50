import { foreignKey, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

import { uuid } from '../../../infra/db/uuid'
import { contacts } from '../table'

/**
 * Search index of contacts; deleted contacts have no row. Triggers keep `contact_terms` in step.
 * WITHOUT ROWID, so that rows are stored in key order.
 */
export const contactWords = sqliteTable(
  'contact_words',
  {
    organizationId: uuid('organization_id').notNull(),
    contactId: uuid('contact_id').notNull(),
    /** Folded words of the names and the username, each once and preceded by a space. */
    words: text('words').notNull(),
    /** Phone numbers, including those among the names, each followed by a space. */
    digits: text('digits').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.contactId] }),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
  ],
)

/** The same words in alphabetical order, for searches by the beginning of a word. WITHOUT ROWID. */
export const contactTerms = sqliteTable(
  'contact_terms',
  {
    organizationId: uuid('organization_id').notNull(),
    term: text('term').notNull(),
    contactId: uuid('contact_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.term, table.contactId] })],
)

import { foreignKey, primaryKey } from 'drizzle-orm/sqlite-core'

import { text } from '../../../../infra/db/columns'
import { storedByKey, tableWithPeople } from '../../../../infra/db/define-table'
import { uuid } from '../../../../infra/db/uuid'
import { contacts } from '../table'

/**
 * Search index of contacts; deleted contacts have no row. Triggers keep `contact_terms` in step.
 * Rows are stored in key order.
 */
export const contactWords = storedByKey(
  tableWithPeople(
    'contact_words',
    { of: 'contacts', erased: 'rows' },
    {
      organizationId: uuid('organization_id').notNull().business(),
      contactId: uuid('contact_id').notNull().business(),
      /** Folded words of the names and the username, each once and preceded by a space. */
      words: text('words').notNull().derived(),
      /** Phone numbers, including those among the names, each followed by a space. */
      digits: text('digits').notNull().derived(),
    },
    (table) => [
      primaryKey({ columns: [table.organizationId, table.contactId] }),
      foreignKey({
        columns: [table.organizationId, table.contactId],
        foreignColumns: [contacts.organizationId, contacts.id],
      }),
    ],
  ),
)

/** The same words in alphabetical order, for searches by the beginning of a word. */
export const contactTerms = storedByKey(
  tableWithPeople(
    'contact_terms',
    { of: 'contacts', erased: 'rows' },
    {
      organizationId: uuid('organization_id').notNull().business(),
      term: text('term').notNull().derived(),
      contactId: uuid('contact_id').notNull().business(),
    },
    (table) => [primaryKey({ columns: [table.organizationId, table.term, table.contactId] })],
  ),
)

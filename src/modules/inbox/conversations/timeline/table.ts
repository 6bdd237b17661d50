import { foreignKey, index, primaryKey } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../../infra/db/columns'
import { tableWithPeople } from '../../../../infra/db/define-table'
import { uuid } from '../../../../infra/db/uuid'
import { accounts } from '../../../channel/accounts/table'
import { contacts } from '../../contacts/table'

/** What the table holds. The rest of a timeline is read from the tables of its subjects. */
export const RECORDED_KINDS = [
  'assigned',
  'unassigned',
  'closed',
  'reopened',
  'snoozed',
  'woken',
  'priority',
  'tag_added',
  'tag_removed',
] as const

/** Who can do what a timeline shows. */
export const TIMELINE_ACTORS = ['user', 'api_key', 'bot', 'customer', 'system'] as const

/** Changes of conversations and of the tags of their contacts, for the timeline of each. */
export const timelineEntries = tableWithPeople(
  'timeline_entries',
  { of: 'contacts', erased: 'rows' },
  {
    organizationId: uuid('organization_id').notNull().business(),
    id: uuid('id').notNull().business(),
    contactId: uuid('contact_id').notNull().business(),
    /** The contact at that time, so that undoing a merge gives the entry back. */
    formerContactId: uuid('former_contact_id').notNull().business(),
    /** The phone number of the conversation; `null` for tags, which concern all of them. */
    accountId: uuid('account_id').business(),
    kind: text('kind', { enum: RECORDED_KINDS }).notNull().business(),
    actorType: text('actor_type', { enum: TIMELINE_ACTORS }).notNull().business(),
    /** The user or the API key. */
    actorId: uuid('actor').business(),
    /** What changed, JSON: IDs and values, no names. */
    details: text('details').notNull().personal(),
    atMs: integer('at_ms').notNull().business(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.formerContactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    index('timeline_entries_of_contact').on(
      table.organizationId,
      table.contactId,
      table.atMs,
      table.id,
    ),
  ],
)

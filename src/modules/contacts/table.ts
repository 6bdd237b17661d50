import { sql } from 'drizzle-orm'
import { check, foreignKey, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { accounts } from '../accounts/table'
import { memberships } from '../organizations/members/table'
import { organizations } from '../organizations/table'

/** Customers of an organization. The figures over all conversations are kept in the row, in the transaction of the message. */
export const contacts = sqliteTable(
  'contacts',
  {
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: text('id').notNull(),
    /** Given by people; the platform never overwrites it. */
    name: text('name'),
    /** Given by the platform. */
    profileName: text('profile_name'),
    username: text('username'),
    /** E.164 without `+`. */
    phoneNumber: text('phone_number'),
    /** The platform's canonical number: where messages go. */
    waId: text('wa_id'),
    /** Business-scoped user id. */
    userId: text('user_id'),
    parentUserId: text('parent_user_id'),
    country: text('country'),
    language: text('language'),
    /** The account last used. */
    accountId: text('account_id'),
    /** User id of the member it is assigned to. */
    assignedTo: text('assigned_to'),
    /** JSON object. */
    metadata: text('metadata').notNull().default('{}'),
    marketingConsent: text('marketing_consent', { enum: ['unknown', 'opted_in', 'opted_out'] })
      .notNull()
      .default('unknown'),
    blockedAtMs: integer('blocked_at_ms'),
    source: text('source', { enum: ['inbound', 'manual', 'import', 'api', 'campaign', 'phone_app'] }).notNull(),
    firstSeenAtMs: integer('first_seen_at_ms').notNull(),
    lastMessageAtMs: integer('last_message_at_ms'),
    lastMessagePreview: text('last_message_preview'),
    lastInboundAtMs: integer('last_inbound_at_ms'),
    unreadCount: integer('unread_count').notNull().default(0),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
    deletedAtMs: integer('deleted_at_ms'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({ columns: [table.organizationId, table.accountId], foreignColumns: [accounts.organizationId, accounts.id] }),
    foreignKey({ columns: [table.organizationId, table.assignedTo], foreignColumns: [memberships.organizationId, memberships.userId] }),
    check('contacts_unread', sql`${table.unreadCount} >= 0`),
    index('contacts_recent').on(table.organizationId, table.lastMessageAtMs, table.id),
    index('contacts_created').on(table.organizationId, table.createdAtMs, table.id),
    index('contacts_assigned').on(table.organizationId, table.assignedTo, table.lastMessageAtMs, table.id),
  ],
)

/** Numbers and user ids by which the platform names a contact. */
export const contactIdentities = sqliteTable(
  'contact_identities',
  {
    organizationId: text('organization_id').notNull(),
    kind: text('kind', { enum: ['phone', 'user_id', 'parent_user_id'] }).notNull(),
    value: text('value').notNull(),
    contactId: text('contact_id').notNull(),
    /** The account it was first seen on. */
    accountId: text('account_id'),
    firstSeenAtMs: integer('first_seen_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.kind, table.value] }),
    foreignKey({ columns: [table.organizationId, table.contactId], foreignColumns: [contacts.organizationId, contacts.id] }),
    foreignKey({ columns: [table.organizationId, table.accountId], foreignColumns: [accounts.organizationId, accounts.id] }),
    uniqueIndex('contact_identities_contact').on(table.organizationId, table.contactId, table.kind, table.value),
  ],
)

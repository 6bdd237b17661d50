import { sql } from 'drizzle-orm'
import {
  check,
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

import { accounts } from '../accounts/table'
import { memberships } from '../memberships/table'
import { organizations } from '../organizations/table'
import { tags } from '../tags/table'

/**
 * Customers of an organization. The figures over all conversations are kept in the row, in the
 * transaction of the message.
 */
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
    /**
     * What the address book of the business phone calls it, and since when (platform time): a name
     * it gave is only changed by it.
     */
    bookName: text('book_name'),
    bookNamedAtMs: integer('book_named_at_ms'),
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
    /** Values of the organization's own fields by key, JSON object. */
    attributes: text('attributes').notNull().default('{}'),
    /** What it is called, folded for sorting and prefix search (`lib/fold-text.ts`). */
    sortName: text('sort_name').notNull().default(''),
    marketingConsent: text('marketing_consent', { enum: ['unknown', 'opted_in', 'opted_out'] })
      .notNull()
      .default('unknown'),
    /** Since when the platform says that it cannot be reached. */
    undeliverableSinceMs: integer('undeliverable_since_ms'),
    blockedAtMs: integer('blocked_at_ms'),
    /** Since when the platform itself keeps its messages away from us. */
    platformBlockedAtMs: integer('platform_blocked_at_ms'),
    source: text('source', {
      enum: ['inbound', 'manual', 'import', 'api', 'campaign', 'phone_app'],
    }).notNull(),
    firstSeenAtMs: integer('first_seen_at_ms').notNull(),
    lastMessageAtMs: integer('last_message_at_ms'),
    lastMessagePreview: text('last_message_preview'),
    lastInboundAtMs: integer('last_inbound_at_ms'),
    /** When the platform last said of one of its conversations that the window is closed. */
    windowClosedAtMs: integer('window_closed_at_ms'),
    unreadCount: integer('unread_count').notNull().default(0),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
    deletedAtMs: integer('deleted_at_ms'),
    /** The contact that took over what hung on this one. */
    mergedInto: text('merged_into'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.assignedTo],
      foreignColumns: [memberships.organizationId, memberships.userId],
    }),
    foreignKey({
      columns: [table.organizationId, table.mergedInto],
      foreignColumns: [table.organizationId, table.id],
    }),
    check('contacts_unread', sql`${table.unreadCount} >= 0`),
    index('contacts_by_name').on(table.organizationId, table.sortName, table.id),
    index('contacts_recent').on(table.organizationId, table.lastMessageAtMs, table.id),
    index('contacts_created').on(table.organizationId, table.createdAtMs, table.id),
    index('contacts_assigned').on(
      table.organizationId,
      table.assignedTo,
      table.lastMessageAtMs,
      table.id,
    ),
    index('contacts_recent_on').on(
      table.organizationId,
      table.accountId,
      table.lastMessageAtMs,
      table.id,
    ),
    index('contacts_recent_consent').on(
      table.organizationId,
      table.marketingConsent,
      table.lastMessageAtMs,
      table.id,
    ),
    index('contacts_merged')
      .on(table.organizationId, table.mergedInto)
      .where(sql`${table.mergedInto} is not null`),
    index('contacts_blocked')
      .on(table.organizationId, table.lastMessageAtMs, table.id)
      .where(sql`${table.blockedAtMs} is not null`),
    index('contacts_without_number')
      .on(table.organizationId, table.lastMessageAtMs, table.id)
      .where(sql`${table.phoneNumber} is null`),
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
    /** Of a number its owner has given up: until when it still names the contact. */
    expiresAtMs: integer('expires_at_ms'),
    /** The account it was first seen on. */
    accountId: text('account_id'),
    firstSeenAtMs: integer('first_seen_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.kind, table.value] }),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    uniqueIndex('contact_identities_contact').on(
      table.organizationId,
      table.contactId,
      table.kind,
      table.value,
    ),
  ],
)

/** Which contact carries which label. */
export const contactTags = sqliteTable(
  'contact_tags',
  {
    organizationId: text('organization_id').notNull(),
    contactId: text('contact_id').notNull(),
    tagId: text('tag_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.contactId, table.tagId] }),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.tagId],
      foreignColumns: [tags.organizationId, tags.id],
    }),
    index('contact_tags_tag').on(table.organizationId, table.tagId, table.contactId),
  ],
)

/**
 * Ledger of consent: appended to, never changed; `contacts.marketing_consent` is its newest entry.
 */
export const contactConsents = sqliteTable(
  'contact_consents',
  {
    organizationId: text('organization_id').notNull(),
    id: text('id').notNull(),
    contactId: text('contact_id').notNull(),
    purpose: text('purpose', { enum: ['marketing'] }).notNull(),
    state: text('state', { enum: ['opted_in', 'opted_out'] }).notNull(),
    source: text('source', { enum: ['keyword', 'platform', 'agent', 'import', 'api'] }).notNull(),
    evidence: text('evidence'),
    /** The message that said so, if one did. */
    messageId: text('message_id'),
    actorId: text('actor_id'),
    actorName: text('actor_name'),
    /** When it was said: the platform's time where it told one; the newest decides. */
    atMs: integer('at_ms').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    index('contact_consents_recent').on(
      table.organizationId,
      table.contactId,
      table.atMs,
      table.id,
    ),
  ],
)

/**
 * Words by which customers leave and come back, and what they are answered; one row per
 * organization.
 */
export const consentSettings = sqliteTable('consent_settings', {
  organizationId: text('organization_id')
    .primaryKey()
    .references(() => organizations.id),
  /** JSON arrays. */
  optOutKeywords: text('opt_out_keywords').notNull(),
  optInKeywords: text('opt_in_keywords').notNull(),
  optOutReply: text('opt_out_reply'),
  optInReply: text('opt_in_reply'),
  updatedAtMs: integer('updated_at_ms').notNull(),
})

/** The organization's own fields of a contact. */
export const contactAttributes = sqliteTable(
  'contact_attributes',
  {
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: text('id').notNull(),
    key: text('key').notNull(),
    label: text('label').notNull(),
    type: text('type', {
      enum: ['text', 'number', 'boolean', 'date', 'select', 'url', 'email'],
    }).notNull(),
    /** JSON array, of a select. */
    options: text('options').notNull().default('[]'),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    uniqueIndex('contact_attributes_key').on(table.organizationId, table.key),
  ],
)

/** Two contacts made one, with what undoes it. */
export const contactMerges = sqliteTable(
  'contact_merges',
  {
    organizationId: text('organization_id').notNull(),
    id: text('id').notNull(),
    targetId: text('target_id').notNull(),
    sourceId: text('source_id').notNull(),
    /** What was moved and what was overwritten, JSON. */
    undo: text('undo').notNull(),
    actorId: text('actor_id'),
    mergedAtMs: integer('merged_at_ms').notNull(),
    undoneAtMs: integer('undone_at_ms'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.targetId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.sourceId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    index('contact_merges_source').on(table.organizationId, table.sourceId),
    index('contact_merges_target').on(table.organizationId, table.targetId),
  ],
)

/**
 * What each contact is found by; deleted contacts have no row. Triggers keep `contact_terms` in
 * step. Without rowid: its rows lie in the order of the key.
 */
export const contactWords = sqliteTable(
  'contact_words',
  {
    organizationId: text('organization_id').notNull(),
    contactId: text('contact_id').notNull(),
    /** The words of its names and its username, folded, each once and with a space before it. */
    words: text('words').notNull(),
    /** Its numbers, and those among its names, each with a space after it. */
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

/**
 * The same words in alphabetical order, so that contacts are found by how a word begins. Without
 * rowid.
 */
export const contactTerms = sqliteTable(
  'contact_terms',
  {
    organizationId: text('organization_id').notNull(),
    term: text('term').notNull(),
    contactId: text('contact_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.term, table.contactId] })],
)

/** How many live contacts an organization has; triggers keep it. */
export const contactCounts = sqliteTable('contact_counts', {
  organizationId: text('organization_id')
    .primaryKey()
    .references(() => organizations.id),
  contacts: integer('contacts').notNull(),
})

/**
 * Numbers and ids of people who were erased, so that no file brings them back: keyed digests, from
 * which nobody reads a number.
 */
export const suppressions = sqliteTable(
  'suppressions',
  {
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id),
    mark: text('mark').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.mark] })],
)

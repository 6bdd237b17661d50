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

import { uuid } from '../../infra/db/uuid'
import { isWord, word, wordPlace } from '../../infra/db/word'
import { accounts } from '../accounts/table'
import { memberships } from '../memberships/table'
import { organizations } from '../organizations/table'
import { tags } from '../tags/table'
import { teams } from '../teams/table'

/** States of a contact's consent to marketing messages. `unknown` is the usual one. */
export const CONSENT_STATES = ['unknown', 'opted_in', 'opted_out'] as const

/** Sources of contacts. `inbound` is the usual one. */
export const CONTACT_SOURCES = [
  'inbound',
  'manual',
  'import',
  'api',
  'campaign',
  'phone_app',
] as const

/**
 * Customers of an organization. Totals over all conversations are kept in the row and updated in
 * the message's transaction.
 */
export const contacts = sqliteTable(
  'contacts',
  {
    /** Counts of reports name the contact by this number. Newer contacts have higher ones. */
    row: integer('row').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    /** Set by users; never overwritten by the platform. */
    name: text('name'),
    /** Set by the platform. */
    profileName: text('profile_name'),
    username: text('username'),
    /**
     * Name in the address book of the business phone, and its platform time. Only the address book
     * changes a name that it set.
     */
    bookName: text('book_name'),
    bookNamedAtMs: integer('book_named_at_ms'),
    /** E.164 digits without `+`. */
    phoneNumber: text('phone_number'),
    /**
     * The platform's canonical number if it differs from the phone number: `null` if they are the same,
     * empty if the platform has not reported one.
     */
    ownWaId: text('own_wa_id'),
    /** The platform's canonical number, to which messages are sent. */
    waId: text('wa_id').generatedAlwaysAs(sql`nullif(coalesce("own_wa_id", "phone_number"), '')`, {
      mode: 'virtual',
    }),
    /** Business-scoped user ID. */
    userId: text('user_id'),
    parentUserId: text('parent_user_id'),
    country: text('country'),
    language: text('language'),
    /** The account used last. */
    accountId: uuid('account_id'),
    /** User ID of the assigned member. */
    assignedTo: uuid('assigned_to'),
    assignedTeamId: uuid('assigned_team_id'),
    /** JSON object. */
    metadata: text('metadata').notNull().default('{}'),
    /** Values of custom fields by key, JSON object. */
    attributes: text('attributes').notNull().default('{}'),
    /** Display name, folded for sorting and prefix search (`lib/fold-text.ts`). */
    sortName: text('sort_name').notNull().default(''),
    marketingConsent: word('marketing_consent', CONSENT_STATES)
      .notNull()
      .default(wordPlace(CONSENT_STATES, 'unknown')),
    /** When the platform first reported that the contact cannot be reached. */
    undeliverableSinceMs: integer('undeliverable_since_ms'),
    blockedAtMs: integer('blocked_at_ms'),
    /** When the contact was blocked on the platform. */
    platformBlockedAtMs: integer('platform_blocked_at_ms'),
    source: word('source', CONTACT_SOURCES).notNull(),
    firstSeenAtMs: integer('first_seen_at_ms').notNull(),
    lastMessageAtMs: integer('last_message_at_ms'),
    lastInboundAtMs: integer('last_inbound_at_ms'),
    /** When the platform last reported a closed window in one of the contact's conversations. */
    windowClosedAtMs: integer('window_closed_at_ms'),
    unreadCount: integer('unread_count').notNull().default(0),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
    deletedAtMs: integer('deleted_at_ms'),
    /** The contact this one was merged into. */
    mergedInto: uuid('merged_into'),
  },
  (table) => [
    uniqueIndex('contacts_id').on(table.organizationId, table.id),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.assignedTo],
      foreignColumns: [memberships.organizationId, memberships.userId],
    }),
    foreignKey({
      columns: [table.organizationId, table.assignedTeamId],
      foreignColumns: [teams.organizationId, teams.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.mergedInto],
      foreignColumns: [table.organizationId, table.id],
    }),
    check('contacts_unread', sql`${table.unreadCount} >= 0`),
    check('contacts_consent', isWord(table.marketingConsent, CONSENT_STATES)),
    check('contacts_source', isWord(table.source, CONTACT_SOURCES)),
    index('contacts_by_name').on(table.organizationId, table.sortName, table.id),
    // Lists sort by id within a time. Few contacts share one, so the id is not in these indexes; those
    // without a message have an index of their own.
    index('contacts_recent')
      .on(table.organizationId, table.lastMessageAtMs)
      .where(sql`${table.lastMessageAtMs} is not null`),
    index('contacts_undated')
      .on(table.organizationId, table.id)
      .where(sql`${table.lastMessageAtMs} is null`),
    index('contacts_recent_on')
      .on(table.organizationId, table.accountId, table.lastMessageAtMs)
      .where(sql`${table.lastMessageAtMs} is not null`),
    index('contacts_undated_on')
      .on(table.organizationId, table.accountId, table.id)
      .where(sql`${table.lastMessageAtMs} is null`),
    index('contacts_assigned')
      .on(table.organizationId, table.assignedTo, table.lastMessageAtMs, table.id)
      .where(sql`${table.assignedTo} is not null`),
    index('contacts_of_team')
      .on(table.organizationId, table.assignedTeamId, table.id)
      .where(sql`${table.assignedTeamId} is not null`),
    index('contacts_recent_consent')
      .on(table.organizationId, table.marketingConsent, table.lastMessageAtMs, table.id)
      .where(sql`${table.marketingConsent} <> ${wordPlace(CONSENT_STATES, 'unknown')}`),
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

/** Kinds of identities, in the order of the alphabet, in which they are listed. */
export const IDENTITY_KINDS = ['parent_user_id', 'phone', 'user_id'] as const

/** Phone numbers and user IDs by which the platform identifies a contact. */
export const contactIdentities = sqliteTable(
  'contact_identities',
  {
    organizationId: uuid('organization_id').notNull(),
    kind: word('kind', IDENTITY_KINDS).notNull(),
    value: text('value').notNull(),
    contactId: uuid('contact_id').notNull(),
    /** For a former number: until when it still identifies the contact. */
    expiresAtMs: integer('expires_at_ms'),
    /** The account on which it was first seen. */
    accountId: uuid('account_id'),
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
    check('contact_identities_kind', isWord(table.kind, IDENTITY_KINDS)),
    uniqueIndex('contact_identities_contact').on(
      table.organizationId,
      table.contactId,
      table.kind,
      table.value,
    ),
  ],
)

/** Tags of contacts. */
export const contactTags = sqliteTable(
  'contact_tags',
  {
    organizationId: uuid('organization_id').notNull(),
    contactId: uuid('contact_id').notNull(),
    tagId: uuid('tag_id').notNull(),
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

/** Merges of two contacts, with the data to undo them. */
export const contactMerges = sqliteTable(
  'contact_merges',
  {
    organizationId: uuid('organization_id').notNull(),
    id: uuid('id').notNull(),
    targetId: uuid('target_id').notNull(),
    sourceId: uuid('source_id').notNull(),
    /** Moved and overwritten values, JSON. */
    undo: text('undo').notNull(),
    actorId: uuid('actor_id'),
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

/** Number of contacts per organization, deleted ones excluded. Kept by triggers. */
export const contactCounts = sqliteTable('contact_counts', {
  organizationId: uuid('organization_id')
    .primaryKey()
    .references(() => organizations.id),
  contacts: integer('contacts').notNull(),
})

/**
 * Keyed digests of the numbers and IDs of erased people, so that no import restores them. The
 * numbers cannot be read from the digests.
 */
export const suppressions = sqliteTable(
  'suppressions',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    mark: text('mark').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.mark] })],
)

import { sql } from 'drizzle-orm'
import { check, foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { storedByKey, tableWithPeople, tableWithoutPeople } from '../../../infra/db/define-table'
import { NIL_UUID, uuid } from '../../../infra/db/uuid'
import { accounts } from '../../channel/accounts/table'
import { memberships } from '../../organization/memberships/table'
import { organizations } from '../../organization/organizations/table'
import { tags } from '../tags/table'
import { teams } from '../teams/table'
import { plainColumns } from './plain-fields'

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

const { name, ...otherPlainColumns } = plainColumns

/**
 * Customers of an organization. Totals over all conversations are kept in the row and updated in
 * the message's transaction.
 */
export const contacts = tableWithPeople(
  'contacts',
  { of: 'contacts', erased: 'columns' },
  {
    /** Counts of reports name the contact by this number. Newer contacts have higher ones. */
    row: integer('row').primaryKey().business({ withheld: 'a number of the database' }),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id)
      .business(),
    id: uuid('id').notNull().business({ exported: 'usual' }),
    /** E.164 digits without `+`. */
    phoneNumber: text('phone_number').personal({ exported: 'usual', imported: true }),
    /** Business-scoped user ID. */
    userId: text('user_id').personal({ exported: 'usual', imported: true }),
    /** Set by users; never overwritten by the platform. */
    name,
    /** Set by the platform. */
    profileName: text('profile_name').personal({ exported: 'usual' }),
    username: text('username').personal({ exported: 'on request' }),
    /**
     * Name in the address book of the business phone, and its platform time. Only the address book
     * changes a name that it set.
     */
    bookName: text('book_name').personal(),
    bookNamedAtMs: integer('book_named_at_ms').personal(),
    /** The platform's canonical number, to which messages are sent, if it has reported one. */
    waId: text('wa_id').personal({ exported: 'on request' }),
    parentUserId: text('parent_user_id').personal({ exported: 'on request' }),
    country: text('country').personal({ exported: 'usual', inSegments: 'country' }),
    ...otherPlainColumns,
    marketingConsent: text('marketing_consent', { enum: CONSENT_STATES })
      .notNull()
      .default('unknown')
      .personal({
        merged: 'combined',
        exported: 'usual',
        imported: true,
        inSegments: 'consent',
      }),
    /** User ID of the assigned member. */
    assignedTo: uuid('assigned_to').personal({
      exported: 'usual',
      imported: true,
      inSegments: 'assigned_to',
    }),
    assignedTeamId: uuid('assigned_team_id').personal({ exported: 'on request' }),
    /** The account used last. */
    accountId: uuid('account_id').business({
      merged: 'fills',
      exported: 'on request',
      inSegments: 'account_id',
    }),
    source: text('source', { enum: CONTACT_SOURCES }).notNull().business({ exported: 'usual' }),
    /** JSON object. */
    metadata: text('metadata')
      .notNull()
      .default('{}')
      .personal({ merged: 'combined', exported: 'on request' }),
    /** Values of custom fields by key, JSON object. */
    attributes: text('attributes').notNull().default('{}').personal({ merged: 'combined' }),
    /** Display name, folded for sorting and prefix search (`lib/fold-text.ts`). */
    sortName: text('sort_name')
      .notNull()
      .default('')
      .derived({ withheld: 'a form of the name for searches' }),
    /** When the platform first reported that the contact cannot be reached. */
    undeliverableSinceMs: integer('undeliverable_since_ms').personal({ merged: 'stays' }),
    blockedAtMs: integer('blocked_at_ms').personal(),
    /** When the contact was blocked on the platform. */
    platformBlockedAtMs: integer('platform_blocked_at_ms').personal(),
    firstSeenAtMs: integer('first_seen_at_ms').notNull().business({ exported: 'on request' }),
    lastMessageAtMs: integer('last_message_at_ms').derived({
      exported: 'usual',
      inSegments: 'last_message_at',
    }),
    lastInboundAtMs: integer('last_inbound_at_ms').derived({
      exported: 'on request',
      inSegments: 'last_inbound_at',
    }),
    /** When the platform last reported a closed window in one of the contact's conversations. */
    windowClosedAtMs: integer('window_closed_at_ms').derived(),
    unreadCount: integer('unread_count').notNull().default(0).derived({ exported: 'on request' }),
    createdAtMs: integer('created_at_ms')
      .notNull()
      .business({ exported: 'usual', inSegments: 'created_at' }),
    updatedAtMs: integer('updated_at_ms').notNull().business({ exported: 'on request' }),
    deletedAtMs: integer('deleted_at_ms').business(),
    /** The contact this one was merged into. */
    mergedInto: uuid('merged_into').business(),
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
    check(
      'contacts_consent',
      sql`${table.marketingConsent} in ('unknown', 'opted_in', 'opted_out')`,
    ),
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
      .where(sql`${table.marketingConsent} <> 'unknown'`),
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
export const contactIdentities = storedByKey(
  tableWithPeople(
    'contact_identities',
    { of: 'contacts', erased: 'rows' },
    {
      organizationId: uuid('organization_id').notNull().business(),
      kind: text('kind', { enum: IDENTITY_KINDS }).notNull().business(),
      value: text('value').notNull().personal(),
      contactId: uuid('contact_id').notNull().business(),
      /** For a former number: until when it still identifies the contact. */
      expiresAtMs: integer('expires_at_ms').business(),
      /** The account on which it was first seen. */
      accountId: uuid('account_id').business(),
      firstSeenAtMs: integer('first_seen_at_ms').notNull().business(),
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
  ),
)

/** Tags of contacts. */
export const contactTags = storedByKey(
  tableWithPeople(
    'contact_tags',
    { of: 'contacts', erased: 'rows' },
    {
      organizationId: uuid('organization_id').notNull().business(),
      contactId: uuid('contact_id').notNull().business(),
      tagId: uuid('tag_id').notNull().personal(),
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
  ),
)

/** Merges of two contacts, with the data to undo them. */
export const contactMerges = tableWithPeople(
  'contact_merges',
  { of: 'contacts', erased: 'rows' },
  {
    organizationId: uuid('organization_id').notNull().business(),
    id: uuid('id').notNull().business(),
    targetId: uuid('target_id').notNull().business(),
    sourceId: uuid('source_id').notNull().business(),
    /** Moved and overwritten values, JSON. */
    undo: text('undo').notNull().personal(),
    actorId: uuid('actor_id').business(),
    mergedAtMs: integer('merged_at_ms').notNull().business(),
    undoneAtMs: integer('undone_at_ms').business(),
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

/** Pairs of contacts of which somebody said that they are not the same person, the lower ID first. */
export const contactsApart = storedByKey(
  tableWithPeople(
    'contacts_apart',
    { of: 'contacts', erased: 'rows' },
    {
      organizationId: uuid('organization_id').notNull().business(),
      contactId: uuid('contact_id').notNull().business(),
      otherId: uuid('other_id').notNull().business(),
      actorId: uuid('actor_id').business(),
      decidedAtMs: integer('decided_at_ms').notNull().business(),
    },
    (table) => [
      primaryKey({ columns: [table.organizationId, table.contactId, table.otherId] }),
      foreignKey({
        columns: [table.organizationId, table.contactId],
        foreignColumns: [contacts.organizationId, contacts.id],
      }),
      foreignKey({
        columns: [table.organizationId, table.otherId],
        foreignColumns: [contacts.organizationId, contacts.id],
      }),
      index('contacts_apart_other').on(table.organizationId, table.otherId),
      check('contacts_apart_order', sql`${table.contactId} < ${table.otherId}`),
    ],
  ),
)

/** Stands in `contact_viewers` for all who may pick up from the general queue. */
export const GENERAL_QUEUE = '00000000-0000-0000-0000-000000000001'

/** Stands in `contact_viewers` for all who may see contacts that nobody has. */
export const UNASSIGNED = NIL_UUID

/**
 * Who sees a contact without `contacts:read_all`: a person, a team, `GENERAL_QUEUE` or `UNASSIGNED`.
 * Kept by triggers from the view `contact_sight` (`sight/views.sql`).
 */
export const contactViewers = storedByKey(
  tableWithoutPeople(
    'contact_viewers',
    'ids of contacts, colleagues and teams',
    {
      organizationId: uuid('organization_id').notNull(),
      viewerId: uuid('viewer_id').notNull(),
      contactId: uuid('contact_id').notNull(),
    },
    (table) => [
      primaryKey({ columns: [table.organizationId, table.viewerId, table.contactId] }),
      foreignKey({
        columns: [table.organizationId, table.contactId],
        foreignColumns: [contacts.organizationId, contacts.id],
      }).onDelete('cascade'),
      uniqueIndex('contact_viewers_contact').on(
        table.organizationId,
        table.contactId,
        table.viewerId,
      ),
    ],
  ),
)

/** Number of contacts per organization, deleted ones excluded. Kept by triggers. */
export const contactCounts = tableWithoutPeople('contact_counts', 'counts', {
  organizationId: uuid('organization_id')
    .primaryKey()
    .references(() => organizations.id),
  contacts: integer('contacts').notNull(),
})

/**
 * Keyed digests of the numbers and IDs of erased people, so that no import restores them. The
 * numbers cannot be read from the digests.
 */
export const suppressions = tableWithoutPeople(
  'suppressions',
  'keyed digests, which nobody can read',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    mark: text('mark').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.mark] })],
)

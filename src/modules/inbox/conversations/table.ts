import { sql } from 'drizzle-orm'
import { check, foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithPeople, tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { accounts } from '../../channel/accounts/table'
import { contacts } from '../contacts/table'
import { memberships } from '../../organization/memberships/table'
import { teams } from '../teams/table'

export const CONVERSATION_STATES = ['open', 'pending', 'snoozed', 'closed'] as const

/** The priorities of a conversation. */
const PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const

/** The possible owners of a thread on a shared number. */
export const THREAD_OWNERS = ['us', 'platform_agent', 'other_app', 'idle', 'unknown'] as const

/** Kinds of facts about a thread: a new owner, or a message that reached us as observers only. */
export const THREAD_FACTS = [...THREAD_OWNERS, 'standby'] as const

/** The conversation between one contact and one of the organization's phone numbers. */
export const conversations = tableWithPeople(
  'conversations',
  { of: 'contacts', erased: 'rows' },
  {
    organizationId: uuid('organization_id').notNull().business(),
    id: uuid('id').notNull().business(),
    contactId: uuid('contact_id').notNull().business(),
    accountId: uuid('account_id').notNull().business(),
    state: text('state', { enum: CONVERSATION_STATES }).notNull().business(),
    priority: text('priority', { enum: PRIORITIES }).notNull().default('normal').business(),
    assignedTo: uuid('assigned_to').business(),
    teamId: uuid('team_id').business(),
    unreadCount: integer('unread_count').notNull().default(0).derived(),
    /** The newest message or call. */
    lastMessageId: uuid('last_message_id').derived(),
    lastMessageAtMs: integer('last_message_at_ms').derived(),
    /** Platform time of the newest incoming message or call, which opens the 24-hour window. */
    lastInboundAtMs: integer('last_inbound_at_ms').derived(),
    /**
     * When the platform last reported the window as closed. A later message of the customer opens
     * it again.
     */
    windowClosedAtMs: integer('window_closed_at_ms').derived(),
    /** Time of the oldest unanswered message, or `null`. */
    unansweredSinceMs: integer('unanswered_since_ms').derived(),
    /** Time of the newest reply by a person. */
    lastAnsweredAtMs: integer('last_answered_at_ms').derived(),
    /** When a snoozed conversation reopens; `null` for one that waits for the customer. */
    snoozedUntilMs: integer('snoozed_until_ms').business(),
    /**
     * Who answers the customer on a shared number, derived from `thread_facts`, and since when
     * (`null` while no change is known). It becomes idle after 24 hours without being written.
     */
    threadOwner: text('thread_owner', { enum: THREAD_OWNERS }).notNull().default('us').derived(),
    ownerSinceMs: integer('owner_since_ms').derived(),
    /** The role on the number under which the owner has the thread, as the platform names it. */
    ownerRole: text('owner_role').derived(),
    /** The first and the last ad that led the customer here, JSON. */
    firstReferral: text('first_referral').personal(),
    lastReferral: text('last_referral').personal(),
    /** End of the 72 hours in which messages are free after an ad click. */
    freeEntryUntilMs: integer('free_entry_until_ms').business(),
    /**
     * When the last `conversation:updated` was published; the fields that changed since and when
     * they are due, while they wait.
     */
    publishedAtMs: integer('published_at_ms').business(),
    publishDueAtMs: integer('publish_due_at_ms').business(),
    unpublished: text('unpublished').notNull().default('[]').business(),
    lastTypingAtMs: integer('last_typing_at_ms').business(),
    firstResponseAtMs: integer('first_response_at_ms').derived(),
    closedAtMs: integer('closed_at_ms').business(),
    createdAtMs: integer('created_at_ms').notNull().business(),
    updatedAtMs: integer('updated_at_ms').notNull().business(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.assignedTo],
      foreignColumns: [memberships.organizationId, memberships.userId],
    }),
    foreignKey({
      columns: [table.organizationId, table.teamId],
      foreignColumns: [teams.organizationId, teams.id],
    }),
    check('conversations_unread', sql`${table.unreadCount} >= 0`),
    uniqueIndex('conversations_pair').on(table.organizationId, table.contactId, table.accountId),
    // The key that the foreign key of messages names.
    uniqueIndex('conversations_of_messages').on(
      table.organizationId,
      table.contactId,
      table.accountId,
      table.id,
    ),
    // Lists sort by id within a time. Few conversations share one or have none, so the id is not in
    // the indexes.
    index('conversations_assigned')
      .on(table.organizationId, table.assignedTo, table.contactId)
      .where(sql`${table.assignedTo} is not null`),
    index('conversations_recent_of')
      .on(table.organizationId, table.assignedTo, table.lastMessageAtMs)
      .where(sql`${table.assignedTo} is not null`),
    index('conversations_unassigned')
      .on(table.organizationId, table.lastMessageAtMs)
      .where(sql`${table.assignedTo} is null`),
    index('conversations_of_team')
      .on(table.organizationId, table.teamId, table.contactId)
      .where(sql`${table.teamId} is not null`),
    index('conversations_recent_of_team')
      .on(table.organizationId, table.teamId, table.lastMessageAtMs)
      .where(sql`${table.teamId} is not null`),
    index('conversations_recent_in').on(table.organizationId, table.state, table.lastMessageAtMs),
    index('conversations_recent_on').on(
      table.organizationId,
      table.accountId,
      table.lastMessageAtMs,
    ),
    index('conversations_unread')
      .on(table.organizationId, table.lastMessageAtMs)
      .where(sql`${table.unreadCount} > 0`),
    index('conversations_waiting')
      .on(table.organizationId, table.state, table.unansweredSinceMs)
      .where(sql`${table.unansweredSinceMs} is not null`),
    index('conversations_window').on(table.organizationId, table.lastInboundAtMs),
    index('conversations_pending')
      .on(table.lastMessageAtMs)
      .where(sql`${table.state} = 'pending' and ${table.unansweredSinceMs} is not null`),
  ],
)

/**
 * Conversations of active contacts, and unread ones, by phone number, assignee (empty: nobody), team
 * (empty: none) and state. Kept by triggers.
 */
export const conversationCounts = tableWithoutPeople(
  'conversation_counts',
  'counts by ids of colleagues',
  {
    organizationId: uuid('organization_id').notNull(),
    accountId: uuid('account_id').notNull(),
    assignedTo: uuid('assigned_to').notNull(),
    teamId: uuid('team_id').notNull(),
    state: text('state', { enum: CONVERSATION_STATES }).notNull(),
    conversations: integer('conversations').notNull(),
    unread: integer('unread').notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.organizationId, table.accountId, table.assignedTo, table.teamId, table.state],
    }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
  ],
)

/**
 * Everything that says who owns a thread, so that the owner does not depend on the order of arrival:
 * handovers, own messages (`us`), and messages that reached us as observers only (`standby`). Kept
 * for conversations whose owner has ever been in question.
 */
export const threadFacts = tableWithPeople(
  'thread_facts',
  { of: 'contacts', erased: 'rows' },
  {
    organizationId: uuid('organization_id').notNull().business(),
    conversationId: uuid('conversation_id').notNull().business(),
    kind: text('kind', { enum: THREAD_FACTS }).notNull().business(),
    atMs: integer('at_ms').notNull().business(),
    /** The role under which the owner got the thread, if a handover named it. */
    role: text('role').business(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.conversationId, table.kind, table.atMs] }),
    foreignKey({
      columns: [table.organizationId, table.conversationId],
      foreignColumns: [conversations.organizationId, conversations.id],
    }),
  ],
)

import { sql } from 'drizzle-orm'
import { check, foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { accounts } from '../../channel/accounts/table'
import { contacts } from '../../inbox/contacts/table'
import { teams } from '../../inbox/teams/table'
import { users } from '../../organization/users/table'

/** Causes of a transfer. */
export const TRANSFER_SOURCES = [
  'manual',
  'api',
  'flow',
  'keyword',
  'ai',
  'fallback',
  'chatbot_disabled',
  'new_conversation',
] as const

/** Entries in the history of a transfer. */
export const TRANSFER_CHANGES = [
  'created',
  'picked_up',
  'assigned',
  'returned',
  'resumed',
  'expired',
  'escalated',
  'sla_breached',
  'edited',
] as const

/**
 * Transfers of contacts to people. A contact has at most one active transfer. It waits in the queue
 * of its team, or in the general queue, until it has an agent. Ended transfers never change again.
 */
export const transfers = tableWithPeople(
  'transfers',
  { of: 'contacts', erased: 'rows' },
  {
    organizationId: uuid('organization_id').notNull().business(),
    id: uuid('id').notNull().business(),
    contactId: uuid('contact_id').notNull().business(),
    accountId: uuid('account_id').notNull().business(),
    status: text('status', { enum: ['active', 'resumed', 'expired'] })
      .notNull()
      .business(),
    source: text('source', { enum: TRANSFER_SOURCES }).notNull().business(),
    /** 0 to 9; higher ones are picked up first. */
    priority: integer('priority').notNull().business(),
    /** The person who has it, or had it last; `null` while it waits in a queue. */
    agentId: uuid('agent_id')
      .references(() => users.id)
      .business(),
    /** The team in whose queue it waits or waited; `null` for the general queue. */
    teamId: uuid('team_id').business(),
    /** The person who created it, or whose API key did. */
    transferredBy: uuid('transferred_by')
      .references(() => users.id)
      .business(),
    notes: text('notes').personal(),
    transferredAtMs: integer('transferred_at_ms').notNull().business(),
    pickedUpAtMs: integer('picked_up_at_ms').business(),
    /** When a person first wrote to the customer since then. */
    firstResponseAtMs: integer('first_response_at_ms').business(),
    endedAtMs: integer('ended_at_ms').business(),
    endedBy: uuid('ended_by')
      .references(() => users.id)
      .business(),
    /** Why it ended if nobody ended it, such as `merged`. */
    endReason: text('end_reason').business(),
    /** When the first response is due; moved when the conversation was snoozed. */
    responseDueAtMs: integer('response_due_at_ms').business(),
    resolutionDueAtMs: integer('resolution_due_at_ms').business(),
    breachedAtMs: integer('breached_at_ms').business(),
    escalationLevel: integer('escalation_level').notNull().default(0).business(),
    escalatedAtMs: integer('escalated_at_ms').business(),
    /** When it is escalated next. */
    escalationDueAtMs: integer('escalation_due_at_ms').business(),
    /** When it expires unless the customer writes. */
    expiresAtMs: integer('expires_at_ms').business(),
    /** Whether it expires with the client's text, not with the one of the SLA. */
    isClientExpiry: integer('is_client_expiry', { mode: 'boolean' })
      .notNull()
      .default(false)
      .business(),
    /** When the customer is reminded to answer. */
    reminderDueAtMs: integer('reminder_due_at_ms').business(),
    remindedAtMs: integer('reminded_at_ms').business(),
    /** When its agent must have responded; otherwise it is offered to the next one. */
    agentDueAtMs: integer('agent_due_at_ms').business(),
    /** IDs of the people who had it and did not respond in time, JSON. */
    passedOver: text('passed_over').notNull().default('[]').business(),
    /** Whether its SLA deadlines count business hours only. */
    countsOpenTime: integer('counts_open_time', { mode: 'boolean' }).notNull().business(),
    /** Since when its clocks stand because the conversation is snoozed. */
    pausedAtMs: integer('paused_at_ms').business(),
    /** The earliest of its deadlines; `null` if nothing is due, ended or paused. */
    dueAtMs: integer('due_at_ms').business(),
    /** Position in lists, ascending: active ones by age, then ended ones, newest first. */
    sortKey: integer('sort_key').notNull().business(),
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
      columns: [table.organizationId, table.teamId],
      foreignColumns: [teams.organizationId, teams.id],
    }),
    check('transfers_priority', sql`${table.priority} between 0 and 9`),
    check('transfers_ended', sql`(${table.status} = 'active') = (${table.endedAtMs} is null)`),
    check('transfers_due', sql`${table.status} = 'active' or ${table.dueAtMs} is null`),
    uniqueIndex('transfers_active')
      .on(table.organizationId, table.contactId)
      .where(sql`${table.status} = 'active'`),
    index('transfers_waiting')
      .on(
        table.organizationId,
        sql`${table.priority} desc`,
        table.transferredAtMs,
        table.id,
        table.teamId,
      )
      .where(sql`${table.status} = 'active' and ${table.agentId} is null`),
    index('transfers_queue')
      .on(table.organizationId, table.teamId, table.contactId)
      .where(sql`${table.status} = 'active' and ${table.agentId} is null`),
    index('transfers_held')
      .on(table.organizationId, table.agentId, table.teamId, table.contactId)
      .where(sql`${table.status} = 'active' and ${table.agentId} is not null`),
    index('transfers_of_number')
      .on(table.organizationId, table.accountId, table.agentId, table.contactId)
      .where(sql`${table.status} = 'active'`),
    index('transfers_listed').on(table.organizationId, table.sortKey, table.id),
    index('transfers_listed_in').on(table.organizationId, table.status, table.sortKey, table.id),
    index('transfers_listed_of').on(table.organizationId, table.agentId, table.sortKey, table.id),
    index('transfers_listed_team').on(table.organizationId, table.teamId, table.sortKey, table.id),
    index('transfers_contact').on(table.organizationId, table.contactId, table.sortKey),
    index('transfers_ended')
      .on(table.organizationId, table.endedAtMs)
      .where(sql`${table.endedAtMs} is not null`),
    index('transfers_due')
      .on(table.dueAtMs)
      .where(sql`${table.dueAtMs} is not null`),
  ],
)

/** History of transfers. Who did what, and who had the transfer then. */
export const transferChanges = tableWithPeople(
  'transfer_changes',
  { of: 'contacts', erased: 'rows' },
  {
    organizationId: uuid('organization_id').notNull().business(),
    id: uuid('id').notNull().business(),
    transferId: uuid('transfer_id').notNull().business(),
    kind: text('kind', { enum: TRANSFER_CHANGES }).notNull().business(),
    /** The person, or the owner of the API key; `null` for the program. */
    userId: uuid('user_id')
      .references(() => users.id)
      .business(),
    /** Agent and team after the change. */
    agentId: uuid('agent_id')
      .references(() => users.id)
      .business(),
    teamId: uuid('team_id').business(),
    /** Further facts, JSON: names of changed fields, or why it happened. */
    details: text('details').notNull().default('{}').personal(),
    atMs: integer('at_ms').notNull().business(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.transferId],
      foreignColumns: [transfers.organizationId, transfers.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.teamId],
      foreignColumns: [teams.organizationId, teams.id],
    }),
    index('transfer_changes_of').on(table.organizationId, table.transferId, table.atMs, table.id),
  ],
)

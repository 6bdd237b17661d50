import { sql } from 'drizzle-orm'
import { foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../../infra/db/columns'
import { tableWithPeople } from '../../../../infra/db/define-table'
import { uuid } from '../../../../infra/db/uuid'
import { accounts } from '../../../channel/accounts/table'
import { contacts } from '../../../inbox/contacts/table'

/** States of a session. All but `active` are final. */
export const SESSION_STATUSES = [
  'active',
  'completed',
  'cancelled',
  'transferred',
  'timed_out',
  'failed',
] as const

/**
 * Outcomes of a session in reports. A timed-out one is `auto_resolved` if the bot answered outside a
 * flow and no person took over within 24 hours. Every other end without a transfer is `abandoned`.
 */
const SESSION_OUTCOMES = ['open', 'auto_resolved', 'transferred', 'abandoned'] as const

/** Events that continue an active session. */
export const SESSION_WAITS = ['reply', 'form', 'timer', 'http'] as const

/** How long a session may wait for anything but the customer before the sweeper looks for it. */
export const LOST_AFTER_MS = 5 * 60_000

/** Returns when a session that waits for a time goes on; `expiresAtMs` is when it would be lost. */
export const timerOf = (expiresAtMs: number | null): number | null =>
  expiresAtMs === null ? null : expiresAtMs - LOST_AFTER_MS

/** The parts of a turn that leave a trace. */
export const STAGES = [
  'received',
  'consent',
  'silence',
  'disabled',
  'transfer',
  'hours',
  'cancel',
  'greeting',
  'rules',
  'flow',
  'ai',
  'fallback',
  'guard',
  'timeout',
] as const

/** The bot's conversations with a contact on a phone number. One of them is active at most. */
export const botSessions = tableWithPeople(
  'bot_sessions',
  { of: 'contacts', erased: 'rows' },
  {
    organizationId: uuid('organization_id').notNull().business(),
    id: uuid('id').notNull().business(),
    contactId: uuid('contact_id').notNull().business(),
    accountId: uuid('account_id').notNull().business(),
    status: text('status', { enum: SESSION_STATUSES }).notNull().business(),
    /** The event that continues it; `null` once it has ended. */
    waitingFor: text('waiting_for', { enum: SESSION_WAITS }).business(),
    /** The bot flow that it is in, and the version it began with. */
    flowId: uuid('flow_id').business(),
    flowVersion: integer('flow_version').business(),
    /** The node that it waits at. */
    node: text('node').business(),
    /** The variables, JSON. */
    variables: text('variables').notNull().default('{}').personal(),
    /** Counters and the turn that is under way, JSON (`SessionState`). */
    state: text('state').notNull().default('{}').personal(),
    /** Number of steps so far. */
    steps: integer('steps').notNull().default(0).business(),
    /** The message that began it, so that it follows that message when a merge is undone. */
    firstMessageId: uuid('first_message_id').business(),
    startedAtMs: integer('started_at_ms').notNull().business(),
    lastActivityMs: integer('last_activity_ms').notNull().business(),
    /** When it times out; `null` while it does not wait for the customer. */
    expiresAtMs: integer('expires_at_ms').business(),
    endedAtMs: integer('ended_at_ms').business(),
    endReason: text('end_reason').business(),
    /** Messages of both sides that belong to it. */
    messages: integer('messages').notNull().default(0).business(),
    /** Messages of the bot, and the turns in which it wrote them. */
    botMessages: integer('bot_messages').notNull().default(0).business(),
    botTurns: integer('bot_turns').notNull().default(0).business(),
    /** Whether the bot answered at least once with more than the fallback. */
    hasAnswered: integer('has_answered', { mode: 'boolean' }).notNull().default(false).business(),
    /** When a person wrote, or a transfer began, within 24 hours after it timed out. */
    followedUpAtMs: integer('followed_up_at_ms').business(),
    /** How it ended, for reports (`SESSION_OUTCOMES`). */
    outcome: text('outcome', { enum: SESSION_OUTCOMES })
      .notNull()
      .generatedAlwaysAs(
        sql`(case "status" when 'active' then 'open' when 'completed' then 'auto_resolved' when 'transferred' then 'transferred' when 'timed_out' then iif("flow_id" is null and "has_answered" and "followed_up_at_ms" is null, 'auto_resolved', 'abandoned') else 'abandoned' end)`,
        { mode: 'virtual' },
      )
      .derived(),
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
    uniqueIndex('bot_sessions_active')
      .on(table.organizationId, table.contactId, table.accountId)
      .where(sql`${table.status} = 'active'`),
    index('bot_sessions_of_contact').on(table.organizationId, table.contactId, table.startedAtMs),
    index('bot_sessions_recent').on(table.organizationId, table.startedAtMs, table.id),
    index('bot_sessions_recent_in').on(
      table.organizationId,
      table.status,
      table.startedAtMs,
      table.id,
    ),
    index('bot_sessions_of_flow')
      .on(table.organizationId, table.flowId, table.startedAtMs, table.id)
      .where(sql`${table.flowId} is not null`),
    index('bot_sessions_active_of_flow')
      .on(table.organizationId, table.flowId, table.flowVersion)
      .where(sql`${table.status} = 'active'`),
    index('bot_sessions_expiring')
      .on(table.expiresAtMs)
      .where(sql`${table.status} = 'active' and ${table.expiresAtMs} is not null`),
    index('bot_sessions_timed_out')
      .on(table.organizationId, table.contactId, table.endedAtMs)
      .where(sql`${table.status} = 'timed_out'`),
    index('bot_sessions_ended')
      .on(table.organizationId, table.endedAtMs)
      .where(sql`${table.endedAtMs} is not null`),
  ],
)

/** What the bot did, one row per step. Turns that no session took have rows without one. */
export const botTrace = tableWithPeople(
  'bot_trace',
  { of: 'contacts', erased: 'rows' },
  {
    organizationId: uuid('organization_id').notNull().business(),
    id: uuid('id').notNull().business(),
    contactId: uuid('contact_id').notNull().business(),
    sessionId: uuid('session_id').business(),
    /** Position in the session, from 1; 0 without a session. */
    seq: integer('seq').notNull().business(),
    atMs: integer('at_ms').notNull().business(),
    messageId: uuid('message_id').business(),
    stage: text('stage', { enum: STAGES }).notNull().business(),
    /** The bot flow that the step belongs to. */
    flowId: uuid('flow_id').business(),
    node: text('node').business(),
    nodeType: text('node_type').business(),
    input: text('input').personal(),
    outcome: text('outcome').notNull().business(),
    nextNode: text('next_node').business(),
    /** IDs of the messages that the step sent, JSON. */
    sentMessageIds: text('sent_message_ids').notNull().default('[]').business(),
    durationMs: integer('duration_ms').business(),
    error: text('error').personal(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.sessionId],
      foreignColumns: [botSessions.organizationId, botSessions.id],
    }),
    uniqueIndex('bot_trace_of_session')
      .on(table.organizationId, table.sessionId, table.seq)
      .where(sql`${table.sessionId} is not null`),
    index('bot_trace_of_contact').on(table.organizationId, table.contactId, table.atMs),
    index('bot_trace_of_flow')
      .on(table.organizationId, table.flowId, table.atMs)
      .where(sql`${table.flowId} is not null and ${table.node} is not null`),
    index('bot_trace_age').on(table.atMs),
  ],
)

/** Messages that wait for the bot. A turn takes all of a contact and number, oldest first. */
export const botInbox = tableWithPeople(
  'bot_inbox',
  { of: 'contacts', erased: 'rows' },
  {
    organizationId: uuid('organization_id').notNull().business(),
    contactId: uuid('contact_id').notNull().business(),
    accountId: uuid('account_id').notNull().business(),
    messageId: uuid('message_id').notNull().business(),
    receivedAtMs: integer('received_at_ms').notNull().business(),
    /** Whether the turn starts at once: a tap, a form answer, or a word to transfer or cancel. */
    isUrgent: integer('is_urgent', { mode: 'boolean' }).notNull().business(),
    /** Whether it was a word to opt in or out, which is answered already. */
    isConsentWord: integer('is_consent_word', { mode: 'boolean' }).notNull().business(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.contactId, table.messageId] }),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    index('bot_inbox_age').on(table.receivedAtMs),
  ],
)

/**
 * Facts about a contact that outlive its sessions: the closed hours in which it got the
 * out-of-hours message (`atMs`: their end), until when the bot is silent after it answered
 * another bot, and when it was last greeted.
 */
export const botMarks = tableWithPeople(
  'bot_marks',
  { of: 'contacts', erased: 'rows' },
  {
    organizationId: uuid('organization_id').notNull().business(),
    contactId: uuid('contact_id').notNull().business(),
    kind: text('kind', { enum: ['out_of_hours', 'silent_until', 'greeted'] })
      .notNull()
      .business(),
    atMs: integer('at_ms').notNull().business(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.contactId, table.kind, table.atMs] }),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    index('bot_marks_age').on(table.atMs),
  ],
)

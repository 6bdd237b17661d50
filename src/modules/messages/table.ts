import { sql } from 'drizzle-orm'
import { check, foreignKey, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { accounts } from '../accounts/table'
import { contacts } from '../contacts/table'
import { conversations } from '../conversations/table'

/** Everything said, in both directions. */
export const messages = sqliteTable(
  'messages',
  {
    organizationId: text('organization_id').notNull(),
    id: text('id').notNull(),
    conversationId: text('conversation_id').notNull(),
    contactId: text('contact_id').notNull(),
    accountId: text('account_id').notNull(),
    /** The platform's id; of an inbound item without one, a key made of its digest. */
    waMessageId: text('wa_message_id'),
    direction: text('direction', { enum: ['incoming', 'outgoing'] }).notNull(),
    type: text('type').notNull(),
    /** JSON, the shape of the type. */
    content: text('content').notNull(),
    preview: text('preview').notNull(),
    status: text('status', { enum: ['pending', 'unknown', 'sent', 'delivered', 'read', 'failed'] }).notNull(),
    /** Where an outgoing message is on its way out; null for incoming ones. */
    stage: text('stage', {
      enum: ['queued', 'held', 'sending', 'retry_wait', 'ambiguous', 'unknown', 'accepted', 'failed'],
    }),
    heldReason: text('held_reason'),
    source: text('source', { enum: ['contact', 'agent', 'api', 'chatbot', 'campaign', 'phone_app', 'system'] }).notNull(),
    sentBy: text('sent_by'),
    sentByName: text('sent_by_name'),
    clientRef: text('client_ref'),
    /** What the platform is to be told beside the content, JSON. */
    sendOptions: text('send_options').notNull().default('{}'),
    replyToId: text('reply_to_id'),
    /** The file that belongs to it: `{platform_media_id, mime_type, filename, sha256, size_bytes, state}`, JSON. */
    media: text('media'),
    /** `{wa_message_id, forwarded, frequently_forwarded, referred_product}`, JSON. */
    context: text('context'),
    /** JSON, of an ad the customer came from. */
    referral: text('referral'),
    /** The platform's item as it came, JSON; kept where our content does not hold all of it. */
    raw: text('raw'),
    warnings: text('warnings').notNull().default('[]'),
    /** `{code, platform_code, message, details, retryable}`, JSON. */
    error: text('error'),
    /** `{category, type, billable}`, JSON. */
    pricing: text('pricing'),
    /** Platform time of an incoming message, ours of an outgoing one; the order of display. */
    timestampMs: integer('timestamp_ms').notNull(),
    receivedAtMs: integer('received_at_ms').notNull(),
    /** When the platform took it from us. */
    acceptedAtMs: integer('accepted_at_ms'),
    sentAtMs: integer('sent_at_ms'),
    deliveredAtMs: integer('delivered_at_ms'),
    readAtMs: integer('read_at_ms'),
    playedAtMs: integer('played_at_ms'),
    failedAtMs: integer('failed_at_ms'),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({ columns: [table.organizationId, table.conversationId], foreignColumns: [conversations.organizationId, conversations.id] }),
    foreignKey({ columns: [table.organizationId, table.contactId], foreignColumns: [contacts.organizationId, contacts.id] }),
    foreignKey({ columns: [table.organizationId, table.accountId], foreignColumns: [accounts.organizationId, accounts.id] }),
    foreignKey({ columns: [table.organizationId, table.replyToId], foreignColumns: [table.organizationId, table.id] }),
    check('messages_stage', sql`(${table.direction} = 'incoming') = (${table.stage} is null)`),
    uniqueIndex('messages_platform_id')
      .on(table.organizationId, table.accountId, table.waMessageId)
      .where(sql`${table.waMessageId} is not null`),
    index('messages_of_contact').on(table.organizationId, table.contactId, table.timestampMs, table.id),
    index('messages_of_conversation').on(table.organizationId, table.conversationId, table.timestampMs, table.id),
    index('messages_unsettled')
      .on(table.organizationId, table.accountId, table.stage)
      .where(sql`${table.stage} in ('queued', 'held', 'sending', 'retry_wait', 'ambiguous')`),
    index('messages_pending_of_contact')
      .on(table.organizationId, table.contactId)
      .where(sql`${table.stage} in ('queued', 'held', 'sending', 'retry_wait', 'ambiguous')`),
  ],
)

/** Ledger of what the platform said of outgoing messages; the message's status is derived from it, so order and repetition do not matter. */
export const messageStatuses = sqliteTable(
  'message_statuses',
  {
    organizationId: text('organization_id').notNull(),
    accountId: text('account_id').notNull(),
    waMessageId: text('wa_message_id').notNull(),
    status: text('status').notNull(),
    /** Member of a group, empty for a single recipient. */
    participant: text('participant').notNull().default(''),
    /** Platform time; of repeats the earliest. */
    timestampMs: integer('timestamp_ms').notNull(),
    receivedAtMs: integer('received_at_ms').notNull(),
    /** `[{code, title, message, details, href}]`, JSON. */
    errors: text('errors').notNull().default('[]'),
    /** JSON. */
    pricing: text('pricing'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.accountId, table.waMessageId, table.status, table.participant] }),
    foreignKey({ columns: [table.organizationId, table.accountId], foreignColumns: [accounts.organizationId, accounts.id] }),
  ],
)

/** Calls to the platform for one message, each written before it is made. */
export const sendAttempts = sqliteTable(
  'send_attempts',
  {
    organizationId: text('organization_id').notNull(),
    messageId: text('message_id').notNull(),
    attempt: integer('attempt').notNull(),
    startedAtMs: integer('started_at_ms').notNull(),
    endedAtMs: integer('ended_at_ms'),
    outcome: text('outcome', { enum: ['accepted', 'refused', 'ambiguous', 'unreachable'] }),
    httpStatus: integer('http_status'),
    platformCode: integer('platform_code'),
    traceId: text('trace_id'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.messageId, table.attempt] }),
    foreignKey({ columns: [table.organizationId, table.messageId], foreignColumns: [messages.organizationId, messages.id] }),
  ],
)

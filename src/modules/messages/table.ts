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
import { contacts } from '../contacts/table'
import { conversations } from '../conversations/table'
import { media } from '../media/table'
import { templates } from '../templates/table'

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
    status: text('status', {
      enum: ['pending', 'unknown', 'sent', 'delivered', 'read', 'failed'],
    }).notNull(),
    /** Where an outgoing message is on its way out; null for incoming ones. */
    stage: text('stage', {
      enum: [
        'queued',
        'held',
        'uploading',
        'sending',
        'retry_wait',
        'ambiguous',
        'unknown',
        'accepted',
        'failed',
      ],
    }),
    heldReason: text('held_reason'),
    /**
     * Asks for no answer: a customer's message of before the number was connected, or of a blocked
     * contact.
     */
    isSilent: integer('is_silent', { mode: 'boolean' }).notNull().default(false),
    source: text('source', {
      enum: ['contact', 'agent', 'api', 'chatbot', 'campaign', 'phone_app', 'system'],
    }).notNull(),
    sentBy: text('sent_by'),
    sentByName: text('sent_by_name'),
    clientRef: text('client_ref'),
    /** What the platform is to be told beside the content, JSON. */
    sendOptions: text('send_options').notNull().default('{}'),
    replyToId: text('reply_to_id'),
    /**
     * How long the customer had waited when this message answered it, milliseconds; `null` when
     * none waited.
     */
    answeredAfterMs: integer('answered_after_ms'),
    /** The message this one repeats, by a person's decision. */
    resendOfId: text('resend_of_id'),
    /** The file that belongs to it. */
    mediaId: text('media_id'),
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
    /** Platform time of the newest edit, and of the revoke that wins over all of them. */
    editedAtMs: integer('edited_at_ms'),
    revokedAtMs: integer('revoked_at_ms'),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.conversationId],
      foreignColumns: [conversations.organizationId, conversations.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.replyToId],
      foreignColumns: [table.organizationId, table.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.resendOfId],
      foreignColumns: [table.organizationId, table.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.mediaId],
      foreignColumns: [media.organizationId, media.id],
    }),
    check('messages_stage', sql`(${table.direction} = 'incoming') = (${table.stage} is null)`),
    uniqueIndex('messages_platform_id')
      .on(table.organizationId, table.accountId, table.waMessageId)
      .where(sql`${table.waMessageId} is not null`),
    index('messages_of_contact').on(
      table.organizationId,
      table.contactId,
      table.timestampMs,
      table.id,
    ),
    index('messages_of_conversation').on(
      table.organizationId,
      table.conversationId,
      table.timestampMs,
      table.id,
    ),
    index('messages_unsettled')
      .on(table.organizationId, table.accountId, table.stage, table.createdAtMs)
      .where(
        sql`${table.stage} in ('queued', 'held', 'uploading', 'sending', 'retry_wait', 'ambiguous')`,
      ),
    index('messages_waiting')
      .on(table.organizationId, table.createdAtMs, table.id)
      .where(
        sql`${table.stage} in ('queued', 'held', 'uploading', 'sending', 'retry_wait', 'ambiguous')`,
      ),
    index('messages_of_number')
      .on(table.organizationId, table.accountId, table.createdAtMs)
      .where(sql`${table.direction} = 'outgoing'`),
    index('messages_of_sender')
      .on(table.organizationId, table.sentBy, table.createdAtMs, table.answeredAfterMs)
      .where(sql`${table.sentBy} is not null`),
    index('messages_replies')
      .on(table.organizationId, table.replyToId)
      .where(sql`${table.replyToId} is not null`),
    index('messages_resends')
      .on(table.organizationId, table.resendOfId)
      .where(sql`${table.resendOfId} is not null`),
    index('messages_of_media')
      .on(table.organizationId, table.mediaId)
      .where(sql`${table.mediaId} is not null`),
    index('messages_unread')
      .on(table.organizationId, table.conversationId, table.timestampMs, table.id)
      .where(sql`${table.direction} = 'incoming' and ${table.status} = 'delivered'`),
    index('messages_pending_of_contact')
      .on(table.organizationId, table.contactId)
      .where(
        sql`${table.stage} in ('queued', 'held', 'uploading', 'sending', 'retry_wait', 'ambiguous')`,
      ),
  ],
)

/** Which message was sent with which template: what templates are counted and held by. */
export const messageTemplates = sqliteTable(
  'message_templates',
  {
    organizationId: text('organization_id').notNull(),
    messageId: text('message_id').notNull(),
    templateId: text('template_id').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.messageId] }),
    foreignKey({
      columns: [table.organizationId, table.messageId],
      foreignColumns: [messages.organizationId, messages.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.templateId],
      foreignColumns: [templates.organizationId, templates.id],
    }),
    index('message_templates_template').on(
      table.organizationId,
      table.templateId,
      table.createdAtMs,
    ),
  ],
)

/** The files of a message beside its own: those of the cards of a carousel. */
export const messageFiles = sqliteTable(
  'message_files',
  {
    organizationId: text('organization_id').notNull(),
    messageId: text('message_id').notNull(),
    mediaId: text('media_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.messageId, table.mediaId] }),
    foreignKey({
      columns: [table.organizationId, table.messageId],
      foreignColumns: [messages.organizationId, messages.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.mediaId],
      foreignColumns: [media.organizationId, media.id],
    }),
    index('message_files_media').on(table.organizationId, table.mediaId),
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
    foreignKey({
      columns: [table.organizationId, table.messageId],
      foreignColumns: [messages.organizationId, messages.id],
    }),
  ],
)

/**
 * The words of each message that can be searched; the full-text index `message_search` lies over it
 * and triggers keep it.
 */
export const messageWords = sqliteTable(
  'message_words',
  {
    /** Newer messages have higher numbers. */
    row: integer('row').primaryKey({ autoIncrement: true }),
    organizationId: text('organization_id').notNull(),
    messageId: text('message_id').notNull(),
    contactId: text('contact_id').notNull(),
    /**
     * Organization and contact as one word each (`o` and `c` before the id without dashes), so that
     * the index itself cuts to them.
     */
    scope: text('scope').notNull(),
    words: text('words').notNull(),
  },
  (table) => [
    foreignKey({
      columns: [table.organizationId, table.messageId],
      foreignColumns: [messages.organizationId, messages.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    uniqueIndex('message_words_message').on(table.organizationId, table.messageId),
    index('message_words_contact').on(table.organizationId, table.contactId),
  ],
)

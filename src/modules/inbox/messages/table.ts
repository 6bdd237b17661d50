import { sql } from 'drizzle-orm'
import {
  foreignKey,
  index,
  primaryKey,
  uniqueIndex,
  type SQLiteColumn,
} from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { storedByKey, tableWithPeople, tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { accounts } from '../../channel/accounts/table'
import { conversations } from '../conversations/table'
import { media } from '../../channel/media/table'
import { templates } from '../../channel/templates/table'

const STATUSES = ['pending', 'unknown', 'sent', 'delivered', 'read', 'failed'] as const

/** Who wrote a message, or which part of the product. */
export const MESSAGE_SOURCES = [
  'contact',
  'agent',
  'api',
  'chatbot',
  'campaign',
  'phone_app',
  'platform_agent',
  'other_app',
  'system',
] as const

type CostColumn =
  | 'organizationId'
  | 'id'
  | 'conversationId'
  | 'accountId'
  | 'deliveredAtMs'
  | 'costMonth'
  | 'costCurrency'
  | 'costMicros'
  | 'isCostEstimate'
  | 'allowanceMonth'

/** Indexes for the costs of a conversation and for the order of delivery in a month. */
const costIndexes = (table: Record<CostColumn, SQLiteColumn>) => [
  index('messages_costs')
    .on(
      table.organizationId,
      table.conversationId,
      table.costMonth,
      table.costCurrency,
      table.costMicros,
      table.isCostEstimate,
    )
    .where(sql`${table.costMonth} is not null`),
  index('messages_allowance')
    .on(table.organizationId, table.accountId, table.allowanceMonth, table.deliveredAtMs, table.id)
    .where(sql`${table.allowanceMonth} is not null`),
]

/** Messages in both directions. */
export const messages = tableWithPeople(
  'messages',
  { of: 'contacts', erased: 'rows' },
  {
    /** Newer messages have higher numbers. */
    row: integer('row').primaryKey().business({ withheld: 'a number of the database' }),
    organizationId: uuid('organization_id').notNull().business(),
    id: uuid('id').notNull().business(),
    conversationId: uuid('conversation_id').notNull().business(),
    contactId: uuid('contact_id').notNull().business(),
    accountId: uuid('account_id').notNull().business(),
    /** Platform ID; a digest key for incoming items without one. */
    waMessageId: text('wa_message_id').personal(),
    direction: text('direction', { enum: ['incoming', 'outgoing'] })
      .notNull()
      .generatedAlwaysAs(sql`iif("stage" is null, 'incoming', 'outgoing')`, { mode: 'virtual' })
      .derived(),
    type: text('type').notNull().business(),
    /** JSON; the shape depends on the type. */
    content: text('content').notNull().personal(),
    /** What lists show of it. */
    preview: text('preview').notNull().personal(),
    status: text('status', { enum: STATUSES }).notNull().business(),
    /** Delivery state of an outgoing message; `null` for incoming ones. */
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
    }).business(),
    heldReason: text('held_reason').business(),
    /** Needs no answer: imported history, or a message of a blocked contact. */
    isSilent: integer('is_silent', { mode: 'boolean' }).notNull().default(false).business(),
    /** Seen while another app or the platform's agent owned the thread. */
    isObserved: integer('is_observed', { mode: 'boolean' }).notNull().default(false).business(),
    source: text('source', { enum: MESSAGE_SOURCES }).notNull().business(),
    /** The model that wrote the text; `null` if none did. */
    aiModel: text('ai_model').business(),
    sentBy: uuid('sent_by').business(),
    sentByName: text('sent_by_name').business(),
    clientRef: text('client_ref').personal(),
    /** The bot flow that sent it, for the costs of each; `null` for all other messages. */
    botFlowId: uuid('bot_flow_id').business(),
    /** The campaign and the template that it was sent with, for the costs of each. */
    campaignId: uuid('campaign_id').business(),
    templateId: uuid('template_id').business(),
    /** Platform ID of the template it was sent with, as its statuses report it. */
    platformTemplateId: text('platform_template_id').business(),
    /** Sent outside of the 24-hour window without a template of ours (Direct Send). */
    isDirect: integer('is_direct', { mode: 'boolean' }).notNull().default(false).business(),
    /** A test of a template, which reports do not count. */
    isTest: integer('is_test', { mode: 'boolean' }).notNull().default(false).business(),
    /** Options for the platform beside the content, JSON; `null` for none. */
    sendOptions: text('send_options').personal({ withheld: 'it may hold a code of the product' }),
    replyToId: uuid('reply_to_id').business(),
    /** Time the customer had waited for this answer, in milliseconds; `null` if none waited. */
    answeredAfterMs: integer('answered_after_ms').business(),
    /**
     * The earlier message with the same content: one that a person resent, or, if its source is
     * `chatbot`, one whose outcome was unknown so that the bot repeated it.
     */
    resendOfId: uuid('resend_of_id').business(),
    /**
     * When the bot repeats the message unless its outcome is known or the customer has written by
     * then; `null` if it does not.
     */
    repeatAtMs: integer('repeat_at_ms').business(),
    /** File of the message. */
    mediaId: uuid('media_id').business(),
    /** `{wa_message_id, forwarded, frequently_forwarded, referred_product}`, JSON. */
    context: text('context').personal(),
    /** The ad that the customer came from, JSON. */
    referral: text('referral').personal(),
    /** The raw platform item, JSON; kept if the content does not hold all of it. */
    raw: text('raw').personal(),
    /** List of words, JSON; `null` for none. */
    warnings: text('warnings').business(),
    /** `{code, platform_code, message, details, retryable}`, JSON. */
    error: text('error').personal(),
    /** `{category, type, billable}`, JSON. */
    pricing: text('pricing').business(),
    /** Cost of an outgoing message in millionths of the currency; `null` if no price is known. */
    costMicros: integer('cost_micros').business(),
    costCurrency: text('cost_currency').business(),
    /** Price category as in the price list: SERVICE, MARKETING, UTILITY, …. */
    costCategory: text('cost_category').business(),
    /** Country of the recipient when the message was created, which decides the price. */
    costCountry: text('cost_country').business(),
    /** Why it costs nothing; `null` if it has a price. */
    costFreeReason: text('cost_free_reason').business(),
    /** Whether the platform has not yet reported how it charges the message. */
    isCostEstimate: integer('is_cost_estimate', { mode: 'boolean' })
      .notNull()
      .default(false)
      .business(),
    /** Month of sending in the business account's time zone, such as 202610. */
    costMonth: integer('cost_month').business(),
    /** The 24-hour window when it was created; `free_entry`: free after an ad click. */
    windowAtSend: text('window_at_send', { enum: ['closed', 'open', 'free_entry'] }).business(),
    /** Month in which it was delivered and used up the free service messages of its number. */
    allowanceMonth: integer('allowance_month').business(),
    /** Order of display: platform time of incoming messages, server time of outgoing ones. */
    timestampMs: integer('timestamp_ms').notNull().business(),
    receivedAtMs: integer('received_at_ms').notNull().business(),
    /** When the platform accepted it. */
    acceptedAtMs: integer('accepted_at_ms').business(),
    sentAtMs: integer('sent_at_ms').business(),
    deliveredAtMs: integer('delivered_at_ms').business(),
    readAtMs: integer('read_at_ms').business(),
    playedAtMs: integer('played_at_ms').business(),
    failedAtMs: integer('failed_at_ms').business(),
    /** Platform times of the newest edit and of the deletion, which wins over edits. */
    editedAtMs: integer('edited_at_ms').business(),
    revokedAtMs: integer('revoked_at_ms').business(),
    createdAtMs: integer('created_at_ms').notNull().business(),
  },
  (table) => [
    uniqueIndex('messages_id').on(table.organizationId, table.id),
    // Its contact and its phone number are those of the conversation, so that the contact's index
    // serves the conversation too.
    foreignKey({
      columns: [table.organizationId, table.contactId, table.accountId, table.conversationId],
      foreignColumns: [
        conversations.organizationId,
        conversations.contactId,
        conversations.accountId,
        conversations.id,
      ],
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
    uniqueIndex('messages_platform_id')
      .on(table.organizationId, table.accountId, table.waMessageId)
      .where(sql`${table.waMessageId} is not null`),
    // Lists sort by id within a time. Without it the index is a fifth smaller, and few share a time.
    index('messages_of_contact').on(table.organizationId, table.contactId, table.timestampMs),
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
    index('messages_observed')
      .on(table.organizationId, table.accountId, table.createdAtMs, table.source)
      .where(sql`${table.isObserved} = 1`),
    // by when the customer began to wait
    index('messages_answers')
      .on(
        table.organizationId,
        sql`(${table.createdAtMs} - ${table.answeredAfterMs})`,
        table.contactId,
        table.sentBy,
      )
      .where(sql`${table.answeredAfterMs} is not null`),
    index('messages_replies')
      .on(table.organizationId, table.replyToId)
      .where(sql`${table.replyToId} is not null`),
    index('messages_resends')
      .on(table.organizationId, table.resendOfId)
      .where(sql`${table.resendOfId} is not null`),
    index('messages_of_media')
      .on(table.organizationId, table.mediaId)
      .where(sql`${table.mediaId} is not null`),
    index('messages_unread_notices')
      .on(table.organizationId, table.conversationId)
      .where(
        sql`${table.type} = 'system' and ${table.direction} = 'incoming' and ${table.status} = 'delivered'`,
      ),
    ...costIndexes(table),
    index('messages_unknown')
      .on(table.organizationId, table.createdAtMs)
      .where(sql`${table.stage} = 'unknown'`),
    index('messages_pending_of_contact')
      .on(table.organizationId, table.contactId)
      .where(
        sql`${table.stage} in ('queued', 'held', 'uploading', 'sending', 'retry_wait', 'ambiguous')`,
      ),
  ],
)

/** Links messages to templates, for counts and for holding messages of paused templates. */
export const messageTemplates = storedByKey(
  tableWithoutPeople(
    'message_templates',
    'ids and times; they go with their message',
    {
      organizationId: uuid('organization_id').notNull(),
      messageId: uuid('message_id').notNull(),
      templateId: uuid('template_id').notNull(),
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
  ),
)

/** Files of carousel cards. */
export const messageFiles = storedByKey(
  tableWithoutPeople(
    'message_files',
    'ids; they go with their message',
    {
      organizationId: uuid('organization_id').notNull(),
      messageId: uuid('message_id').notNull(),
      mediaId: uuid('media_id').notNull(),
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
  ),
)

/** Calls to the platform, each recorded before it is made. */
export const sendAttempts = storedByKey(
  tableWithoutPeople(
    'send_attempts',
    'outcomes and times; they go with their message',
    {
      organizationId: uuid('organization_id').notNull(),
      messageId: uuid('message_id').notNull(),
      attempt: integer('attempt').notNull(),
      /** The platform's path that the call was made on. */
      path: text('path', { enum: ['messages', 'marketing_messages'] })
        .notNull()
        .default('messages'),
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
  ),
)

/**
 * Searchable words of each message that has some, deleted with it. The full-text index
 * `message_search` covers it and is kept by triggers.
 */
export const messageWords = tableWithPeople(
  'message_words',
  { of: 'contacts', erased: 'rows' },
  {
    /** The row of the message. */
    row: integer('row').primaryKey().business(),
    organizationId: uuid('organization_id').notNull().business(),
    /** The contact under which the message is found; follows a moved message in a job. */
    contactId: uuid('contact_id').notNull().business(),
    /**
     * Organization and contact as one word each (U+E000 and `o` or `c` before the bytes of the ID),
     * so that the full-text index can filter by them.
     */
    scope: text('scope')
      .notNull()
      .generatedAlwaysAs(
        sql`(char(57344) || 'o' || lower(hex("organization_id")) || ' ' || char(57344) || 'c' || lower(hex("contact_id")))`,
        { mode: 'virtual' },
      )
      .derived(),
    /** `null` if they are the text of the message, in which the index finds the same words. */
    words: text('words').derived(),
  },
)

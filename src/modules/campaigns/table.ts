import { sql } from 'drizzle-orm'
import {
  check,
  foreignKey,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

import { accounts } from '../accounts/table'
import { contacts } from '../contacts/table'
import { media } from '../media/table'
import { messages } from '../messages/table'
import { templates } from '../templates/table'

/**
 * One template to many people. What becomes of each of them is in `campaign_recipients`, how many
 * of each in `campaign_counts`.
 */
export const campaigns = sqliteTable(
  'campaigns',
  {
    organizationId: text('organization_id').notNull(),
    id: text('id').notNull(),
    name: text('name').notNull(),
    /** The name without case and accents: what it is found by. */
    nameKey: text('name_key').notNull(),
    accountId: text('account_id').notNull(),
    templateId: text('template_id').notNull(),
    status: text('status', {
      enum: ['draft', 'scheduled', 'sending', 'paused', 'completed', 'cancelled'],
    }).notNull(),
    pauseReason: text('pause_reason', {
      enum: [
        'user',
        'error_rate',
        'quality',
        'template',
        'account',
        'budget',
        'quota',
        'restriction',
        'restored',
      ],
    }),
    /** When it goes on by itself after a pause that ends. */
    resumesAtMs: integer('resumes_at_ms'),
    /** `{segment_id, tag_ids, tags_mode, exclude_tag_ids, exclude_contacted_days}`, JSON. */
    audience: text('audience').notNull(),
    /** By variable the field it is filled with, `{value}` or `{field, default}`, JSON. */
    variableMapping: text('variable_mapping').notNull().default('{}'),
    /** By variable what stands where nothing else does, JSON. */
    defaultParams: text('default_params').notNull().default('{}'),
    headerMediaId: text('header_media_id'),
    scheduledAtMs: integer('scheduled_at_ms'),
    timezone: text('timezone').notNull(),
    /** `{from, to, days}`, JSON. */
    sendWindow: text('send_window'),
    /** Until when messages may leave in the span of the window that is open; kept for the gate. */
    windowEndsAtMs: integer('window_ends_at_ms'),
    /** Messages a second. */
    rateLimit: integer('rate_limit'),
    /** Millionths of the currency. */
    budgetMicros: integer('budget_micros'),
    currency: text('currency'),
    errorThreshold: real('error_threshold').notNull().default(0.1),
    estimatedMicros: integer('estimated_micros'),
    /** Whether the audience is settled: everybody of it has a row. */
    isPlanned: integer('is_planned', { mode: 'boolean' }).notNull().default(false),
    /**
     * Since when the recipients fail that count for a pause because of errors: those before a
     * resume do not.
     */
    errorsSinceMs: integer('errors_since_ms').notNull().default(0),
    /** Whether somebody went on in spite of errors: they pause it no more. */
    ignoresErrors: integer('ignores_errors', { mode: 'boolean' }).notNull().default(false),
    /** Whether people were told that four fifths of the quota are used. */
    isQuotaTold: integer('is_quota_told', { mode: 'boolean' }).notNull().default(false),
    /** When sockets heard of its counters last, and whether there is more to tell since. */
    announcedAtMs: integer('announced_at_ms'),
    isAnnounceDue: integer('is_announce_due', { mode: 'boolean' }).notNull().default(false),
    startedAtMs: integer('started_at_ms'),
    completedAtMs: integer('completed_at_ms'),
    createdBy: text('created_by'),
    /** Who asked for it, `{userId, apiKeyId}`, JSON: the audience is cut to what that one sees. */
    actor: text('actor').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
    /** Nobody is shown a deleted one any more; its messages stay. */
    deletedAtMs: integer('deleted_at_ms'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.templateId],
      foreignColumns: [templates.organizationId, templates.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.headerMediaId],
      foreignColumns: [media.organizationId, media.id],
    }),
    check(
      'campaigns_pause',
      sql`(${table.status} = 'paused') = (${table.pauseReason} is not null)`,
    ),
    check(
      'campaigns_schedule',
      sql`${table.status} <> 'scheduled' or ${table.scheduledAtMs} is not null`,
    ),
    check(
      'campaigns_started',
      sql`${table.status} not in ('sending', 'paused', 'completed') or ${table.startedAtMs} is not null`,
    ),
    check('campaigns_budget', sql`${table.budgetMicros} is null or ${table.currency} is not null`),
    index('campaigns_list')
      .on(table.organizationId, table.createdAtMs, table.id)
      .where(sql`${table.deletedAtMs} is null`),
    index('campaigns_by_status')
      .on(table.organizationId, table.status, table.createdAtMs)
      .where(sql`${table.deletedAtMs} is null`),
    index('campaigns_by_account').on(table.organizationId, table.accountId, table.status),
    index('campaigns_by_template').on(table.organizationId, table.templateId, table.status),
    index('campaigns_media')
      .on(table.organizationId, table.headerMediaId)
      .where(sql`${table.headerMediaId} is not null`),
    index('campaigns_under_way')
      .on(table.status)
      .where(sql`${table.status} in ('scheduled', 'sending', 'paused')`),
  ],
)

/** Whom a campaign is for, each once. Triggers keep `campaign_counts` in step with it. */
export const campaignRecipients = sqliteTable(
  'campaign_recipients',
  {
    organizationId: text('organization_id').notNull(),
    campaignId: text('campaign_id').notNull(),
    id: text('id').notNull(),
    /** `null` of a number that nobody has yet: the contact is made when the message is. */
    contactId: text('contact_id'),
    /**
     * What is one person: `c:` and the contact's id, else `p:` and one spelling of the number, `u:`
     * and the user id.
     */
    identity: text('identity').notNull(),
    /** E.164 without `+`. */
    phoneNumber: text('phone_number'),
    userId: text('user_id'),
    name: text('name'),
    /** Name without case and accents, and number: what it is found by. */
    words: text('words').notNull().default(''),
    /** Brought in by people, or found by segment and tags at the start. */
    source: text('source', { enum: ['upload', 'audience'] }).notNull(),
    status: text('status', {
      enum: [
        'pending',
        'sending',
        'sent',
        'delivered',
        'read',
        'failed',
        'unknown',
        'skipped',
        'cancelled',
      ],
    }).notNull(),
    skipReason: text('skip_reason', {
      enum: [
        'opted_out',
        'blocked',
        'duplicate',
        'no_address',
        'excluded',
        'missing_params',
        'recently_contacted',
        'undeliverable',
      ],
    }),
    /** `{template_params, header_params, button_params}`, JSON; `null` where nothing was given. */
    params: text('params'),
    /** How many messages were made for it. */
    attempt: integer('attempt').notNull().default(0),
    /** `{code, platform_code, message, details, retryable, retry_after}`, JSON. */
    error: text('error'),
    errorCode: text('error_code'),
    sentAtMs: integer('sent_at_ms'),
    deliveredAtMs: integer('delivered_at_ms'),
    readAtMs: integer('read_at_ms'),
    failedAtMs: integer('failed_at_ms'),
    /** When it was first known to have arrived or to have failed. */
    finishedAtMs: integer('finished_at_ms'),
    repliedAtMs: integer('replied_at_ms'),
    clickedAtMs: integer('clicked_at_ms'),
    /**
     * What the message costs, millionths of the campaign's currency: as estimated when it is made,
     * then as the platform's status says.
     */
    costMicros: integer('cost_micros'),
    /**
     * Whether the platform's status has said whether it is charged; one that is and has no price
     * costs nobody knows what.
     */
    isCostActual: integer('is_cost_actual', { mode: 'boolean' }).notNull().default(false),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.campaignId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.campaignId],
      foreignColumns: [campaigns.organizationId, campaigns.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    check(
      'campaign_recipients_skipped',
      sql`(${table.status} = 'skipped') = (${table.skipReason} is not null)`,
    ),
    uniqueIndex('campaign_recipients_identity').on(
      table.organizationId,
      table.campaignId,
      table.identity,
    ),
    index('campaign_recipients_status').on(
      table.organizationId,
      table.campaignId,
      table.status,
      table.id,
    ),
    index('campaign_recipients_contact')
      .on(table.organizationId, table.contactId, table.sentAtMs)
      .where(sql`${table.contactId} is not null`),
    index('campaign_recipients_sent')
      .on(table.organizationId, table.campaignId, table.sentAtMs)
      .where(sql`${table.sentAtMs} is not null`),
    index('campaign_recipients_finished')
      .on(table.organizationId, table.campaignId, table.finishedAtMs)
      .where(sql`${table.finishedAtMs} is not null`),
    index('campaign_recipients_errors')
      .on(table.organizationId, table.campaignId, table.errorCode, table.id)
      .where(sql`${table.errorCode} is not null`),
    index('campaign_recipients_unpriced')
      .on(table.organizationId, table.campaignId)
      .where(sql`${table.isCostActual} = 1 and ${table.costMicros} is null`),
  ],
)

/**
 * Which message was made for which recipient, attempt by attempt. A trigger empties the message
 * when its row goes.
 */
export const campaignSends = sqliteTable(
  'campaign_sends',
  {
    organizationId: text('organization_id').notNull(),
    campaignId: text('campaign_id').notNull(),
    recipientId: text('recipient_id').notNull(),
    attempt: integer('attempt').notNull(),
    /** `null` of one that was taken back before it was called, or erased. */
    messageId: text('message_id'),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.organizationId, table.campaignId, table.recipientId, table.attempt],
    }),
    foreignKey({
      columns: [table.organizationId, table.campaignId, table.recipientId],
      foreignColumns: [
        campaignRecipients.organizationId,
        campaignRecipients.campaignId,
        campaignRecipients.id,
      ],
    }),
    foreignKey({
      columns: [table.organizationId, table.messageId],
      foreignColumns: [messages.organizationId, messages.id],
    }),
    uniqueIndex('campaign_sends_message')
      .on(table.organizationId, table.messageId)
      .where(sql`${table.messageId} is not null`),
  ],
)

/**
 * How many recipients of a campaign are in which state; triggers on `campaign_recipients` keep it.
 */
export const campaignCounts = sqliteTable(
  'campaign_counts',
  {
    organizationId: text('organization_id').notNull(),
    campaignId: text('campaign_id').notNull(),
    pending: integer('pending').notNull().default(0),
    sending: integer('sending').notNull().default(0),
    sent: integer('sent').notNull().default(0),
    delivered: integer('delivered').notNull().default(0),
    read: integer('read').notNull().default(0),
    failed: integer('failed').notNull().default(0),
    unknown: integer('unknown').notNull().default(0),
    skipped: integer('skipped').notNull().default(0),
    cancelled: integer('cancelled').notNull().default(0),
    replied: integer('replied').notNull().default(0),
    clicked: integer('clicked').notNull().default(0),
    /**
     * Millionths: what is spent or as good as spent, and what the platform's statuses say was
     * charged.
     */
    spentMicros: integer('spent_micros').notNull().default(0),
    actualMicros: integer('actual_micros').notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.campaignId] }),
    foreignKey({
      columns: [table.organizationId, table.campaignId],
      foreignColumns: [campaigns.organizationId, campaigns.id],
    }),
  ],
)

/**
 * When a template last reached whom outside of an open window, by the portfolio whose daily quota
 * that uses.
 */
export const portfolioReach = sqliteTable(
  'portfolio_reach',
  {
    organizationId: text('organization_id').notNull(),
    /** The platform's id of the portfolio, or of the business account where that is not known. */
    portfolio: text('portfolio').notNull(),
    contactId: text('contact_id').notNull(),
    atMs: integer('at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.portfolio, table.contactId] }),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    index('portfolio_reach_recent').on(table.organizationId, table.portfolio, table.atMs),
    index('portfolio_reach_contact').on(table.organizationId, table.contactId),
  ],
)

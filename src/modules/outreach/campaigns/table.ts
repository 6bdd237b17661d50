import { sql } from 'drizzle-orm'
import { check, foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, real, text } from '../../../infra/db/columns'
import { storedByKey, tableWithPeople, tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { accounts } from '../../channel/accounts/table'
import { contacts } from '../../inbox/contacts/table'
import { media } from '../../channel/media/table'
import { messages } from '../../inbox/messages/table'
import { templates } from '../../channel/templates/table'

/**
 * Campaigns. `campaign_recipients` holds the state of each recipient, `campaign_counts` the number
 * of recipients in each state.
 */
export const campaigns = tableWithoutPeople(
  'campaigns',
  'plans of the organization; the people are in campaign_recipients',
  {
    organizationId: uuid('organization_id').notNull(),
    id: uuid('id').notNull(),
    name: text('name').notNull(),
    /** The name without case and accents, for searches. */
    nameKey: text('name_key').notNull(),
    accountId: uuid('account_id').notNull(),
    /** `null` in a draft whose template is not chosen yet. */
    templateId: uuid('template_id'),
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
        'funding',
        'restored',
      ],
    }),
    /** When a paused campaign resumes automatically. */
    resumesAtMs: integer('resumes_at_ms'),
    /** `{segment_id, filter, tag_ids, tags_mode, exclude_tag_ids, exclude_contacted_days}`, JSON. */
    audience: text('audience').notNull(),
    /** The source of each template variable: a field, `{value}`, `{field, default}` or `{column}`, JSON. */
    variableMapping: text('variable_mapping').notNull().default('{}'),
    /** The default value of each template variable, JSON. */
    defaultParams: text('default_params').notNull().default('{}'),
    headerMediaId: uuid('header_media_id'),
    scheduledAtMs: integer('scheduled_at_ms'),
    timezone: text('timezone').notNull(),
    /** `{from, to, days}`, JSON. */
    sendWindow: text('send_window'),
    /** End of the current interval of the send window. The send gate reads it. */
    windowEndsAtMs: integer('window_ends_at_ms'),
    /** Messages per second. */
    rateLimit: integer('rate_limit'),
    /** Millionths of the currency. */
    budgetMicros: integer('budget_micros'),
    currency: text('currency'),
    errorThreshold: real('error_threshold').notNull().default(0.1),
    estimatedMicros: integer('estimated_micros'),
    /** Whether planning is complete: every contact of the audience has a recipient row. */
    isPlanned: integer('is_planned', { mode: 'boolean' }).notNull().default(false),
    /** Only failures after this time count toward a pause. A resume resets it. */
    errorsSinceMs: integer('errors_since_ms').notNull().default(0),
    /** Whether a user resumed the campaign with `ignore_errors`: failures no longer pause it. */
    ignoresErrors: integer('ignores_errors', { mode: 'boolean' }).notNull().default(false),
    /** Whether a notification was sent that four fifths of the messaging limit are used. */
    isQuotaNotified: integer('is_quota_notified', { mode: 'boolean' }).notNull().default(false),
    /** When the last change was published, and whether a later change is still unpublished. */
    publishedAtMs: integer('published_at_ms'),
    isPublishDue: integer('is_publish_due', { mode: 'boolean' }).notNull().default(false),
    startedAtMs: integer('started_at_ms'),
    completedAtMs: integer('completed_at_ms'),
    createdBy: uuid('created_by'),
    /**
     * The user or API key that started it, `{userId, apiKeyId}`, JSON. The audience is limited to
     * the contacts they can see.
     */
    actor: text('actor').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
    /** Deleted campaigns are hidden everywhere; their messages stay. */
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
    index('campaigns_by_start')
      .on(table.organizationId, table.startedAtMs, table.id)
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

/**
 * The recipients of campaigns, each person once. Triggers keep `campaign_counts` and
 * `campaign_errors` in step.
 */
export const campaignRecipients = tableWithPeople(
  'campaign_recipients',
  { of: 'contacts', erased: 'columns' },
  {
    organizationId: uuid('organization_id').notNull().business(),
    campaignId: uuid('campaign_id').notNull().business(),
    id: uuid('id').notNull().business(),
    /** `null` for a number without a contact: the contact is created with the message. */
    contactId: uuid('contact_id').business(),
    /**
     * Identifies the person: `c:` and the contact ID, else `p:` and a normalized number, else `u:`
     * and the user ID.
     */
    identity: text('identity')
      .notNull()
      .personal({ erased: sql`'x:' || hex("id")`, withheld: 'it is the number or id beside it' }),
    /** E.164 without `+`. */
    phoneNumber: text('phone_number').personal(),
    userId: text('user_id').personal(),
    name: text('name').personal(),
    /** Search text: the name without case and accents, and the number. */
    words: text('words')
      .notNull()
      .default('')
      .derived({ withheld: 'a form of the name for searches' }),
    /** Imported by a user, or selected by segment and tags at the start. */
    source: text('source', { enum: ['upload', 'audience'] })
      .notNull()
      .business(),
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
    })
      .notNull()
      .business(),
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
    }).business(),
    /** `{template_params, header_params, button_params, columns}`, JSON; `null` if none were imported. */
    params: text('params').personal(),
    /** Number of messages created for this recipient. */
    attempt: integer('attempt').notNull().default(0).business(),
    /** `{code, platform_code, message, details, retryable, retry_after}`, JSON. */
    error: text('error').personal(),
    errorCode: text('error_code').business(),
    sentAtMs: integer('sent_at_ms').business(),
    deliveredAtMs: integer('delivered_at_ms').business(),
    readAtMs: integer('read_at_ms').business(),
    failedAtMs: integer('failed_at_ms').business(),
    /** When the message was first known to be delivered or failed. */
    finishedAtMs: integer('finished_at_ms').business(),
    repliedAtMs: integer('replied_at_ms').business(),
    clickedAtMs: integer('clicked_at_ms').business(),
    /** When the person opted out within 72 hours of the send. */
    optedOutAtMs: integer('opted_out_at_ms').business(),
    /**
     * Cost of the message in millionths of the campaign's currency: estimated when it is created,
     * then as the platform's status says.
     */
    costMicros: integer('cost_micros').business(),
    /**
     * Whether the platform has reported if the message is charged. A charged message without a
     * price has an unknown cost.
     */
    isCostActual: integer('is_cost_actual', { mode: 'boolean' })
      .notNull()
      .default(false)
      .business(),
    createdAtMs: integer('created_at_ms').notNull().business(),
    updatedAtMs: integer('updated_at_ms').notNull().business(),
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
    index('campaign_recipients_replied')
      .on(table.organizationId, table.campaignId, table.contactId)
      .where(sql`${table.repliedAtMs} is not null`),
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
 * The message of each attempt to send to a recipient. A trigger clears `message_id` when the
 * message is deleted.
 */
export const campaignSends = tableWithoutPeople(
  'campaign_sends',
  'ids and times; a deleted message is removed',
  {
    organizationId: uuid('organization_id').notNull(),
    campaignId: uuid('campaign_id').notNull(),
    recipientId: uuid('recipient_id').notNull(),
    attempt: integer('attempt').notNull(),
    /** `null` if the message was withdrawn before it was sent, or erased. */
    messageId: uuid('message_id'),
    /**
     * Estimated cost of a message that was sent again because nobody knows whether it was sent.
     * `null` once it failed, or is part of the recipient's cost.
     */
    openCostMicros: integer('open_cost_micros'),
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

/** The number of recipients in each state. Triggers on `campaign_recipients` maintain it. */
export const campaignCounts = tableWithoutPeople(
  'campaign_counts',
  'counts',
  {
    organizationId: uuid('organization_id').notNull(),
    campaignId: uuid('campaign_id').notNull(),
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
    optedOut: integer('opted_out').notNull().default(0),
    /** Recipients whose message the platform accepted, whatever became of it. */
    accepted: integer('accepted').notNull().default(0),
    /**
     * Millionths of the currency: the cost of sent and queued messages, with former ones whose
     * outcome is unknown, and the cost that the platform has reported.
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
 * The number of recipients of a campaign with each error. Triggers on `campaign_recipients` maintain
 * it. Rows of errors that no recipient has any more stay, with zeros.
 */
export const campaignErrors = storedByKey(
  tableWithoutPeople(
    'campaign_errors',
    'counts by error',
    {
      organizationId: uuid('organization_id').notNull(),
      campaignId: uuid('campaign_id').notNull(),
      code: text('code').notNull(),
      recipients: integer('recipients').notNull(),
      /** Those of them whose message failed. */
      failed: integer('failed').notNull(),
    },
    (table) => [
      primaryKey({ columns: [table.organizationId, table.campaignId, table.code] }),
      foreignKey({
        columns: [table.organizationId, table.campaignId],
        foreignColumns: [campaigns.organizationId, campaigns.id],
      }),
    ],
  ),
)

/**
 * When a template was last delivered to a contact outside the 24-hour window, by portfolio. Counts
 * toward the portfolio's messaging limit.
 */
export const portfolioReach = tableWithoutPeople(
  'portfolio_reach',
  'ids and times, for a limit of the platform',
  {
    organizationId: uuid('organization_id').notNull(),
    /**
     * The platform's ID of the portfolio, or of the business account if the portfolio is unknown.
     */
    portfolio: text('portfolio').notNull(),
    contactId: uuid('contact_id').notNull(),
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

import { sql } from 'drizzle-orm'
import { check, foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { accounts } from '../accounts/table'
import { media } from '../media/table'

/**
 * Message templates, one row per name and language of a business account, including local drafts.
 */
export const templates = tableWithoutPeople(
  'templates',
  'texts for everybody',
  {
    organizationId: uuid('organization_id').notNull(),
    id: uuid('id').notNull(),
    /**
     * The phone number it was created or synced with; every number of the business account can send
     * it.
     */
    accountId: uuid('account_id').notNull(),
    /** Platform ID of the business account. */
    businessId: text('business_id').notNull(),
    /** Platform ID; `null` before the first submission. */
    platformId: text('platform_id'),
    name: text('name').notNull(),
    displayName: text('display_name').notNull(),
    /** As written: `en`, `pt_BR`. */
    language: text('language').notNull(),
    /** In lower case with `_`, for comparisons. */
    languageKey: text('language_key').notNull(),
    category: text('category').notNull(),
    /** The announced category and when it takes effect. */
    announcedCategory: text('announced_category'),
    announcedCategoryAtMs: integer('announced_category_at_ms'),
    status: text('status').notNull(),
    /** When the platform archived it, and the status that it comes back with. */
    archivedAtMs: integer('archived_at_ms'),
    statusBeforeArchive: text('status_before_archive'),
    reason: text('reason'),
    recommendation: text('recommendation'),
    quality: text('quality').notNull().default('UNKNOWN').business({ vouched: 'in moves' }),
    parameterFormat: text('parameter_format', { enum: ['positional', 'named'] }).notNull(),
    /** The draft, JSON. */
    components: text('components').notNull(),
    /** The published version, JSON: this is sent. `null` for an unpublished draft. */
    publishedComponents: text('published_components'),
    messageSendTtlS: integer('message_send_ttl_s'),
    /**
     * Highest price of 1,000 delivered messages, in the smallest unit of the currency. Counts while
     * the category is MARKETING.
     */
    maxPrice: integer('max_price'),
    /**
     * Whether it is opted out of changes by the platform; `null` follows the organization. Counts while
     * the category is MARKETING.
     */
    creativeOptOut: integer('creative_opt_out', { mode: 'boolean' }),
    /** What the platform was told last; `null` if nothing. */
    publishedOptOut: integer('published_opt_out', { mode: 'boolean' }),
    headerMediaId: uuid('header_media_id'),
    hasLocalChanges: integer('has_local_changes', { mode: 'boolean' }).notNull().default(false),
    /** Until when the platform prepares it for the marketing path; its messages wait. */
    syncingUntilMs: integer('syncing_until_ms'),
    /** Times of edits while approved in the last 30 days, JSON list of milliseconds. */
    edits: text('edits').notNull().default('[]'),
    /** Platform time of each kind of data; older events are ignored. */
    statusAtMs: integer('status_at_ms').notNull().default(0),
    qualityAtMs: integer('quality_at_ms').notNull().default(0).business({ vouched: 'in moves' }),
    categoryAtMs: integer('category_at_ms').notNull().default(0),
    componentsAtMs: integer('components_at_ms').notNull().default(0),
    /** Name and body without case and accents, for the search. */
    words: text('words').notNull(),
    syncedAtMs: integer('synced_at_ms'),
    createdBy: uuid('created_by'),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
    /** When a user deleted it. */
    deletedAtMs: integer('deleted_at_ms'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.headerMediaId],
      foreignColumns: [media.organizationId, media.id],
    }),
    check('templates_deleted', sql`${table.deletedAtMs} is null or ${table.status} = 'DELETED'`),
    uniqueIndex('templates_name')
      .on(table.organizationId, table.businessId, table.name, table.languageKey)
      .where(sql`${table.status} <> 'DELETED'`),
    uniqueIndex('templates_platform_id')
      .on(table.organizationId, table.businessId, table.platformId)
      .where(sql`${table.platformId} is not null and ${table.status} <> 'DELETED'`),
    index('templates_list')
      .on(table.organizationId, table.createdAtMs, table.id)
      .where(sql`${table.deletedAtMs} is null`),
    index('templates_media')
      .on(table.organizationId, table.headerMediaId)
      .where(sql`${table.headerMediaId} is not null`),
  ],
)

/** Files of the carousel cards, and of the published version. */
export const templateCardFiles = tableWithoutPeople(
  'template_card_files',
  'ids of files for everybody',
  {
    organizationId: uuid('organization_id').notNull(),
    templateId: uuid('template_id').notNull(),
    /** Number of the card, from 0; from 100 the published cards, 200 for the published header. */
    card: integer('card').notNull(),
    mediaId: uuid('media_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.templateId, table.card] }),
    foreignKey({
      columns: [table.organizationId, table.templateId],
      foreignColumns: [templates.organizationId, templates.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.mediaId],
      foreignColumns: [media.organizationId, media.id],
    }),
    index('template_card_files_media').on(table.organizationId, table.mediaId),
  ],
)

/** Messages sent with each template per day (UTC). */
export const templateDays = tableWithoutPeople(
  'template_days',
  'counts',
  {
    organizationId: uuid('organization_id').notNull(),
    templateId: uuid('template_id').notNull(),
    /** Days since 1970. */
    day: integer('day').notNull(),
    sent: integer('sent').notNull(),
    lastSentAtMs: integer('last_sent_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.templateId, table.day] }),
    foreignKey({
      columns: [table.organizationId, table.templateId],
      foreignColumns: [templates.organizationId, templates.id],
    }),
  ],
)

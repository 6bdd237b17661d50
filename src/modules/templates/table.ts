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
import { media } from '../media/table'

/**
 * Templates of the platform's, one row per name and language of a business account, and drafts that
 * are only here.
 */
export const templates = sqliteTable(
  'templates',
  {
    organizationId: text('organization_id').notNull(),
    id: text('id').notNull(),
    /** The number it was drafted or found with; every number of the business account sends it. */
    accountId: text('account_id').notNull(),
    /** The platform's id of the business account it belongs to. */
    businessId: text('business_id').notNull(),
    /** The platform's id of it; `null` while it is only here. */
    platformId: text('platform_id'),
    name: text('name').notNull(),
    displayName: text('display_name').notNull(),
    /** As it was written: `en`, `pt_BR`. */
    language: text('language').notNull(),
    /** In lower case with `_`: what languages are compared by. */
    languageKey: text('language_key').notNull(),
    category: text('category').notNull(),
    /** What the platform will make of the category, and when. */
    announcedCategory: text('announced_category'),
    announcedAtMs: integer('announced_at_ms'),
    status: text('status').notNull(),
    reason: text('reason'),
    recommendation: text('recommendation'),
    quality: text('quality').notNull().default('UNKNOWN'),
    parameterFormat: text('parameter_format', { enum: ['positional', 'named'] }).notNull(),
    /** What people work on, JSON. */
    components: text('components').notNull(),
    /** What the platform has, JSON: what is sent; `null` of a draft that never was there. */
    publishedComponents: text('published_components'),
    messageSendTtlS: integer('message_send_ttl_s'),
    allowsCategoryChange: integer('allows_category_change', { mode: 'boolean' })
      .notNull()
      .default(true),
    headerMediaId: text('header_media_id'),
    hasLocalChanges: integer('has_local_changes', { mode: 'boolean' }).notNull().default(false),
    /**
     * When it was edited at the platform while approved, within the last thirty days; JSON list of
     * milliseconds.
     */
    edits: text('edits').notNull().default('[]'),
    /**
     * The platform's time of what is known of it, by kind of fact: what is older changes nothing.
     */
    statusAtMs: integer('status_at_ms').notNull().default(0),
    qualityAtMs: integer('quality_at_ms').notNull().default(0),
    categoryAtMs: integer('category_at_ms').notNull().default(0),
    componentsAtMs: integer('components_at_ms').notNull().default(0),
    /** Name and body without case and accents: what it is found by. */
    words: text('words').notNull(),
    syncedAtMs: integer('synced_at_ms'),
    createdBy: text('created_by'),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
    /** When a person deleted it: nobody is shown it any more. */
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

/** The files of the cards of a template's carousel, and those of what the platform has of it. */
export const templateCardFiles = sqliteTable(
  'template_card_files',
  {
    organizationId: text('organization_id').notNull(),
    templateId: text('template_id').notNull(),
    /**
     * Number of the card, from 0; from 100 those of what the platform has, and 200 for its header.
     */
    card: integer('card').notNull(),
    mediaId: text('media_id').notNull(),
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

/** How often each template was sent on each day (UTC). */
export const templateDays = sqliteTable(
  'template_days',
  {
    organizationId: text('organization_id').notNull(),
    templateId: text('template_id').notNull(),
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

import { sql } from 'drizzle-orm'
import { index, primaryKey, sqliteTable, text, integer } from 'drizzle-orm/sqlite-core'

import { organizations } from '../organizations/table'

/** Who changed what: written in the transaction of the change, never changed afterwards. */
export const auditLogs = sqliteTable(
  'audit_logs',
  {
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: text('id').notNull(),
    actorType: text('actor_type', { enum: ['user', 'api_key', 'system'] }).notNull(),
    userId: text('user_id'),
    /** As it was then. */
    userName: text('user_name'),
    apiKeyId: text('api_key_id'),
    /** created, updated, deleted, or a word for what was done. */
    action: text('action').notNull(),
    resourceType: text('resource_type').notNull(),
    resourceId: text('resource_id'),
    resourceName: text('resource_name'),
    /** `[{field, old_value, new_value}]`, JSON; secrets as `***`. */
    changes: text('changes').notNull().default('[]'),
    /**
     * Action, name of the thing and name of the person in lower case, a name that is a number
     * masked: what a search looks at.
     */
    words: text('words').notNull().default(''),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    requestId: text('request_id'),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    index('audit_logs_recent').on(table.organizationId, table.createdAtMs, table.id),
    // Each in the order of the list, and with all that may be asked besides: no entry is read but
    // those that are shown.
    index('audit_logs_type').on(
      table.organizationId,
      table.resourceType,
      table.createdAtMs,
      table.id,
      table.words,
    ),
    index('audit_logs_action').on(
      table.organizationId,
      table.action,
      table.createdAtMs,
      table.id,
      table.resourceType,
      table.words,
    ),
    index('audit_logs_user').on(
      table.organizationId,
      table.userId,
      table.createdAtMs,
      table.id,
      table.action,
      table.resourceType,
      table.words,
    ),
    index('audit_logs_key')
      .on(
        table.organizationId,
        table.apiKeyId,
        table.createdAtMs,
        table.id,
        table.userId,
        table.action,
        table.resourceType,
        table.words,
      )
      .where(sql`api_key_id is not null`),
    index('audit_logs_resource').on(
      table.organizationId,
      table.resourceId,
      table.createdAtMs,
      table.id,
      table.apiKeyId,
      table.userId,
      table.action,
      table.resourceType,
      table.words,
    ),
    index('audit_logs_words').on(table.organizationId, table.createdAtMs, table.id, table.words),
    index('audit_logs_age').on(table.createdAtMs),
  ],
)

/**
 * How many entries of each action and kind of thing an organization has, all of them and those of
 * each person and key; triggers keep it.
 */
export const auditCounts = sqliteTable(
  'audit_counts',
  {
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id),
    /** The id of a person or a key; empty: whoever did it. */
    actor: text('actor').notNull(),
    action: text('action').notNull(),
    resourceType: text('resource_type').notNull(),
    entries: integer('entries').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.actor, table.action, table.resourceType] }),
  ],
)

/**
 * What the log is searched by: the words of its entries, and as facts kind of thing and action
 * (`infra/text-blocks.ts`); triggers keep it.
 */
export const auditTexts = sqliteTable(
  'audit_texts',
  {
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id),
    block: text('block').notNull(),
    lines: text('lines').notNull(),
    /**
     * Counted up with each change in the organization; the block with the empty name has the
     * newest.
     */
    rev: integer('rev').notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.block] }),
    index('audit_texts_rev').on(table.organizationId, table.rev),
  ],
)

import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { uuid } from '../../infra/db/uuid'
import { organizations } from '../organizations/table'

/**
 * Audit log. Entries are written in the transaction of the change and never updated.
 * `search-index.ts` maintains the full-text index `audit_search` with the trigrams of `words`.
 */
export const auditLogs = sqliteTable(
  'audit_logs',
  {
    /** Each organization has a range of row numbers. Newer entries have higher numbers. */
    row: integer('row').primaryKey(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    actorType: text('actor_type', { enum: ['user', 'api_key', 'system'] }).notNull(),
    userId: uuid('user_id'),
    /** The name at the time of the change. */
    userName: text('user_name'),
    apiKeyId: uuid('api_key_id'),
    /** created, updated, deleted, or another verb in the past tense. */
    action: text('action').notNull(),
    resourceType: text('resource_type').notNull(),
    resourceId: uuid('resource_id'),
    resourceName: text('resource_name'),
    /** `[{field, old_value, new_value}]`, JSON; secrets appear as `***`. */
    changes: text('changes').notNull().default('[]'),
    /**
     * Text for search: action, resource name and user name in lower case. A name that is a phone
     * number is masked.
     */
    words: text('words').notNull().default(''),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    requestId: text('request_id'),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [
    uniqueIndex('audit_logs_id').on(table.organizationId, table.id),
    index('audit_logs_row').on(table.organizationId, table.row),
    index('audit_logs_recent').on(table.organizationId, table.createdAtMs, table.id),
    // Covering indexes in the order of the list, so that only the entries shown are read.
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

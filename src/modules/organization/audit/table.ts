import { sql } from 'drizzle-orm'
import { index, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { organizations } from '../organizations/table'

/**
 * Audit log. Entries are written in the transaction of the change and never updated.
 * `search-index.ts` maintains the full-text index `audit_search` with the trigrams of `words`.
 */
export const auditLogs = tableWithPeople(
  'audit_logs',
  {
    of: 'users',
    kept: 'an audit log has to say who did what; entries are deleted after `AUDIT_RETENTION_DAYS`',
  },
  {
    /** Each organization has a range of row numbers. Newer entries have higher numbers. */
    row: integer('row').primaryKey().business(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id)
      .business(),
    id: uuid('id').notNull().business(),
    actorType: text('actor_type', { enum: ['user', 'api_key', 'system'] })
      .notNull()
      .business(),
    userId: uuid('user_id').business(),
    /** The name at the time of the change. */
    userName: text('user_name').personal(),
    apiKeyId: uuid('api_key_id').business(),
    /** created, updated, deleted, or another verb in the past tense. */
    action: text('action').notNull().business(),
    resourceType: text('resource_type').notNull().business(),
    resourceId: uuid('resource_id').business(),
    resourceName: text('resource_name').personal(),
    /** `[{field, old_value, new_value}]`, JSON; secrets appear as `***`. */
    changes: text('changes').notNull().default('[]').personal(),
    /**
     * Text for search: action, resource name and user name in lower case. A name that is a phone
     * number is masked.
     */
    words: text('words').notNull().default('').derived(),
    ipAddress: text('ip_address').personal(),
    userAgent: text('user_agent').personal(),
    requestId: text('request_id').business(),
    createdAtMs: integer('created_at_ms').notNull().business(),
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

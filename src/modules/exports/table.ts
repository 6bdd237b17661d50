import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

import { organizations } from '../organizations/table'

/** Files that people take out; written by a job, kept for a week. */
export const exports_ = sqliteTable(
  'exports',
  {
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: text('id').notNull(),
    source: text('source', { enum: ['contacts', 'tags', 'messages'] }).notNull(),
    format: text('format', { enum: ['csv', 'jsonl'] }).notNull(),
    status: text('status', {
      enum: ['queued', 'running', 'completed', 'failed', 'expired'],
    }).notNull(),
    /** `{columns, filters, segment_id}`, JSON. */
    options: text('options').notNull(),
    /** Random name of the file below the data folder; `null` while there is none. */
    storedAs: text('stored_as'),
    rows: integer('rows').notNull().default(0),
    bytes: integer('bytes').notNull().default(0),
    /** `{code, message}`, JSON. */
    error: text('error'),
    createdBy: text('created_by'),
    /** What the person who started it may do is read again when it runs. */
    actor: text('actor').notNull(),
    finishedAtMs: integer('finished_at_ms'),
    expiresAtMs: integer('expires_at_ms'),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    index('exports_recent').on(table.organizationId, table.createdAtMs, table.id),
    index('exports_expiring').on(table.expiresAtMs),
  ],
)

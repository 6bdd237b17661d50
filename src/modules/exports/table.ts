import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

import { uuid } from '../../infra/db/uuid'
import { organizations } from '../organizations/table'

/** Exported files, written by a job and kept for a week. */
export const exports_ = sqliteTable(
  'exports',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    source: text('source', { enum: ['contacts', 'tags', 'messages'] }).notNull(),
    format: text('format', { enum: ['csv', 'jsonl'] }).notNull(),
    status: text('status', {
      enum: ['queued', 'running', 'completed', 'failed', 'expired'],
    }).notNull(),
    /** `{columns, filters, segment_id}`, JSON. */
    options: text('options').notNull(),
    /** Random file name in the data folder; `null` without a file. */
    storedAs: text('stored_as'),
    rows: integer('rows').notNull().default(0),
    bytes: integer('bytes').notNull().default(0),
    /** `{code, message}`, JSON. */
    error: text('error'),
    createdBy: uuid('created_by'),
    /** The requester. Their permissions are read again when the job runs. */
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

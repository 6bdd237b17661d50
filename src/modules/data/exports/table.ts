import { index, primaryKey } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { organizations } from '../../organization/organizations/table'

/** Exported files, written by a job and kept for a week. */
export const exports_ = tableWithPeople(
  'exports',
  { of: 'contacts', erased: 'mentions' },
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id)
      .business(),
    id: uuid('id').notNull().business(),
    source: text('source', { enum: ['contacts', 'tags', 'messages'] })
      .notNull()
      .business(),
    format: text('format', { enum: ['csv', 'jsonl'] })
      .notNull()
      .business(),
    status: text('status', {
      enum: ['queued', 'running', 'completed', 'failed', 'expired'],
    })
      .notNull()
      .business(),
    /** `{columns, filters, segment_id}`, JSON. */
    options: text('options').notNull().personal(),
    /** Random file name in the data folder; `null` without a file. */
    storedAs: text('stored_as').business(),
    rows: integer('rows').notNull().default(0).business(),
    bytes: integer('bytes').notNull().default(0).business(),
    /** `{code, message}`, JSON. */
    error: text('error').business(),
    createdBy: uuid('created_by').business(),
    /** The requester. Their permissions are read again when the job runs. */
    actor: text('actor').notNull().business(),
    finishedAtMs: integer('finished_at_ms').business(),
    expiresAtMs: integer('expires_at_ms').business(),
    createdAtMs: integer('created_at_ms').notNull().business(),
    updatedAtMs: integer('updated_at_ms').notNull().business(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    index('exports_recent').on(table.organizationId, table.createdAtMs, table.id),
    index('exports_expiring').on(table.expiresAtMs),
  ],
)

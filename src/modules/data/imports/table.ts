import { foreignKey, index, primaryKey } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithPeople, tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { organizations } from '../../organization/organizations/table'

/** Imported files. A job processes them row by row. */
export const imports = tableWithoutPeople(
  'imports',
  'settings, states and counts; the people are in import_rows',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    /** The kind of rows. */
    target: text('target', { enum: ['contacts', 'tags', 'recipients'] }).notNull(),
    status: text('status', {
      enum: ['draft', 'queued', 'running', 'completed', 'failed', 'cancelled', 'undone'],
    }).notNull(),
    isDryRun: integer('is_dry_run', { mode: 'boolean' }).notNull(),
    filename: text('filename').notNull(),
    format: text('format', { enum: ['csv', 'xlsx', 'json'] }).notNull(),
    /** Random file name in the data folder; `null` once the file is deleted. */
    storedAs: text('stored_as'),
    /** `{column_mapping, update_on_duplicate, default_country, tag_ids}`, JSON. */
    options: text('options').notNull(),
    rowsTotal: integer('rows_total').notNull().default(0),
    rowsDone: integer('rows_done').notNull().default(0),
    /** Start of the next batch in the file, bytes. */
    position: integer('position').notNull().default(0),
    created: integer('created').notNull().default(0),
    updated: integer('updated').notNull().default(0),
    skipped: integer('skipped').notNull().default(0),
    failed: integer('failed').notNull().default(0),
    /** `{code, message}`, JSON. */
    error: text('error'),
    createdBy: uuid('created_by'),
    /** The requester. Their permissions are read again when the job runs. */
    actor: text('actor').notNull(),
    startedAtMs: integer('started_at_ms'),
    finishedAtMs: integer('finished_at_ms'),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    index('imports_recent').on(table.organizationId, table.createdAtMs, table.id),
  ],
)

/** The result of each row of an import, and the data needed to undo it. */
export const importRows = tableWithPeople(
  'import_rows',
  { of: 'contacts', erased: 'columns' },
  {
    organizationId: uuid('organization_id').notNull().business(),
    importId: uuid('import_id').notNull().business(),
    /** 1 is the first row below the header. */
    row: integer('row').notNull().business(),
    outcome: text('outcome', { enum: ['created', 'updated', 'skipped', 'failed'] })
      .notNull()
      .business(),
    /** The contact or tag that the row created or matched. */
    targetId: uuid('target_id').personal(),
    /** Identifies the record within the file, to find duplicates. */
    identity: text('identity').personal(),
    /** `[{column, message, value}]`, JSON. */
    errors: text('errors').notNull().default('[]').personal(),
    /** Values an update replaced, JSON. */
    former: text('former').personal(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.importId, table.row] }),
    foreignKey({
      columns: [table.organizationId, table.importId],
      foreignColumns: [imports.organizationId, imports.id],
    }),
    index('import_rows_outcome').on(table.organizationId, table.importId, table.outcome, table.row),
    index('import_rows_identity').on(
      table.organizationId,
      table.importId,
      table.identity,
      table.row,
    ),
  ],
)

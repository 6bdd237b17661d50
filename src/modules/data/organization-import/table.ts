import { sql } from 'drizzle-orm'
import { check, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithPeople, tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'

export const IMPORT_STATES = [
  'checking',
  'checked',
  'running',
  'waiting',
  'completed',
  'failed',
  'cancelled',
] as const

/** Imports of organizations from archives. They belong to the installation. */
export const organizationImports = tableWithPeople(
  'organization_imports',
  { of: 'users', erased: 'columns' },
  {
    id: uuid('id').primaryKey().business(),
    /**
     * `checking`: the archive is read. `checked`: a dry run that can be committed. `running`: rows
     * are stored, and the organization has the state `importing`. `waiting`: all rows are stored, and
     * the cell that the organization comes from decides. `failed` and `cancelled`: all of it was
     * undone.
     */
    state: text('state', { enum: IMPORT_STATES }).notNull().business(),
    isDryRun: integer('is_dry_run', { mode: 'boolean' }).notNull().business(),
    /** Name of the file, for people. */
    filename: text('filename').personal(),
    /** The uploaded archive in the file store, until the import has ended. */
    archiveFile: text('archive_file').business(),
    /** An archive of the operator: its path below the folder for incoming files, or absolute. */
    archivePath: text('archive_path').personal(),
    /** SHA-256 of its manifest: the file of a path may change after the check. */
    digest: text('digest').notNull().business(),
    /** The derived key of its secrets, base64, encrypted; `null` for none. */
    keySealed: text('key_sealed').business(),
    /** The organization in the archive: `{id, name, slug}`, JSON; `{id}` when it was erased. */
    organization: text('organization').personal(),
    /** Rows by table, JSON. */
    counts: text('counts').notNull().default('{}').business(),
    /** What stands in the way or will be different here, JSON. */
    conflicts: text('conflicts').notNull().default('[]').personal(),
    /** `{code, message, file, line}`, JSON. */
    error: text('error').personal(),
    rowsTotal: integer('rows_total').notNull().default(0).business(),
    rowsDone: integer('rows_done').notNull().default(0).business(),
    /** The step that is under way, and the last line of it that is stored. */
    step: text('step').notNull().default('').business(),
    line: integer('line').notNull().default(0).business(),
    /** Runs that began since the last one that ended, or that stored something. */
    openRuns: integer('open_runs').notNull().default(0).business(),
    /** The move that sent the archive, and the cell it comes from; `null` for a file. */
    moveId: uuid('move_id').business(),
    fromCell: text('from_cell').business(),
    /** When the last step of a move was ordered. It is taken soon after that, or ordered again. */
    orderedAtMs: integer('ordered_at_ms').business(),
    createdBy: uuid('created_by').business(),
    createdAtMs: integer('created_at_ms').notNull().business(),
    startedAtMs: integer('started_at_ms').business(),
    finishedAtMs: integer('finished_at_ms').business(),
  },
  (table) => [
    index('organization_imports_recent').on(table.createdAtMs, table.id),
    index('organization_imports_live')
      .on(table.state)
      .where(sql`${table.state} in ('checking', 'running', 'waiting')`),
    uniqueIndex('organization_imports_move')
      .on(table.moveId)
      .where(sql`${table.moveId} is not null`),
    check(
      'organization_imports_waiting',
      sql`${table.state} <> 'waiting' or ${table.moveId} is not null`,
    ),
    check(
      'organization_imports_finished',
      sql`(${table.state} in ('completed', 'failed', 'cancelled')) = (${table.finishedAtMs} is not null)`,
    ),
  ],
)

/** New numbers of the rows of an import that other rows refer to, while it runs. */
export const organizationImportNumbers = tableWithoutPeople(
  'organization_import_numbers',
  'numbers of rows',
  {
    importId: uuid('import_id').notNull(),
    former: integer('former').notNull(),
    number: integer('number').notNull(),
  },
  (table) => [primaryKey({ columns: [table.importId, table.former] })],
)

/** References of rows to later ones of the same table, set when all of them are stored. */
export const organizationImportLinks = tableWithoutPeople(
  'organization_import_links',
  'ids of rows',
  {
    importId: uuid('import_id').notNull(),
    /** The line of the row. */
    line: integer('line').notNull(),
    column: text('column').notNull(),
    /** The row, and the one that it refers to. */
    rowId: uuid('row_id').notNull(),
    targetId: uuid('target_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.importId, table.line, table.column] })],
)

/** The people of an archive, and who they are here. */
export const organizationImportUsers = tableWithoutPeople(
  'organization_import_users',
  'ids of colleagues',
  {
    importId: uuid('import_id').notNull(),
    /** The ID in the archive. */
    archivedId: uuid('archived_id').notNull(),
    userId: uuid('user_id').notNull(),
    /**
     * `created`: a new account. `former`: a new account that nobody can use, for a name. `joined`:
     * the account of the same person. `unconfirmed`: an account with the same e-mail and another
     * password, which has to confirm. `known`: an account that rows name.
     */
    outcome: text('outcome', {
      enum: ['created', 'former', 'joined', 'unconfirmed', 'known'],
    }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.importId, table.archivedId] })],
)

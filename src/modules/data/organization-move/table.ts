import { sql } from 'drizzle-orm'
import { check, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { organizations } from '../../organization/organizations/table'

/** The steps of a move, in their order, and how it ends. `source/steps.ts` takes them. */
export const MOVE_STEPS = [
  'freezing',
  'draining',
  'exporting',
  'uploading',
  'importing',
  'activating',
  'completed',
  'aborting',
  'aborted',
] as const
export type MoveStep = (typeof MOVE_STEPS)[number]

/** Why a move waits, why the last try of its step failed, or why it was aborted. */
export const MOVE_REASONS = [
  // it waits, and goes on by itself
  'after_restore',
  'archive_busy',
  'import_running',
  // here
  'archive_failed',
  'frozen_too_long',
  'organization_busy',
  'organization_deleting',
  'unknown_cell',
  // between both servers, or there
  'cell_failing',
  'cell_refused',
  'clocks_differ',
  'counts_differ',
  'disk_full',
  'import_cancelled',
  'import_failed',
  'organization_exists',
  'unreachable',
  // decided by a person, or by what another server knows
  'by_person',
  'cell_lost',
  'cell_restored',
  'moved_before',
  'came_back',
  'process_ended',
  // found after it was completed
  'missing_there',
  'older_there',
  'not_confirmed',
  // anything else
  'failed',
] as const
export type MoveReason = (typeof MOVE_REASONS)[number]

/** Moves of organizations from this cell to others. */
export const organizationMoves = tableWithoutPeople(
  'organization_moves',
  'addresses of servers, states and counts',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    /** Address of the cell it moves to. */
    target: text('target').notNull(),
    step: text('step', { enum: MOVE_STEPS }).notNull(),
    /** When the step began. */
    stepAtMs: integer('step_at_ms').notNull(),
    /** Tries of the step that failed one after the other. */
    failures: integer('failures').notNull().default(0),
    /** Why the last try failed, or why the move was aborted; a sentence. */
    error: text('error'),
    /** The same as a code; `null` if and only if there is no error. */
    errorCode: text('error_code', { enum: MOVE_REASONS }),
    /** Bytes of the archive, and how many of them the target has. */
    archiveBytes: integer('archive_bytes'),
    sentBytes: integer('sent_bytes').notNull().default(0),
    /** Disk space that the archive and what is in it need at the target. */
    roomBytes: integer('room_bytes'),
    /** Rows by table in the archive, JSON. */
    counts: text('counts'),
    /** Rows that the target has stored, and all of them. */
    rowsDone: integer('rows_done').notNull().default(0),
    rowsTotal: integer('rows_total').notNull().default(0),
    createdBy: uuid('created_by'),
    createdAtMs: integer('created_at_ms').notNull(),
    /** When nothing could be changed here any more, and when it worked again here or there. */
    frozenAtMs: integer('frozen_at_ms'),
    thawedAtMs: integer('thawed_at_ms'),
    /** When the operator stated that the target is lost for good. */
    forcedAtMs: integer('forced_at_ms'),
    finishedAtMs: integer('finished_at_ms'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    uniqueIndex('organization_moves_open')
      .on(table.organizationId)
      .where(sql`${table.step} not in ('completed', 'aborting', 'aborted')`),
    index('organization_moves_recent').on(table.createdAtMs, table.id),
    check(
      'organization_moves_step',
      sql`${table.step} in ('freezing', 'draining', 'exporting', 'uploading', 'importing', 'activating', 'completed', 'aborting', 'aborted')`,
    ),
    check(
      'organization_moves_finished',
      sql`(${table.step} in ('completed', 'aborted')) = (${table.finishedAtMs} is not null)`,
    ),
  ],
)
export type MoveRow = typeof organizationMoves.$inferSelect

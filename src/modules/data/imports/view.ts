import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import { maskPhonesIn } from '../../../lib/phone'
import type { ImportRowView, ImportView, RowProblem } from './model'
import type { importRows, imports } from './table'
import type { ImportOptions } from './importer'

export type ImportRow = typeof imports.$inferSelect

/** The result of a row as stored. */
export type OutcomeRow = typeof importRows.$inferSelect

/** Returns the options of an import. */
export const optionsOf = (row: Pick<ImportRow, 'options'>): ImportOptions =>
  JSON.parse(row.options) as ImportOptions

/** Returns an import as the API shows it. */
export const importView = (row: ImportRow): ImportView => ({
  id: row.id,
  table: row.target,
  status: row.status,
  dry_run: row.isDryRun,
  filename: row.filename,
  columns: optionsOf(row).columns,
  update_on_duplicate: optionsOf(row).updatesDuplicates,
  default_country: optionsOf(row).defaultCountry,
  tag_ids: optionsOf(row).tagIds,
  rows_total: row.rowsTotal,
  rows_done: row.rowsDone,
  created: row.created,
  updated: row.updated,
  skipped: row.skipped,
  failed: row.failed,
  error: row.error === null ? null : (JSON.parse(row.error) as ImportView['error']),
  created_by: row.createdBy,
  started_at: isoTimeOrNull(row.startedAtMs),
  finished_at: isoTimeOrNull(row.finishedAtMs),
  created_at: isoTime(row.createdAtMs),
})

/**
 * Returns a report row as the API shows it. With `isMasked`, numbers show only their last four
 * digits.
 */
export function rowView(row: OutcomeRow, isMasked: boolean): ImportRowView {
  const shown = (text: string): string => (isMasked ? maskPhonesIn(text) : text)
  return {
    row: row.row,
    outcome: row.outcome,
    contact_id: row.targetId,
    errors: (JSON.parse(row.errors) as RowProblem[]).map(({ column, message, value }) => ({
      column,
      message: shown(message),
      value: value === null ? null : shown(value),
    })),
  }
}

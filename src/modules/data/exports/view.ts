import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import type { ExportFilters, ExportView } from './model'
import type { exports_ } from './table'

export type ExportRow = typeof exports_.$inferSelect

/** Options of an export, and the visibility it was written with. */
export interface ExportOptions {
  columns: string[]
  filters: ExportFilters
  segmentId: string | null
  /** A filter as segments have it, and the contacts that are exported; both until the export ends. */
  filter?: unknown
  contactIds?: string[]
  /**
   * Whether it shows full numbers, and whether it contains data that requires seeing all contacts.
   * Set once it is written.
   */
  isUnmasked?: boolean
  isOfAll?: boolean
}

/** Returns the options of an export. */
export const optionsOf = (row: Pick<ExportRow, 'options'>): ExportOptions =>
  JSON.parse(row.options) as ExportOptions

/** Returns options without what selected the rows of an export that has ended. */
export function optionsAfter(row: Pick<ExportRow, 'options'>): ExportOptions {
  const { filter: _filter, contactIds: _ids, ...options } = optionsOf(row)
  return options
}

/** Returns an export as the API shows it. */
export const exportView = (row: ExportRow): ExportView => ({
  id: row.id,
  table: row.source,
  format: row.format,
  status: row.status,
  rows: row.rows,
  bytes: row.bytes,
  error: row.error === null ? null : (JSON.parse(row.error) as ExportView['error']),
  created_by: row.createdBy,
  created_at: isoTime(row.createdAtMs),
  finished_at: isoTimeOrNull(row.finishedAtMs),
  expires_at: isoTimeOrNull(row.expiresAtMs),
})

import { isoTime, isoTimeOrNull } from '../../lib/clock'
import type { ExportFilters, ExportView } from './model'
import type { exports_ } from './table'

/** An export as its row holds it. */
export type ExportRow = typeof exports_.$inferSelect

/** What was asked for, and with which sight it was written. */
export interface ExportOptions {
  columns: string[]
  filters: ExportFilters
  segmentId: string | null
  /**
   * Whether numbers are whole in it, and whether it holds what only those see who see every
   * contact; known once it is written.
   */
  isUnmasked?: boolean
  isOfAll?: boolean
}

/** What an export was asked to do. */
export const optionsOf = (row: Pick<ExportRow, 'options'>): ExportOptions =>
  JSON.parse(row.options) as ExportOptions

/** An export as the API answers it. */
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

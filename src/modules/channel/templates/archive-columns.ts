import { DAY_MS } from '../../../lib/clock'

/** The columns of a template about the archive. */
interface ArchiveColumns {
  archivedAtMs: number | null
  statusBeforeArchive: string | null
}

/** How long the platform keeps archived templates (platform documentation: archived templates). */
const ARCHIVE_MS = 28 * DAY_MS

/** Returns when the platform deletes an archived template, or `null`. */
export const archiveEndMs = ({
  archivedAtMs,
}: Pick<ArchiveColumns, 'archivedAtMs'>): number | null =>
  archivedAtMs === null ? null : archivedAtMs + ARCHIVE_MS

/**
 * Returns what else changes with the status of a template: when it was archived, and with which status
 * it comes back.
 */
export function archiveColumns(
  before: { status: string },
  status: string | undefined,
  atMs: number,
): Partial<ArchiveColumns> {
  if (status === undefined || status === before.status) return {}
  return status === 'ARCHIVED'
    ? { archivedAtMs: atMs, statusBeforeArchive: before.status }
    : { archivedAtMs: null, statusBeforeArchive: null }
}

/** Returns the status of a template that is back from the archive: the one it had before, if known. */
export const restoredStatus = (
  row: Pick<ArchiveColumns, 'statusBeforeArchive'> & { status: string },
): string => (row.status === 'ARCHIVED' ? (row.statusBeforeArchive ?? 'APPROVED') : row.status)

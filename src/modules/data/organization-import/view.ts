import { isoTime } from '../../../lib/clock'
import type { Conflict, OrganizationImportView } from './model'
import type { organizationImports } from './table'

/** A row of the table of imports of organizations. */
export type OrganizationImportRow = typeof organizationImports.$inferSelect

const timeOf = (atMs: number | null): string | null => (atMs === null ? null : isoTime(atMs))

const parsed = <T>(text: string | null): T | null =>
  text === null ? null : (JSON.parse(text) as T)

/** Returns the organization of an archive; `null` when its name was forgotten. */
function organizationOf({
  organization,
}: OrganizationImportRow): OrganizationImportView['organization'] {
  const known = parsed<{ id: string; name?: string; slug?: string }>(organization)
  return known?.name === undefined
    ? null
    : { id: known.id, name: known.name, slug: known.slug ?? '' }
}

/** Returns an import as the API shows it. */
export const organizationImportView = (row: OrganizationImportRow): OrganizationImportView => ({
  id: row.id,
  state: row.state,
  dry_run: row.isDryRun,
  filename: row.filename,
  organization: organizationOf(row),
  counts: JSON.parse(row.counts) as Record<string, number>,
  conflicts: JSON.parse(row.conflicts) as Conflict[],
  rows_total: row.rowsTotal,
  rows_done: row.rowsDone,
  error: parsed(row.error),
  created_at: isoTime(row.createdAtMs),
  started_at: timeOf(row.startedAtMs),
  finished_at: timeOf(row.finishedAtMs),
})

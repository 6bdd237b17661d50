import type { Database } from 'bun:sqlite'

import type { TableFate } from '../../../infra/table-fates'
import type { DerivedTotal } from './archive-format'

/**
 * Adds up counts of an organization that triggers and jobs keep. An import has built them again and
 * compares them with those in the archive.
 */
export function derivedTotals(
  sqlite: Database,
  fates: readonly TableFate[],
  organization: Uint8Array,
): DerivedTotal[] {
  return fates.flatMap(({ table, totals }) => {
    if (totals === null) return []
    const { columns, where = 'true' } = totals
    const sums = columns.map((column) => `coalesce(sum("${column}"), 0) as "${column}"`)
    const row = sqlite
      .query<Record<string, number>, [Uint8Array]>(
        `select ${sums.join(', ')} from "${table}" where organization_id = ?1 and ${where}`,
      )
      .get(organization)
    return columns.map((column) => ({ table, column, total: row?.[column] ?? 0 }))
  })
}

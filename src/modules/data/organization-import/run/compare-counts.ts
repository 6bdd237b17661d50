import type { Ctx } from '../../../../infra/ctx'
import { uuidToBytes } from '../../../../infra/db/uuid'
import { derivedTotals } from '../../organization-archive/derived-totals'
import type { Archive } from '../archive/archive'
import type { Conflict } from '../model'

/** Compares counts that were built again with those of the archive. Returns those that differ. */
export function differingCounts(ctx: Ctx, { manifest }: Archive): Conflict[] {
  const nameOf = ({ table, column }: { table: string; column: string }) => `${table}.${column}`
  const stated = new Map(manifest.totals.map((total) => [nameOf(total), total.total]))
  return derivedTotals(ctx.db.sqlite, ctx.tables, uuidToBytes(ctx.organizationId)).flatMap(
    (built): Conflict[] => {
      const expected = stated.get(nameOf(built))
      if (expected === undefined || expected === built.total) return []
      const values = { what: nameOf(built), here: built.total, archived: expected }
      const message = `${values.what} adds up to ${built.total} here and to ${expected} in the archive.`
      return [{ kind: 'counts_differ', reason: 'count', values, message }]
    },
  )
}

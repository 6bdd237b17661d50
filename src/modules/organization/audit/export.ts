import { BOM, csvLine, escapeFormula } from '../../../lib/csv'
import type { Ctx } from '../../../infra/ctx'
import { partsOf } from '../../../infra/read/parts'
import { AuditEntry } from './model'
import type { AuditFilter } from './queries'
import { ListAuditEntries } from './readers'

/** Entries that are read at a time. */
const AT_ONCE = 500

const COLUMNS = Object.keys(AuditEntry.properties) as (keyof AuditEntry)[]

const cellOf = (value: unknown): string =>
  value === null ? '' : escapeFormula(typeof value === 'string' ? value : JSON.stringify(value))

/**
 * Returns the matching entries as lines of CSV, newest first, with phone numbers as the caller sees
 * them. Throws InvalidError for a bad time.
 */
export async function auditLines(ctx: Ctx, filter: AuditFilter): Promise<AsyncGenerator<string>> {
  const parts = await partsOf(
    async (last: { next: string | null } | null) => {
      const cursor = last?.next ?? undefined
      const page = { page: 1, limit: AT_ONCE, cursor, ...filter }
      const { items, next_cursor: next } = await ctx.reads.value(ListAuditEntries, ctx, page)
      return { items, next }
    },
    ({ items }) =>
      items.map((entry) => csvLine(COLUMNS.map((column) => cellOf(entry[column])))).join(''),
  )
  return withHeadings(parts)
}

async function* withHeadings(parts: AsyncGenerator<string>): AsyncGenerator<string> {
  yield BOM + csvLine(COLUMNS)
  yield* parts
}

import type { Database } from 'bun:sqlite'

import type { DistinctValues } from './distinct-values.macro'
import { readDistinctValues } from './distinct-values.macro' with { type: 'macro' }

/** The size of every table, and how many organizations share its rows. */
const ROWS = 1_000_000
const ORGANIZATIONS = 10

/** Distinct values of a column without its own figure. */
const MANY_VALUES = 1_000

/** Share of the rows that a partial index holds. */
const PARTIAL_SHARE = 0.1

/**
 * Returns the number of distinct values of indexed columns that have few, from the
 * `distinct-values.json` beside each `table.ts`.
 */
export const distinctValues = (): DistinctValues =>
  readDistinctValues() as unknown as DistinctValues // a macro is inlined as a plain value

/** A row of SQLite's statistics table. */
interface Statistic {
  tbl: string
  idx: string | null
  stat: string
}

/**
 * Writes the statistics of a large database for SQLite's query planner, so that every query has the
 * same plan in every database. Without statistics SQLite expects ten rows in an organization and
 * scans all of them instead of looking up a few. With statistics of the real data, plans would
 * change with the data. Does nothing if they are up to date. Runs in the transaction of the
 * migrations.
 */
export function writeStatistics(sqlite: Database): void {
  const wanted = statisticsOf(sqlite)
  const hasTable =
    sqlite.query("select 1 from sqlite_schema where name = 'sqlite_stat1'").get() !== null
  const known = hasTable
    ? sqlite.query<Statistic, []>('select tbl, idx, stat from sqlite_stat1 order by tbl, idx').all()
    : []
  if (JSON.stringify(known) === JSON.stringify(wanted)) return
  // `analyze` creates the table; a program cannot.
  if (!hasTable) sqlite.run('analyze schema_migrations')
  sqlite.run('delete from sqlite_stat1')
  const write = sqlite.query('insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)')
  for (const { tbl, idx, stat } of wanted) write.run(tbl, idx, stat)
  sqlite.run('analyze sqlite_schema') // which reads them
}

/**
 * Returns the statistics of each index, and of each table without one. Tables of full-text indexes
 * need none.
 */
function statisticsOf(sqlite: Database): Statistic[] {
  const distinct = distinctValues()
  return sqlite
    .query<
      {
        table: string
        index: string | null
        isUnique: number
        isPartial: number
        columns: string | null
      },
      []
    >(
      `select t.name as "table", i.name as "index", coalesce(i."unique", 0) as isUnique, coalesce(i.partial, 0) as isPartial,
         (select group_concat(coalesce(name, ''), char(10)) from (select name from pragma_index_info(i.name) order by seqno)) as columns
       from pragma_table_list as t left join pragma_index_list(t.name) as i
       where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\' order by t.name, i.name`,
    )
    .all()
    .map(({ table, index, isUnique, isPartial, columns }) => ({
      tbl: table,
      idx: index,
      stat: rowsOf(columns === null ? [] : columns.split('\n'), {
        isUnique: isUnique === 1,
        isPartial: isPartial === 1,
        distinct: distinct[table] ?? {},
      }).join(' '),
    }))
}

/**
 * How many rows an index has, and how many of them share the first column, the first two and so on.
 */
function rowsOf(
  columns: string[],
  of: { isUnique: boolean; isPartial: boolean; distinct: Record<string, number> },
): number[] {
  const counts = [of.isPartial ? ROWS * PARTIAL_SHARE : ROWS]
  for (const column of columns) {
    const values =
      column === 'organization_id' ? ORGANIZATIONS : (of.distinct[column] ?? MANY_VALUES)
    counts.push(Math.max(2, Math.round((counts.at(-1) ?? ROWS) / values)))
  }
  if (of.isUnique) counts[counts.length - 1] = 1
  return counts
}

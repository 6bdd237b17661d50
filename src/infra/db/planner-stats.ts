import type { Database } from 'bun:sqlite'

/**
 * What SQLite is told of every table: so many rows, and a tenth of them in an organization that is
 * asked about.
 */
const ROWS = 1_000_000
const ORGANIZATIONS = 10

/** Columns that hold one of a few values; so many rows share one. */
const OF_FEW_VALUES =
  /^(is_.*|.*(state|status|kind|type|direction|stage|consent|source|purpose|action|lane|priority)|assigned_to|account_id)$/
const FEW_VALUES = 10
const MANY_VALUES = 1_000

/** One line of SQLite's own table of statistics. */
interface Statistic {
  tbl: string
  idx: string | null
  stat: string
}

/**
 * Tells SQLite how a large database looks, whatever this one holds now, so that every query is
 * planned in the same way everywhere and always: left alone it takes ten rows for an organization
 * and reads all of it where it could look up a few; with real statistics a plan would change when
 * the data do. Cheap when nothing is to be changed. Runs in the transaction of the migrations.
 */
export function writeStatistics(sqlite: Database): void {
  const wanted = statisticsOf(sqlite)
  const hasTable =
    sqlite.query("select 1 from sqlite_schema where name = 'sqlite_stat1'").get() !== null
  const known = hasTable
    ? sqlite.query<Statistic, []>('select tbl, idx, stat from sqlite_stat1 order by tbl, idx').all()
    : []
  if (JSON.stringify(known) === JSON.stringify(wanted)) return
  // which makes the table; the program cannot
  if (!hasTable) sqlite.run('analyze schema_migrations')
  sqlite.run('delete from sqlite_stat1')
  const write = sqlite.query('insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)')
  for (const { tbl, idx, stat } of wanted) write.run(tbl, idx, stat)
  sqlite.run('analyze sqlite_schema') // which reads them
}

/**
 * What is to be told of each index, and of each table without one; tables of full-text indices look
 * after themselves.
 */
const statisticsOf = (sqlite: Database): Statistic[] =>
  sqlite
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
      }).join(' '),
    }))

/**
 * How many rows an index has, and how many of them share the first column, the first two and so on.
 */
function rowsOf(columns: string[], of: { isUnique: boolean; isPartial: boolean }): number[] {
  const all = of.isPartial ? ROWS / FEW_VALUES : ROWS
  const counts = [all]
  let left = all
  for (const column of columns) {
    const values =
      column === 'organization_id'
        ? ORGANIZATIONS
        : OF_FEW_VALUES.test(column)
          ? FEW_VALUES
          : MANY_VALUES
    left = Math.max(2, Math.round(left / values))
    counts.push(left)
  }
  if (of.isUnique) counts[counts.length - 1] = 1
  return counts
}

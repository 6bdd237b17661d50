import type { Database } from 'bun:sqlite'

/**
 * Every row of every table but those of search indices, to compare a database before and after
 * something that must change nothing.
 */
export function dump(sqlite: Database): Record<string, unknown[]> {
  const tables = sqlite
    .query<{ name: string; wr: number }, []>(
      "select name, wr from pragma_table_list where schema = 'main' and type = 'table' order by name",
    )
    .all()
  // Without rowid rows come in the order of their key.
  const rowsOf = (name: string, isOrdered: boolean) =>
    sqlite.query(`select * from "${name}"${isOrdered ? '' : ' order by rowid'}`).all()
  return Object.fromEntries(tables.map(({ name, wr }) => [name, rowsOf(name, wr === 1)]))
}

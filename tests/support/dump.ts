import type { Database } from 'bun:sqlite'

/**
 * Returns all rows of all tables except search indexes, to compare a database before and after an
 * operation that must not change it.
 */
export function dump(sqlite: Database): Record<string, unknown[]> {
  const tables = sqlite
    .query<{ name: string; wr: number }, []>(
      "select name, wr from pragma_table_list where schema = 'main' and type = 'table' order by name",
    )
    .all()
  // Rows without a rowid come in the order of their key.
  const rowsOf = (name: string, isOrdered: boolean) =>
    sqlite.query(`select * from "${name}"${isOrdered ? '' : ' order by rowid'}`).all()
  return Object.fromEntries(tables.map(({ name, wr }) => [name, rowsOf(name, wr === 1)]))
}

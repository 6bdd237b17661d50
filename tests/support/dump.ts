import type { Database } from 'bun:sqlite'

/** Every row of every table but those of search indices, to compare a database before and after something that must change nothing. */
export function dump(sqlite: Database): Record<string, unknown[]> {
  const tables = sqlite
    .query<{ name: string }, []>("select name from pragma_table_list where schema = 'main' and type = 'table' order by name")
    .all()
  return Object.fromEntries(tables.map(({ name }) => [name, sqlite.query(`select * from "${name}" order by rowid`).all()]))
}

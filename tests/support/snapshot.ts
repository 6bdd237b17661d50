import type { Database } from 'bun:sqlite'

/**
 * Remembers every row of a database; what it answers puts them all back. Nothing but tests changes rows this way. Tables that SQLite
 * keeps for a search index follow those they are made of.
 */
export function snapshotOf(sqlite: Database): () => void {
  const tables = sqlite
    .query<{ name: string }, []>(
      "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%' order by name",
    )
    .all()
    .map(({ name }) => name)
  sqlite.run("attach ':memory:' as snapshot")
  for (const name of tables) sqlite.run(`create table snapshot."${name}" as select * from main."${name}"`)
  return () => {
    sqlite.run('pragma foreign_keys = off')
    sqlite.transaction(() => {
      for (const name of tables) sqlite.run(`delete from main."${name}"`)
      for (const name of tables) sqlite.run(`insert into main."${name}" select * from snapshot."${name}"`)
    })()
    sqlite.run('pragma foreign_keys = on')
  }
}

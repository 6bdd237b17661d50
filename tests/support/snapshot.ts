import type { Database } from 'bun:sqlite'
import { columnsIn } from './columns-in'

/** Returns the tables into which triggers insert. Restoring other tables changes them. */
const writtenByTriggers = (sqlite: Database): Set<string> =>
  new Set(
    sqlite
      .query<{ sql: string }, []>("select sql from sqlite_schema where type = 'trigger'")
      .all()
      .flatMap(({ sql }) => [...sql.matchAll(/insert (?:or \w+ )?into "?(\w+)/gi)])
      .map(([, name = '']) => name),
  )

/**
 * Saves all rows of a database and returns a function that restores them. Only tests change rows
 * this way. Tables of a search index follow the tables they index.
 */
export function snapshotOf(sqlite: Database): () => void {
  // Versions keep increasing, because caches must not see a version twice. Texts follow their rows.
  const tables = sqlite
    .query<{ name: string }, []>(
      "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%' and name <> 'rights_version' and name not like '%\\_texts' escape '\\' order by name",
    )
    .all()
    .map(({ name }) => name)
  const written = writtenByTriggers(sqlite)
  sqlite.run("attach ':memory:' as snapshot")
  for (const name of tables)
    sqlite.run(
      `create table snapshot."${name}" as select ${columnsIn(sqlite, name)} from main."${name}"`,
    )
  const putBack = (name: string): unknown =>
    sqlite.run(
      `insert into main."${name}" (${columnsIn(sqlite, name)}) select * from snapshot."${name}"`,
    )
  const removeAll = (name: string): unknown => sqlite.run(`delete from main."${name}"`)
  return () => {
    sqlite.run('pragma foreign_keys = off')
    sqlite.transaction(() => {
      for (const name of tables) removeAll(name)
      for (const name of tables.filter((table) => !written.has(table))) putBack(name)
      for (const name of tables.filter((table) => written.has(table))) {
        removeAll(name)
        putBack(name)
      }
    })()
    sqlite.run('pragma foreign_keys = on')
  }
}

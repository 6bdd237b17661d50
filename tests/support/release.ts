import { Database } from 'bun:sqlite'
import { join } from 'node:path'

import { World } from './world'

/** Where the databases of releases are kept, one file `<version>.sqlite.gz` for each. */
export const RELEASES = join(import.meta.dir, '../releases')

/** The ids by which the story of a stored database is found in it. */
export const STORY = {
  question: 'Is anybody there?',
  answer: 'Yes, we are.',
  unsent: 'This one still waits.',
}

/**
 * Writes the database of an installation that was used to `path`: two organizations, a customer who
 * wrote, an answer that was delivered, and one that still waits. Times are of today.
 */
export async function writeStoryDatabase(path: string): Promise<void> {
  await using world = await World.create()
  const contact = await world.contactOf(world.tenant, STORY.question)
  await world.contactOf(world.other, 'The other ones')
  const admin = await world.as('admin')
  await admin.post(`/api/contacts/${contact['id']}/messages`, { type: 'text', text: STORY.answer })
  await world.settle()
  await admin.post(`/api/contacts/${contact['id']}/messages`, { type: 'text', text: STORY.unsent })
  world.program.http.db.sqlite.run('vacuum into ?', [path])
  const database = new Database(path, { strict: true })
  moveTimes(database, Date.now() - world.clock.nowMs())
  database.close()
}

/** The columns of a table, in their order. */
export const columnsOf = (database: Database, table: string): string[] =>
  database
    .query<{ name: string }, [string]>('select name from pragma_table_info(?)')
    .all(table)
    .map(({ name }) => name)

/** The tables of a database that hold what people and programs wrote. */
export const tablesOf = (database: Database): string[] =>
  database
    .query<{ name: string }, []>(
      "select name from pragma_table_list where type = 'table' and name not like 'sqlite_%' and name <> 'schema_migrations' order by name",
    )
    .all()
    .map(({ name }) => name)

/**
 * Moves every time of a database by a span: the server that opens it goes by the machine's clock
 * and deletes what is old.
 */
export function moveTimes(database: Database, byMs: number): void {
  const triggers = database
    .query<{ name: string; sql: string }, []>(
      "select name, sql from sqlite_schema where type = 'trigger'",
    )
    .all()
  for (const { name } of triggers) database.run(`drop trigger "${name}"`)
  for (const table of tablesOf(database))
    for (const column of columnsOf(database, table).filter((name) => name.endsWith('_ms')))
      database
        .query(`update "${table}" set "${column}" = "${column}" + ? where "${column}" > ?`)
        .run(byMs, Date.UTC(2020, 0))
  for (const { sql } of triggers) database.run(sql)
}

import { Database } from 'bun:sqlite'
import { join } from 'node:path'

import { World } from './world'

/** Folder of the databases of releases, one file `<version>.sqlite.gz` for each. */
export const RELEASES = join(import.meta.dir, '../releases')

/** IDs that identify the story in a stored database. */
export const STORY = {
  question: 'Is anybody there?',
  answer: 'Yes, we are.',
  unsent: 'This one still waits.',
}

/**
 * Writes the database of a used installation to `path`: two organizations, an incoming message, a
 * delivered reply, and a waiting one. Times are of today.
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

/** Returns the tables that hold data of users and programs. */
export const tablesOf = (database: Database): string[] =>
  database
    .query<{ name: string }, []>(
      "select name from pragma_table_list where type = 'table' and name not like 'sqlite_%' and name <> 'schema_migrations' order by name",
    )
    .all()
    .map(({ name }) => name)

/**
 * Moves every time of a database by a span, because the server that opens it uses the machine's
 * clock and deletes old data.
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

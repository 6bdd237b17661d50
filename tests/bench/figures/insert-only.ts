/**
 * Inserts the rows that came of deliveries into an empty database of the same schema, and prints
 * how fast. A process of its own.
 */
import { rmSync } from 'node:fs'

import { systemClock } from '../../../src/lib/clock'
import { openDb } from '../../../src/infra/db/connection'
import { migrate } from '../../../src/infra/db/migrate'
import { columnsIn } from '../../support/columns-in'

/** What it came to. */
export interface Inserted {
  /** Deliveries a second. */
  perSecond: number
}

/** Deliveries of one transaction, as many as the worker takes of its jobs. */
const AT_ONCE = 64
const MOST = 20_000

/**
 * Tables a delivery adds rows to; its changes to contact and conversation are left to us, inserting
 * them once is all that is asked here.
 */
const GROWING = ['inbound_bodies', 'inbound_events', 'messages', 'message_words', 'events']

function insertAll(from: string): Inserted {
  const path = `${from}.inserted`
  rmSync(path, { force: true })
  const db = openDb(path, { synchronous: 'full', cacheMib: 64 })
  migrate(db.sqlite, { clock: systemClock })
  const { sqlite } = db
  sqlite.run('attach ? as source', [from])
  sqlite.run('pragma foreign_keys = off')
  const tables = sqlite
    .query<{ name: string }, []>(
      `select name from pragma_table_list where schema = 'source' and type = 'table' and name not like 'sqlite\\_%' escape '\\'`,
    )
    .all()
    .map(({ name }) => name)
    .filter((name) => !GROWING.includes(name) && name !== 'schema_migrations')
  const triggers = sqlite
    .query<{ name: string; sql: string }, []>(
      "select name, sql from main.sqlite_schema where type = 'trigger' and sql is not null",
    )
    .all()
  sqlite.transaction(() => {
    // What triggers made of the other rows is copied as well.
    for (const { name } of triggers) sqlite.run(`drop trigger main.${name}`)
    for (const name of tables) {
      sqlite.run(`delete from main.${name}`)
      const columns = columnsIn(sqlite, name)
      sqlite.run(`insert into main.${name} (${columns}) select ${columns} from source.${name}`)
    }
    for (const trigger of triggers) sqlite.run(trigger.sql)
  })()
  sqlite.run('pragma foreign_keys = on')
  const sources = GROWING.map((name) => {
    const rows = sqlite
      .query(
        `select ${columnsIn(sqlite, name)} from source.${name} order by rowid limit ${MOST * 2}`,
      )
      .values() as (string | number | null)[][]
    return {
      rows,
      insert: sqlite.query(
        `insert into main.${name} (${columnsIn(sqlite, name)}) values (${(rows[0] ?? []).map(() => '?').join()})`,
      ),
    }
  })
  const deliveries = Math.min(MOST, sources[0]?.rows.length ?? 0)
  const startedMs = performance.now()
  for (let first = 0; first < deliveries; first += AT_ONCE)
    sqlite
      .transaction(() => {
        for (let nth = first; nth < Math.min(first + AT_ONCE, deliveries); nth += 1)
          for (const { rows, insert } of sources) {
            const share = rows.length / deliveries
            for (const row of rows.slice(Math.floor(nth * share), Math.floor((nth + 1) * share)))
              insert.run(...row)
          }
      })
      .immediate()
  const tookMs = performance.now() - startedMs
  sqlite.close()
  rmSync(path, { force: true })
  return { perSecond: deliveries / (tookMs / 1_000) }
}

if (import.meta.main)
  console.log(
    JSON.stringify(insertAll((JSON.parse(process.argv[2] ?? '{}') as { from: string }).from)),
  )

import type { Database } from 'bun:sqlite'

import type { CounterTrigger } from './counter'
import type { View } from './migrations.macro'
import { readTriggers, readViews } from './migrations.macro' with { type: 'macro' }

// A macro is inlined as a plain value.
/** The triggers this program needs: those of every `triggers.sql` and `counters.ts`. */
const knownTriggers = (): CounterTrigger[] => readTriggers() as unknown as CounterTrigger[]

/** The views this program needs: those of every `views.sql`. */
const knownViews = (): View[] => readViews() as unknown as View[]

const storedOf = (sqlite: Database, type: 'table' | 'trigger' | 'view'): Map<string, string> =>
  new Map(
    sqlite
      .query<{ name: string; sql: string }, [string]>(
        'select name, sql from sqlite_schema where type = ?',
      )
      .all(type)
      .map(({ name, sql }) => [name, sql]),
  )

/**
 * Drops every trigger and view of the database, so that migrations may rebuild tables and move rows
 * without side effects. SQLite renames no table while a view names one that does not exist.
 */
export function dropTriggers(sqlite: Database): void {
  for (const type of ['trigger', 'view'] as const)
    for (const name of storedOf(sqlite, type).keys()) sqlite.run(`drop ${type} "${name}"`)
}

/**
 * Makes the triggers and views of the database those of the program: creates missing ones, replaces
 * different ones, and drops unknown ones. Skips those of tables that do not exist.
 */
export function applyTriggers(sqlite: Database): void {
  const tables = storedOf(sqlite, 'table')
  const views = knownViews().filter((view) => view.tables.every((table) => tables.has(table)))
  makeStored(sqlite, 'view', views)
  makeStored(
    sqlite,
    'trigger',
    knownTriggers().filter(({ table }) => tables.has(table)),
  )
}

function makeStored(
  sqlite: Database,
  type: 'trigger' | 'view',
  wanted: readonly { name: string; sql: string }[],
): void {
  const present = storedOf(sqlite, type)
  const texts = new Map(wanted.map(({ name, sql }) => [name, sql]))
  for (const [name, sql] of present)
    if (texts.get(name) !== sql) sqlite.run(`drop ${type} "${name}"`)
  for (const { name, sql } of wanted) if (present.get(name) !== sql) sqlite.run(sql)
}

import type { Database } from 'bun:sqlite'

import type { Trigger } from './counter'
import { readTriggers } from './migrations.macro' with { type: 'macro' }

/** The triggers this program needs: those of every `triggers.sql` and `counters.ts`. */
const knownTriggers = (): Trigger[] => readTriggers() as unknown as Trigger[] // a macro is inlined as a plain value

const namesOf = (sqlite: Database, type: 'table' | 'trigger'): string[] =>
  sqlite
    .query<{ name: string }, [string]>('select name from sqlite_schema where type = ?')
    .all(type)
    .map(({ name }) => name)

/**
 * Drops every trigger of the database, so that migrations may rebuild tables and move rows without
 * side effects.
 */
export function dropTriggers(sqlite: Database): void {
  for (const name of namesOf(sqlite, 'trigger')) sqlite.run(`drop trigger "${name}"`)
}

/**
 * Makes the triggers of the database those of the program: creates missing ones, replaces different
 * ones, and drops unknown ones. Skips triggers of tables that do not exist.
 */
export function applyTriggers(sqlite: Database): void {
  const tables = new Set(namesOf(sqlite, 'table'))
  const wanted = knownTriggers().filter(({ table }) => tables.has(table))
  const present = new Map(
    sqlite
      .query<{ name: string; sql: string }, []>(
        "select name, sql from sqlite_schema where type = 'trigger'",
      )
      .all()
      .map(({ name, sql }) => [name, sql]),
  )
  const texts = new Map(wanted.map(({ name, sql }) => [name, sql]))
  for (const [name, sql] of present)
    if (texts.get(name) !== sql) sqlite.run(`drop trigger "${name}"`)
  for (const { name, sql } of wanted) if (present.get(name) !== sql) sqlite.run(sql)
}

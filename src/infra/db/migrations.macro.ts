import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { triggersOf, type Counter, type CounterTrigger } from './counter'

/** One step of the schema: `tag` orders it, `hash` proves that it was not edited after it ran. */
export interface Migration {
  tag: string
  hash: string
  sql: string
}

/** Reads `drizzle/*.sql` while bundling, so that the binary carries the migrations inside. */
export function readMigrations(): Migration[] {
  const folder = join(import.meta.dir, '../../../drizzle')
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => {
      const sql = readFileSync(join(folder, name), 'utf8')
      return {
        tag: name.slice(0, -'.sql'.length),
        hash: new Bun.CryptoHasher('sha256').update(sql).digest('hex'),
        sql,
      }
    })
}

/** The beginning of a trigger, its name and the table it belongs to. */
const TRIGGER = /^CREATE TRIGGER (\w+)\s[^;]*?\bON (\w+)/i

/** The program's own code. */
const SOURCE = join(import.meta.dir, '../..')

const filesNamed = (name: string): string[] =>
  [...new Bun.Glob(`**/${name}`).scanSync(SOURCE)].toSorted()

/**
 * Reads every `triggers.sql` and `counters.ts` of the source while bundling, so that the binary
 * carries the triggers inside. Throws for a statement that creates no trigger.
 */
export async function readTriggers(): Promise<CounterTrigger[]> {
  const counters = await Promise.all(
    filesNamed('counters.ts').map(
      (file) => import(join(SOURCE, file)) as Promise<{ COUNTERS: Counter[] }>,
    ),
  )
  return [...writtenTriggers(), ...counters.flatMap(({ COUNTERS }) => COUNTERS.flatMap(triggersOf))]
}

/** A view of the schema. */
export interface View {
  name: string
  /** The tables that it reads. */
  tables: string[]
  sql: string
}

/** Reads every `views.sql` of the source while bundling. Throws for a statement that creates no view. */
export function readViews(): View[] {
  return filesNamed('views.sql').flatMap((file) =>
    statementsIn(file, /(?<=;)$/m).map((sql) => {
      const name = /^CREATE VIEW `(\w+)`/.exec(sql)?.[1]
      if (name === undefined) throw new Error(`${file}: not a view: ${sql.slice(0, 60)}`)
      return {
        name,
        tables: [...sql.matchAll(/ FROM `(\w+)`/g)].map(([, table = '']) => table),
        sql,
      }
    }),
  )
}

/** Returns the statements of a file without comments and semicolons at the end. */
const statementsIn = (file: string, end: RegExp): string[] =>
  readFileSync(join(SOURCE, file), 'utf8')
    .replaceAll(/^--.*\n/gm, '')
    .split(end)
    .map((statement) => statement.trim().replace(/;$/, ''))
    .filter((statement) => statement !== '')

function writtenTriggers(): CounterTrigger[] {
  return filesNamed('triggers.sql').flatMap((file) =>
    statementsIn(file, /(?<=^END;)$/m).map((statement) => {
      const [, name, table] = TRIGGER.exec(statement) ?? []
      if (name === undefined || table === undefined)
        throw new Error(`${file}: not a trigger: ${statement.slice(0, 60)}`)
      return { name, table, sql: statement }
    }),
  )
}

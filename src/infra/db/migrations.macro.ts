import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

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

/** A trigger of the schema, as `triggers.sql` beside its table writes it. */
export interface Trigger {
  name: string
  table: string
  sql: string
}

/** The beginning of a trigger, its name and the table it belongs to. */
const TRIGGER = /^CREATE TRIGGER (\w+)\s[^;]*?\bON (\w+)/i

/**
 * Reads every `triggers.sql` of the source while bundling, so that the binary carries the triggers
 * inside. Throws for a statement that creates no trigger.
 */
export function readTriggers(): Trigger[] {
  const source = join(import.meta.dir, '../..')
  const files = [...new Bun.Glob('**/triggers.sql').scanSync(source)].toSorted()
  return files.flatMap((file) =>
    readFileSync(join(source, file), 'utf8')
      .replaceAll(/^--.*\n/gm, '')
      .split(/(?<=^END;)$/m)
      .map((statement) => statement.trim().replace(/;$/, ''))
      .filter((statement) => statement !== '')
      .map((statement) => {
        const [, name, table] = TRIGGER.exec(statement) ?? []
        if (name === undefined || table === undefined)
          throw new Error(`${file}: not a trigger: ${statement.slice(0, 60)}`)
        return { name, table, sql: statement }
      }),
  )
}

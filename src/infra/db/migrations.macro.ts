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

import type { Database } from 'bun:sqlite'

import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { fold } from '../lib/fold'

/** What rows are found and sorted by: their texts without case and accents, which SQLite alone cannot make. */
export const searchKey = (...texts: (string | null)[]): string =>
  texts
    .filter((text) => text !== null)
    .map(fold)
    .join('\n')

/** The condition that a key holds what somebody typed; whatever signs are in it mean themselves. */
export const holdsText = (key: SQLiteColumn, typed: string): SQL => sql`instr(${key}, ${fold(typed)}) > 0`

/** A table, the column of its key, and the texts that it is made of. */
export interface SearchKey {
  table: string
  key: string
  texts: string[]
}

/** Makes the keys of rows that have none yet, because they were written before there were keys. Returns how many. */
export function fillSearchKeys(sqlite: Database, { table, key, texts }: SearchKey): number {
  const rows = sqlite
    .query<Record<string, string | null> & { place: number }, []>(
      `select rowid as place, ${texts.join(', ')} from ${table} where ${key} = ''`,
    )
    .all()
  const write = sqlite.query(`update ${table} set ${key} = ? where rowid = ?`)
  for (const { place, ...row } of rows) write.run(searchKey(...texts.map((text) => row[text] ?? null)), place)
  return rows.length
}

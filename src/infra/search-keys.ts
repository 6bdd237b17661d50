import type { Database } from 'bun:sqlite'

import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { fold } from '../lib/fold-text'

/**
 * What rows are found and sorted by: their texts without case and accents, which SQLite alone
 * cannot make.
 */
export const searchKey = (...texts: (string | null)[]): string =>
  texts
    .filter((text) => text !== null)
    .map(fold)
    .join('\n')

/** The condition that a key holds what somebody typed; whatever signs are in it mean themselves. */
export const holdsText = (key: SQLiteColumn, typed: string): SQL =>
  sql`instr(${key}, ${fold(typed)}) > 0`

/** A column that holds a folded text, or a text as it was before searched texts were folded. */
export interface FoldedText {
  table: string
  column: string
}

/** Rows read at once while texts are folded anew. */
const READ_AT_ONCE = 5_000

/**
 * Folds texts by the rules of today that were written by those of before. Those that hold only what
 * was always the same stay untouched, and so does a name that would become another one's. Returns
 * how many changed.
 */
export function foldAnew(sqlite: Database, { table, column }: FoldedText): number {
  const beyondAscii = "'*[^' || char(1) || '-' || char(127) || ']*'"
  const read = sqlite.query<{ place: number; text: string }, [number]>(
    `select rowid as place, ${column} as text from ${table} where rowid > ? and ${column} glob ${beyondAscii} order by rowid limit ${READ_AT_ONCE}`,
  )
  const write = sqlite.query(`update or ignore ${table} set ${column} = ? where rowid = ?`)
  let changed = 0
  for (let after = -1; ;) {
    const rows = read.all(after)
    for (const { place, text } of rows) {
      const folded = fold(text)
      if (folded !== text) changed += write.run(folded, place).changes
    }
    const last = rows.at(-1)
    if (rows.length < READ_AT_ONCE || !last) return changed
    after = last.place
  }
}

/** A table, the column of its key, and the texts that it is made of. */
export interface SearchKey {
  table: string
  key: string
  texts: string[]
}

/**
 * Makes the keys of rows that have none yet, because they were written before there were keys.
 * Returns how many.
 */
export function fillSearchKeys(sqlite: Database, { table, key, texts }: SearchKey): number {
  const rows = sqlite
    .query<Record<string, string | null> & { place: number }, []>(
      `select rowid as place, ${texts.join(', ')} from ${table} where ${key} = ''`,
    )
    .all()
  const write = sqlite.query(`update ${table} set ${key} = ? where rowid = ?`)
  for (const { place, ...row } of rows)
    write.run(searchKey(...texts.map((text) => row[text] ?? null)), place)
  return rows.length
}

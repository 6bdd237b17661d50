import { sql, type Placeholder, type SQL } from 'drizzle-orm'
import { customType, type SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { unclassified } from './columns'

/**
 * Returns a column that holds one of a few words: text in the program, the word's place among them in
 * the database, for columns that are in keys and indexes of many rows.
 *
 * Only values that Drizzle binds for the column are converted. A placeholder in a condition needs
 * `opaqueWord`, and raw SQL `wordPlace`.
 */
export const word = <const W extends string>(name: string, words: readonly W[]) =>
  unclassified(
    customType<{ data: W; driverData: number }>({
      dataType: () => 'integer',
      toDriver: (text) => {
        const place = words.indexOf(text)
        if (place === -1) throw new TypeError(`${JSON.stringify(text)} is no word of ${name}`)
        return place
      },
      fromDriver: (place) => words[place] as W, // a check of the table allows no other place
    })(name),
  )

/** Returns the CHECK condition of a column of so many words. */
export const isWord = (column: SQLiteColumn, words: readonly string[]): SQL =>
  sql`${column} between 0 and ${sql.raw(String(words.length - 1))}`

/** Returns the place of a word, for raw SQL. */
export const wordPlace = <const W extends string>(words: readonly W[], text: NoInfer<W>): SQL =>
  sql.raw(String(words.indexOf(text)))

/** Returns the expression of a column's word as text, for raw SQL that compares it with texts. */
export const wordOf = (column: SQLiteColumn, words: readonly string[]): SQL =>
  sql`(${JSON.stringify(words)} ->> ${column})`

/** Returns a placeholder for the word that a compiled statement is run with (see `opaqueParam`). */
export const opaqueWord = (name: string, column: SQLiteColumn): Placeholder =>
  sql`+${sql.param(sql.placeholder(name), column)}` as unknown as Placeholder // as in `opaqueParam`

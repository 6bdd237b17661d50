import { sql, type Placeholder, type SQL } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import type { ReadDb } from './connection'

/**
 * Compiles a query of a hot path once per connection. There is one connection, so the query runs
 * inside whatever transaction is open.
 */
export const compiled =
  <Q>(build: (orm: BunSQLiteDatabase) => Q): ((db: ReadDb) => Q) =>
  ({ orm, statements }) => {
    const known = statements.get(build) as Q | undefined
    if (known !== undefined) return known
    const query = build(orm)
    statements.set(build, query)
    return query
  }

/**
 * Returns a named placeholder for a value that is compared with a column: it is stored as the column's
 * values are, and the query planner ignores it. SQLite chooses a plan by the bound values and compiles
 * most statements again on each run, which can take thirty times as long as running them; `+?` means
 * the same as `?` and prevents it. Where the value decides which partial index can be used, write it
 * into the statement.
 */
export const place = (column: SQLiteColumn, name: string): SQL =>
  sql`+${sql.param(sql.placeholder(name), column)}`

/** Returns a limit or offset: a number, or the name of one, by which no plan is chosen (`place`). */
export const atMost = (rows: number | string): Placeholder =>
  (typeof rows === 'number'
    ? sql.raw(String(Math.trunc(rows)))
    : sql`+${sql.placeholder(rows)}`) as unknown as Placeholder // Drizzle takes any expression where its types name a placeholder

/**
 * Returns the subquery that lists the UUIDs of a JSON array: a text in JSON, or a placeholder for one.
 */
export const uuidsIn = (json: string | Placeholder): SQL =>
  sql`(select unhex(value, '-') from json_each(${json}))`

import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

/**
 * Returns a table expression that forces SQLite to read through one of the table's indexes. Select
 * its columns as SQL, because Drizzle does not know the table by this expression.
 */
export const withIndex = (table: SQLiteTable, index: string): SQL =>
  sql`${table} indexed by ${sql.identifier(index)}`

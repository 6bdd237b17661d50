import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

/**
 * A table, read through one of its indices: SQLite knows nothing of how many rows there are of
 * what, and would guess. Columns of it are to be selected as SQL, because Drizzle does not know the
 * table by the name with an index.
 */
export const through = (table: SQLiteTable, index: string): SQL =>
  sql`${table} indexed by ${sql.identifier(index)}`

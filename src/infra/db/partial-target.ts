import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

/**
 * Returns the target of `onConflictDoNothing` for a unique index of the rows that have a value in
 * this column. Drizzle encloses a target in parentheses and writes a condition after `do nothing`,
 * where SQLite refuses it; so the target closes the first pair and opens one for the condition.
 */
export const presentTarget = (columns: SQLiteColumn[], present: SQLiteColumn): SQLiteColumn =>
  sql`${sql.join(columns.map(nameOf), sql`, `)}) where (${nameOf(present)} is not null` as unknown as SQLiteColumn // Drizzle writes any expression

const nameOf = (column: SQLiteColumn): SQL => sql`${sql.identifier(column.name)}`

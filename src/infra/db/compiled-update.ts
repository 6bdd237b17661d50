import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

import { compiled } from './compiled'
import type { Db } from './connection'

/** A compiled update of some columns of a table. */
interface CompiledUpdate {
  run: (values: Record<string, unknown>) => void
}

const placeholderOf = (column: string): string => `new.${column}`

/**
 * Returns a function that updates the rows selected by `which`, a condition with placeholders. The
 * statement is compiled once per connection and set of columns. There is one connection, so it runs
 * inside whatever transaction is open.
 */
export function compiledUpdate<T extends SQLiteTable>(
  table: T,
  which: SQL | undefined,
): (db: Db, place: Record<string, unknown>, set: Partial<T['$inferSelect']>) => void {
  const byColumns = compiled(() => new Map<string, CompiledUpdate>())
  return (db, place, set) => {
    const columns = Object.keys(set).filter(
      (column) => set[column as keyof typeof set] !== undefined,
    )
    const known = byColumns(db)
    const choice = columns.join(' ')
    const update = known.get(choice) ?? compile(db, table, which, columns)
    known.set(choice, update)
    update.run({
      ...place,
      ...Object.fromEntries(
        columns.map((column) => [placeholderOf(column), set[column as keyof typeof set]]),
      ),
    })
  }
}

function compile(
  db: Db,
  table: SQLiteTable,
  which: SQL | undefined,
  columns: string[],
): CompiledUpdate {
  const places = Object.fromEntries(
    columns.map((column) => [column, sql.placeholder(placeholderOf(column))]),
  )
  return db.orm
    .update(table)
    .set(places as Record<string, never>) // Drizzle fills placeholders of updates like those of inserts, but does not type them
    .where(which)
    .prepare()
}

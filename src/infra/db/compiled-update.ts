import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

import { compiled } from './compiled'
import type { Db } from './connection'

/** An update that is compiled, of some columns of a table. */
interface CompiledUpdate {
  run: (values: Record<string, unknown>) => void
}

const placeOf = (column: string): string => `new.${column}`

/**
 * An update of the rows of a table that `which` names by places to be filled in; whichever columns
 * it is to set, it is compiled once for each choice of them and connection. There is one
 * connection, so it runs inside whatever transaction is open.
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
        columns.map((column) => [placeOf(column), set[column as keyof typeof set]]),
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
    columns.map((column) => [column, sql.placeholder(placeOf(column))]),
  )
  return db.orm
    .update(table)
    .set(places as Record<string, never>) // Drizzle fills places of an update as it does those of an insert, but has no type for it
    .where(which)
    .prepare()
}

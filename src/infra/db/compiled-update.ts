import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

import { compiled } from './compiled'
import type { Db } from './connection'

const placeholderOf = (column: string): string => `new.${column}`

/** Updates the columns of `set` in the row that the values of `place` select. */
type CompiledUpdate<T extends SQLiteTable, R> = (
  db: Db,
  place: Record<string, unknown>,
  set: Partial<T['$inferSelect']>,
) => R

/**
 * Returns a function that updates the rows selected by `which`, a condition with placeholders. The
 * statement is compiled once per connection and set of columns. There is one connection, so it runs
 * inside whatever transaction is open.
 */
export const compiledUpdate = <T extends SQLiteTable>(
  table: T,
  which: SQL | undefined,
): CompiledUpdate<T, void> =>
  byColumns((db, places) => {
    const update = db.orm.update(table).set(places).where(which).prepare()
    return (values) => update.run(values)
  })

/** Returns a function like that of {@link compiledUpdate}, which returns the new row. */
export const compiledUpdateOfRow = <T extends SQLiteTable>(
  table: T,
  which: SQL | undefined,
): CompiledUpdate<T, T['$inferSelect']> =>
  byColumns((db, places) => {
    const update = db.orm
      .update(table as SQLiteTable)
      .set(places)
      .where(which)
      .returning()
      .prepare()
    return (values) => update.get(values) as T['$inferSelect']
  })

/** Compiles an update for each set of columns that is asked for. */
function byColumns<T extends SQLiteTable, R>(
  compile: (db: Db, places: Record<string, never>) => (values: Record<string, unknown>) => R,
): CompiledUpdate<T, R> {
  const updates = compiled(() => new Map<string, (values: Record<string, unknown>) => R>())
  return (db, place, set) => {
    const columns = Object.keys(set).filter(
      (column) => set[column as keyof typeof set] !== undefined,
    )
    const known = updates(db)
    const choice = columns.join(' ')
    const update = known.get(choice) ?? compile(db, placesOf(columns))
    known.set(choice, update)
    return update({
      ...place,
      ...Object.fromEntries(
        columns.map((column) => [placeholderOf(column), set[column as keyof typeof set]]),
      ),
    })
  }
}

/** Drizzle fills placeholders of updates like those of inserts, but does not type them. */
const placesOf = (columns: string[]): Record<string, never> =>
  Object.fromEntries(
    columns.map((column) => [column, sql.placeholder(placeholderOf(column)) as never]),
  )

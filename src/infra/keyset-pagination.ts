import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import type { CursorKey } from '../lib/page'

/** The two columns a long list is sorted by: a value, then the id. */
export interface SortKey {
  value: SQLiteColumn
  id: SQLiteColumn
}

/**
 * Returns the condition for rows after a position in a list sorted by a key. It reads one range of
 * the index, however deep the position is. Rows without a value sort last and are not reached from
 * a position with a value (see `readBeyond`).
 */
export function afterKey(key: SortKey, place: CursorKey, order: 'asc' | 'desc'): SQL {
  const id = sql.param(place.id, key.id)
  const compare = sql.raw(order === 'asc' ? '>' : '<')
  if (place.value === null) return sql`(${key.value} is null and ${key.id} ${compare} ${id})`
  // Explicit, so that a partial index of rows with a value can be used.
  return sql`(${key.value} is not null and (${key.value}, ${key.id}) ${compare} (${place.value}, ${id}))`
}

/**
 * Reads up to `limit` rows after a position: first rows with a value, then rows without. `read`
 * receives the condition, the remaining number of rows, and whether the rows have a value.
 */
export function readPageAfter<T>(
  key: SortKey,
  at: { place: CursorKey; order: 'asc' | 'desc'; limit: number },
  read: (condition: SQL, limit: number, hasValue: boolean) => T[],
): T[] {
  const rows = read(afterKey(key, at.place, at.order), at.limit, at.place.value !== null)
  if (at.place.value === null || rows.length >= at.limit) return rows
  return [...rows, ...read(sql`${key.value} is null`, at.limit - rows.length, false)]
}

import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import type { CursorKey } from '../lib/page'

/** The two columns a long list is sorted by: a value, then the id. */
export interface SortKey {
  value: SQLiteColumn
  id: SQLiteColumn
}

/**
 * Rows beyond a place in a list sorted by a key: one range of its index, however deep the place
 * lies. Rows without a value sort last; `beyond` a place with a value does not reach them (see
 * `readBeyond`).
 */
export function afterKey(key: SortKey, place: CursorKey, order: 'asc' | 'desc'): SQL {
  const id = sql.param(place.id, key.id)
  const compare = sql.raw(order === 'asc' ? '>' : '<')
  if (place.value === null) return sql`(${key.value} is null and ${key.id} ${compare} ${id})`
  // Said aloud so that an index of rows with a value fits.
  return sql`(${key.value} is not null and (${key.value}, ${key.id}) ${compare} (${place.value}, ${id}))`
}

/**
 * Reads up to `limit` rows beyond a place: first those with a value, then, when these have come to
 * an end, those without. `read` gets the condition and how many rows are still wanted.
 */
export function readPageAfter<T>(
  key: SortKey,
  at: { place: CursorKey; order: 'asc' | 'desc'; limit: number },
  read: (condition: SQL, limit: number) => T[],
): T[] {
  const rows = read(afterKey(key, at.place, at.order), at.limit)
  if (at.place.value === null || rows.length >= at.limit) return rows
  return [...rows, ...read(sql`${key.value} is null`, at.limit - rows.length)]
}

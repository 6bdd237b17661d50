import { count, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { numberedPage, totalAtEnd, type Page } from '../lib/page'
import type { ReadCtx } from './read/read-ctx'

/** A list that is read by the numbers of its pages: which rows of a table, in which order. */
export interface NumberedList<T extends SQLiteTable, V> {
  table: T
  /** Reads long columns otherwise than whole; every column of the table. */
  columns?: Record<keyof T['$inferSelect'] & string, SQLiteColumn | SQL.Aliased>
  /** Cut to the organization (`inOrganization`). */
  filter: SQL
  order: SQL[]
  views: (rows: T['$inferSelect'][]) => V[]
}

/**
 * A page of a list with how many rows it has in all, which is counted only where the page does not
 * show it.
 */
export function readNumbered<T extends SQLiteTable, V>(
  ctx: Pick<ReadCtx, 'db'>,
  query: { page: number; limit: number },
  list: NumberedList<T, V>,
): Page<V> {
  const { filter, order } = list
  const table: SQLiteTable = list.table
  const { columns } = list
  const rows = (columns ? ctx.db.orm.select(columns) : ctx.db.orm.select())
    .from(table)
    .where(filter)
    .orderBy(...order)
    .limit(query.limit + 1)
    .offset((query.page - 1) * query.limit)
    .all() as T['$inferSelect'][]
  const counted = (): number =>
    ctx.db.orm.select({ rows: count() }).from(table).where(filter).get()?.rows ?? 0
  return numberedPage(
    list.views(rows.slice(0, query.limit)),
    totalAtEnd(rows.length, query) ?? counted(),
    query,
  )
}

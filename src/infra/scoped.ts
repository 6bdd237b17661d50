import { and, count, eq, getTableColumns, is, isNull, SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import type { Page } from '../lib/page'
import { inOrganization } from './ctx'
import type { Tx } from './db/transact'
import { readNumbered } from './offset-pagination'
import type { ReadCtx } from './read/read-ctx'

/** A table whose rows belong to organizations. */
export type TenantTable = SQLiteTable & { organizationId: SQLiteColumn }

/** Which rows are meant: by what some of their columns hold, or by a condition. */
export type Where<T extends SQLiteTable> = Partial<T['$inferSelect']> | SQL | undefined

/** New values of columns. Those that are `undefined` stay as they are. */
export type Changes<T extends SQLiteTable> = {
  [K in Exclude<keyof T['$inferInsert'], 'organizationId'>]?: T['$inferInsert'][K] | SQL | undefined
}

interface List<T extends SQLiteTable> {
  where?: Where<T>[]
  order: SQL[]
}

/**
 * The rows of a table that belong to the organization of `ctx`. What is written is written in the
 * caller's transaction.
 */
export function of<T extends TenantTable>(ctx: Pick<ReadCtx, 'db' | 'organizationId'>, scoped: T) {
  type Row = T['$inferSelect']
  const table: TenantTable = scoped
  const rowsWhere = (...where: Where<T>[]): SQL =>
    inOrganization(ctx, table, ...where.map((one) => conditionOf(scoped, one)))
  return {
    find: (...where: Where<T>[]): Row | null =>
      (ctx.db.orm
        .select()
        .from(table)
        .where(rowsWhere(...where))
        .get() as Row | undefined) ?? null,
    list: ({ where = [], order, limit }: List<T> & { limit: number }): Row[] =>
      ctx.db.orm
        .select()
        .from(table)
        .where(rowsWhere(...where))
        .orderBy(...order)
        .limit(limit)
        .all() as Row[],
    page: <V>(
      query: { page: number; limit: number },
      { where = [], order, views }: List<T> & { views: (rows: Row[]) => V[] },
    ): Page<V> =>
      readNumbered<T, V>(ctx, query, { table: scoped, filter: rowsWhere(...where), order, views }),
    count: (...where: Where<T>[]): number =>
      ctx.db.orm
        .select({ rows: count() })
        .from(table)
        .where(rowsWhere(...where))
        .get()?.rows ?? 0,
    insert: (tx: Tx, values: Omit<T['$inferInsert'], 'organizationId'>): Row =>
      tx
        .insert(table)
        .values({ ...values, organizationId: ctx.organizationId })
        .returning()
        .get() as Row,
    insertAll: (tx: Tx, rows: Omit<T['$inferInsert'], 'organizationId'>[]): void => {
      const { organizationId } = ctx
      if (rows.length > 0)
        tx.insert(table)
          .values(rows.map((values) => ({ ...values, organizationId })))
          .run()
    },
    /** Returns the rows as they are now. */
    update: (tx: Tx, where: Where<T>, changes: Changes<T>): Row[] =>
      tx.update(table).set(changes).where(rowsWhere(where)).returning().all() as Row[],
    delete: (tx: Tx, where: Where<T>): void => {
      tx.delete(table).where(rowsWhere(where)).run()
    },
  }
}

/** Leaves out the columns for which a request names nothing. */
export const given = <V extends object>(asked: V): { [K in keyof V]?: Exclude<V[K], undefined> } =>
  Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as {
    [K in keyof V]?: Exclude<V[K], undefined>
  } // what is left is not undefined

function conditionOf<T extends SQLiteTable>(table: T, where: Where<T>): SQL | undefined {
  if (where === undefined || is(where, SQL)) return where
  const columns = getTableColumns<SQLiteTable>(table)
  return and(
    ...Object.entries(where).map(([name, value]) => {
      const column = columns[name]
      if (!column || value === undefined) throw new TypeError(`nothing is said about ${name}`)
      return value === null ? isNull(column) : eq(column, value)
    }),
  )
}

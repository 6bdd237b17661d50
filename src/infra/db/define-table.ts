import { getTableColumns, type SQL } from 'drizzle-orm'
import type { BuildColumns } from 'drizzle-orm/column-builder'
import {
  sqliteTable,
  type SQLiteColumn,
  type SQLiteColumnBuilderBase,
  type SQLiteTable,
  type SQLiteTableExtraConfigValue,
  type SQLiteTableWithColumns,
} from 'drizzle-orm/sqlite-core'

import type { Classified, ColumnUse } from './columns'

/** Whose data the rows of a table hold: of customers, or of colleagues with an account. */
interface Subject {
  of: 'contacts' | 'users'
}

/**
 * What an erasure of a person does with a table.
 *
 * - `rows`: it deletes the rows about the person.
 * - `columns`: the rows stay, and their personal and derived columns are emptied ({@link emptied}).
 * - `mentions`: values that also hold other things lose what mentions the person.
 * - `kept`: nothing, for the reason given.
 */
export type People =
  | (Subject & { erased: 'rows' | 'columns' | 'mentions' })
  | (Subject & { kept: string })

/** What a table says of people. */
export interface Declaration {
  people: People | { none: string }
  /** By name in the program; of a table without people only the columns that say something. */
  columns: Record<string, ColumnUse | undefined>
}

const declaration = Symbol('declaration')

/** A table that says whether it holds data about people. */
export interface Declared {
  readonly [declaration]: Declaration
}

type Columns = Record<string, SQLiteColumnBuilderBase>

type TableOf<N extends string, C extends Columns> = SQLiteTableWithColumns<{
  name: N
  schema: undefined
  columns: BuildColumns<N, C, 'sqlite'>
  dialect: 'sqlite'
}> &
  Declared

type Extra<N extends string, C extends Columns> = (
  table: BuildColumns<N, C, 'sqlite'>,
) => SQLiteTableExtraConfigValue[]

/**
 * Declares a table that holds data about people. Each column says what it holds. Throws at start if
 * an erasure would not know what to leave of a column.
 */
export function tableWithPeople<N extends string, C extends Columns>(
  name: N,
  people: People,
  columns: C & { [K in keyof C]: Classified },
  extra?: Extra<N, C>,
): TableOf<N, C> {
  const table = declare<N, C>(name, people, columns, extra)
  if ('erased' in people && people.erased === 'columns') emptied(table)
  return table
}

/** Declares a table that holds no data about people, for the reason given. */
export const tableWithoutPeople = <N extends string, C extends Columns>(
  name: N,
  reason: string,
  columns: C,
  extra?: Extra<N, C>,
): TableOf<N, C> => declare(name, { none: reason }, columns, extra)

function declare<N extends string, C extends Columns>(
  name: N,
  people: Declaration['people'],
  columns: C,
  extra: Extra<N, C> | undefined,
): TableOf<N, C> {
  const uses = Object.entries(columns).map(([key, column]) => [
    key,
    (column as Partial<Classified>).use,
  ])
  const declared: Declaration = { people, columns: Object.fromEntries(uses) }
  return Object.assign(sqliteTable(name, columns, extra), { [declaration]: declared })
}

const byKey = Symbol('stored by key')

/**
 * Declares that the rows of a table are stored in the order of its primary key (`WITHOUT ROWID`): for
 * small rows, which are found and read by the key. `drizzle/baseline/generate.ts` reads it.
 */
export const storedByKey = <T extends Declared>(table: T): T =>
  Object.assign(table, { [byKey]: true })

/** Whether the rows of a table are stored in the order of its primary key. */
export const isStoredByKey = (table: object): boolean => byKey in table

/** Returns what a table says of people. */
export const declarationOf = (table: Declared): Declaration => table[declaration]

/** Values for an update of a table. */
type Changes<T extends SQLiteTable> = {
  [K in keyof T['$inferInsert']]?: T['$inferInsert'][K] | SQL
}

/** Returns what an erasure sets in a row that it keeps: personal and derived columns, emptied. */
export function emptied<T extends SQLiteTable & Declared>(table: T): Changes<T> {
  return Object.fromEntries(
    columnsOf(table)
      .filter(({ column, use }) => use.class !== 'business' && column.generated === undefined)
      .map(({ key, column, use }) => [key, leftOf(column, use)]),
  ) as Changes<T> // keys and values are those of the table
}

function leftOf(column: SQLiteColumn, { erased }: ColumnUse): unknown {
  if (erased !== undefined) return erased
  if (!column.notNull) return null
  if (column.default !== undefined) return column.default
  throw new Error(`${column.name} must not be null: say what an erasure leaves of it`)
}

/** A column of a table, and what it says. */
export interface ClassifiedColumn<T extends SQLiteTable> {
  /** Its name in the program. */
  key: keyof T['$inferSelect'] & string
  column: SQLiteColumn
  use: ColumnUse
}

/** Returns the columns of a table with people, in the order of the table. */
export function columnsOf<T extends SQLiteTable & Declared>(table: T): ClassifiedColumn<T>[] {
  const uses = declarationOf(table).columns
  return Object.entries(getTableColumns(table)).flatMap(([key, column]) => {
    const use = uses[key]
    return use ? [{ key, column, use }] : []
  })
}

/**
 * Returns the columns that a contact takes from the one merged into it if its own are empty. Throws
 * if a personal column that cannot be empty does not say what a merge does with it.
 */
export const filledAtMerge = <T extends SQLiteTable & Declared>(
  table: T,
): ClassifiedColumn<T>['key'][] =>
  columnsOf(table).flatMap(({ key, column, use }) => {
    const isUsual = use.class === 'personal' && use.merged === undefined
    if (isUsual && column.notNull)
      throw new Error(`${column.name} is never empty: say what a merge does with it`)
    return isUsual || use.merged === 'fills' ? [key] : []
  })

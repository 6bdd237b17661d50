import { getTableColumns, getTableName } from 'drizzle-orm'
import { SQLiteBoolean, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'

import type { ColumnUse } from './db/columns'
import { declarationOf, type Declaration, type Declared } from './db/define-table'
import { idempotencyKeys } from './idempotency/table'
import { jobSchedules, jobs } from './jobs/table'
import { eventHeads, events, relayState } from './outbox/table'
import { digestKeys, rootKeys } from './keys/table'
import { throttleFailures, throttleKnownAddresses } from './throttle/table'

/**
 * What happens to the rows of a table when an organization leaves this installation.
 *
 * - `carried`: the rows belong to the organization and travel with it.
 * - `derived`: the rows are built again from carried ones, by triggers or by jobs.
 * - `left`: the rows belong to the organization but mean nothing elsewhere.
 * - `shared`: the rows belong to the whole installation and stay when an organization is erased.
 */
export type FateKind = 'carried' | 'derived' | 'left' | 'shared'

/** What the declaration of a column says, as data that threads can share. */
export interface DeclaredColumn {
  name: string
  type: string
  isFlag: boolean
  /** The words that a text may be; `null` for others. */
  words: readonly string[] | null
  /** What it tells of people; columns of tables without people are of the business. */
  class: ColumnUse['class']
  /** Why the export that a person gets leaves it out; `null` if it does not. */
  withheld: string | null
  /**
   * When an archive has the column that only a server can vouch for, and how it arrives otherwise:
   * `undefined` if its module says so. `null` for columns that travel as they are.
   */
  vouched: { travels: 'in moves' | 'here only'; otherwise: unknown } | null
}

type DeclaredTable = SQLiteTable & Declared

/** Returns what a table declares of its columns. */
export const declaredColumns = (table: DeclaredTable): DeclaredColumn[] =>
  Object.entries(getTableColumns(table)).map(([key, column]) => ({
    name: column.name,
    type: column.getSQLType(),
    isFlag: column instanceof SQLiteBoolean,
    words: column.enumValues ?? null,
    class: declarationOf(table).columns[key]?.class ?? 'business',
    withheld: declarationOf(table).columns[key]?.withheld ?? null,
    vouched: vouchedOf(column, declarationOf(table).columns[key]),
  }))

function vouchedOf(column: SQLiteColumn, use: ColumnUse | undefined): DeclaredColumn['vouched'] {
  if (use?.vouched === undefined) return null
  const rest = column.notNull ? undefined : null
  const otherwise = column.default === undefined ? rest : column.mapToDriverValue(column.default)
  return { travels: use.vouched, otherwise }
}

/** Returns the columns whose values stay behind, and are not believed, when an organization travels. */
export const columnsLeftBehind = (
  { declared }: Pick<TableFate, 'declared'>,
  { isMove }: { isMove: boolean },
): DeclaredColumn[] =>
  declared.filter(({ vouched }) => vouched && !(isMove && vouched.travels === 'in moves'))

/** The fate of one table. */
export interface TableFate {
  table: string
  /** Its columns as declared, by which foreign rows are judged. */
  declared: readonly DeclaredColumn[]
  /** Whose data it holds, and what an erasure does with it; or why it holds data about nobody. */
  people: Declaration['people']
  kind: FateKind
  /** Why the rows do not travel; `null` for carried ones. */
  reason: string | null
  /** Whether the column `stored_as` names a file of the store that goes with the row. */
  hasFiles: boolean
  /**
   * The table whose rows take these along by a trigger. Needed where no index finds the rows of an
   * organization.
   */
  deletedWith: string | null
  /**
   * SQL condition for rows of a derived table that travel, because what they were counted from may
   * be gone; `null` for none.
   */
  lasting: string | null
  /**
   * SQL condition for rows of a left table that travel when the organization moves to another cell,
   * where work continues as it was; `null` for none.
   */
  moving: string | null
  /**
   * Encrypted columns, and what each is encrypted for: `{organization_id}` and names of columns
   * stand for the IDs in the row.
   */
  secrets: Record<string, string>
  /** Columns of JSON whose member `sealed` is a one-time code, which stays behind. */
  codes: string[]
  /** Sums that are equal in an organization and its import; `null` for none. */
  totals: Totals | null
  /** How many rows an organization can have, which a foreign archive must keep, too. */
  limits: readonly RowLimit[]
}

/** How many rows of a table an organization can have, deleted ones not counted. */
export interface RowLimit {
  rows: number
  /** Counts only rows in which a column of 0 or 1 has this value. */
  where?: { column: string; is: 0 | 1 }
  /** Counts the rows of each value of a column. */
  per?: string
  /** How many characters a column of all of them can have together. */
  characters?: { column: string; most: number }
}

/** Sums of columns, over all rows of the organization or over those with a condition (SQL). */
interface Totals {
  columns: readonly string[]
  where?: string
}

/** A table that Drizzle cannot declare. */
interface Undeclared {
  undeclared: string
  people: Declaration['people']
}

interface Options {
  hasFiles?: boolean
  deletedWith?: string
  lasting?: string
  moving?: string
  secrets?: Record<string, string>
  codes?: string[]
  totals?: Totals
  limits?: RowLimit[]
}

const fate = (
  table: DeclaredTable | Undeclared,
  kind: FateKind,
  reason: string | null,
  {
    hasFiles = false,
    deletedWith,
    lasting,
    moving,
    secrets = {},
    codes = [],
    totals,
    limits = [],
  }: Options,
): TableFate => ({
  ...{ kind, reason, hasFiles, secrets, codes, limits },
  ...('undeclared' in table
    ? { table: table.undeclared, declared: [], people: table.people }
    : {
        table: getTableName(table),
        declared: declaredColumns(table),
        people: declarationOf(table).people,
      }),
  deletedWith: deletedWith ?? null,
  lasting: lasting ?? null,
  moving: moving ?? null,
  totals: totals ?? null,
})

/** Declares a table with rows that travel with their organization. */
export const carried = (table: DeclaredTable, options: Options = {}): TableFate =>
  fate(table, 'carried', null, options)

/** Declares a table with rows that are built again from other rows. */
export const derived = (table: DeclaredTable, from: string, options: Options = {}): TableFate =>
  fate(table, 'derived', from, options)

/** Declares a full-text index, whose words are those of `table`. They go when its rows change. */
export const fullText = (name: string, table: DeclaredTable): TableFate =>
  fate(
    { undeclared: name, people: declarationOf(table).people },
    'derived',
    `index of ${getTableName(table)}`,
    {},
  )

/** Declares a table of an organization with rows that are of no use elsewhere. */
export const left = (table: DeclaredTable, reason: string, options: Options = {}): TableFate =>
  fate(table, 'left', reason, options)

/** Declares a table of the whole installation. */
export const shared = (table: DeclaredTable | Undeclared, reason: string): TableFate =>
  fate(table, 'shared', reason, {})

/** Written before any table exists (`db/migrate.ts`). */
const schemaMigrations: Undeclared = {
  undeclared: 'schema_migrations',
  people: { none: 'names of migrations' },
}

/** The tables of this layer. */
export const INFRA_TABLES: TableFate[] = [
  left(idempotencyKeys, 'a repeated request goes to the server that answered the first one', {
    moving: 'true',
  }),
  left(jobs, 'work is planned again from the rows that it concerns', {
    moving: "state in ('scheduled', 'available', 'retryable')",
  }),
  left(events, 'the event log begins anew'),
  left(eventHeads, 'the event log begins anew, above the number in the manifest'),
  shared(schemaMigrations, 'migrations that were applied'),
  shared(jobSchedules, 'times of regular jobs'),
  shared(digestKeys, 'keys of this installation'),
  shared(rootKeys, 'keys of this installation'),
  shared(relayState, 'position of this server in its event log'),
  shared(throttleFailures, 'keyed digests of failed sign-ins'),
  shared(throttleKnownAddresses, 'keyed digests of addresses'),
]

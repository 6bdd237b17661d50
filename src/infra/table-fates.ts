import { getTableColumns, getTableName } from 'drizzle-orm'
import { SQLiteBoolean, type SQLiteTable } from 'drizzle-orm/sqlite-core'

import { idempotencyKeys } from './idempotency/table'
import { jobs } from './jobs/table'

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
}

/** Returns what a table declares of its columns. */
export const declaredColumns = (table: SQLiteTable): DeclaredColumn[] =>
  Object.values(getTableColumns(table)).map((column) => ({
    name: column.name,
    type: column.getSQLType(),
    isFlag: column instanceof SQLiteBoolean,
    words: column.enumValues ?? null,
  }))

/** The fate of one table. */
export interface TableFate {
  table: string
  /** Its columns as declared, by which foreign rows are judged; none for rows that never travel. */
  declared: readonly DeclaredColumn[]
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
  table: string | SQLiteTable,
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
  table: typeof table === 'string' ? table : getTableName(table),
  declared: typeof table === 'string' ? [] : declaredColumns(table),
  deletedWith: deletedWith ?? null,
  lasting: lasting ?? null,
  moving: moving ?? null,
  totals: totals ?? null,
})

/** Declares a table with rows that travel with their organization. */
export const carried = (table: SQLiteTable, options: Options = {}): TableFate =>
  fate(table, 'carried', null, options)

/**
 * Declares a table with rows that are built again from other rows. Where some of them travel, `table`
 * is its declaration.
 */
export const derived = (
  table: string | SQLiteTable,
  from: string,
  options: Options = {},
): TableFate => fate(table, 'derived', from, options)

/**
 * Declares a table of an organization with rows that are of no use elsewhere. Where some of them move
 * to another cell, `table` is its declaration.
 */
export const left = (
  table: string | SQLiteTable,
  reason: string,
  options: Options = {},
): TableFate => fate(table, 'left', reason, options)

/** Declares a table of the whole installation. */
export const shared = (table: string, reason: string): TableFate =>
  fate(table, 'shared', reason, {})

/** The tables of this layer. */
export const INFRA_TABLES: TableFate[] = [
  left(idempotencyKeys, 'a repeated request goes to the server that answered the first one', {
    moving: 'true',
  }),
  left(jobs, 'work is planned again from the rows that it concerns', {
    moving: "state in ('scheduled', 'available', 'retryable')",
  }),
  left('events', 'the event log begins anew'),
  left('event_heads', 'the event log begins anew, above the number in the manifest'),
  shared('schema_migrations', 'migrations that were applied'),
  shared('job_schedules', 'times of regular jobs'),
  shared('digest_keys', 'keys of this installation'),
  shared('root_keys', 'keys of this installation'),
  shared('relay_state', 'position of this server in its event log'),
  shared('throttle_failures', 'keyed digests of failed sign-ins'),
  shared('throttle_known_addresses', 'keyed digests of addresses'),
]

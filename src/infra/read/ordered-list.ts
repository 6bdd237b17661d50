import { and, isNotNull, isNull, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { readCursor } from '../../lib/page'
import { inOrganization } from '../ctx'
import type { ReadCtx } from './read-ctx'
import { uuidsIn } from '../db/compiled'

/** The place of a row in a list: the value of the order, then the ID. */
export interface ListPlace {
  value: number | string | null
  id: string
}

/** A list sorted by a value and then by ID, or by ID alone. Rows without a value come last. */
export interface OrderedList {
  table: SQLiteTable & { organizationId: SQLiteColumn }
  id: SQLiteColumn
  /** `null` for a list by ID. */
  value: SQLiteColumn | null
  order: 'asc' | 'desc'
  /** The test of each row. */
  filter: SQL
  /**
   * Parts of the list that have an index in its order; no row is in two. By default the whole list
   * is one part.
   */
  parts?: readonly SQL[]
  /** The same for rows without a value; `null` if there are none to list. */
  undatedParts?: readonly SQL[] | null
  /** Finds the rows without the list. */
  source?: ListSource | null
}

/** A set of IDs that an index finds. */
export interface IdSource {
  /** A subquery. */
  ids: SQL
  /** Whether it finds at most `FEW` rows, which are then looked up and sorted. */
  isFew: boolean
  /** Whether it reads all rows of a table to find some of them. */
  isScan?: boolean
}

/** Rows that contain every match of a filter: those whose `column` is one of the IDs. */
export interface ListSource extends IdSource {
  column: SQLiteColumn
}

/** Up to this many rows are looked up and sorted; of more, the rows are tested in their order. */
export const FEW = 4_000

/** Rows in the order of a list that are tested before its source reads a whole table. */
const FIRST = 5_000

/** Exact totals end here. */
const MAX_COUNTED = 10_000

/** Whether a subquery finds at most `FEW` rows. */
export const isFew = (ctx: Pick<ReadCtx, 'db'>, ids: SQL): boolean =>
  countRows(ctx, ids, FEW) <= FEW

/** Counts the rows of a query, up to `most` + 1. */
function countRows({ db }: Pick<ReadCtx, 'db'>, rows: SQL, most: number): number {
  const [[counted] = [0]] = db.orm.values<[number]>(
    sql`select count(*) from (${rows} limit ${sql.raw(String(most + 1))})`,
  )
  return counted
}

/** The rows of a list that are wanted: `rows` of them after a place, without the first `offset`. */
interface Wanted {
  after: ListPlace | null
  offset: number
  rows: number
}

/**
 * Returns the places of a part of a list. SQLite knows no frequencies, so this chooses: few rows of
 * a source are looked up and sorted; otherwise rows are tested in the order of the list, which soon
 * fills a page if matches are frequent. A source that scans is read only if they are not.
 */
export function placesIn(ctx: ReadCtx, list: OrderedList, wanted: Wanted): ListPlace[] {
  const source = list.source ?? null
  if (source?.isScan !== true) return read(ctx, selectPlaces(ctx, list, wanted), list)
  const first = selectPlaces(
    ctx,
    { ...list, filter: sql`1`, source: null },
    { ...wanted, offset: 0, rows: FIRST },
  )
  const amongFirst: ListSource = {
    column: list.id,
    ids: sql`select id from (${first})`,
    isFew: true,
  }
  const found = read(ctx, selectPlaces(ctx, { ...list, source: amongFirst }, wanted), list)
  if (found.length >= wanted.rows) return found
  return read(ctx, selectPlaces(ctx, { ...list, source: scanned(ctx, source) }, wanted), list)
}

/** Returns the places of a page of a list, and of the row after it. */
export const placesOfPage = (
  ctx: ReadCtx,
  list: OrderedList,
  { page, limit, cursor }: { page: number; limit: number; cursor?: string | undefined },
): ListPlace[] =>
  placesIn(ctx, list, {
    after: cursor === undefined ? null : readCursor(cursor),
    offset: cursor === undefined ? (page - 1) * limit : 0,
    rows: limit + 1,
  })

/** Returns the number of rows of a list; `null` for more than 10,000. */
export const totalIn = (ctx: ReadCtx, list: OrderedList): number | null =>
  boundedTotal(countIn(ctx, list, MAX_COUNTED))

const boundedTotal = (rows: number): number | null => (rows > MAX_COUNTED ? null : rows)

/** Returns the number of rows of a query; `null` for more than 10,000 that a filter or search finds. */
export const totalOf = (
  ctx: Pick<ReadCtx, 'db'>,
  rows: SQLWrapper,
  { isFiltered = true }: { isFiltered?: boolean } = {},
): number | null =>
  isFiltered
    ? boundedTotal(countRows(ctx, rows.getSQL(), MAX_COUNTED))
    : countRows(ctx, rows.getSQL(), Number.MAX_SAFE_INTEGER - 1)

/** Whether a filter or search is set. */
export const isFiltered = (filters: readonly unknown[]): boolean =>
  filters.some((filter) => filter !== undefined)

/** Counts the rows of a list, up to `most` + 1. */
export function countIn(
  ctx: ReadCtx,
  { table, filter, source, undatedParts, value }: OrderedList,
  most: number,
): number {
  const hasValue = undatedParts === null && value !== null ? isNotNull(value) : undefined
  const rows = sql`select 1 from ${table} where ${inOrganization(ctx, table, source ? isAmong(source) : undefined, hasValue, filter)}`
  return countRows(ctx, rows, most)
}

const isAmong = ({ column, ids }: ListSource): SQL => sql`${column} in (${ids})`

/** Reads a source that scans once, unless it finds many rows. */
function scanned({ db }: ReadCtx, source: ListSource): ListSource {
  const rows = db.orm.values<[Uint8Array]>(sql`${source.ids} limit ${sql.raw(String(FEW + 1))}`)
  if (rows.length > FEW) return { ...source, isFew: false }
  const ids = rows.map(([id]) => String(source.column.mapFromDriverValue(id)))
  return { ...source, ids: sql`select * from ${uuidsIn(JSON.stringify(ids))}`, isFew: true }
}

function read({ db }: ReadCtx, places: SQL, { id }: OrderedList): ListPlace[] {
  return db.orm
    .values<[ListPlace['value'], unknown]>(places)
    .map(([value, bytes]) => ({ value, id: String(id.mapFromDriverValue(bytes)) }))
}

function selectPlaces(ctx: ReadCtx, list: OrderedList, { after, offset, rows }: Wanted): SQL {
  const { value, id, order } = list
  const end = sql.raw(`limit ${rows} offset ${offset}`)
  const beyond = sql.raw(order === 'desc' ? '<' : '>')
  const isBeyondId = after && sql`${id} ${beyond} ${sql.param(after.id, id)}`
  if (value === null) return sql`${sorted(ctx, list, isBeyondId, list.parts)} ${end}`
  const isUndated = after !== null && after.value === null
  const isBeyond =
    after && !isUndated
      ? sql`(${value}, ${id}) ${beyond} (${after.value}, ${sql.param(after.id, id)})`
      : null
  const most = sql.raw(`limit ${rows + offset}`)
  const dated = sorted(ctx, list, and(isNotNull(value), isBeyond ?? undefined) ?? null, list.parts)
  if (list.undatedParts === null) return sql`${dated} ${end}`
  const undated = sorted(
    ctx,
    list,
    and(isNull(value), isUndated ? (isBeyondId ?? undefined) : undefined) ?? null,
    list.undatedParts,
  )
  if (isUndated) return sql`${undated} ${end}`
  return sql`select * from (${dated} ${most}) union all select * from (${undated} ${most}) ${end}`
}

/** Selects values and IDs of the rows with a condition, in order. */
function sorted(
  ctx: ReadCtx,
  { table, id, value, order, filter, source }: OrderedList,
  condition: SQL | null,
  parts: readonly SQL[] = [],
): SQL {
  const isLookedUp = source?.isFew === true
  // A `+` keeps SQLite from reading along an index. The test is hidden from it, so that it does.
  const plus = sql.raw(isLookedUp ? '+' : '')
  const columns = sql`${value === null ? sql`null` : sql`${plus}${value}`} as value, ${plus}${id} as id`
  const among = isLookedUp ? isAmong(source) : undefined
  const selects = (parts.length > 0 && !isLookedUp ? parts : [undefined]).map(
    (part) =>
      sql`select ${columns} from ${table} where ${inOrganization(ctx, table, among, part, condition ?? undefined, sql`coalesce((${filter}), 0)`)}`,
  )
  const direction = value === null ? `2 ${order}` : `1 ${order}, 2 ${order}`
  return sql`${sql.join(selects, sql` union all `)} order by ${sql.raw(direction)}`
}

import { and, asc, count, desc, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { readCursor, totalAtEnd, type CursorKey } from '../lib/page'
import { MAX_COUNTED } from './bounded-list'
import { inOrganization, type Ctx } from './ctx'
import { inSlices } from './event-loop'
import { afterKey, type SortKey } from './keyset-pagination'

/** Rows of an index that one statement tests. */
const PART = 2_000

/** A long list whose other conditions are tested row by row, along an index in its order. */
export interface PartedList {
  table: SQLiteTable & { organizationId: SQLiteColumn }
  /** The sort value, which is never null, and the ID. */
  key: SortKey
  order: 'asc' | 'desc'
  /** The condition that begins the index; `undefined` for the index of all rows. */
  along: SQL | undefined
}

type Reader = Pick<Ctx, 'db' | 'organizationId' | 'eventLoop'>

/**
 * Reads a list in parts of bounded size, so that other requests have their turn, until `read`
 * returns `true`. It receives the condition of a part.
 */
export async function readInParts(
  ctx: Reader,
  list: PartedList,
  start: CursorKey | undefined,
  read: (part: SQL | undefined) => boolean,
): Promise<void> {
  let after = start && afterKey(list.key, start, list.order)
  await inSlices(ctx, () => {
    const [end] = positionsIn(ctx, list, and(list.along, after), { limit: 1, offset: PART - 1 })
    const isDone = read(and(list.along, after, end && upTo(list, end)))
    after = end && afterKey(list.key, end, list.order)
    return isDone || end === undefined
  })
}

function positionsIn(
  ctx: Reader,
  { table, key, order }: PartedList,
  condition: SQL | undefined,
  { limit, offset = 0 }: { limit: number; offset?: number },
): CursorKey[] {
  const sorted = order === 'asc' ? asc : desc
  return ctx.db.orm
    .select({ value: key.value, id: key.id })
    .from(table as SQLiteTable)
    .where(inOrganization(ctx, table, condition))
    .orderBy(sorted(key.value), sorted(key.id))
    .limit(limit)
    .offset(offset)
    .all() as CursorKey[]
}

/** Returns the condition for rows up to a position in the list. */
const upTo = ({ key, order }: PartedList, { value, id }: CursorKey): SQL =>
  sql`(${key.value}, ${key.id}) ${sql.raw(order === 'asc' ? '<=' : '>=')} (${value}, ${sql.param(id, key.id)})`

/**
 * Returns the positions of a page and of the row after it, and the number of matching rows: `null`
 * with a cursor, and above 10,000.
 */
export async function readPageInParts(
  ctx: Reader,
  list: PartedList,
  matches: SQL | undefined,
  query: { page: number; limit: number; cursor?: string | undefined },
): Promise<{ positions: CursorKey[]; total: number | null }> {
  const { page, limit, cursor } = query
  const after = cursor === undefined ? undefined : readCursor(cursor)
  const positions: CursorKey[] = []
  let skipped = cursor === undefined ? (page - 1) * limit : 0
  await readInParts(ctx, list, after, (part) => {
    const rows = positionsIn(ctx, list, and(part, matches), {
      limit: skipped + limit + 1 - positions.length,
    })
    positions.push(...rows.slice(skipped))
    skipped = Math.max(0, skipped - rows.length)
    return positions.length > limit
  })
  const isCounted = cursor === undefined && totalAtEnd(positions.length, query) === null
  return { positions, total: isCounted ? await countInParts(ctx, list, matches) : null }
}

/** Returns the number of matching rows; `null` above 10,000, where counting takes too long. */
async function countInParts(
  ctx: Reader,
  list: PartedList,
  matches: SQL | undefined,
): Promise<number | null> {
  let total = 0
  await readInParts(ctx, list, undefined, (part) => {
    const counted = ctx.db.orm
      .select({ rows: count() })
      .from(list.table as SQLiteTable)
      .where(inOrganization(ctx, list.table, and(part, matches)))
      .get()
    total += counted?.rows ?? 0
    return total > MAX_COUNTED
  })
  return total > MAX_COUNTED ? null : total
}

import { InvalidError } from './errors'

/**
 * One page of a list as the API answers it; with a cursor nothing is counted and `total`, `page`
 * and `total_pages` are `null`.
 */
export interface Page<T> {
  items: T[]
  total: number | null
  page: number | null
  limit: number
  total_pages: number | null
}

/** A page of a long list: also says where the next one begins, `null` at the end. */
export interface LongPage<T> extends Page<T> {
  next_cursor: string | null
}

/**
 * A numbered page of `total` rows; of a search that finds too many to count them `total` is `null`.
 */
export const numberedPage = <T>(
  items: T[],
  total: number | null,
  at: { page: number; limit: number },
): Page<T> => ({
  items,
  total,
  page: at.page,
  limit: at.limit,
  total_pages: total === null ? null : Math.ceil(total / at.limit),
})

/**
 * How many rows there are in all when a page shows where the list ends, so that nothing need be
 * counted; `null` when it does not. `read` is how many rows were found from the page's beginning
 * on.
 */
export function totalAtEnd(read: number, at: { page: number; limit: number }): number | null {
  const isEnd = read <= at.limit && (read > 0 || at.page === 1)
  return isEnd ? (at.page - 1) * at.limit + read : null
}

/** Where the rows of a page lie, counted from the end of the list that is nearer. */
export interface Stretch {
  /** Whether they are counted, and to be read, from the end to the beginning. */
  isFromEnd: boolean
  offset: number
  limit: number
}

/**
 * Where a page of a list of `total` rows, and so many `more`, lie: half of a list at most is passed
 * over to come to any page.
 */
export function stretchOf(
  total: number,
  at: { page: number; limit: number; more?: number },
): Stretch {
  const before = (at.page - 1) * at.limit
  const limit = Math.max(0, Math.min(at.limit + (at.more ?? 0), total - before))
  const after = total - before - limit
  return before <= after || limit === 0
    ? { isFromEnd: false, offset: before, limit }
    : { isFromEnd: true, offset: after, limit }
}

/** The rows of a stretch in the order of the list. */
export const inOrderOf = <T>(stretch: Stretch, rows: T[]): T[] =>
  stretch.isFromEnd ? rows.toReversed() : rows

/**
 * The place in a sorted list after which the next page begins: the sort value (`null` sorts last)
 * and the row's id.
 */
export interface Place {
  value: number | null
  id: string
}

/** The opaque form of a place, for `next_cursor`. */
export const writeCursor = (place: Place): string =>
  Buffer.from(JSON.stringify([place.value, place.id])).toString('base64url')

/** The place a cursor stands for. Throws InvalidError when we did not write it. */
export function readCursor(cursor: string): Place {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (Array.isArray(parsed) && parsed.length === 2) {
      const [value, id]: unknown[] = parsed
      if (
        (value === null || (typeof value === 'number' && Number.isFinite(value))) &&
        typeof id === 'string' &&
        id.length <= 64
      )
        return { value, id }
    }
  } catch {
    // falls through to the refusal
  }
  throw new InvalidError('The cursor is not one this server gave out.', {
    errors: [{ path: 'query.cursor', message: 'unknown cursor' }],
  })
}

/**
 * A page of a long list from `rows`, of which one more than `limit` was read to see whether there
 * is a next one. With a cursor `total` is not asked.
 */
export function longPage<R, T>(
  rows: R[],
  query: { page: number; limit: number; cursor?: string | undefined },
  parts: {
    view: (rows: R[]) => T[]
    placeOf: (row: R) => Place
    total: number | null | (() => number)
  },
): LongPage<T> {
  const shown = rows.slice(0, query.limit)
  const last = shown.at(-1)
  const items = parts.view(shown)
  const next_cursor =
    rows.length > query.limit && last !== undefined ? writeCursor(parts.placeOf(last)) : null
  if (query.cursor !== undefined)
    return { items, total: null, page: null, limit: query.limit, total_pages: null, next_cursor }
  const total =
    totalAtEnd(rows.length, query) ??
    (typeof parts.total === 'function' ? parts.total() : parts.total)
  return { ...numberedPage(items, total, query), next_cursor }
}

import { InvalidError } from './errors'
import { isUuid, normalizeId } from './ids'

/**
 * One page of a list in the API. With a cursor nothing is counted, and `total`, `page` and
 * `total_pages` are `null`.
 */
export interface Page<T> {
  items: T[]
  total: number | null
  page: number | null
  limit: number
  total_pages: number | null
}

/** A page of a long list. `next_cursor` points to the next page; `null` at the end. */
export interface LongPage<T> extends Page<T> {
  next_cursor: string | null
}

/**
 * Builds a numbered page of `total` rows. `total` is `null` for a search with too many hits to
 * count.
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
 * Returns the total number of rows if this page reaches the end of the list, so that no count is
 * needed; otherwise `null`. `read` is the number of rows found from the start of the page.
 */
export function totalAtEnd(read: number, at: { page: number; limit: number }): number | null {
  const isEnd = read <= at.limit && (read > 0 || at.page === 1)
  return isEnd ? (at.page - 1) * at.limit + read : null
}

/** Sort key of the last row of a page: its sort value (`null` sorts last) and ID. */
export interface CursorKey {
  value: number | null
  id: string
}

/** Encodes a sort key as the opaque `next_cursor`. */
export const writeCursor = (key: CursorKey): string =>
  Buffer.from(JSON.stringify([key.value, key.id])).toString('base64url')

/**
 * Decodes a cursor. Throws InvalidError if this server did not create it, for example because its
 * ID is none: a UUID, or one of `ids`.
 */
export function readCursor(cursor: string, ids?: readonly string[]): CursorKey {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (Array.isArray(parsed) && parsed.length === 2) {
      const [value, id]: unknown[] = parsed
      if (
        (value === null || (typeof value === 'number' && Number.isFinite(value))) &&
        typeof id === 'string' &&
        (ids ? ids.includes(id) : isUuid(id) && id === normalizeId(id))
      )
        return { value, id }
    }
  } catch {
    // throws below
  }
  throw new InvalidError(
    '`cursor` is invalid. Use `next_cursor` from the previous response, with the same ' +
      'filters.',
    {
      errors: [{ path: 'query.cursor', message: 'unknown cursor' }],
    },
  )
}

/**
 * Builds a page of a long list. `rows` holds one row more than `limit` if there is a next page.
 * With a cursor, `total` is not counted.
 */
export function longPage<R, T>(
  rows: R[],
  query: { page: number; limit: number; cursor?: string | undefined },
  options: {
    view: (rows: R[]) => T[]
    cursorKeyOf: (row: R) => CursorKey
    total: number | null | (() => number | null)
  },
): LongPage<T> {
  const pageRows = rows.slice(0, query.limit)
  const last = pageRows.at(-1)
  const items = options.view(pageRows)
  const next_cursor =
    rows.length > query.limit && last !== undefined ? writeCursor(options.cursorKeyOf(last)) : null
  if (query.cursor !== undefined)
    return { items, total: null, page: null, limit: query.limit, total_pages: null, next_cursor }
  const total =
    totalAtEnd(rows.length, query) ??
    (typeof options.total === 'function' ? options.total() : options.total)
  return { ...numberedPage(items, total, query), next_cursor }
}

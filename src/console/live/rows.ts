import { hashKey, useInfiniteQuery, type QueryClient, type QueryKey } from '@tanstack/react-query'
import { useMemo } from 'react'

import { call, type Body, type Data, type Query, type Wish } from '../api/client'
import { changeData } from './change-data'
import {
  changeItem,
  findItem,
  itemsOf,
  joinPages,
  putFirst,
  removeItem,
  type Pages,
} from './pages-of'

/** Lists that are shown as a table. */
export type RowsRoute =
  | 'POST /api/contacts/search'
  | 'GET /api/templates'
  | 'GET /api/audit-logs'
  | 'GET /api/campaigns'
  | 'GET /api/scheduled-messages'
  | 'GET /api/calls'
  | 'GET /api/orders'
  | 'GET /api/campaigns/{id}/recipients'
  | 'GET /api/webhooks/{id}/deliveries'
  | 'GET /api/inbound/events'
/** One row of such a list. */
export type RowOf<R extends RowsRoute> = Data<R>['items'][number]
/** Filters and order of such a list, as the API takes them. */
export type RowsFilter<R extends RowsRoute> = Omit<
  (Query<R> extends undefined ? unknown : NonNullable<Query<R>>) &
    (Body<R> extends undefined ? unknown : Body<R>),
  'page' | 'limit' | 'cursor' | 'exact_total'
> &
  // what the list belongs to
  (R extends `${string}{id}${string}` ? { id: string } : unknown)

/** What a table shows of a list. */
export interface Rows<T> {
  /** Changes with the filter and the order. */
  key: string
  items: readonly T[]
  /** `null` while it is loaded, and if there are too many to count. */
  total: number | null
  isLoading: boolean
  /** Whether the rows are still those of the filter before. */
  isOld: boolean
  error: unknown
  /** Whether no more rows are loaded, although there are more. */
  isCapped: boolean
  /** Asks the server how many rows there are, also if there are many. */
  countAll: () => Promise<number>
  /** Loads more. */
  onEnd: () => void
  /** Loads again after an error. */
  onRetry: () => void
}

interface PageOfRows {
  items: { id: string }[]
  total: number | null
  total_pages: number | null
  next_cursor?: string | null
}
interface Step {
  cursor?: string
  page?: number
}

/** Lists with a cursor go on exactly where they stopped; the others are short. */
const LIMITS: Record<RowsRoute, number> = {
  'POST /api/contacts/search': 50,
  'GET /api/templates': 100,
  'GET /api/audit-logs': 50,
  'GET /api/campaigns': 100,
  'GET /api/scheduled-messages': 100,
  'GET /api/calls': 50,
  'GET /api/orders': 50,
  'GET /api/campaigns/{id}/recipients': 50,
  'GET /api/webhooks/{id}/deliveries': 50,
  'GET /api/inbound/events': 50,
}
/** Lists that no event keeps fresh: they are loaded again when they are shown. */
const QUIET = new Set<RowsRoute>(['GET /api/webhooks/{id}/deliveries', 'GET /api/inbound/events'])
/** Some 2,000 rows are loaded at most; changing more of them would take too long. */
const MAX_ROWS = 2_000

/** Returns the key of a list in the cache. */
export const rowsKey = <R extends RowsRoute>(route: R, filter: RowsFilter<R>): QueryKey => [
  'rows',
  route,
  filter,
]

function nextOf(last: PageOfRows, count: number): Step | null {
  if (last.next_cursor === undefined)
    return count < (last.total_pages ?? 0) ? { page: count + 1 } : null
  return last.next_cursor === null ? null : { cursor: last.next_cursor }
}

const loadPage = (
  [, name, filter]: QueryKey,
  { signal, ...step }: Step & { exact_total?: true; limit?: number; signal?: AbortSignal },
): Promise<PageOfRows> => {
  const route = name as RowsRoute
  const { id, ...rest } = filter as { id?: string }
  const wanted = { limit: LIMITS[route], ...rest, ...step }
  const wish = {
    ...(route.startsWith('POST') ? { body: wanted } : { query: wanted }),
    ...(id === undefined ? {} : { params: { id } }),
    ...(signal ? { signal } : {}),
  }
  // the routes take and answer pages in the same way
  return call(route as 'GET /api/templates', wish as unknown as Wish<'GET /api/templates'>)
}

/** Loads a list page by page. Events keep it fresh. */
export function useRows<R extends RowsRoute>(
  route: R,
  filter: RowsFilter<R>,
  isNeeded: boolean,
): Rows<RowOf<R>> {
  const queryKey = rowsKey(route, filter)
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => loadPage(queryKey, { ...pageParam, signal }),
    initialPageParam: {} as Step,
    getNextPageParam: (last, pages) =>
      pages.length * LIMITS[route] < MAX_ROWS ? nextOf(last, pages.length) : null,
    enabled: isNeeded,
    placeholderData: (before) => before,
    structuralSharing: false,
    ...(QUIET.has(route) ? { staleTime: 0 } : {}),
  })
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = list
  const items = useMemo(
    // a row that moved while pages were loaded may be on two of them
    () => [...new Map(itemsOf(data).map((item) => [item.id, item])).values()] as RowOf<R>[],
    [data],
  )
  const last = data?.pages.at(-1)
  return {
    key: hashKey(queryKey),
    items,
    total: data?.pages[0]?.total ?? null,
    isLoading: list.isPending,
    isOld: list.isPlaceholderData,
    error: list.error,
    isCapped: last !== undefined && !hasNextPage && nextOf(last, data?.pages.length ?? 0) !== null,
    countAll: async () => {
      const total = data?.pages[0]?.total ?? null
      return total ?? (await loadPage(queryKey, { limit: 1, exact_total: true })).total ?? 0
    },
    onEnd: () => {
      if (hasNextPage && !isFetchingNextPage && !list.isFetchNextPageError)
        fetchNextPage().catch(() => undefined)
    },
    onRetry: () => {
      refetch().catch(() => undefined)
    },
  }
}

type RowPages = Pages<PageOfRows>

/** Changes the loaded lists of a route. */
function changeLists(
  client: QueryClient,
  route: RowsRoute,
  change: (pages: RowPages, filter: Record<string, unknown>) => RowPages,
): void {
  for (const [key] of client.getQueriesData<RowPages>({ queryKey: ['rows', route] }))
    changeData<RowPages>(
      client,
      key,
      (pages) => change(pages, key[2] as Record<string, unknown>), // the filter, as in `rowsKey`
    )
}

/** Changes a row wherever it is listed. */
export const changeRow = <R extends RowsRoute>(
  client: QueryClient,
  route: R,
  id: string,
  change: (row: RowOf<R>) => RowOf<R>,
): void => {
  changeLists(client, route, (pages) =>
    changeItem(pages, id, (row) => change(row as RowOf<R>) as typeof row),
  )
}

/** Removes a row from all lists. */
export const removeRow = (client: QueryClient, route: RowsRoute, id: string): void => {
  changeLists(client, route, (pages) => removeItem(pages, id))
}

/** Tells the lists of contacts when a contact wrote or was written to. */
export const touchContact = (client: QueryClient, id: string, at: string): void => {
  changeLists(client, 'POST /api/contacts/search', (pages, { sort = 'last_message_at', order }) => {
    const row = findItem(pages, id) as RowOf<'POST /api/contacts/search'> | null
    if (row === null || (row.last_message_at ?? '') >= at) return pages
    const touched = { ...row, last_message_at: at } as { id: string }
    return sort === 'last_message_at' && order !== 'asc'
      ? putFirst(pages, touched)
      : changeItem(pages, id, () => touched)
  })
}

/**
 * Loads the beginning of the lists of a route that are shown and joins it with the rest. The others
 * are loaded again when they are shown.
 */
export async function refreshRows(client: QueryClient, route: RowsRoute): Promise<void> {
  const queries = client.getQueryCache().findAll({ queryKey: ['rows', route] })
  for (const query of queries) {
    const { queryKey } = query
    if (query.getObserversCount() === 0) query.invalidate()
    else
      // a query, so that events that come meanwhile are applied to the answer too
      await client.fetchQuery({
        queryKey: ['top', ...queryKey],
        queryFn: async () => {
          const top = await loadPage(queryKey, {})
          changeData<RowPages>(client, queryKey, (pages) =>
            joinPages(pages, top, nextOf(top, 1) !== null),
          )
          return null
        },
        staleTime: 0,
        gcTime: 0,
      })
  }
}

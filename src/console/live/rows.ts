import {
  hashKey,
  useQuery,
  useQueryClient,
  type QueryClient,
  type QueryKey,
} from '@tanstack/react-query'
import { useMemo } from 'react'

import { call, type Body, type Data, type Query, type Wish } from '../api/client'
import { changeData } from './change-data'
import { changeItem, findItem, joinPages, putFirst, removeItem } from './pages-of'
import {
  hasNext,
  layOut,
  MAX_ROWS,
  type Known,
  type PageOfRows,
  type RowPages,
  type Step,
  type View,
} from './row-window'
import { useRowPages } from './row-pages'

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
  | 'GET /api/chatbot/flows'
  | 'GET /api/jobs'
  | 'GET /api/chatbot/keywords'
  | 'GET /api/chatbot/sessions'
  | 'GET /api/privacy/requests'
  | 'GET /api/flows'
  | 'GET /api/flows/{id}/responses'
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
export interface Rows<T> extends Known<T> {
  /** Changes with the filter and the order. */
  key: string
  /** `null` while it is loaded, and if there are too many to count. */
  total: number | null
  isLoading: boolean
  /** Whether the rows are still those of the filter before. */
  isOld: boolean
  error: unknown
  /** Whether there are more rows than a table can list. */
  isCapped: boolean
  /** Asks the server how many rows there are, also if there are many. */
  countAll: () => Promise<number>
  /** Loads what is missing of the rows in view, and around them. */
  onView: (view: View) => void
  /** Keeps rows, however far they are from those in view. */
  pin: (ids: ReadonlySet<string>) => void
  /** Loads again after an error. */
  onRetry: () => void
}

/** Rows of a page. */
const LIMIT = 100
/** Lists that no event keeps fresh: they are loaded again when they are shown. */
const QUIET = new Set<RowsRoute>([
  'GET /api/webhooks/{id}/deliveries',
  'GET /api/inbound/events',
  'GET /api/chatbot/flows',
  'GET /api/jobs',
  'GET /api/chatbot/keywords',
  'GET /api/privacy/requests',
  'GET /api/flows/{id}/responses',
])

/** Returns the key of a list in the cache. */
export const rowsKey = <R extends RowsRoute>(route: R, filter: RowsFilter<R>): QueryKey => [
  'rows',
  route,
  filter,
]

const loadPage = (
  [, name, filter]: QueryKey,
  { signal, ...step }: Step & { exact_total?: true; limit?: number; signal?: AbortSignal },
): Promise<PageOfRows> => {
  const route = name as RowsRoute
  const { id, ...rest } = filter as { id?: string }
  const wanted = { limit: LIMIT, ...rest, ...step }
  const wish = {
    ...(route.startsWith('POST') ? { body: wanted } : { query: wanted }),
    ...(id === undefined ? {} : { params: { id } }),
    ...(signal ? { signal } : {}),
  }
  // the routes take and answer pages in the same way
  return call(route as 'GET /api/templates', wish as unknown as Wish<'GET /api/templates'>)
}

/** Loads the pages of a list that somebody looks at. Events keep it fresh. */
export function useRows<R extends RowsRoute>(
  route: R,
  filter: RowsFilter<R>,
  isNeeded: boolean,
): Rows<RowOf<R>> {
  const client = useQueryClient()
  const queryKey = rowsKey(route, filter)
  const key = hashKey(queryKey)
  const { loader, ...pages } = useRowPages(key, { queryKey, limit: LIMIT, load: loadPage })
  const list = useQuery<RowPages>({
    queryKey,
    queryFn: ({ signal }) => loader.loadShown(signal),
    enabled: isNeeded,
    placeholderData: (before) => before,
    structuralSharing: false,
    ...(QUIET.has(route) ? { staleTime: 0 } : {}),
  })
  const { data, isPlaceholderData: isOld, refetch } = list
  const known = useMemo(() => layOut<RowOf<R>>(data, LIMIT), [data])
  const total = data?.pages[0]?.total ?? null
  return {
    ...known,
    key,
    count: Math.min(known.count, MAX_ROWS),
    total,
    isLoading: list.isPending,
    isOld,
    error: list.error ?? pages.error,
    isCapped: known.count > MAX_ROWS,
    countAll: async () => {
      if (total !== null) return total
      const { total: counted } = await loadPage(queryKey, { limit: 1, exact_total: true })
      // not every route counts that many
      if (counted === null) return known.count
      changeData<RowPages>(client, queryKey, (now) => ({
        ...now,
        pages: now.pages.map((page, nth) => (nth === 0 ? { ...page, total: counted } : page)),
      }))
      return counted
    },
    onView: (view) => {
      if (data && !isOld) loader.show(data, view)
    },
    pin: (ids) => {
      loader.pinned = ids
    },
    onRetry: () => {
      pages.retry()
      refetch().catch(() => undefined)
    },
  }
}

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
          changeData<RowPages>(client, queryKey, (pages) => joinPages(pages, top, hasNext(top)))
          return null
        },
        staleTime: 0,
        gcTime: 0,
      })
  }
}

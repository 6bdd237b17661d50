import { QueryClient, useQuery, type QueryKey, type UseQueryResult } from '@tanstack/react-query'

import { call, type Data, type Route, type Wish } from '../api/client'
import { ApiError, isTemporary } from '../api/error'
import { isTooOften } from '../api/pause'

const RETRIES = 3
/** Age above which lists that no event keeps fresh are loaded again, milliseconds. */
const STALE_MS = 60_000

/** Whether the server tells when it takes the request. */
const isPaused = (error: unknown): boolean =>
  error instanceof ApiError && isTooOften(error) && error.more.retryAfterS !== null

const retryDelay = (failures: number, error: unknown): number => {
  const after = error instanceof ApiError ? error.more.retryAfterS : null
  return after === null ? Math.min(8_000, 500 * 2 ** failures) : after * 1_000
}

/** Creates the cache of everything that was loaded. Events keep it fresh; nothing is polled. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Infinity,
        gcTime: 5 * 60_000,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        retry: (failures, error) => (failures < RETRIES && isTemporary(error)) || isPaused(error),
        retryDelay,
      },
      mutations: { retry: false },
    },
  })

/** Routes whose responses events keep fresh (`patch.ts`), so that they are loaded once. */
const LIVE = new Set<string>([
  'GET /api/admin/attention',
  'GET /api/conversations/counts',
  'GET /api/conversations/{id}/timeline',
  // compares all contacts, so it is asked for only after something was merged
  'GET /api/contacts/duplicates',
  'GET /api/contacts/{id}',
  'GET /api/contacts/{id}/notes',
  'GET /api/me/work',
  'GET /api/scheduled-messages',
  'GET /api/team-board',
])

type Wanted<R extends Route> = Omit<Wish<R>, 'signal' | 'body' | 'idempotencyKey'>

/** Returns the key of a response in the cache: the route, its parameters and its query. */
export const keyOf = <R extends Route>(route: R, wish: Partial<Wanted<R>> = {}): QueryKey => [
  route,
  ...(wish.params === undefined ? [] : [wish.params]),
  ...(wish.query === undefined ? [] : [wish.query]),
]

/** Loads a response and shows it again when it changes. `isNeeded` false waits. */
export const useApi = <R extends Route>(
  route: R,
  wish: Wanted<R>,
  isNeeded = true,
): UseQueryResult<Data<R>> =>
  useQuery({
    queryKey: keyOf(route, wish),
    queryFn: ({ signal }) => call(route, { ...wish, signal } as Wish<R>),
    enabled: isNeeded,
    staleTime: LIVE.has(route) ? Infinity : STALE_MS,
  })

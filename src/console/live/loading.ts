import type { QueryClient } from '@tanstack/react-query'

/** Beginnings of the keys of what events change where it lies in the cache. */
const PATCHED = new Set<unknown>([
  'conversations',
  'conversation',
  'thread',
  'GET /api/contacts/{id}',
  'GET /api/contacts/{id}/notes',
  'GET /api/chatbot/transfers',
])

/** Returns what is being loaded of that which events change. Each ends when the answer is stored. */
export const loadingOf = (client: QueryClient): Promise<unknown>[] =>
  client
    .getQueryCache()
    .findAll({ fetchStatus: 'fetching', predicate: ({ queryKey }) => PATCHED.has(queryKey[0]) })
    // a query that is being fetched returns the request that is under way
    .map((query) => query.fetch())

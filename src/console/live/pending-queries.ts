import type { QueryClient } from '@tanstack/react-query'

/** Beginnings of the keys of what events change where it lies in the cache. */
const PATCHED = new Set<unknown>([
  'conversations',
  'conversation',
  'rows',
  'top',
  'part',
  'thread',
  'GET /api/contacts/{id}',
  'GET /api/contacts/{id}/notes',
  'GET /api/chatbot/transfers',
  'GET /api/me/work',
  'GET /api/team-board',
])

/**
 * Returns the requests for what events change. Each ends when its answer is stored or the request
 * has failed, and never rejects.
 */
export const pendingQueries = (client: QueryClient): Promise<unknown>[] =>
  client
    .getQueryCache()
    .findAll({ fetchStatus: 'fetching', predicate: ({ queryKey }) => PATCHED.has(queryKey[0]) })
    // a query that is being fetched returns the request that is under way
    .map((query) => query.fetch().catch(() => undefined))

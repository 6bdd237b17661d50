import { hashKey, type QueryClient, type QueryKey } from '@tanstack/react-query'

/**
 * Changes what was loaded under a key, if anything was. Unlike `setQueryData`, it makes nothing
 * fresh: an event tells of one change, and what is to be loaded again may lack others.
 */
export function changeData<T>(client: QueryClient, key: QueryKey, change: (known: T) => T): void {
  const query = client.getQueryCache().get<T>(hashKey(key))
  const known = query?.state.data
  if (!query || known === undefined) return
  const data = change(known)
  if (data !== known) query.setState({ data })
}

import { hashKey, type QueryClient, type QueryKey } from '@tanstack/react-query'

/**
 * Changes loaded data as an event says, if there is any under the key. Unlike `setQueryData`, it
 * keeps an error and whether the data must be loaded again: an event tells one change, and others
 * may have been missed.
 */
export function changeData<T>(client: QueryClient, key: QueryKey, change: (known: T) => T): void {
  const query = client.getQueryCache().get<T>(hashKey(key))
  const known = query?.state.data
  if (!query || known === undefined) return
  const data = change(known)
  if (data !== known) query.setState({ data })
}

import { useQueryClient } from '@tanstack/react-query'

import type { Route } from '../api/client'

/** Returns a function that loads responses of these routes again, after a change. */
export function useRefresh(...routes: Route[]): () => Promise<void> {
  const client = useQueryClient()
  return async () => {
    await Promise.all(routes.map((route) => client.invalidateQueries({ queryKey: [route] })))
  }
}

import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

import { useLine } from './line'
import { invalidateSoon } from './refresh'

/**
 * Asks for the events of the board while it is shown. What happened before that, or without a line,
 * is loaded.
 */
export function useBoardEvents(): void {
  const client = useQueryClient()
  const { state, send } = useLine()
  useEffect(() => {
    if (state !== 'live' || !send('subscribe', { topics: ['board'] })) return
    invalidateSoon(client, 'GET /api/team-board')
    return () => {
      send('unsubscribe', { topics: ['board'] })
    }
  }, [client, send, state])
}

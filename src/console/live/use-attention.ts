import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

import { useLine } from './line'
import { useMe } from './me'
import { useApi } from './query'
import { invalidateSoon } from './refresh'

const ROUTE = 'GET /api/admin/attention'

/**
 * Returns how much needs an operator, and hears when that changes. What came with the sign-in is
 * shown at once; after a cut it is loaded. 0 for who is no super admin.
 */
export function useAttention(): number {
  const { is_super_admin: isOperator } = useMe()
  const client = useQueryClient()
  const { state, send } = useLine()
  useEffect(() => {
    if (!isOperator || state !== 'live' || !send('subscribe', { topics: ['server'] })) return
    return () => {
      send('unsubscribe', { topics: ['server'] })
      invalidateSoon(client, ROUTE)
    }
  }, [client, isOperator, send, state])
  return useApi(ROUTE, {}, isOperator).data?.count ?? 0
}

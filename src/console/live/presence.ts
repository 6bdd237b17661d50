import { useQuery, type QueryClient } from '@tanstack/react-query'

import { call } from '../api/client'
import { currentSession } from '../api/session'
import { can } from '../api/shapes'
import { useMe } from './me'
import { presenceKey, type Presence } from './patch-conversations'

/** Asks once who looks at which conversation; afterwards events tell it. */
export async function loadPresence(client: QueryClient): Promise<void> {
  const session = currentSession()
  if (session.phase !== 'signed-in' || !can(session.me, 'messages:read')) return
  const { items } = await call('GET /api/conversations/presence', {})
  // what was known before may have ended while no event could tell
  for (const { queryKey } of client.getQueryCache().findAll({ queryKey: ['presence'] }))
    client.setQueryData(queryKey, [])
  for (const { conversation_id: id, users } of items) client.setQueryData(presenceKey(id), users)
}

const NOBODY: readonly Presence[] = []

/** Returns the colleagues who look at a conversation or type in it. */
export function useOthers(conversationId: string): readonly Presence[] {
  const me = useMe()
  const { data } = useQuery<Presence[]>({
    queryKey: presenceKey(conversationId),
    queryFn: () => [],
    enabled: false,
  })
  return data?.filter(({ id }) => id !== me.id) ?? NOBODY
}

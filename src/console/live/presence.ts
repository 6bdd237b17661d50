import { useQuery, type QueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'

import { call } from '../api/client'
import { currentSession } from '../api/session'
import { can } from '../api/shapes'
import { useMe } from './me'
import { PRESENCE, type Presence, type Present } from './patch-conversations'

/** Asks once who looks at which conversation; afterwards events tell it. */
export async function loadPresence(client: QueryClient): Promise<void> {
  const session = currentSession()
  if (session.phase !== 'signed-in' || !can(session.me, 'messages:read')) return
  const { items } = await call('GET /api/conversations/presence', {})
  // what was known before may have ended while no event could tell
  client.setQueryData<Present>(
    PRESENCE,
    Object.fromEntries(items.map(({ conversation_id: id, users }) => [id, users])),
  )
}

const NOBODY: readonly Presence[] = []

/** Returns the colleagues who look at a conversation or type in it. */
export function useOthers(conversationId: string): readonly Presence[] {
  const me = useMe()
  const select = useCallback(
    (all: Present) => all[conversationId]?.filter(({ id }) => id !== me.id) ?? NOBODY,
    [conversationId, me.id],
  )
  const { data } = useQuery({
    queryKey: PRESENCE,
    queryFn: (): Present => ({}),
    enabled: false,
    select,
  })
  return data ?? NOBODY
}

import { useQuery, type QueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'

import { useMe } from './me'
import { PRESENCE, type Presence, type Present } from './patch-conversations'

/** Who is in a conversation, as the server says when a socket opens. */
interface Place {
  conversation_id: string
  users: readonly Presence[]
}

/**
 * Keeps who looks at which conversation when a socket opens; afterwards events tell it. What was
 * known before may have ended while no event could tell.
 */
export function setPresence(client: QueryClient, places: readonly Place[]): void {
  client.setQueryData<Present>(
    PRESENCE,
    Object.fromEntries(places.map(({ conversation_id: id, users }) => [id, users])),
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

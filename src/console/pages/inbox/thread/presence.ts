import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'

import { useLine } from '../../../live/line'
import { useCan, useMe } from '../../../live/me'
import { presenceKey, type Presence } from '../../../live/patch-conversations'

/** The server forgets after 30 seconds who looks at a conversation. */
const REPEAT_MS = 20_000
/** How often the server hears of someone who goes on typing, milliseconds. */
const TYPING_MS = 5_000

/** Tells colleagues that the user looks at a conversation, and who else does. */
export function usePresence(conversationId: string): { others: Presence[]; type: () => void } {
  const { state, send } = useLine()
  const me = useMe()
  const mayTell = useCan('messages:create')
  const typedMs = useRef(-TYPING_MS)
  const { data } = useQuery<Presence[]>({
    queryKey: presenceKey(conversationId),
    queryFn: () => [],
    enabled: false,
  })
  useEffect(() => {
    if (state !== 'live' || !mayTell) return
    const tell = (doing: string): void => {
      send('presence', { conversation_id: conversationId, doing })
    }
    tell('viewing')
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') tell('viewing')
    }, REPEAT_MS)
    return () => {
      clearInterval(timer)
      tell('gone')
    }
  }, [state, send, conversationId, mayTell])
  const type = useCallback(() => {
    const nowMs = performance.now()
    if (nowMs - typedMs.current < TYPING_MS) return
    typedMs.current = nowMs
    send('presence', { conversation_id: conversationId, doing: 'typing' })
  }, [send, conversationId])
  return { others: (data ?? []).filter(({ id }) => id !== me.id), type }
}

import { useCallback, useEffect, useRef } from 'react'

import { useLine } from '../../../live/line'
import { useCan } from '../../../live/me'
import type { Presence } from '../../../live/patch-conversations'
import { useOthers } from '../../../live/presence'

/** The server forgets after 30 seconds who looks at a conversation. */
const REPEAT_MS = 20_000
const LAPSE_MS = 30_000
/** How often the server hears of someone who goes on typing, milliseconds. */
const TYPING_MS = 5_000

/** Tells colleagues that the user looks at a conversation, and who else does. */
export function usePresence(conversationId: string): {
  others: readonly Presence[]
  type: () => void
  /** What was typed was sent. */
  rest: () => void
} {
  const { state, send } = useLine()
  const mayTell = useCan('messages:create')
  const typedMs = useRef(-TYPING_MS)
  const others = useOthers(conversationId)
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
  const rest = useCallback(() => {
    if (performance.now() - typedMs.current > LAPSE_MS) return
    typedMs.current = -TYPING_MS
    send('presence', { conversation_id: conversationId, doing: 'viewing' })
  }, [send, conversationId])
  return { others, type, rest }
}

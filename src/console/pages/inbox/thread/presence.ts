import { useCallback, useEffect, useRef } from 'react'

import { call } from '../../../api/client'
import type { Conversation } from '../../../api/shapes'

import { useLine } from '../../../live/line'
import { useCan } from '../../../live/me'
import type { Presence } from '../../../live/patch-conversations'
import { useOthers } from '../../../live/presence'
import { serverNow } from '../../../live/server-clock'

/** The server forgets after 30 seconds who looks at a conversation. */
const REPEAT_MS = 20_000
const LAPSE_MS = 30_000
/** How often the server hears of someone who goes on typing, milliseconds. */
const TYPING_MS = 5_000
/** How often WhatsApp shows the customer that somebody types. */
const SHOWN_EVERY_MS = 20_000

/** Returns a function that shows the customer that somebody types, while the window is open. */
function useTypingIndicator(id: string, windowEnd: string | null): () => void {
  const shownMs = useRef(-SHOWN_EVERY_MS)
  const endMs = windowEnd === null ? 0 : Date.parse(windowEnd)
  return useCallback(() => {
    const nowMs = performance.now()
    if (nowMs - shownMs.current < SHOWN_EVERY_MS || serverNow() >= endMs) return
    shownMs.current = nowMs
    // only a courtesy: nobody is told when it fails
    call('POST /api/conversations/{id}/typing', { params: { id } }).catch(() => undefined)
  }, [id, endMs])
}

/** Tells colleagues that the user looks at a conversation, and who else does. */
export function usePresence({ id: conversationId, window_expires_at: end }: Conversation): {
  others: readonly Presence[]
  type: () => void
  /** What was typed was sent. */
  rest: () => void
} {
  const { state, send } = useLine()
  const mayTell = useCan('messages:create')
  const typedMs = useRef(-TYPING_MS)
  const show = useTypingIndicator(conversationId, end)
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
    show()
    const nowMs = performance.now()
    if (nowMs - typedMs.current < TYPING_MS) return
    typedMs.current = nowMs
    send('presence', { conversation_id: conversationId, doing: 'typing' })
  }, [send, conversationId, show])
  const rest = useCallback(() => {
    if (performance.now() - typedMs.current > LAPSE_MS) return
    typedMs.current = -TYPING_MS
    send('presence', { conversation_id: conversationId, doing: 'viewing' })
  }, [send, conversationId])
  return { others, type, rest }
}

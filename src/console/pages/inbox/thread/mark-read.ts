import { useEffect, useRef, useState } from 'react'

import { call } from '../../../api/client'
import type { Conversation } from '../../../api/shapes'
import { useCan } from '../../../live/me'

/** Time that a message must be in view before it counts as read, milliseconds. */
const SEEN_MS = 1_000
/** Pause between two requests of one conversation, milliseconds. */
const PAUSE_MS = 2_000

const isLookedAt = (): boolean => document.visibilityState === 'visible' && document.hasFocus()

/**
 * Marks a conversation as read when its newest message was in view for a second. Returns a function
 * for the list of messages, which names the newest message in view or `null`.
 */
export function useMarkRead(conversation: Conversation): (newestId: string | null) => void {
  const [seen, setSeen] = useState<string | null>(null)
  const sentMs = useRef(0)
  /** The newest message that was read; marking it unread again keeps it so while it stays open. */
  const read = useRef<string | null>(null)
  const mayRead = useCan('messages:read')
  const { id, unread_count: unread } = conversation
  useEffect(() => {
    if (seen === null || !mayRead) return
    if (unread === 0) read.current = seen
    if (unread === 0 || read.current === seen) return
    let timer: ReturnType<typeof setTimeout>
    const check = (): void => {
      if (isLookedAt()) {
        sentMs.current = performance.now()
        call('POST /api/conversations/{id}/read', { params: { id }, body: { up_to: seen } }).catch(
          () => undefined, // the next look at the conversation tries again
        )
      } else timer = setTimeout(check, SEEN_MS)
    }
    const sinceMs = performance.now() - sentMs.current
    timer = setTimeout(check, Math.max(SEEN_MS, PAUSE_MS - sinceMs))
    return () => {
      clearTimeout(timer)
    }
  }, [seen, unread, id, mayRead])
  return setSeen
}

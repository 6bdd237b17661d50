import { useCallback, useEffect, useRef, useState } from 'react'

import { call } from '../../../api/client'
import type { Conversation, Item } from '../../../api/shapes'
import { useCan } from '../../../live/me'

/** Time that a message must be in view before it counts as read, milliseconds. */
const SEEN_MS = 1_000
/** Pause between two requests of one conversation, milliseconds. */
const PAUSE_MS = 2_000

const isLookedAt = (): boolean => document.visibilityState === 'visible' && document.hasFocus()

/** Returns the message that is read when the end of a thread is in view. */
export const newestToRead = (items: readonly Item[]): string | null =>
  (items.findLast(({ direction }) => direction === 'incoming') ?? items.at(-1))?.id ?? null

/** How a conversation that is open becomes read. */
interface Reading {
  /** Takes whether the end of the messages is in view. */
  onEnd: (isInView: boolean) => void
  /** Counts nothing as read until the customer writes again. Ends when no request is under way. */
  stop: () => Promise<void>
}

/**
 * Marks a conversation as read when its newest message was in view for a second. Once it was read,
 * it may be marked as unread, and stays so while it is open.
 *
 * @param newest The newest message of the customer.
 */
export function useMarkRead(
  { id, unread_count: unread }: Conversation,
  newest: string | null,
): Reading {
  const [isInView, setInView] = useState(false)
  const sentMs = useRef(0)
  const request = useRef<Promise<unknown>>(Promise.resolve())
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  /** The newest message that was read, or that shall stay unread. */
  const done = useRef<string | null>(null)
  const latest = useRef(newest)
  const isStopped = useRef(false)
  const mayRead = useCan('messages:read')
  useEffect(() => {
    latest.current = newest
    if (unread === 0 || (isStopped.current && done.current === null)) done.current = newest
    if (!isInView || newest === null || !mayRead || done.current === newest) return
    const check = (): void => {
      if (isLookedAt()) {
        sentMs.current = performance.now()
        request.current = call('POST /api/conversations/{id}/read', {
          params: { id },
          body: { up_to: newest },
        }).catch(() => undefined) // the next look at the conversation tries again
      } else timer.current = setTimeout(check, SEEN_MS)
    }
    const sinceMs = performance.now() - sentMs.current
    timer.current = setTimeout(check, Math.max(SEEN_MS, PAUSE_MS - sinceMs))
    return () => {
      clearTimeout(timer.current)
    }
  }, [isInView, newest, unread, id, mayRead])
  const stop = useCallback(async () => {
    clearTimeout(timer.current)
    isStopped.current = true
    done.current = latest.current
    await request.current
  }, [])
  return { onEnd: setInView, stop }
}

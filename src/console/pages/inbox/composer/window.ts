import { useEffect, useState } from 'react'

import type { Conversation } from '../../../api/shapes'
import { serverNow } from '../../../live/server-clock'

/** Longest time a timer may wait, milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Whether the 24-hour window is open now. Changes by itself when it ends. */
export function useIsWindowOpen({ window_expires_at: end }: Conversation): boolean {
  const endMs = end === null ? 0 : Date.parse(end)
  const [, refresh] = useState(0)
  useEffect(() => {
    const leftMs = endMs - serverNow()
    if (leftMs <= 0) return
    const timer = setTimeout(
      () => {
        refresh((count) => count + 1)
      },
      Math.min(leftMs + 500, MAX_TIMER_MS),
    )
    return () => {
      clearTimeout(timer)
    }
  }, [endMs])
  return endMs > serverNow()
}

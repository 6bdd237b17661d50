import { useEffect, useState, useSyncExternalStore } from 'react'

import { onPause, pauseLeftS } from '../api/pause'

const SECOND_MS = 1_000

/** Returns the seconds until the server takes requests again; 0 if it takes them. */
export function usePauseLeft(): number {
  const leftS = useSyncExternalStore(onPause, pauseLeftS)
  const isPaused = leftS > 0
  const [, setTicks] = useState(0)
  useEffect(() => {
    if (!isPaused) return
    const timer = setInterval(() => {
      setTicks((ticks) => ticks + 1)
    }, SECOND_MS)
    return () => {
      clearInterval(timer)
    }
  }, [isPaused])
  return leftS
}

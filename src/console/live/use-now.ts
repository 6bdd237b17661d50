import { useEffect, useState } from 'react'

import { serverNow } from './server-clock'

/** Returns the present time of the server, which moves on every `stepMs`. */
export function useNow(stepMs: number): number {
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(serverNow())
    }, stepMs)
    return () => {
      clearInterval(timer)
    }
  }, [stepMs])
  return Math.max(now, serverNow())
}

import { useCallback, useEffect, useRef } from 'react'

/** Returns a function that stays the same and calls the newest `work`, so that nothing is drawn again. */
export function useLatest<A extends unknown[]>(work: (...args: A) => void): (...args: A) => void {
  const latest = useRef(work)
  useEffect(() => {
    latest.current = work
  })
  return useCallback((...args: A) => {
    latest.current(...args)
  }, [])
}

import { useEffect, useState, type RefObject } from 'react'

/** Returns the width of an element, pixels; 0 before it is known. */
export function useWidth(box: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      setWidth(Math.floor(element.clientWidth))
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
    }
  }, [box])
  return width
}

/** Whether time runs from right to left. */
export const isMirrored = (): boolean => document.documentElement.dir === 'rtl'

import { useRef, type RefObject } from 'react'

import { useKeys } from './keys'

/** Walks through the links of an element with J and K. Enter opens the one with the focus. */
export function useListKeys<T extends HTMLElement>(): RefObject<T | null> {
  const box = useRef<T>(null)
  const step = (by: 1 | -1): void => {
    const links = [...(box.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
    const at = links.findIndex((link) => link === document.activeElement)
    links[Math.max(0, Math.min(links.length - 1, at + by))]?.focus()
  }
  useKeys({
    j: () => {
      step(1)
    },
    k: () => {
      step(-1)
    },
  })
  return box
}

import { useEffect, useRef, type RefObject } from 'react'

import { currentPreferences } from '../live/preferences'
import { shortcutKey, useKeys } from './keys'

/** Walks through the rows of all lists of a page with J and K. Enter opens the one with the focus. */
export function useListKeys<T extends HTMLElement>(): RefObject<T | null> {
  const box = useRef<T>(null)
  const step = (by: 1 | -1): void => {
    const page = box.current?.closest('main') ?? box.current
    const links = [...(page?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
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

/** Does something when a single key is pressed while an element itself has the focus. */
export function useRowKeys(keys: Record<string, () => void>): RefObject<HTMLLIElement | null> {
  const row = useRef<HTMLLIElement>(null)
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isPlain = !event.metaKey && !event.ctrlKey && !event.altKey
      if (event.target !== row.current || !isPlain || !currentPreferences().hasKeys) return
      const work = latest.current[shortcutKey(event)]
      if (!work) return
      event.preventDefault()
      work()
    }
    const { current } = row
    current?.addEventListener('keydown', onKey)
    return () => {
      current?.removeEventListener('keydown', onKey)
    }
  }, [])
  return row
}

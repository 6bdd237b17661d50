import { useEffect, useRef, type RefObject } from 'react'

import { currentPreferences } from '../live/preferences'
import { shortcutKey, useKeys } from './keys'
import { indexAfter } from './steps'

/** Walks through the rows of all lists of a page with J and K. Enter opens the one with the focus. */
export function useListKeys<T extends HTMLElement>(): RefObject<T | null> {
  const box = useRef<T>(null)
  // the row that had the focus last, and the rows of then: it may have left the list
  const last = useRef<{ row: HTMLElement | null; rows: HTMLElement[] }>({ row: null, rows: [] })
  const step = (by: 1 | -1): void => {
    const page = box.current?.closest('main') ?? box.current
    const rows = [...(page?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
    const focused = rows.find((row) => row === document.activeElement) ?? null
    const left = last.current.row?.isConnected === false ? last.current.row : null
    const next = rows[indexAfter(rows, focused ?? left, last.current.rows, by)] ?? null
    next?.focus()
    last.current = { row: next, rows }
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
export function useRowKeys<T extends HTMLElement = HTMLLIElement>(
  keys: Record<string, () => void>,
): RefObject<T | null> {
  const row = useRef<T>(null)
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isPlain = !event.metaKey && !event.ctrlKey && !event.altKey
      if (event.target !== row.current || !isPlain || !currentPreferences().hasKeys) return
      const name = event.shiftKey && event.key === ' ' ? 'Shift+ ' : shortcutKey(event)
      const work = latest.current[name]
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

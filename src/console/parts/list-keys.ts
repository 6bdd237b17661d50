import { useEffect, useRef, type RefObject } from 'react'

import { isPlainKey, keyName, useKeys, type Keys } from './keys'
import { indexAfter } from './steps'

/** Returns the row in which the focus is. */
const focusedRow = (): HTMLElement | null =>
  document.activeElement?.closest<HTMLElement>('[data-row]') ?? null

/**
 * Walks through the rows of all lists of a page: with J and K from anywhere, with arrows from a row.
 * Home and End lead to the first and the last one. Enter opens the one with the focus.
 */
export function useListKeys<T extends HTMLElement>(): RefObject<T | null> {
  const box = useRef<T>(null)
  // the row that had the focus last, and the rows of then: it may have left the list
  const last = useRef<{ row: HTMLElement | null; rows: HTMLElement[] }>({ row: null, rows: [] })
  const rowsHere = (): HTMLElement[] => {
    const page = box.current?.closest('main') ?? box.current
    return [...(page?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
  }
  const step = (by: 1 | -1): void => {
    const rows = rowsHere()
    const left = last.current.row?.isConnected === false ? last.current.row : null
    const next = rows[indexAfter(rows, focusedRow() ?? left, last.current.rows, by)] ?? null
    next?.focus()
    last.current = { row: next, rows }
  }
  const stepOn = (by: 1 | -1) => () => {
    if (!focusedRow()) return false
    return step(by)
  }
  const goTo = (end: 0 | -1) => () => {
    const row = rowsHere().at(end)
    // of a table, not all rows are there
    if (!row || row.matches('tr')) return false
    return row.focus()
  }
  useKeys({
    j: () => {
      step(1)
    },
    k: () => {
      step(-1)
    },
    ArrowDown: stepOn(1),
    ArrowUp: stepOn(-1),
    Home: goTo(0),
    End: goTo(-1),
  })
  return box
}

/** Does something when a single key is pressed while an element itself has the focus. */
export function useRowKeys<T extends HTMLElement = HTMLLIElement>(keys: Keys): RefObject<T | null> {
  const row = useRef<T>(null)
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.target !== row.current || !isPlainKey(event)) return
      const work = latest.current[keyName(event)]
      if (work && work() !== false) event.preventDefault()
    }
    const { current } = row
    current?.addEventListener('keydown', onKey)
    return () => {
      current?.removeEventListener('keydown', onKey)
    }
  }, [])
  return row
}

import { useEffect, useRef } from 'react'

import { currentPreferences } from '../live/preferences'

type Keys = Record<string, () => void>

const FIELDS =
  'input:not([type=checkbox]), textarea, select, [contenteditable], [role=menu], [role=dialog], [role=listbox]'

/** Whether a key is typed into a field or belongs to an open menu or dialog. */
const isTaken = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && target.closest(FIELDS) !== null

/** Whether a key press is one of a single key outside of fields, and such keys are wanted. */
const isForPage = (event: KeyboardEvent): boolean =>
  !event.defaultPrevented &&
  !event.metaKey &&
  !event.ctrlKey &&
  !event.altKey &&
  currentPreferences().hasKeys &&
  !isTaken(event)

/** Does something when a single key is pressed outside of fields, unless they are switched off. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!isForPage(event)) return
      const work = latest.current[event.shiftKey ? `Shift+${event.key}` : event.key]
      if (!work) return
      event.preventDefault()
      work()
    }
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('keydown', onKey)
    }
  }, [])
}

/** Time in which the second of two keys must follow the first, milliseconds. */
const SECOND_MS = 1_500

/** Does something when `first` and then another key are pressed. No other shortcut sees the second. */
export function useSecondKeys(first: string, keys: Keys): void {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    let pressedMs = -SECOND_MS
    const onKey = (event: KeyboardEvent): void => {
      if (!isForPage(event)) return
      const nowMs = performance.now()
      const work = nowMs - pressedMs < SECOND_MS ? latest.current[event.key] : undefined
      pressedMs = event.key === first ? nowMs : -SECOND_MS
      if (!work) return
      event.preventDefault()
      event.stopPropagation()
      work()
    }
    globalThis.addEventListener('keydown', onKey, true)
    return () => {
      globalThis.removeEventListener('keydown', onKey, true)
    }
  }, [first])
}

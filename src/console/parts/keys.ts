import { useEffect, useRef } from 'react'

import { currentPreferences } from '../live/preferences'

type Keys = Record<string, () => void>

/** Whether a key is typed into a field or belongs to an open menu or dialog. */
function isTaken({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest(
      'input, textarea, select, [contenteditable], [role=menu], [role=dialog], [role=listbox]',
    ) !== null
  )
}

/** Does something when a single key is pressed outside of fields, unless they are switched off. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return
      if (!currentPreferences().hasKeys || isTaken(event)) return
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

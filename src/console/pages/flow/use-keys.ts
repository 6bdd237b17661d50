import { useEffect, useRef } from 'react'

import { useKeys } from '../../parts/keys'
import { copy, paste, readClip } from './model/clip'
import { heldClip, hold } from './node-menu'
import { useFlow } from './use-flow'

interface Props {
  /** The chosen step. */
  chosen: string | null
  onChoose: (id: string | null) => void
  onTest: () => void
}

const FIELDS = 'input, textarea, select, [contenteditable], [role=dialog], [role=menu], .cm-editor'

const isInField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest(FIELDS) !== null

/** Takes steps back and again, copies and pastes, and tests, by keys. */
export function useEditorKeys({ chosen, onChoose, onTest }: Props): void {
  const { graph, store, isEditable } = useFlow()
  useKeys({ p: onTest })
  const latest = useRef({ graph, store, isEditable, chosen, onChoose })
  latest.current = { graph, store, isEditable, chosen, onChoose }
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const now = latest.current
      if (!(event.ctrlKey || event.metaKey) || isInField(event.target) || !now.isEditable) return
      const key = event.key.toLowerCase()
      if (key !== 'z' && key !== 'y') return
      event.preventDefault()
      if (key === 'y' || event.shiftKey) now.store.redo()
      else now.store.undo()
    }
    const onCopy = (event: ClipboardEvent): void => {
      const now = latest.current
      const focused = document.activeElement?.closest<HTMLElement>('[data-node]')?.dataset['node']
      const id = focused ?? now.chosen
      if (id === null || isInField(event.target) || String(getSelection() ?? '') !== '') return
      event.preventDefault()
      const text = copy(now.graph, [id])
      event.clipboardData?.setData('text/plain', text)
      hold(text)
    }
    const onPaste = (event: ClipboardEvent): void => {
      const now = latest.current
      if (isInField(event.target) || !now.isEditable) return
      const clip = readClip(event.clipboardData?.getData('text/plain') ?? '') ?? heldClip()
      if (!clip) return
      event.preventDefault()
      const [next, [first]] = paste(now.graph, clip)
      now.store.change(next)
      if (first !== undefined) now.onChoose(first)
    }
    document.addEventListener('keydown', onKey)
    document.addEventListener('copy', onCopy)
    document.addEventListener('paste', onPaste)
    return () => {
      document.removeEventListener('keydown', onKey)
      document.removeEventListener('copy', onCopy)
      document.removeEventListener('paste', onPaste)
    }
  }, [])
}

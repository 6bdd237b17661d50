import { useState, type DragEvent } from 'react'

/** What an element needs to take what is dropped on it. */
type DropTarget = Partial<
  Record<'onDragOver' | 'onDragLeave' | 'onDrop', (event: DragEvent) => void>
> & { 'data-drop'?: '' | 'over' }

/**
 * Returns what makes an element take what is dragged, and look as if it did. `null` while nothing is
 * dragged. Keys or a menu do the same for those who do not drag.
 */
export function useDropTarget(onDrop: (() => void) | null): DropTarget {
  const [isOver, setOver] = useState(false)
  if (!onDrop) return {}
  return {
    'data-drop': isOver ? 'over' : '',
    onDragOver: (event) => {
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: () => {
      setOver(false)
    },
    onDrop: (event) => {
      event.preventDefault()
      setOver(false)
      onDrop()
    },
  }
}

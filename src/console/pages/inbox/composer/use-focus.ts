import { useEffect, useRef, type RefObject } from 'react'

interface Asked {
  replyTo: string | null
  /** Whether the person has just asked to write, and the cursor has not moved there yet. */
  isAsked: boolean
  /** Called when the cursor is where the person asked for it. */
  onFocused: () => void
}

/**
 * Moves the cursor into the field when the person asks to write or to reply, and never for another
 * reason: keys that were meant for the list would be written into the message. Not on phones for
 * writing, where the keyboard would cover the thread.
 */
export function useFocus(
  field: RefObject<HTMLTextAreaElement | null>,
  { replyTo, isAsked, onFocused }: Asked,
): void {
  const answered = useRef(replyTo)
  useEffect(() => {
    const isReply = replyTo !== null && replyTo !== answered.current
    answered.current = replyTo
    const hasPointer = matchMedia('(pointer: fine)').matches
    if (isReply || (isAsked && hasPointer)) field.current?.focus()
    if (isAsked) onFocused()
  }, [field, replyTo, isAsked, onFocused])
}

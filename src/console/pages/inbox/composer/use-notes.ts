import { useRef } from 'react'

import { callOnce } from '../../../api/call-once'
import type { Conversation } from '../../../api/shapes'
import { report } from '../../../parts/toast'
import type { DraftState } from './use-draft'

/** Returns how notes are saved: one at a time. What cannot be saved stands in the field again. */
export function useNotes(
  { contact }: Conversation,
  { restore }: DraftState,
): (content: string, files: readonly File[], mentions: string[]) => void {
  const saving = useRef(Promise.resolve())
  return (content, _, mentions): void => {
    const save = async (): Promise<void> => {
      try {
        await callOnce('POST /api/contacts/{id}/notes', {
          params: { id: contact.id },
          body: { content, mentions },
        })
      } catch (error) {
        restore(content)
        report(error)
      }
    }
    saving.current = saving.current.then(save)
  }
}

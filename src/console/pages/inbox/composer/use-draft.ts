import { useCallback, useState } from 'react'

import { readDraft, writeDraft } from '../../../live/drafts'

/** What someone writes in a conversation, kept on this device while it is written. */
export interface DraftState {
  text: string
  /** When it was begun, epoch milliseconds; `null` while it is empty. */
  sinceMs: number | null
  setText: (text: string) => void
  clear: () => void
}

/** Returns the draft of a conversation. `owner` names organization and user. */
export function useDraft(owner: string, conversationId: string): DraftState {
  const [draft, setDraft] = useState(() => readDraft(owner, conversationId))
  const setText = useCallback(
    (text: string) => {
      setDraft((old) => {
        const sinceMs = old === null || old.text === '' ? Date.now() : old.sinceMs
        const next = text === '' ? null : { text, replyTo: null, sinceMs }
        writeDraft(owner, conversationId, next)
        return next
      })
    },
    [owner, conversationId],
  )
  const clear = useCallback(() => {
    setText('')
  }, [setText])
  return { text: draft?.text ?? '', sinceMs: draft?.sinceMs ?? null, setText, clear }
}

import { useCallback, useEffect, useRef, useState } from 'react'

import { readDraft, writeDraft } from '../../../live/drafts'
import { serverNow } from '../../../live/server-clock'

/** What someone writes in a conversation, kept on this device while it is written. */
export interface DraftState {
  text: string
  /** When it was begun, epoch milliseconds; `null` while it is empty. */
  sinceMs: number | null
  setText: (text: string) => void
  clear: () => void
}

/** Returns the draft of a conversation. `owner` names organization and user, `replyTo` what it answers. */
export function useDraft(
  owner: string,
  conversationId: string,
  replyTo: string | null,
): DraftState {
  const [draft, setDraft] = useState(() => readDraft(owner, conversationId))
  const answered = useRef(replyTo)
  useEffect(() => {
    if (answered.current === replyTo) return
    answered.current = replyTo
    const kept = readDraft(owner, conversationId)
    if (kept) writeDraft(owner, conversationId, { ...kept, replyTo })
  }, [owner, conversationId, replyTo])
  const setText = useCallback(
    (text: string) => {
      setDraft((old) => {
        const sinceMs = old === null || old.text === '' ? serverNow() : old.sinceMs
        const next = text === '' ? null : { text, replyTo: answered.current, sinceMs }
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

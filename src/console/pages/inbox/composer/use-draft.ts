import { useCallback, useEffect, useRef, useState } from 'react'

import { readDraft, writeDraft, type DraftKind } from '../../../live/drafts'
import { serverNow } from '../../../live/server-clock'

/** What someone writes in a conversation, kept on this device while it is written. */
export interface DraftState {
  text: string
  /** When it was begun, epoch milliseconds; `null` while it is empty. */
  sinceMs: number | null
  setText: (text: string) => void
  clear: () => void
  /** Puts words that could not be saved before what was typed since. */
  restore: (words: string) => void
}

/**
 * Returns the draft of one kind in a conversation. `owner` names organization and user, `replyTo`
 * what it answers.
 */
export function useDraft(
  owner: string,
  conversationId: string,
  kind: DraftKind,
  replyTo: string | null,
): DraftState {
  const [draft, setDraft] = useState(() => readDraft(owner, conversationId, kind))
  const answered = useRef(replyTo)
  useEffect(() => {
    if (answered.current === replyTo) return
    answered.current = replyTo
    const kept = readDraft(owner, conversationId, kind)
    if (kept) writeDraft(owner, conversationId, kind, { ...kept, replyTo })
  }, [owner, conversationId, kind, replyTo])
  const setText = useCallback(
    (text: string) => {
      setDraft((old) => {
        const sinceMs = old === null || old.text === '' ? serverNow() : old.sinceMs
        const next = text === '' ? null : { text, replyTo: answered.current, sinceMs }
        writeDraft(owner, conversationId, kind, next)
        return next
      })
    },
    [owner, conversationId, kind],
  )
  const clear = useCallback(() => {
    setText('')
  }, [setText])
  const restore = useCallback(
    (words: string) => {
      // read again: another conversation may be shown by now
      const kept = readDraft(owner, conversationId, kind)
      const next = {
        text: kept === null ? words : `${words}\n${kept.text}`,
        replyTo: kept?.replyTo ?? null,
        sinceMs: kept?.sinceMs ?? serverNow(),
      }
      writeDraft(owner, conversationId, kind, next)
      setDraft(next)
    },
    [owner, conversationId, kind],
  )
  return { text: draft?.text ?? '', sinceMs: draft?.sinceMs ?? null, setText, clear, restore }
}

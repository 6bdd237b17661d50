import { useCallback, useEffect, useRef, useState } from 'react'

import {
  onDraftElsewhere,
  readDraft,
  writeDraft,
  type Draft,
  type DraftKind,
} from '../../../live/drafts'
import { serverNow } from '../../../live/server-clock'
import { useLatest } from '../../../parts/use-latest'

/** What someone writes in a conversation, kept on this device while it is written. */
export interface DraftState {
  text: string
  /** When it was begun, epoch milliseconds; `null` while it is empty. */
  sinceMs: number | null
  setText: (text: string) => void
  /** Colleagues who may be mentioned, by ID; those whom it names are kept with it. */
  people: ReadonlyMap<string, string>
  /** Learns names of colleagues. */
  learn: (people: readonly { id: string; full_name: string }[]) => void
  clear: () => void
  /** Puts words that could not be saved, and what they answer, before what was typed since. */
  restore: (words: string, replyTo?: string | null) => void
}

/**
 * Returns the draft of one kind in a conversation. `owner` names organization and user, `replyTo`
 * what it answers; `onReplyTo` learns what another tab answers with it.
 */
export function useDraft(
  owner: string,
  conversationId: string,
  kind: DraftKind,
  replyTo: string | null,
  onReplyTo: (id: string | null) => void = () => undefined,
): DraftState {
  const [draft, setDraft] = useState(() => readDraft(owner, conversationId, kind))
  const [people] = useState(() => new Map(draft?.people))
  const keep = useCallback(
    (next: Draft | null) => {
      const named = [...people].filter(([, name]) => next?.text.includes(`@${name}`))
      writeDraft(owner, conversationId, kind, next && { ...next, people: named })
    },
    [owner, conversationId, kind, people],
  )
  const answered = useRef(replyTo)
  useEffect(() => {
    if (answered.current === replyTo) return
    answered.current = replyTo
    const kept = readDraft(owner, conversationId, kind)
    if (kept) keep({ ...kept, replyTo })
  }, [owner, conversationId, kind, replyTo, keep])
  useElsewhere([owner, conversationId, kind], {
    text: draft?.text ?? '',
    follow: (next) => {
      for (const [id, name] of next?.people ?? []) people.set(id, name)
      setDraft(next)
      onReplyTo(next?.replyTo ?? null)
    },
    keep: () => {
      keep(draft)
    },
  })
  const setText = useCallback(
    (text: string) => {
      setDraft((old) => {
        const sinceMs = old === null || old.text === '' ? serverNow() : old.sinceMs
        const next = text === '' ? null : { text, replyTo: answered.current, sinceMs }
        keep(next)
        return next
      })
    },
    [keep],
  )
  const clear = useCallback(() => {
    setText('')
  }, [setText])
  const restore = useCallback(
    (words: string, answers: string | null = null) => {
      // read again: another conversation may be shown by now
      const kept = readDraft(owner, conversationId, kind)
      const next = {
        text: kept === null ? words : `${words}\n${kept.text}`,
        replyTo: kept?.replyTo ?? answers,
        sinceMs: kept?.sinceMs ?? serverNow(),
      }
      keep(next)
      setDraft(next)
    },
    [owner, conversationId, kind, keep],
  )
  const learn = useCallback(
    (found: readonly { id: string; full_name: string }[]) => {
      for (const { id, full_name: name } of found) people.set(id, name)
      const kept = readDraft(owner, conversationId, kind)
      if (kept) keep(kept)
    },
    [owner, conversationId, kind, keep, people],
  )
  const shown = { text: draft?.text ?? '', sinceMs: draft?.sinceMs ?? null }
  return { ...shown, setText, people, learn, clear, restore }
}

/**
 * Follows what another tab makes of the draft. Words that are typed here and stand nowhere else are
 * kept, also when the other tab has sent its own.
 */
function useElsewhere(
  [owner, conversationId, kind]: [string, string, DraftKind],
  { text, follow, keep }: { text: string; follow: (next: Draft | null) => void; keep: () => void },
): void {
  const onChange = useLatest((next: Draft | null, before: Draft | null) => {
    if (text === '' || text === before?.text) follow(next)
    else if (next === null) keep()
  })
  useEffect(
    () => onDraftElsewhere([owner, conversationId, kind], onChange),
    [owner, conversationId, kind, onChange],
  )
}

import { onSignOut } from '../api/session'

const PREFIX = 'draft/'
const listeners = new Set<() => void>()

/** What is drafted: an answer to the customer, or a note that only colleagues may see. */
export type DraftKind = 'message' | 'note'

/** What someone began to write in a conversation. */
export interface Draft {
  text: string
  /** The message it answers. */
  replyTo: string | null
  sinceMs: number
  /** Colleagues whose names it contains after `@`: ID and name. */
  people?: [id: string, name: string][]
}

const nameOf = (owner: string, conversationId: string, kind: DraftKind): string =>
  `${PREFIX}${owner}/${conversationId}${kind === 'note' ? '/note' : ''}`

/** Returns a draft of a conversation, or `null`. `owner` names organization and user. */
export function readDraft(owner: string, conversationId: string, kind: DraftKind): Draft | null {
  try {
    const text = localStorage.getItem(nameOf(owner, conversationId, kind))
    return text === null ? null : (JSON.parse(text) as Draft)
  } catch {
    return null
  }
}

/** Keeps a draft on this device; an empty one is deleted. */
export function writeDraft(
  owner: string,
  conversationId: string,
  kind: DraftKind,
  draft: Draft | null,
): void {
  const name = nameOf(owner, conversationId, kind)
  if (draft === null || draft.text.trim() === '') localStorage.removeItem(name)
  else localStorage.setItem(name, JSON.stringify(draft))
  for (const listener of listeners) listener()
}

/** Calls `listener` after every change of a draft. Returns a function that stops it. */
export const onDrafts = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Deletes the drafts of everybody else who used this browser. */
export function dropDraftsOfOthers(userId: string): void {
  for (const name of Object.keys(localStorage))
    if (name.startsWith(PREFIX) && name.split('/')[2] !== userId) localStorage.removeItem(name)
}

onSignOut(() => {
  for (const name of Object.keys(localStorage))
    if (name.startsWith(PREFIX)) localStorage.removeItem(name)
})

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

const draftOf = (stored: string | null): Draft | null => {
  try {
    return stored === null ? null : (JSON.parse(stored) as Draft)
  } catch {
    return null
  }
}

const tell = (): void => {
  for (const listener of listeners) listener()
}

const nameOf = (owner: string, conversationId: string, kind: DraftKind): string =>
  `${PREFIX}${owner}/${conversationId}${kind === 'note' ? '/note' : ''}`

/** Returns a draft of a conversation, or `null`. `owner` names organization and user. */
export const readDraft = (owner: string, conversationId: string, kind: DraftKind): Draft | null =>
  draftOf(localStorage.getItem(nameOf(owner, conversationId, kind)))

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
  tell()
}

/** Files that were chosen for an answer and not sent. They are kept while the page lives. */
const files = new Map<string, readonly File[]>()
const NO_FILES: readonly File[] = []

/** Returns the files of a draft. */
export const filesOf = (owner: string, conversationId: string): readonly File[] =>
  files.get(`${owner}/${conversationId}`) ?? NO_FILES

/** Keeps the files of a draft. */
export function keepFiles(owner: string, conversationId: string, chosen: readonly File[]): void {
  const name = `${owner}/${conversationId}`
  if (chosen.length === 0) files.delete(name)
  else files.set(name, chosen)
  tell()
}

/** Returns what was begun in a conversation in a few words, or `null`. */
export const wordsBegun = (owner: string, conversationId: string): string | null =>
  (readDraft(owner, conversationId, 'message') ?? readDraft(owner, conversationId, 'note'))?.text ??
  filesOf(owner, conversationId)[0]?.name ??
  null

/** Deletes what was begun in a conversation that is gone. */
export function dropDrafts(owner: string, conversationId: string): void {
  for (const kind of ['message', 'note'] as const)
    localStorage.removeItem(nameOf(owner, conversationId, kind))
  keepFiles(owner, conversationId, [])
}

/**
 * Calls `listener` when another tab changed or sent a draft, with what it is now and was before.
 * Returns a function that stops it.
 */
export function onDraftElsewhere(
  [owner, conversationId, kind]: [owner: string, conversationId: string, kind: DraftKind],
  listener: (next: Draft | null, before: Draft | null) => void,
): () => void {
  const name = nameOf(owner, conversationId, kind)
  const onStorage = ({ key, newValue, oldValue }: StorageEvent): void => {
    if (key === name) listener(draftOf(newValue), draftOf(oldValue))
  }
  globalThis.addEventListener('storage', onStorage)
  return () => {
    globalThis.removeEventListener('storage', onStorage)
  }
}

globalThis.addEventListener('storage', ({ key }: StorageEvent) => {
  if (key?.startsWith(PREFIX) === true) tell()
})

/** Calls `listener` after every change of a draft. Returns a function that stops it. */
export const onDrafts = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Deletes the drafts of everybody else who used this browser. */
export function dropDraftsOfOthers(userId: string): void {
  for (const name of Object.keys(localStorage))
    if (name.startsWith(PREFIX) && name.split('/')[2] !== userId) localStorage.removeItem(name)
  for (const name of files.keys()) if (name.split('/')[1] !== userId) files.delete(name)
}

onSignOut(() => {
  files.clear()
  for (const name of Object.keys(localStorage))
    if (name.startsWith(PREFIX)) localStorage.removeItem(name)
})

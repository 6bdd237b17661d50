import { useSyncExternalStore } from 'react'

import { filesOf, keepFiles, onDrafts } from '../../../live/drafts'

const MAX_FILES = 10

/** Files that go with an answer. They wait for it while other conversations are shown. */
export interface ChosenFiles {
  files: readonly File[]
  setFiles: (files: readonly File[]) => void
  add: (added: readonly File[]) => void
}

/** Returns the files that are chosen in a conversation. `owner` names organization and user. */
export function useFiles(owner: string, conversationId: string): ChosenFiles {
  const files = useSyncExternalStore(onDrafts, () => filesOf(owner, conversationId))
  const setFiles = (chosen: readonly File[]): void => {
    keepFiles(owner, conversationId, chosen)
  }
  return {
    files,
    setFiles,
    // asked for again: more may be chosen before the page is drawn again
    add: (added) => {
      setFiles([...filesOf(owner, conversationId), ...added].slice(0, MAX_FILES))
    },
  }
}

import type { Conversation } from '../../../api/shapes'
import { readDraft, writeDraft } from '../../../live/drafts'
import { serverNow } from '../../../live/server-clock'
import type { Schedule, useScheduling } from './scheduled'
import type { DraftState } from './use-draft'

interface Options {
  conversation: Conversation
  /** Whose drafts are kept: organization and user. */
  owner: string
  replyTo: string | null
  onReplyDone: () => void
  /** Answers a message again, unless another one was chosen meanwhile. */
  onReplyAgain: (id: string) => void
  start: ReturnType<typeof useScheduling>['schedule']
}

/**
 * Returns how a text is scheduled: its words are taken out of the field at once. If that fails, they
 * stand before what was written meanwhile, also when another conversation is open by then.
 */
export function useSchedule(
  { conversation: { id }, owner, replyTo, onReplyDone, onReplyAgain, start }: Options,
  draft: DraftState,
): (text: string, schedule: Schedule) => void {
  return (text, schedule) => {
    const onFailed = (): void => {
      const kept = readDraft(owner, id, 'message')
      const words = kept ? `${text}\n${kept.text}` : text
      const answered = kept?.replyTo ?? replyTo
      draft.setText(words)
      writeDraft(owner, id, 'message', { text: words, replyTo: answered, sinceMs: serverNow() })
      if (replyTo !== null) onReplyAgain(replyTo)
    }
    if (!start({ ...schedule, text, replyTo, onFailed })) return
    draft.clear()
    onReplyDone()
  }
}

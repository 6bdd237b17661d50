import type { Schedule, useScheduling } from './scheduled'
import type { DraftState } from './use-draft'

interface Options {
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
  { replyTo, onReplyDone, onReplyAgain, start }: Options,
  draft: DraftState,
): (text: string, schedule: Schedule) => void {
  return (text, schedule) => {
    const onFailed = (): void => {
      draft.restore(text, replyTo)
      if (replyTo !== null) onReplyAgain(replyTo)
    }
    if (!start({ ...schedule, text, replyTo, onFailed })) return
    draft.clear()
    onReplyDone()
  }
}

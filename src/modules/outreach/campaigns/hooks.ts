import { onHook, type HookHandler } from '../../../infra/transaction-hooks'
import { ContactsMerged, MessageArrived, MessageMoved } from '../../inbox/messages/events'
import { trackMessageIn } from './results/track-delivery'
import { trackMergeIn } from './results/track-merges'
import { trackReplyIn } from './results/track-replies'

/** Transaction hooks that keep campaign recipients in step with their messages. */
export const campaignHooks: HookHandler[] = [
  onHook(MessageMoved, trackMessageIn),
  onHook(MessageArrived, trackReplyIn),
  onHook(ContactsMerged, trackMergeIn),
]

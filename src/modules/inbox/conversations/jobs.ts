import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'

const OneConversation = Type.Object({ conversationId: Type.String() })

/** Opens a conversation whose snooze is over. */
export const WakeConversation = job('conversation.wake', OneConversation, { queue: 'default' })

/**
 * Publishes the waiting changes of a conversation. Its queue holds only jobs that use the database
 * alone, so no slow job delays it.
 */
export const PublishConversationChange = job('conversation.publish-change', OneConversation, {
  queue: 'inbound-status',
})

/** Removes a deleted team from its contacts and conversations, a batch at a time. */
export const ClearTeam = job(
  'conversation.clear-team',
  Type.Object({ teamId: Type.String(), cleared: Type.Integer() }),
  { queue: 'default' },
)

import { Type } from '@sinclair/typebox'

import { job } from '../../infra/jobs/job'

const OneConversation = Type.Object({ conversationId: Type.String() })

/** Opens a conversation whose snooze is over. */
export const WakeConversation = job('conversation.wake', OneConversation, { queue: 'default' })

/**
 * Publishes a change of a conversation that was held back. Its queue has only jobs that touch
 * nothing but the database, so nothing slow runs before it.
 */
export const PublishConversationChange = job('conversation.announce', OneConversation, {
  queue: 'inbound-status',
})

import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../infra/outbox/events'

/**
 * A field in conversation lists changed. `changed` names the fields. Changes in quick succession
 * are combined into one event.
 */
export const ConversationChanged = defineEvent(
  'conversation.changed',
  Type.Object({
    conversationId: Type.String(),
    contactId: Type.String(),
    changed: Type.Array(Type.String()),
  }),
)

/**
 * The owner of a conversation's thread changed on a number that is shared with another app or the
 * platform's own agent.
 */
export const ConversationHandedOver = defineEvent(
  'conversation.handover',
  Type.Object({
    conversationId: Type.String(),
    contactId: Type.String(),
    from: Type.String(),
    to: Type.String(),
  }),
)

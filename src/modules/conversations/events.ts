import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../infra/outbox/events'

/**
 * A conversation changed in something that lists show: `changed` names the fields. Changes that
 * follow each other closely are one event.
 */
export const ConversationChanged = defineEvent(
  'conversation.changed',
  Type.Object({
    conversationId: Type.String(),
    contactId: Type.String(),
    changed: Type.Array(Type.String()),
  }),
)

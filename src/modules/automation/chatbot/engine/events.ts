import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../../../infra/outbox/events'

/** A session of the bot ended. */
export const SessionEnded = defineEvent(
  'chatbot.session_ended',
  Type.Object({
    sessionId: Type.String(),
    contactId: Type.String(),
    accountId: Type.String(),
    status: Type.String(),
    reason: Type.Union([Type.String(), Type.Null()]),
  }),
)

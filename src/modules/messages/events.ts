import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../infra/outbox/events'

/** A customer's message was stored. */
export const MessageReceived = defineEvent('message.received', Type.Object({ messageId: Type.String(), contactId: Type.String() }))

/** A message of ours was accepted into the outbox. */
export const MessageQueued = defineEvent('message.queued', Type.Object({ messageId: Type.String(), contactId: Type.String() }))

/** The stored status of a message of ours moved. `timestampMs` is the platform's time where it told one. */
export const MessageStatusChanged = defineEvent(
  'message.status_changed',
  Type.Object({
    messageId: Type.String(),
    contactId: Type.String(),
    status: Type.String(),
    previousStatus: Type.String(),
    timestampMs: Type.Integer(),
  }),
)

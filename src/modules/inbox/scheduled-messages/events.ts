import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../../infra/outbox/events'

/** A scheduled message was created, changed, cancelled or sent, or it failed. */
export const ScheduledChanged = defineEvent(
  'scheduled.changed',
  Type.Object({
    scheduledId: Type.String(),
    contactId: Type.String(),
    /** Its author. */
    userId: Type.Union([Type.String(), Type.Null()]),
    /** The API key that created it. */
    apiKeyId: Type.Optional(Type.String()),
  }),
)

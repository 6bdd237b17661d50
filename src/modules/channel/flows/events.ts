import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../../infra/outbox/events'

/**
 * A Flow was created, saved, published, deprecated or deleted, or the platform reported an update.
 * `changed` names the fields.
 */
export const FlowChanged = defineEvent(
  'flow.changed',
  Type.Object({ flowId: Type.String(), changed: Type.Array(Type.String()) }),
)

/** A response to a Flow was stored. `flowId` is `null` if the Flow is unknown. */
export const FlowSubmitted = defineEvent(
  'flow.submitted',
  Type.Object({
    responseId: Type.String(),
    messageId: Type.String(),
    contactId: Type.String(),
    flowId: Type.Union([Type.String(), Type.Null()]),
    /** Processed long after it happened: no automation may act on it. */
    isLate: Type.Optional(Type.Boolean()),
  }),
)

import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../infra/outbox/events'

/**
 * A form was made, saved, published, deprecated or deleted, or the platform has news of it.
 * `changed` names the fields.
 */
export const FlowChanged = defineEvent(
  'flow.changed',
  Type.Object({ flowId: Type.String(), changed: Type.Array(Type.String()) }),
)

/** A customer's answer to a form was stored. `flowId` is `null` when the form is unknown. */
export const FlowSubmitted = defineEvent(
  'flow.submitted',
  Type.Object({
    responseId: Type.String(),
    messageId: Type.String(),
    contactId: Type.String(),
    flowId: Type.Union([Type.String(), Type.Null()]),
    /** Worked off once more long after it happened: nothing may act on it any more. */
    isLate: Type.Optional(Type.Boolean()),
  }),
)

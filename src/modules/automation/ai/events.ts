import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../../infra/outbox/events'

/** A source of knowledge was created, changed or deleted, or its document was read. */
export const AiContextChanged = defineEvent(
  'ai_context.changed',
  Type.Object({ contextId: Type.String() }),
)

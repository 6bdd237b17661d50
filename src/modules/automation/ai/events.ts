import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../../infra/outbox/events'

/** The list of questions without knowledge has changed. */
export const AiQuestionsChanged = defineEvent('ai_questions.changed', Type.Object({}))

/** A source of knowledge was created, changed or deleted, or its document was read. */
export const AiContextChanged = defineEvent(
  'ai_context.changed',
  Type.Object({ contextId: Type.String() }),
)

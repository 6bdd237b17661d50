import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../infra/outbox/events'

/**
 * A template was made, changed, sent to the platform, or the platform said something new of it.
 * `changed` names the fields.
 */
export const TemplateChanged = defineEvent(
  'template.changed',
  Type.Object({
    templateId: Type.String(),
    changed: Type.Array(Type.String()),
    isDeleted: Type.Boolean(),
  }),
)

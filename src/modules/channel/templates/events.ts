import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../../infra/outbox/events'

/**
 * A template was created, changed or submitted, or the platform reported an update. `changed` names
 * the fields.
 */
export const TemplateChanged = defineEvent(
  'template.changed',
  Type.Object({
    templateId: Type.String(),
    changed: Type.Array(Type.String()),
    isDeleted: Type.Boolean(),
  }),
)

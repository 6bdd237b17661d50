import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../../../infra/outbox/events'

/** A note about a contact was created, updated or deleted. */
export const NoteChanged = defineEvent(
  'note.changed',
  Type.Object({
    noteId: Type.String(),
    contactId: Type.String(),
    change: Type.Union([Type.Literal('created'), Type.Literal('updated'), Type.Literal('deleted')]),
  }),
)

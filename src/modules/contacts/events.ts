import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../infra/outbox/events'

/** A contact was created. */
export const ContactCreated = defineEvent('contact.created', Type.Object({ contactId: Type.String() }))

/** Something about a contact changed: `changed` names the fields, `lostBy` the users who no longer see it. */
export const ContactChanged = defineEvent(
  'contact.changed',
  Type.Object({ contactId: Type.String(), changed: Type.Array(Type.String()), lostBy: Type.Array(Type.String()) }),
)

/** A contact is gone: deleted, erased or merged into another. `seenBy` are the users who saw it by an assignment. */
export const ContactDeleted = defineEvent(
  'contact.deleted',
  Type.Object({
    contactId: Type.String(),
    reason: Type.Union([Type.Literal('deleted'), Type.Literal('erased'), Type.Literal('merged')]),
    mergedInto: Type.Union([Type.String(), Type.Null()]),
    seenBy: Type.Array(Type.String()),
  }),
)

/** Work on many contacts at once has ended; it announces no single ones. */
export const ContactsChanged = defineEvent(
  'contacts.changed',
  Type.Object({
    reason: Type.Union([Type.Literal('import'), Type.Literal('bulk_update'), Type.Literal('bulk_delete')]),
    jobId: Type.String(),
    created: Type.Integer(),
    updated: Type.Integer(),
    deleted: Type.Integer(),
  }),
)

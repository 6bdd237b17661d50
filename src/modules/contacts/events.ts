import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../infra/outbox/events'

/** A contact was created. */
export const ContactCreated = defineEvent(
  'contact.created',
  Type.Object({ contactId: Type.String() }),
)

/**
 * Something about a contact changed: `changed` names the fields, `lostBy` the users who no longer
 * see it.
 */
export const ContactChanged = defineEvent(
  'contact.changed',
  Type.Object({
    contactId: Type.String(),
    changed: Type.Array(Type.String()),
    lostBy: Type.Array(Type.String()),
  }),
)

/**
 * A contact is gone: deleted, erased for good, or part of another one now. `seenBy` are the users
 * who saw it without seeing all; `requestId` is the receipt of an erasure, which waits for
 * everybody who forgets.
 */
export const ContactDeleted = defineEvent(
  'contact.deleted',
  Type.Object({
    contactId: Type.String(),
    reason: Type.Union([Type.Literal('deleted'), Type.Literal('erased'), Type.Literal('merged')]),
    mergedInto: Type.Union([Type.String(), Type.Null()]),
    seenBy: Type.Array(Type.String()),
    requestId: Type.Optional(Type.String()),
  }),
)

/**
 * A contact was erased for good. `traces` are the numbers and ids it went by, each as an HMAC of
 * the vault: enough to recognize them where they still stand, and nothing else. What happened after
 * `erasedAtMs` is somebody new's.
 */
export const ContactErased = defineEvent(
  'contact.erased',
  Type.Object({
    traces: Type.Array(Type.String()),
    erasedAtMs: Type.Integer(),
    requestId: Type.Optional(Type.String()),
  }),
)

/** Many contacts changed at once, none of which is announced alone. */
export const ContactsChangedInBulk = defineEvent(
  'contacts.changed_in_bulk',
  Type.Object({
    reason: Type.Union([
      Type.Literal('import'),
      Type.Literal('bulk_update'),
      Type.Literal('bulk_delete'),
    ]),
    jobId: Type.Union([Type.String(), Type.Null()]),
    created: Type.Integer(),
    updated: Type.Integer(),
    deleted: Type.Integer(),
  }),
)

import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../infra/outbox/events'

/** A contact was created. */
export const ContactCreated = defineEvent('contact.created', Type.Object({ contactId: Type.String() }))

/** Something about a contact changed: `changed` names the fields, `lostBy` the users who no longer see it. */
export const ContactChanged = defineEvent(
  'contact.changed',
  Type.Object({ contactId: Type.String(), changed: Type.Array(Type.String()), lostBy: Type.Array(Type.String()) }),
)

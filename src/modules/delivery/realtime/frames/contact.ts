import type { Static } from '@sinclair/typebox'

import type { LoggedEvent } from '../../../../infra/outbox/events'
import {
  ContactChanged,
  ContactCreated,
  ContactDeleted,
  ContactsChangedInBulk,
} from '../../../inbox/contacts/events'
import { findContact } from '../../../inbox/contacts/service'
import { contactView, displayNameOf, type ContactRow } from '../../../inbox/contacts/view'
import { sharedSight } from '../../../inbox/contacts/sight/visible-history'
import { MAX_PAYLOAD_BYTES_LENGTH, sizeOf } from './truncate'
import { frame, type FrameEntry, type FrameScope, type Payload } from './kind'
import { contactDetails } from '../../../inbox/contacts/load-views'

/** Bytes reserved in a contact's payload for the names of changed fields. */
const ROOM_FOR_CHANGES_BYTES = 512

/** Returns the contact, or `null` if it does not exist or is deleted. */
export function liveContact(scope: FrameScope, id: string): ContactRow | null {
  const row = findContact(scope, id)
  return row?.deletedAtMs === null ? row : null
}

/** Returns a contact as embedded in other payloads. */
export const contactSummary = (row: ContactRow, isMasked: boolean) => ({
  id: row.id,
  name: displayNameOf(row, isMasked),
  phone_number: isMasked
    ? contactView(row, { isMasked, assignee: null }).phone_number
    : row.phoneNumber,
  assigned_to: row.assignedTo,
})

/**
 * Returns the contact as `GET /api/contacts/{id}` shows it. Leaves out long parts if it is too
 * large for a frame.
 */
function contact(scope: FrameScope, contactId: string, isMasked: boolean): Payload {
  const row = liveContact(scope, contactId)
  if (!row) return null
  const details = contactDetails(scope, row, sharedSight(scope, isMasked))
  if (sizeOf(details) <= MAX_PAYLOAD_BYTES_LENGTH - ROOM_FOR_CHANGES_BYTES) return details
  return { ...details, metadata: {}, attributes: {}, identities: [], truncated: true }
}

/** Frames about contacts. */
export const contactFrames: FrameEntry[] = [
  frame(ContactCreated, {
    type: 'contact:new',
    resource: 'contacts',
    audience: 'sight',
    render: (scope, { contactId }, { isMasked }) => contact(scope, contactId, isMasked),
  }),
  frame(ContactChanged, {
    type: 'contact:updated',
    resource: 'contacts',
    audience: 'sight',
    render(scope, { contactId, changed }, { isMasked }) {
      const view = contact(scope, contactId, isMasked)
      return view && { ...view, changed, visible: true }
    },
  }),
  frame(ContactDeleted, {
    type: 'contact:deleted',
    resource: 'contacts',
    audience: 'sight',
    seenBy: ({ seenBy }) => seenBy,
    render: (_scope, { contactId, reason, mergedInto }) => ({
      id: contactId,
      reason,
      merged_into: mergedInto,
    }),
  }),
  frame(ContactsChangedInBulk, {
    type: 'contact:bulk',
    resource: 'contacts',
    audience: 'area',
    render: (_scope, { reason, jobId, created, updated, deleted }) => ({
      reason,
      job_id: jobId,
      created,
      updated,
      deleted,
    }),
  }),
]

/** Frame for users who can no longer see a contact: it contains only the loss. */
export function visibilityLossOf(
  event: LoggedEvent,
): { users: string[]; payload: Record<string, unknown> } | null {
  if (event.type !== ContactChanged.name) return null
  const { contactId, changed, lostBy } = event.payload as Static<typeof ContactChanged.payload>
  return lostBy.length === 0
    ? null
    : { users: lostBy, payload: { id: contactId, changed, visible: false } }
}

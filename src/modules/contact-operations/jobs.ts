import { Type, type Static } from '@sinclair/typebox'

import { job } from '../../infra/jobs/job'

const textOrNull = Type.Union([Type.String(), Type.Null()])

/** One change to many contacts, checked when it was requested. */
export const BulkChange = Type.Object({
  asker: Type.Object({ userId: textOrNull, apiKeyId: textOrNull }),
  /** The contacts, or `null` for those of the segment when the job runs. */
  contactIds: Type.Union([Type.Array(Type.String()), Type.Null()]),
  segmentId: textOrNull,
  action: Type.String(),
  tagIds: Type.Array(Type.String()),
  userId: textOrNull,
  attribute: Type.Union([Type.Object({ key: Type.String(), value: Type.Unknown() }), Type.Null()]),
  evidence: textOrNull,
})
export type BulkChange = Static<typeof BulkChange>

/** The event up to which a deletion removes events from the log. */
const UpTo = Type.Optional(Type.Integer())

/** Makes one change to many contacts. */
export const ChangeContacts = job('contact.bulk', BulkChange, { queue: 'default' })

/**
 * Removes the files of a deleted contact, a batch at a time, unless the contact was restored. Files
 * stay while the organization is on legal hold.
 */
export const EraseContactFiles = job(
  'contact.forget-files',
  Type.Object({ contactId: Type.String(), after: Type.String(), upTo: UpTo }),
  { queue: 'default' },
)

/** Erases all messages and records of a contact, a batch at a time. */
export const EraseContact = job(
  'contact.erase',
  Type.Object({
    contactId: Type.String(),
    requestId: Type.Optional(Type.String()),
    upTo: UpTo,
    /** Numbers and user IDs of the person as the vault marks them. */
    traces: Type.Optional(Type.Array(Type.String())),
    /** Where to continue among the stored idempotent responses; left out once all were checked. */
    after: Type.Optional(
      Type.Union([
        Type.Object({ caller: Type.String(), keyHash: Type.String(), route: Type.String() }),
        Type.Null(),
      ]),
    ),
  }),
  { queue: 'default' },
)

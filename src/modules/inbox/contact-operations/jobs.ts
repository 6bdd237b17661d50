import { Type, type Static } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'

const textOrNull = Type.Union([Type.String(), Type.Null()])

/** How far a change has come. */
const BulkProgress = Type.Object({
  /** The last contact that was looked at, and the number of changed ones. */
  after: Type.String(),
  done: Type.Integer(),
  /** Changed contacts that no event names yet. */
  unpublished: Type.Array(Type.String()),
  isOver: Type.Boolean(),
})
export type BulkProgress = Static<typeof BulkProgress>

/** One change to many contacts, checked when it was requested. */
export const BulkChange = Type.Object({
  asker: Type.Object({ userId: textOrNull, apiKeyId: textOrNull }),
  /** Contact IDs, or `null` for those that match when the job runs. */
  contactIds: Type.Union([Type.Array(Type.String()), Type.Null()]),
  segmentId: textOrNull,
  /** A filter as segments have it, and words; gone when the change is over. */
  filter: Type.Optional(Type.Unknown()),
  search: Type.Optional(Type.String()),
  action: Type.String(),
  tagIds: Type.Array(Type.String()),
  /** The new member and team; omitted ones stay as they are. */
  assignment: Type.Object({
    userId: Type.Optional(textOrNull),
    teamId: Type.Optional(textOrNull),
  }),
  attribute: Type.Union([Type.Object({ key: Type.String(), value: Type.Unknown() }), Type.Null()]),
  evidence: textOrNull,
  /** Where an interrupted run stopped. */
  progress: Type.Optional(BulkProgress),
})
export type BulkChange = Static<typeof BulkChange>

/** A deletion removes events up to this sequence number from the event log. */
const UpTo = Type.Optional(Type.Integer())

/** Makes one change to many contacts. */
export const ChangeContacts = job('contact.bulk', BulkChange, { queue: 'default' })

/**
 * Removes the files of a deleted contact, a batch at a time, unless the contact was restored. Files
 * stay while the organization is on legal hold.
 */
export const EraseContactFiles = job(
  'contact.erase-files',
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
    /** Keyed hashes of the person's numbers and user IDs. */
    traces: Type.Optional(Type.Array(Type.String())),
    /** Ids of what was deleted at once, such as saved views. */
    goneIds: Type.Optional(Type.Array(Type.String())),
    /** Position in the stored idempotent responses; omitted once all are checked. */
    after: Type.Optional(
      Type.Union([
        Type.Object({ caller: Type.String(), keyHash: Type.String(), route: Type.String() }),
        Type.Null(),
      ]),
    ),
  }),
  { queue: 'default' },
)

import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../../infra/outbox/events'
import { defineHook } from '../../../infra/transaction-hooks'

/** A contact was created. */
export const ContactCreated = defineEvent(
  'contact.created',
  Type.Object({ contactId: Type.String() }),
)

/** A contact changed. `changed` names the fields, `lostBy` the users who can no longer see it. */
export const ContactChanged = defineEvent(
  'contact.changed',
  Type.Object({
    contactId: Type.String(),
    changed: Type.Array(Type.String()),
    lostBy: Type.Array(Type.String()),
  }),
)

/**
 * A contact was deleted, erased or merged into another one. `seenBy` are the users who saw it by
 * assignment; `requestId` is the receipt of an erasure, which waits until every module has erased
 * its data.
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
 * A contact was erased. `traces` are its numbers and IDs, each as an HMAC by the vault: enough to
 * recognize remaining copies and nothing else. Data after `erasedAtMs` belongs to a new person.
 */
export const ContactErased = defineEvent(
  'contact.erased',
  Type.Object({
    traces: Type.Array(Type.String()),
    erasedAtMs: Type.Integer(),
    requestId: Type.Optional(Type.String()),
  }),
)

/** Why many contacts changed at once. */
const Reason = Type.Union([
  Type.Literal('import'),
  Type.Literal('bulk_update'),
  Type.Literal('bulk_delete'),
])

/** Many contacts changed at once, without an event for each. */
export const ContactsChangedInBulk = defineEvent(
  'contacts.changed_in_bulk',
  Type.Object({
    reason: Reason,
    jobId: Type.Union([Type.String(), Type.Null()]),
    created: Type.Integer(),
    updated: Type.Integer(),
    deleted: Type.Integer(),
  }),
)

/** Contacts of one batch of such a change, at most 500. Emitted with the change of the batch. */
export const ContactBatchChanged = defineEvent(
  'contacts.batch_changed',
  Type.Object({
    reason: Reason,
    jobId: Type.Union([Type.String(), Type.Null()]),
    created: Type.Integer(),
    updated: Type.Integer(),
    deleted: Type.Integer(),
    contactIds: Type.Array(Type.String(), { maxItems: 500 }),
  }),
)

/** A contact got or lost tags. `added` and `removed` are their IDs. */
export const ContactTagged = defineHook<{
  contactId: string
  added: string[]
  removed: string[]
}>('contacts.tagged')

/** A person who is being erased, and what goes with it. */
export interface PersonGone {
  /** The contact and those merged into it. */
  contactIds: string[]
  /**
   * Collects counts by place for the receipt, and ids of what was deleted, by which stored answers to
   * requests are found that show it.
   */
  gone: { counts: Record<string, number>; ids: string[] }
}

/**
 * A person is being erased, and the names and numbers are still known: what mentions them goes in the
 * same transaction.
 */
export const PersonErased = defineHook<PersonGone>('contacts.person-erased')

/**
 * A contact is being blocked, deleted or erased. What is under way with it ends, without a message.
 */
export const ContactClosed = defineHook<{
  contactId: string
  reason: 'blocked' | 'deleted' | 'erased'
}>('contacts.closed')

/**
 * A customer wrote an opt-out or opt-in word. The session that asks the customer something now says
 * so in `question`: whether a question is open, and whether it offers these words as an answer.
 */
export const ConsentWordSaid = defineHook<{
  contactId: string
  accountId: string
  text: string
  question: { isOpen: boolean; isOffered: boolean }
}>('contact.consent_word')

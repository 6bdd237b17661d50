import { Type } from '@sinclair/typebox'

import { defineHook } from '../../infra/transaction-hooks'
import { defineEvent } from '../../infra/outbox/events'

/**
 * Worked off once more long after it happened: it is shown like any other, and nothing may act on
 * it any more.
 */
const isLate = Type.Optional(Type.Boolean())

/**
 * Of which campaign it is, if it is of one: then only those hear of it who watch the contact or the
 * campaign.
 */
const campaignId = Type.Optional(Type.String())

/** A customer's message was stored. */
export const MessageReceived = defineEvent(
  'message.received',
  Type.Object({ messageId: Type.String(), contactId: Type.String(), isLate }),
)

/** What our business said by its phone app was stored. */
export const MessageEchoed = defineEvent(
  'message.echoed',
  Type.Object({ messageId: Type.String(), contactId: Type.String(), isLate }),
)

/** A message of ours was accepted into the outbox. */
export const MessageQueued = defineEvent(
  'message.queued',
  Type.Object({ messageId: Type.String(), contactId: Type.String(), campaignId }),
)

/**
 * The stored status of a message of ours moved. `timestampMs` is the platform's time where it told
 * one.
 */
export const MessageStatusChanged = defineEvent(
  'message.status_changed',
  Type.Object({
    messageId: Type.String(),
    contactId: Type.String(),
    status: Type.String(),
    previousStatus: Type.String(),
    timestampMs: Type.Integer(),
    campaignId,
  }),
)

/**
 * A stored message changed: its file became available or failed for good, it was edited or revoked,
 * or moved to another contact. `changed` names the fields.
 */
export const MessageUpdated = defineEvent(
  'message.updated',
  Type.Object({
    messageId: Type.String(),
    contactId: Type.String(),
    changed: Type.Array(Type.String()),
  }),
)

/**
 * A reaction to a message was set, or taken back (`emoji` is `null`), by the customer or by one of
 * us (`userId`).
 */
export const MessageReacted = defineEvent(
  'message.reacted',
  Type.Object({
    messageId: Type.String(),
    contactId: Type.String(),
    by: Type.Union([Type.Literal('contact'), Type.Literal('user')]),
    userId: Type.Union([Type.String(), Type.Null()]),
    emoji: Type.Union([Type.String(), Type.Null()]),
  }),
)

/** What is known of a message of ours changed: its state, its times, its price or its error. */
export const MessageMoved = defineHook<{ messageId: string; source: string; type: string }>(
  'message.moved',
)

/**
 * A customer wrote, and it is not of before the number was connected. `atMs` is the platform's
 * time.
 */
export const MessageArrived = defineHook<{ messageId: string; contactId: string; atMs: number }>(
  'message.arrived',
)

/** Two contacts were made one. */
export const ContactsMerged = defineHook<{ from: string; to: string }>('contacts.joined')

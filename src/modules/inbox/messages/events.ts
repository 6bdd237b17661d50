import { Type } from '@sinclair/typebox'

import { defineHook } from '../../../infra/transaction-hooks'
import { defineEvent } from '../../../infra/outbox/events'

/**
 * Set when a delivery is reprocessed much later: the message is shown, but nothing reacts to it.
 */
const isLate = Type.Optional(Type.Boolean())

/**
 * The campaign of the message. Only clients that watch the contact or the campaign are notified
 * then.
 */
const campaignId = Type.Optional(Type.String())

/** Set when someone else owns the thread: the message is shown, but nothing of ours reacts to it. */
const isObserved = Type.Optional(Type.Boolean())

/** A customer's message was stored. */
export const MessageReceived = defineEvent(
  'message.received',
  Type.Object({ messageId: Type.String(), contactId: Type.String(), isLate, isObserved }),
)

/** A message sent from the phone app, or by another owner of the thread, was stored. */
export const MessageEchoed = defineEvent(
  'message.echoed',
  Type.Object({ messageId: Type.String(), contactId: Type.String(), isLate, isObserved }),
)

/** An outgoing message was created. */
export const MessageQueued = defineEvent(
  'message.queued',
  Type.Object({ messageId: Type.String(), contactId: Type.String(), campaignId }),
)

/** The status of an outgoing message changed. `timestampMs` is the platform's time if known. */
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
 * A stored message changed: its file became available or failed, it was edited or deleted, or it
 * moved to another contact. `changed` names the fields.
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
 * A reaction to a message was set or removed (`emoji` is `null`), by the customer or a user
 * (`userId`).
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

/** The state, times, price or error of an outgoing message changed. */
export const MessageMoved = defineHook<{
  messageId: string
  source: string
  /** Whether it may reach a customer who has not written for 24 hours. */
  isBusinessInitiated: boolean
  /** Whether the platform has just accepted it. */
  isAccepted: boolean
}>('message.moved')

/** A message of a customer, as it arrives. */
export interface ArrivedMessage {
  messageId: string
  contactId: string
  accountId: string
  type: string
  content: Record<string, unknown>
  /** The platform's time. */
  atMs: number
  /**
   * Nothing may answer it: its contact is blocked, someone else owns the thread, or it is reprocessed
   * much later.
   */
  isQuiet: boolean
  /** It was a word to opt in or out, which is answered already. */
  isConsentWord: boolean
}

/** A customer wrote a message that is not part of the imported history. */
export const MessageArrived = defineHook<ArrivedMessage>('message.arrived')

/** A person wrote to a contact from the console or from the phone app. */
export const PersonWrote = defineHook<{
  messageId: string
  contactId: string
  accountId: string
  atMs: number
}>('message.person_wrote')

/**
 * Asks whether a message that the platform did not confirm may be repeated: a handler sets
 * `answer.isWanted`.
 */
export const RepeatAsked = defineHook<{
  messageId: string
  contactId: string
  accountId: string
  answer: { isWanted: boolean }
}>('message.repeat_asked')

/** A message that the platform did not confirm was repeated, with a new message. */
export const MessageRepeated = defineHook<{
  messageId: string
  repeatId: string
  contactId: string
  accountId: string
}>('message.repeated')

/** Nothing waits any longer for the outcome of a message to a contact. */
export const OutcomeSettled = defineHook<{ contactId: string; accountId: string }>(
  'message.outcome_settled',
)

/** Two contacts were merged. */
export const ContactsMerged = defineHook<{ from: string; to: string }>('contacts.merged')

/** A merge of two contacts was undone. */
export const ContactsSeparated = defineHook<{ from: string; to: string }>('contacts.separated')

import { Type } from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'
import { flagOf, isObject, listOf, objectOf, secondsToMs, textOf, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import { inferType, readContext, readFaults, readReferral } from './parts'
import type { Fault, MessageContext, Referral } from './parts'
import { completeSender, indexProfiles, profileFor, senderOf, userIdOf } from './sender'
import type { Profile, ProfileIndex, Sender } from './sender'

export { profileFor }
export type { Fault, MessageContext, Referral, Sender }

/**
 * The body of a webhook as documented (spec 6.1). The readers below take much more: unknown,
 * missing and odd members never fail.
 */
export const WebhookBody = Type.Object({
  object: Type.String({ description: 'whatsapp_business_account' }),
  entry: Type.Array(
    Type.Object({
      id: Type.String({ description: 'Business account the changes belong to' }),
      changes: Type.Array(
        Type.Object({
          field: Type.String({
            description: "Subscription the change belongs to, for example 'messages'",
          }),
          value: Type.Record(Type.String(), Type.Unknown(), {
            description:
              'metadata, contacts, messages and statuses for messages; other members for other fields',
          }),
        }),
      ),
    }),
  ),
})
export type WebhookBody = Static<typeof WebhookBody>

/** One change of a webhook body with where it stood in it and what routes it to a tenant. */
export interface ReadChange {
  entryIndex: number
  changeIndex: number
  /** `entry.id`, the business account. */
  businessId: string | null
  /** `entry.time` in epoch milliseconds. */
  entryTime: number | null
  field: string | null
  phoneNumberId: string | null
  value: unknown
}

/** An item that cannot be processed: why, in one word, and the item as it came. */
export interface BrokenItem {
  broken: 'not_an_object' | 'no_sender' | 'no_recipient' | 'no_id' | 'no_status' | 'no_value'
  raw: unknown
}

/**
 * A message a person sent to one of our numbers. At least one of `from`, `userId` and
 * `parentUserId` is known.
 */
export interface InboundMessage extends Sender {
  waMessageId: string | null
  timestampMs: number | null
  /** The platform's word, inferred from the members where it is missing. */
  type: string
  context: MessageContext | null
  referral: Referral | null
  groupId: string | null
  errors: Fault[]
  profileName: string | null
  username: string | null
  raw: JsonObject
}

/** What the platform charges for a message; its words are open. */
export interface Pricing {
  category: string | null
  type: string | null
  billable: boolean | null
  pricingModel: string | null
}

/** A report on a message we sent. */
export interface InboundStatus {
  waMessageId: string
  /** The platform's word: sent, delivered, read, played, failed or any other. */
  status: string
  timestampMs: number | null
  /** Phone number in digits, or the group's id. */
  recipientId: string | null
  recipientUserId: string | null
  /** The group member the report is about (phone digits, else user id). */
  participant: string | null
  /** What we gave along with the message; our message id. */
  callbackData: string | null
  errors: Fault[]
  pricing: Pricing | null
  raw: JsonObject
}

/** Changes of a body looked at in one go; the platform batches up to 1 000 updates. */
export const MAX_CHANGES = 2000

/**
 * Whether nothing in the value is nested deeper than `depth` levels of objects and arrays. Never
 * looks deeper than that itself.
 */
export function depthWithin(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (depth <= 0) return false
  return Object.values(value).every((member) => depthWithin(member, depth - 1))
}

/**
 * The changes of a webhook body, every entry and every change (spec 6.1), from the one at `from` on
 * and `most` of them. Never throws: what is no body has no changes, and a change that is no object
 * is one without field whose value is the odd thing itself. Looks only at the outermost members, so
 * the work is bounded however deep the body is.
 */
export function readChanges(
  body: unknown,
  { from = 0, most = MAX_CHANGES }: { from?: number; most?: number } = {},
): ReadChange[] {
  const found: ReadChange[] = []
  let passed = 0
  for (const [entryIndex, entry] of listOf(objectOf(body).entry).entries()) {
    const { id, time, changes } = objectOf(entry)
    for (const [changeIndex, change] of listOf(changes).entries()) {
      passed += 1
      if (passed <= from) continue
      if (found.length >= most) return found
      found.push({
        entryIndex,
        changeIndex,
        businessId: wordOf(id),
        entryTime: secondsToMs(time),
        ...readChange(change),
      })
    }
  }
  return found
}

function readChange(change: unknown): Pick<ReadChange, 'field' | 'phoneNumberId' | 'value'> {
  if (!isObject(change)) return { field: null, phoneNumberId: null, value: change }
  const value = objectOf(change.value)
  const isAboutMessages = [value.messages, value.statuses, value.errors].some(Array.isArray)
  return {
    field: wordOf(change.field) ?? (isAboutMessages ? 'messages' : null),
    phoneNumberId: numberIdOf(change, value),
    value: change.value,
  }
}

/**
 * The number a change names. `metadata` stands in the value, of some changes beside it or in the
 * elements.
 */
function numberIdOf(change: JsonObject, value: JsonObject): string | null {
  return (
    phoneNumberIdIn(value) ??
    phoneNumberIdIn(change) ??
    elementsOf(value)
      .map(phoneNumberIdIn)
      .find((id) => id !== null) ??
    null
  )
}

const elementsOf = (value: unknown): JsonObject[] =>
  listOf(objectOf(value).user_preferences).map(objectOf)

/** The number that the metadata in an object names; `null` without one. */
export const phoneNumberIdIn = (value: JsonObject): string | null =>
  wordOf(objectOf(value.metadata).phone_number_id)

/**
 * Every number a change names, each once: that of the change, and of wishes about marketing those
 * the elements name.
 */
export const phoneNumberIdsIn = ({
  phoneNumberId,
  value,
}: Pick<ReadChange, 'phoneNumberId' | 'value'>): string[] => [
  ...new Set(
    [phoneNumberId, ...elementsOf(value).map(phoneNumberIdIn)].filter((id) => id !== null),
  ),
]

/**
 * The messages of a change's value, in order; one item per element, broken ones among them. Numbers
 * are taken for texts, the type is inferred where it is missing, and a user id in place of a phone
 * number is known by its form (platform documentation).
 */
export function readMessages(value: unknown): Array<InboundMessage | BrokenItem> {
  const profileOf = indexProfiles(value)
  return listOf(objectOf(value).messages).map((item) =>
    isObject(item) ? readMessage(item, profileOf) : { broken: 'not_an_object', raw: item },
  )
}

function readMessage(item: JsonObject, profileOf: ProfileIndex): InboundMessage | BrokenItem {
  const profile = profileOf(senderOf(item))
  const sender = completeSender(senderOf(item), profile)
  return sender === null ? { broken: 'no_sender', raw: item } : readItem(item, sender, profile)
}

/** An item of whatever list of messages, of which the customer is known. */
export function readItem(
  item: JsonObject,
  sender: Sender,
  profile: Profile | null,
): InboundMessage {
  return {
    waMessageId: wordOf(item.id),
    ...sender,
    timestampMs: secondsToMs(item.timestamp),
    type: wordOf(item.type) ?? inferType(item),
    context: readContext(item.context),
    referral: readReferral(item.referral),
    groupId: wordOf(item.group_id),
    errors: readFaults(item.errors),
    profileName: profile?.name ?? null,
    username: profile?.username ?? null,
    raw: item,
  }
}

/**
 * The reports on sent messages of a change's value, in order; one item per element, broken ones
 * among them. Words stay open.
 */
export function readStatuses(value: unknown): Array<InboundStatus | BrokenItem> {
  return listOf(objectOf(value).statuses).map(readStatus)
}

function readStatus(item: unknown): InboundStatus | BrokenItem {
  if (!isObject(item)) return { broken: 'not_an_object', raw: item }
  const waMessageId = wordOf(item.id)
  if (waMessageId === null) return { broken: 'no_id', raw: item }
  const status = wordOf(item.status)
  if (status === null) return { broken: 'no_status', raw: item }
  const misplacedUserId = userIdOf(item.recipient_id)
  return {
    waMessageId,
    status,
    timestampMs: secondsToMs(item.timestamp),
    recipientId: misplacedUserId === null ? wordOf(item.recipient_id) : null,
    recipientUserId: userIdOf(item.recipient_user_id) ?? misplacedUserId,
    participant:
      wordOf(item.recipient_participant_id) ?? wordOf(item.recipient_participant_user_id),
    callbackData: textOf(item.biz_opaque_callback_data),
    errors: readFaults(item.errors),
    pricing: readPricing(item.pricing),
    raw: item,
  }
}

function readPricing(pricing: unknown): Pricing | null {
  if (!isObject(pricing)) return null
  return {
    category: wordOf(pricing.category),
    type: wordOf(pricing.type),
    billable:
      pricing.billable === undefined || pricing.billable === null ? null : flagOf(pricing.billable),
    pricingModel: wordOf(pricing.pricing_model),
  }
}

/** The errors of a change's value that belong to the number as a whole, not to a message. */
export function readValueErrors(value: unknown): Fault[] {
  return readFaults(objectOf(value).errors)
}

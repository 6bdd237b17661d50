import { isObject, listOf, objectOf, secondsToMs, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import { inferType, readContext, readFaults, readReferral } from './parts'
import type { Fault, MessageContext, Referral } from './parts'
import { completeSender, indexProfiles, onlyProfile, senderOf } from './sender'
import type { Profile, WebhookSender } from './sender'
import { type BrokenItem } from './body'

/**
 * A message from a person to one of the phone numbers. At least one of `from`, `userId` and
 * `parentUserId` is set.
 */
export interface InboundMessage extends WebhookSender {
  waMessageId: string | null
  timestampMs: number | null
  /** The platform's message type, inferred from the members if missing. */
  type: string
  context: MessageContext | null
  referral: Referral | null
  groupId: string | null
  errors: Fault[]
  profileName: string | null
  username: string | null
  raw: JsonObject
}

/**
 * Reads the messages of a change, in order, one result per element. Malformed elements become
 * broken items. Accepts numbers for texts, infers a missing type, and recognizes a user ID in a
 * phone number field by its format (platform documentation). The only profile beside a single system
 * message is that of its person, who may have no other ID in common with it.
 */
export function readMessages(value: unknown): Array<InboundMessage | BrokenItem> {
  const profileOf = indexProfiles(value)
  const items = listOf(objectOf(value).messages)
  return items.map((item) => {
    if (!isObject(item)) return { broken: 'not_an_object', raw: item }
    const sender = senderOf(item)
    const isAlone = isObject(item.system) && items.length === 1
    return readMessage(item, sender, profileOf(sender) ?? (isAlone ? onlyProfile(value) : null))
  })
}

function readMessage(
  item: JsonObject,
  named: WebhookSender,
  profile: Profile | null,
): InboundMessage | BrokenItem {
  const sender = completeSender(named, profile)
  return sender === null ? { broken: 'no_sender', raw: item } : readItem(item, sender, profile)
}

/** Reads a message whose customer is already known. */
export function readItem(
  item: JsonObject,
  sender: WebhookSender,
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

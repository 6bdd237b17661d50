import { isObject, listOf, objectOf, textOf, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import type { BrokenItem } from './body'
import type { InboundMessage } from './messages'
import {
  completeSender,
  phoneDigitsOf,
  readSender,
  senderOf,
  userIdOf,
  type WebhookSender,
} from './sender'

/** The type of a system message that holds what the former owner of a thread says about it. */
export const CONTEXT_TYPE = 'conversation_context'

const SYSTEM_EVENTS: Readonly<Record<string, SystemChange['event']>> = {
  user_changed_number: 'number_changed',
  customer_changed_number: 'number_changed',
  user_changed_user_id: 'user_id_changed',
  customer_identity_changed: 'identity_changed',
  user_identity_changed: 'identity_changed',
  [CONTEXT_TYPE]: 'handover',
}

/** A change of a person's identity, reported by a system message. */
export interface SystemChange {
  event: 'number_changed' | 'user_id_changed' | 'identity_changed' | 'handover' | 'other'
  /** The IDs by which the message names the person: the former ones, if it tells them. */
  formerUserId: string | null
  formerParentUserId: string | null
  /** New phone digits. Also sent with a new user ID. */
  newPhone: string | null
  newUserId: string | null
  newParentUserId: string | null
  identityHash: string | null
}

/** Returns the identity change of a system message, or `null` for any other message. */
export function systemChangeOf({
  type,
  raw,
}: Pick<InboundMessage, 'type' | 'raw'>): SystemChange | null {
  if (type !== 'system') return null
  const system = objectOf(raw.system)
  const identity = isObject(raw.identity) ? raw.identity : objectOf(system.identity)
  const word =
    wordOf(system.type) ?? (wordOf(identity.hash) === null ? '' : 'customer_identity_changed')
  const former = senderOf(raw)
  return {
    event: Object.hasOwn(SYSTEM_EVENTS, word) ? (SYSTEM_EVENTS[word] ?? 'other') : 'other',
    formerUserId: former.userId,
    formerParentUserId: former.parentUserId,
    newPhone: phoneDigitsOf(system.wa_id) ?? phoneDigitsOf(system.new_wa_id),
    newUserId: userIdOf(system.user_id) ?? userIdOf(system.wa_id),
    newParentUserId: userIdOf(system.parent_user_id),
    identityHash: wordOf(identity.hash),
  }
}

/** A new business-scoped user ID of a person. The platform keeps the previous one for a while. */
export interface UserIdUpdate {
  /** IDs that find the contact: the phone number and the previous user IDs. */
  sender: WebhookSender
  userId: string | null
  parentUserId: string | null
}

/**
 * Reads the user ID updates of a change, one result per element, or the only one if the value is no
 * list. Malformed elements become broken items.
 */
export function readUserIdUpdates(value: unknown): Array<UserIdUpdate | BrokenItem> {
  const updates = objectOf(value).user_id_update
  return (isObject(updates) ? [updates] : listOf(updates)).map((item) => {
    if (!isObject(item)) return { broken: 'not_an_object', raw: item }
    const user = isObject(item.user_id) ? item.user_id : { current: item.user_id }
    const parent = isObject(item.parent_user_id) ? item.parent_user_id : {}
    const userId = userIdOf(user.current) ?? userIdOf(item.new_user_id)
    const parentUserId = userIdOf(parent.current)
    if (userId === null && parentUserId === null) return { broken: 'no_value', raw: item }
    const sender = readSender(item.wa_id, user.previous ?? item.old_user_id, parent.previous)
    return completeSender(sender, null) === null
      ? { broken: 'no_sender', raw: item }
      : { sender, userId, parentUserId }
  })
}

/** Converts a system message to its content: the event with old and new value. */
export function readSystem(message: InboundMessage): JsonObject {
  const change = systemChangeOf(message)
  const system = objectOf(message.raw.system)
  const text = textOf(system.body)
  switch (change?.event) {
    case 'number_changed':
      return { event: change.event, text, ...oldAndNew(message.from, change.newPhone) }
    case 'user_id_changed':
      return { event: change.event, text, ...oldAndNew(message.userId, change.newUserId) }
    case 'identity_changed':
      return { event: change.event, text, ...oldAndNew(null, change.identityHash) }
    case 'handover':
      return { event: change.event, text, old: wordOf(system.old), new: wordOf(system.new) }
    default:
      return { event: 'other', text, ...oldAndNew(null, null) }
  }
}

/** A message whose sender is named by the new ID only does not tell the old one. */
const oldAndNew = (before: string | null, after: string | null) => ({
  old: before === after ? null : before,
  new: after,
})

import { isObject, objectOf, textOf, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import type { InboundMessage } from './messages'
import { phoneDigitsOf, userIdOf } from './sender'

const SYSTEM_EVENTS: Readonly<Record<string, SystemChange['event']>> = {
  user_changed_number: 'number_changed',
  customer_changed_number: 'number_changed',
  user_changed_user_id: 'user_id_changed',
  customer_identity_changed: 'identity_changed',
  user_identity_changed: 'identity_changed',
}

/** A change of a person's identity, reported by a system message. */
export interface SystemChange {
  event: 'number_changed' | 'user_id_changed' | 'identity_changed' | 'other'
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
  return {
    event: Object.hasOwn(SYSTEM_EVENTS, word) ? (SYSTEM_EVENTS[word] ?? 'other') : 'other',
    newPhone: phoneDigitsOf(system.wa_id) ?? phoneDigitsOf(system.new_wa_id),
    newUserId: userIdOf(system.user_id) ?? userIdOf(system.wa_id),
    newParentUserId: userIdOf(system.parent_user_id),
    identityHash: wordOf(identity.hash),
  }
}

/** Converts a system message to its content: the event with old and new value. */
export function readSystem(message: InboundMessage): JsonObject {
  const change = systemChangeOf(message)
  const text = textOf(objectOf(message.raw.system).body)
  switch (change?.event) {
    case 'number_changed':
      return { event: change.event, text, old: message.from, new: change.newPhone }
    case 'user_id_changed':
      return { event: change.event, text, old: message.userId, new: change.newUserId }
    case 'identity_changed':
      return { event: change.event, text, old: null, new: change.identityHash }
    default:
      return { event: 'other', text, old: null, new: null }
  }
}

import { isObject, objectOf, wordOf } from '../lenient-json'
import type { InboundMessage } from './body'
import { inferType, readFaults } from './parts'

/** A reaction to a message, as the platform tells it; without emoji it was taken back. */
export interface ReadReaction {
  /** The platform's id of the message reacted to. */
  targetId: string
  emoji: string | null
}

/** An edit or a revoke of a message, as the platform tells it. */
export interface ReadRevision {
  kind: 'edit' | 'revoke'
  /** The platform's id of the message changed. */
  targetId: string
  /** What an edited message says now; `null` of a revoke. */
  now: InboundMessage | null
}

/**
 * The reaction an item is; `null` for every other item and for one that names no message. Never
 * throws.
 */
export function reactionOf({ type, raw }: InboundMessage): ReadReaction | null {
  if (type !== 'reaction') return null
  const { message_id, emoji } = objectOf(raw.reaction)
  const targetId = wordOf(message_id)
  return targetId === null ? null : { targetId, emoji: wordOf(emoji) }
}

/**
 * The edit or revoke an item is; `null` for every other item and for one that lacks what it needs.
 * Never throws.
 */
export function revisionOf(message: InboundMessage): ReadRevision | null {
  if (message.type !== 'edit' && message.type !== 'revoke') return null
  const told = objectOf(message.raw[message.type])
  const targetId = wordOf(told.original_message_id) ?? wordOf(told.message_id)
  if (targetId === null) return null
  if (message.type === 'revoke') return { kind: 'revoke', targetId, now: null }
  const inner = told.message
  if (!isObject(inner)) return null
  const type = wordOf(inner.type) ?? inferType(inner)
  return {
    kind: 'edit',
    targetId,
    now: { ...message, type, errors: [...message.errors, ...readFaults(inner.errors)], raw: inner },
  }
}

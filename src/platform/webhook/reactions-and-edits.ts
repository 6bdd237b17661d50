import { isObject, objectOf, wordOf } from '../lenient-json'
import type { InboundMessage } from './messages'
import { inferType, readFaults } from './parts'

/** A reaction to a message. Without an emoji the reaction was removed. */
export interface ReadReaction {
  /** Platform ID of the message reacted to. */
  targetId: string
  emoji: string | null
}

/** An edit or deletion ("revoke") of a message. */
export interface ReadRevision {
  kind: 'edit' | 'revoke'
  /** Platform ID of the changed message. */
  targetId: string
  /** The edited message; `null` if it was deleted. */
  now: InboundMessage | null
}

/** Reads a reaction. Returns `null` for other items and without a target message. Never throws. */
export function reactionOf({ type, raw }: InboundMessage): ReadReaction | null {
  if (type !== 'reaction') return null
  const { message_id, emoji } = objectOf(raw.reaction)
  const targetId = wordOf(message_id)
  return targetId === null ? null : { targetId, emoji: wordOf(emoji) }
}

/**
 * Reads an edit or a deletion. Returns `null` for other items and for incomplete ones. Never
 * throws.
 */
export function revisionOf(message: InboundMessage): ReadRevision | null {
  if (message.type !== 'edit' && message.type !== 'revoke') return null
  const revision = objectOf(message.raw[message.type])
  const targetId = wordOf(revision.original_message_id) ?? wordOf(revision.message_id)
  if (targetId === null) return null
  if (message.type === 'revoke') return { kind: 'revoke', targetId, now: null }
  const edited = revision.message
  if (!isObject(edited)) return null
  const type = wordOf(edited.type) ?? inferType(edited)
  return {
    kind: 'edit',
    targetId,
    now: {
      ...message,
      type,
      errors: [...message.errors, ...readFaults(edited.errors)],
      raw: edited,
    },
  }
}

import { and, eq } from 'drizzle-orm'
import { isUuid } from '../../../../lib/ids'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { type Tx } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import type { InboundStatus } from '../../../../platform/webhook/statuses'
import { MessageReacted } from '../events'
import { REACTION_KEY } from '../rules'
import { messages } from '../table'
import { messageReactions } from './table'
import { type MessageRow } from '../view'

type ReactionRow = typeof messageReactions.$inferSelect

/** The reaction before our latest change, kept until the platform has confirmed the change. */
export interface PendingChange {
  /** ID of the change. */
  change: string
  emoji: string | null
  userId: string | null
  timestampMs: number
  /** The call was started: it is not repeated after a crash. */
  isCalled: boolean
  /** The platform accepted it; a later status may still report a failure. */
  isAccepted: boolean
}

/** Condition that finds our reaction to a message. */
const ownReaction = (ctx: Ctx, row: MessageRow) =>
  inOrganization(
    ctx,
    messageReactions,
    and(
      eq(messageReactions.accountId, row.accountId),
      eq(messageReactions.targetWaMessageId, row.waMessageId ?? ''),
      eq(messageReactions.reactor, 'user'),
      eq(messageReactions.participant, ''),
    ),
  )

/** Returns our current reaction to a message. */
export const ourReactionIn = (tx: Tx, ctx: Ctx, row: MessageRow): ReactionRow | undefined =>
  tx.select().from(messageReactions).where(ownReaction(ctx, row)).get()

/** Returns the unconfirmed change of a reaction, or `null`. */
export const pendingChangeOf = (reaction: ReactionRow | undefined): PendingChange | null =>
  reaction?.former == null ? null : (JSON.parse(reaction.former) as PendingChange)

/** Publishes that one of our reactions was set or removed. */
export function publishReactionIn(
  tx: Tx,
  ctx: Ctx,
  row: MessageRow,
  reaction: { emoji: string | null; userId: string | null },
): void {
  emit(tx, ctx, MessageReacted, {
    contactId: row.contactId,
    payload: { messageId: row.id, contactId: row.contactId, by: 'user', ...reaction },
  })
}

/** Updates the unconfirmed change of our reaction, in the caller's transaction. */
export function updateOwnReactionIn(
  tx: Tx,
  ctx: Ctx,
  row: MessageRow,
  set: { former: PendingChange | null; waMessageId?: string },
): void {
  tx.update(messageReactions)
    .set({ ...set, former: set.former && JSON.stringify(set.former) })
    .where(ownReaction(ctx, row))
    .run()
}

/** Restores the previous reaction if the customer never got the new one, and publishes it. */
export function restoreReactionIn(tx: Tx, ctx: Ctx, row: MessageRow, former: PendingChange): void {
  const { emoji, userId } = former
  tx.update(messageReactions)
    .set({ emoji, userId, waMessageId: null, former: null })
    .where(ownReaction(ctx, row))
    .run()
  publishReactionIn(tx, ctx, row, { emoji, userId })
}

/**
 * Applies a platform status to our reaction: a failed one is removed. Returns whether the message
 * exists.
 */
export function applyReactionStatusIn(
  tx: Tx,
  ctx: Ctx,
  accountId: string,
  status: InboundStatus,
): boolean {
  const id = status.callbackData?.slice(REACTION_KEY.length) ?? ''
  const row = isUuid(id)
    ? tx
        .select()
        .from(messages)
        .where(
          inOrganization(
            ctx,
            messages,
            and(eq(messages.id, id), eq(messages.accountId, accountId)),
          ),
        )
        .get()
    : undefined
  if (!row) return false
  const reaction = ourReactionIn(tx, ctx, row)
  const former = pendingChangeOf(reaction)
  const isThisOne =
    former !== null &&
    (former.isAccepted ? reaction?.waMessageId === status.waMessageId : former.isCalled)
  if (isThisOne && status.status === 'failed') restoreReactionIn(tx, ctx, row, former)
  return true
}

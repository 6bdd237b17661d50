import { and, eq } from 'drizzle-orm'
import { isUuid } from '../../../lib/ids'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { type Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import type { InboundStatus } from '../../../platform/webhook/body'
import { MessageReacted } from '../events'
import { REACTION_KEY } from '../rules'
import { messages } from '../table'
import { messageReactions } from './table'
import { type MessageRow } from '../view'

type ReactionRow = typeof messageReactions.$inferSelect

/** What was there before a reaction of ours, until the platform has settled it. */
export interface PendingChange {
  /** Tells one change from the next. */
  change: string
  emoji: string | null
  userId: string | null
  timestampMs: number
  /** The call was about to be made: it is not repeated after a crash. */
  isCalled: boolean
  /** The platform took it; a later status may still say that it failed. */
  isAccepted: boolean
}

/** The condition that finds our reaction to a message. */
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

/** Our reaction to a message, as it stands. */
export const ourReactionIn = (tx: Tx, ctx: Ctx, row: MessageRow): ReactionRow | undefined =>
  tx.select().from(messageReactions).where(ownReaction(ctx, row)).get()

/** What the reaction's row keeps of the one before; `null` when nothing is unsettled. */
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

/** Changes what is kept of a reaction that is on its way, in the caller's transaction. */
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

/** Brings back what was there before a reaction that the customer never got, and tells so. */
export function restoreReactionIn(tx: Tx, ctx: Ctx, row: MessageRow, former: PendingChange): void {
  const { emoji, userId } = former
  tx.update(messageReactions)
    .set({ emoji, userId, waMessageId: null, former: null })
    .where(ownReaction(ctx, row))
    .run()
  publishReactionIn(tx, ctx, row, { emoji, userId })
}

/**
 * Follows what the platform reports on a reaction of ours: one that failed after all is taken back.
 * Returns whether there is such a message.
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

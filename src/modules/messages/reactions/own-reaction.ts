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
export interface Former {
  /** Tells one change from the next. */
  change: string
  emoji: string | null
  userId: string | null
  timestampMs: number
  /** The call was about to be made: it is not repeated after a crash. */
  isCalled: boolean
  /** The platform took it; a later status may still say that it failed. */
  isTaken: boolean
}

/** The condition that finds our reaction to a message. */
const ours = (ctx: Ctx, row: MessageRow) =>
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
  tx.select().from(messageReactions).where(ours(ctx, row)).get()

/** What the reaction's row keeps of the one before; `null` when nothing is unsettled. */
export const formerOf = (reaction: ReactionRow | undefined): Former | null =>
  reaction?.former == null ? null : (JSON.parse(reaction.former) as Former)

/** Publishes that one of our reactions was set or removed. */
export function announceIn(
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
export function noteReactionIn(
  tx: Tx,
  ctx: Ctx,
  row: MessageRow,
  set: { former: Former | null; waMessageId?: string },
): void {
  tx.update(messageReactions)
    .set({ ...set, former: set.former && JSON.stringify(set.former) })
    .where(ours(ctx, row))
    .run()
}

/** Brings back what was there before a reaction that the customer never got, and tells so. */
export function restoreReactionIn(tx: Tx, ctx: Ctx, row: MessageRow, former: Former): void {
  const { emoji, userId } = former
  tx.update(messageReactions)
    .set({ emoji, userId, waMessageId: null, former: null })
    .where(ours(ctx, row))
    .run()
  announceIn(tx, ctx, row, { emoji, userId })
}

/**
 * Follows what the platform reports on a reaction of ours: one that failed after all is taken back.
 * Returns whether there is such a message.
 */
export function noteReactionStatusIn(
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
  const former = formerOf(reaction)
  const isThisOne =
    former !== null &&
    (former.isTaken ? reaction?.waMessageId === status.waMessageId : former.isCalled)
  if (isThisOne && status.status === 'failed') restoreReactionIn(tx, ctx, row, former)
  return true
}

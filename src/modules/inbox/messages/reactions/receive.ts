import { and, eq, isNull, or, sql, type SQL } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, atMost, place } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import type { ReadReaction } from '../../../../platform/webhook/reactions-and-edits'
import { recordContactActivityIn } from '../../contacts/activity/record-activity'
import type { ContactRow } from '../../contacts/view'
import { changeConversationIn } from '../../conversations/update'
import { findOrOpenConversationIn } from '../../conversations/service'
import { MessageReacted } from '../events'
import { findByPlatformId, keyOf, type InboundItem, type Receipt } from '../inbound/item'
import { contactOfItemIn } from '../inbound/contact'
import { plausibleTime } from '../rules'
import { messageReactions } from './table'
import type { MessageRow } from '../view'

type ReactionRow = typeof messageReactions.$inferSelect

/**
 * Stores a set or removed reaction, in the caller's transaction (inbound contract 7). The latest
 * platform time per person wins. A customer's reaction opens the window unless it is in a group. It
 * waits if its message is unknown.
 */
export function receiveReactionIn(
  tx: Tx,
  ctx: Ctx,
  item: InboundItem,
  reaction: ReadReaction,
): Receipt {
  const { account, message, receivedAtMs } = item
  const isFromContact = item.direction === 'incoming'
  const timestampMs = plausibleTime(message.timestampMs, receivedAtMs)
  const isActivity = isFromContact && !item.isPast
  const contact = contactOfItemIn(tx, ctx, item, isActivity ? timestampMs : null)
  const target = findByPlatformId(ctx, account.id, reaction.targetId)
  const row = {
    organizationId: ctx.organizationId,
    accountId: account.id,
    targetWaMessageId: reaction.targetId,
    reactor: isFromContact ? ('contact' as const) : ('user' as const),
    participant:
      isFromContact && message.groupId !== null
        ? (message.from ?? message.userId ?? message.parentUserId ?? '')
        : '',
    messageId: target?.id ?? null,
    contactId: contact.id,
    userId: null,
    emoji: reaction.emoji,
    waMessageId: keyOf(message),
    timestampMs,
    receivedAtMs,
    former: null,
  }
  const before = reactionAt(tx, ctx, row)
  if (isActivity && message.groupId === null)
    openWindowIn(tx, ctx, contact, { accountId: account.id, atMs: timestampMs })
  if (!replaceIn(tx, row)) return { outcome: 'duplicate' }
  if (!target) return { outcome: 'parked' }
  if (!item.isPast && (before?.emoji ?? null) !== row.emoji) publishReaction(tx, ctx, row, target)
  return { outcome: 'applied' }
}

const sameReaction = (
  ctx: Ctx,
  row: Pick<ReactionRow, 'accountId' | 'targetWaMessageId' | 'reactor' | 'participant'>,
): SQL =>
  inOrganization(
    ctx,
    messageReactions,
    and(
      eq(messageReactions.accountId, row.accountId),
      eq(messageReactions.targetWaMessageId, row.targetWaMessageId),
      eq(messageReactions.reactor, row.reactor),
      eq(messageReactions.participant, row.participant),
    ),
  )

const reactionAt = (tx: Tx, ctx: Ctx, row: ReactionRow): ReactionRow | undefined =>
  tx.select().from(messageReactions).where(sameReaction(ctx, row)).get()

/**
 * Stores the reaction unless a later one is stored. Equal times are decided by the greater ID, so
 * that their order does not matter.
 */
function replaceIn(tx: Tx, row: ReactionRow): boolean {
  const { organizationId, accountId, targetWaMessageId, reactor, participant, ...set } = row
  const isLater = or(
    sql`${messageReactions.timestampMs} < ${row.timestampMs}`,
    and(
      eq(messageReactions.timestampMs, row.timestampMs),
      sql`coalesce(${messageReactions.waMessageId}, '') < ${row.waMessageId}`,
    ),
  )
  const written = tx
    .insert(messageReactions)
    .values({ organizationId, accountId, targetWaMessageId, reactor, participant, ...set })
    .onConflictDoUpdate({
      target: [
        messageReactions.organizationId,
        messageReactions.accountId,
        messageReactions.targetWaMessageId,
        messageReactions.reactor,
        messageReactions.participant,
      ],
      set,
      ...(isLater ? { setWhere: isLater } : {}),
    })
    .returning({ reactor: messageReactions.reactor })
    .all()
  return written.length > 0
}

/** Opens the 24-hour window of a contact that reacted. */
function openWindowIn(
  tx: Tx,
  ctx: Ctx,
  contact: ContactRow,
  { accountId, atMs }: { accountId: string; atMs: number },
): void {
  const assignedTo = contact.blockedAtMs === null ? contact.assignedTo : null
  const conversation = findOrOpenConversationIn(tx, ctx, {
    contactId: contact.id,
    accountId,
    assignedTo,
  })
  if ((conversation.lastInboundAtMs ?? 0) < atMs)
    changeConversationIn(tx, ctx, conversation, { lastInboundAtMs: atMs })
  recordContactActivityIn(tx, ctx, { contactId: contact.id, atMs })
}

const hasPending = compiled((orm) =>
  orm
    .select({ reactor: messageReactions.reactor })
    .from(messageReactions)
    .where(
      inOrganization(
        anyScope,
        messageReactions,
        and(
          eq(messageReactions.accountId, place(messageReactions.accountId, 'accountId')),
          eq(
            messageReactions.targetWaMessageId,
            place(messageReactions.targetWaMessageId, 'waMessageId'),
          ),
        ),
      ),
    )
    .limit(atMost(1))
    .prepare(),
)

const linkPending = compiled((orm) =>
  orm
    .update(messageReactions)
    .set({ messageId: place(messageReactions.messageId, 'messageId') })
    .where(
      inOrganization(
        anyScope,
        messageReactions,
        and(
          eq(messageReactions.accountId, place(messageReactions.accountId, 'accountId')),
          eq(
            messageReactions.targetWaMessageId,
            place(messageReactions.targetWaMessageId, 'waMessageId'),
          ),
          isNull(messageReactions.messageId),
        ),
      ),
    )
    .returning()
    .prepare(),
)

/**
 * Links reactions that arrived before their message and publishes them, in the transaction that
 * stores the message.
 */
export function linkPendingReactionsIn(
  tx: Tx,
  ctx: Ctx,
  row: MessageRow,
  how: { isQuiet: boolean },
): void {
  if (row.waMessageId === null) return
  const { id: messageId, accountId, waMessageId } = row
  // There is nearly always none, and the check costs a fraction of an update that finds nothing.
  if (!hasPending(ctx.db).get({ organizationId: ctx.organizationId, accountId, waMessageId }))
    return
  const linked = linkPending(ctx.db).all({
    organizationId: ctx.organizationId,
    messageId,
    accountId,
    waMessageId,
  })
  for (const reaction of how.isQuiet ? [] : linked)
    if (reaction.emoji !== null) publishReaction(tx, ctx, reaction, row)
}

/** Publishes that a reaction was set or removed. */
function publishReaction(
  tx: Tx,
  ctx: Ctx,
  { reactor, userId, emoji }: ReactionRow,
  to: MessageRow,
): void {
  emit(tx, ctx, MessageReacted, {
    contactId: to.contactId,
    payload: { messageId: to.id, contactId: to.contactId, by: reactor, userId, emoji },
  })
}

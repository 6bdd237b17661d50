import { and, eq, isNull, or, sql, type SQL } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import type { Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import type { ReadReaction } from '../../../platform/webhook/reactions-and-edits'
import { recordContactActivityIn } from '../../contacts/record-activity'
import type { ContactRow } from '../../contacts/view'
import { changeConversationIn } from '../../conversations/update'
import { findOrOpenConversationIn } from '../../conversations/service'
import { MessageReacted } from '../events'
import { findByPlatformId, keyOf, type InboundItem, type Receipt } from '../inbound/item'
import { contactOfItemIn } from '../inbound/contact'
import { plausibleTime } from '../rules'
import { messageReactions } from './table'
import type { MessageRow } from '../view'
import { atMost, place } from '../../../infra/db/place'

type ReactionRow = typeof messageReactions.$inferSelect

/**
 * Writes a reaction, or that one was taken back, in the caller's transaction (inbound contract 7):
 * of each who reacted the one with the later platform time counts. A customer's opens the window,
 * unless it was set in a group, and asks for no answer. While its message is not known it waits.
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
 * Writes the reaction unless a later one stands there; of two at the same time the greater id
 * counts, so that their order does not matter.
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

/** Opens the 24-hour window of a customer with a number by a sign of life that is no message. */
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
          eq(messageReactions.accountId, place('accountId')),
          eq(messageReactions.targetWaMessageId, place('waMessageId')),
        ),
      ),
    )
    .limit(atMost(1))
    .prepare(),
)

const linkPending = compiled((orm) =>
  orm
    .update(messageReactions)
    .set({ messageId: sql`${sql.placeholder('messageId')}` })
    .where(
      inOrganization(
        anyScope,
        messageReactions,
        and(
          eq(messageReactions.accountId, place('accountId')),
          eq(messageReactions.targetWaMessageId, place('waMessageId')),
          isNull(messageReactions.messageId),
        ),
      ),
    )
    .returning()
    .prepare(),
)

/**
 * Links the reactions that waited for a message with it, in the transaction that makes it known,
 * and announces them.
 */
export function linkPendingReactionsIn(
  tx: Tx,
  ctx: Ctx,
  row: MessageRow,
  how: { isQuiet: boolean },
): void {
  if (row.waMessageId === null) return
  const { id: messageId, accountId, waMessageId } = row
  // Nearly always there is none, and a look takes a fraction of an update that finds nothing.
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

/** Tells those who see the message that a reaction to it was set or taken back. */
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

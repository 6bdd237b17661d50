import { and, eq } from 'drizzle-orm'

import { DAY_MS } from '../../../../lib/clock'
import { InvalidError, NotFoundError } from '../../../../lib/errors'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { findAccount } from '../../../channel/accounts/queries'
import { getVisibleContact } from '../../contacts/sight/visibility'
import { findConversation } from '../../conversations/service'
import { requireOpenWindow } from '../../conversations/window'
import type { ReactionsView } from '../model'
import { loadMessageParts } from '../message-parts'
import { SendReaction } from '../jobs'
import { sendKey } from '../rules'
import { messages } from '../table'
import { messageReactions } from './table'
import { platformIdOf, type MessageRow } from '../view'
import {
  type PendingChange,
  ourReactionIn,
  pendingChangeOf,
  publishReactionIn,
} from './own-reaction'

/** Maximum age of a message that can be reacted to (platform documentation). */
const REACTABLE_MS = 30 * DAY_MS

/**
 * Sets our reaction to a message, or removes it if `emoji` is empty, and enqueues its job. Throws
 * NotFoundError if the contact or message is not visible and InvalidError (`invalid_input`,
 * `not_reactable`, `account_inactive`, `contact_blocked`, `window_closed`).
 */
export function reactToMessage(
  ctx: Ctx,
  at: { contactId: string; messageId: string },
  emoji: string,
): ReactionsView {
  return transact(ctx.db, (tx) => {
    const row = reactableMessage(ctx, at, emoji)
    const conversation = findConversation(ctx, {
      contactId: row.contactId,
      accountId: row.accountId,
    })
    requireOpenWindow(conversation, ctx.clock.nowMs())
    const change = storeReactionIn(tx, ctx, row, emoji === '' ? null : emoji)
    enqueue(tx, ctx, SendReaction, {
      args: { messageId: row.id, change },
      orderingKey: sendKey(row.contactId),
      gateKey: row.accountId,
    })
    return { message_id: row.id, reactions: loadMessageParts(ctx, [row])(row).reactions }
  })
}

/**
 * Returns the message if it can be reacted to, apart from the window. Throws as {@link
 * reactToMessage}.
 */
function reactableMessage(
  ctx: Ctx,
  at: { contactId: string; messageId: string },
  emoji: string,
): MessageRow {
  const contact = getVisibleContact(ctx, at.contactId)
  const row = ctx.db.orm
    .select()
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        and(eq(messages.id, at.messageId), eq(messages.contactId, contact.id)),
      ),
    )
    .get()
  if (!row) throw new NotFoundError('Message')
  if (emoji !== '' && !isOneEmoji(emoji))
    throw new InvalidError('`emoji` must be one emoji, or an empty string.', {
      code: 'invalid_input',
      errors: [{ path: 'body.emoji', message: 'must be one emoji, or an empty string' }],
    })
  requireReactable(ctx, row)
  if (contact.blockedAtMs !== null)
    throw new InvalidError('This contact is blocked. Unblock it before sending.', {
      code: 'contact_blocked',
    })
  return row
}

/** Whether a text is a single emoji as people see it. A missing variation selector is allowed. */
const isOneEmoji = (text: string): boolean =>
  text.length <= 40 && (ONE_EMOJI.test(text) || ONE_EMOJI.test(`${text}\uFE0F`))

const ONE_EMOJI = /^\p{RGI_Emoji}$/v

function requireReactable(ctx: Ctx, row: MessageRow): void {
  const refuse = (message: string): InvalidError =>
    new InvalidError(message, { code: 'not_reactable' })
  if (platformIdOf(row) === null)
    throw refuse('The platform has not confirmed this message yet, so you cannot react to it.')
  if (ctx.clock.nowMs() - row.timestampMs >= REACTABLE_MS)
    throw refuse('The message is older than 30 days.')
  const account = findAccount(ctx, row.accountId)
  if (!account || account.deletedAtMs !== null || account.status === 'suspended')
    throw new InvalidError('The phone number of this message cannot send.', {
      code: 'account_inactive',
    })
}

function storeReactionIn(tx: Tx, ctx: Ctx, row: MessageRow, emoji: string | null): string {
  const before = ourReactionIn(tx, ctx, row)
  const unsettled = pendingChangeOf(before)
  const nowMs = ctx.clock.nowMs()
  const change = ctx.ids.next()
  // Until a change is delivered, the customer still sees the reaction before it.
  const base =
    unsettled && !unsettled.isAccepted
      ? unsettled
      : {
          emoji: before?.emoji ?? null,
          userId: before?.userId ?? null,
          timestampMs: before?.timestampMs ?? nowMs,
        }
  const { emoji: formerEmoji, userId, timestampMs } = base
  const former: PendingChange = {
    change,
    emoji: formerEmoji,
    userId,
    timestampMs,
    isCalled: false,
    isAccepted: false,
  }
  const set = {
    messageId: row.id,
    contactId: row.contactId,
    userId: ctx.actor.userId,
    emoji,
    waMessageId: null,
    timestampMs: Math.max(nowMs, (before?.timestampMs ?? 0) + 1),
    receivedAtMs: nowMs,
    former: JSON.stringify(former),
  }
  const { organizationId, accountId } = row
  const {
    organizationId: o,
    accountId: a,
    targetWaMessageId: t,
    reactor,
    participant,
  } = messageReactions
  tx.insert(messageReactions)
    .values({
      organizationId,
      accountId,
      targetWaMessageId: row.waMessageId ?? '',
      reactor: 'user',
      participant: '',
      ...set,
    })
    .onConflictDoUpdate({ target: [o, a, t, reactor, participant], set })
    .run()
  publishReactionIn(tx, ctx, row, { emoji, userId: ctx.actor.userId })
  return change
}

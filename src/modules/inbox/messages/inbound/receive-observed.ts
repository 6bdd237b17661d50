import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { consentKeywordIn } from '../../contacts/consent/keywords'
import { recordMessageOnContactIn } from '../../contacts/activity/record-activity'
import { findContact } from '../../contacts/service'
import { recordMessageOnConversationIn } from '../../conversations/record-message'
import type { ConversationRow } from '../../conversations/row'
import { recordOwnMessageIn } from '../../conversations/thread-owner'
import { MessageUpdated } from '../events'
import { sendAutoReplyIn } from '../outbound/auto-reply'
import { messages } from '../table'
import type { MessageRow } from '../view'
import type { InboundItem, Receipt } from './item'

/**
 * Receives a customer's message that was only observed before, in the caller's transaction: the
 * platform delivers it to us too, so it becomes unread and reopens its conversation like any other.
 */
export function receiveObservedIn(
  tx: Tx,
  ctx: Ctx,
  message: { known: MessageRow; item: InboundItem; conversation: ConversationRow },
): Receipt {
  const { known, item, conversation } = message
  const isSilent = findContact(ctx, known.contactId)?.blockedAtMs !== null
  const row: MessageRow = {
    ...known,
    isObserved: false,
    isSilent,
    ...(isSilent ? {} : { status: 'delivered', readAtMs: null }),
  }
  tx.update(messages)
    .set({
      isObserved: row.isObserved,
      isSilent: row.isSilent,
      status: row.status,
      readAtMs: row.readAtMs,
    })
    .where(inOrganization(ctx, messages, eq(messages.id, known.id)))
    .run()
  const unread = isSilent ? 0 : 1
  const activity = { atMs: row.timestampMs, inboundAtMs: row.timestampMs, unread } as const
  recordMessageOnConversationIn(tx, ctx, {
    conversationId: conversation.id,
    messageId: row.id,
    reopens: !isSilent,
    isAnswer: false,
    referral: null,
    conversation: null,
    ...activity,
  })
  const { contactId, accountId } = row
  recordMessageOnContactIn(tx, ctx, { contactId, accountId, ...activity })
  if (!isSilent)
    recordOwnMessageIn(
      tx,
      ctx,
      { conversationId: conversation.id, atMs: row.timestampMs },
      { isQuiet: item.isLate },
    )
  emit(tx, ctx, MessageUpdated, {
    contactId,
    payload: { messageId: row.id, contactId, changed: ['observed', 'status'] },
  })
  if (!isSilent) optInIn(tx, ctx, row, item)
  return { outcome: 'upgraded', messageId: row.id }
}

/** Applies an opt-in keyword, which does not count in an observed message. */
function optInIn(tx: Tx, ctx: Ctx, row: MessageRow, item: InboundItem): void {
  if (row.type !== 'text') return
  const consent = consentKeywordIn(tx, ctx, {
    contactId: row.contactId,
    accountId: row.accountId,
    text: String((JSON.parse(row.content) as { text: unknown }).text),
    messageId: row.id,
    atMs: row.timestampMs,
    only: 'opted_in',
    mayAnswer: false,
  })
  if (consent?.reply != null && !item.isLate)
    sendAutoReplyIn(tx, ctx, { message: row, account: item.account }, consent.reply)
}

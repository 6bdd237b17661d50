import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { messagePreview } from '../../../../platform/webhook/content'
import type { AccountRow } from '../../../channel/accounts/view'
import { findContact } from '../../contacts/service'
import { findConversationById, type ConversationRow } from '../../conversations/row'
import { isWindowOpen } from '../../conversations/window'
import { MessageQueued } from '../events'
import { maySendAutomatically } from './automatic'
import { enqueueSendIn } from './queue'
import { estimateCostIn } from '../cost/estimate'
import { isStoppedByBudget } from '../cost/spend'
import { storeMessageIn } from '../store'
import type { MessageRow } from '../view'

/**
 * Sends an automatic text reply, in the transaction of the message it answers. Sends nothing where
 * {@link sendSystemTextIn} does not, or if the message came too late for an answer.
 */
export function sendAutoReplyIn(
  tx: Tx,
  ctx: Ctx,
  to: { message: MessageRow; account: AccountRow },
  text: string,
): void {
  const { message, account } = to
  const facts = { lastInboundAtMs: message.timestampMs, windowClosedAtMs: null }
  const conversation = findConversationById(ctx, message.conversationId)
  if (conversation && isWindowOpen(facts, ctx.clock.nowMs()))
    sendSystemTextIn(tx, ctx, { conversation, account }, text)
}

/**
 * Sends a text of the system, in the caller's transaction. It does not count as an answer of the
 * team. Sends nothing and returns `false` if the window is closed, the contact is blocked or
 * deleted, the number is suspended or disconnected, someone else may own the thread, or the budget
 * of the month stops automatic messages.
 */
export function sendSystemTextIn(
  tx: Tx,
  ctx: Ctx,
  to: { conversation: ConversationRow; account: AccountRow },
  text: string,
): boolean {
  const { conversation, account } = to
  const nowMs = ctx.clock.nowMs()
  const contact = findContact(ctx, conversation.contactId)
  if (
    !contact ||
    contact.deletedAtMs !== null ||
    contact.blockedAtMs !== null ||
    account.status === 'suspended' ||
    account.deletedAtMs !== null ||
    !isWindowOpen(conversation, nowMs) ||
    !maySendAutomatically(ctx, conversation.id)
  )
    return false
  if (isStoppedByBudget(ctx, account.id, 'stop_bots')) {
    ctx.log.info(
      {
        organization_id: ctx.organizationId,
        conversation_id: conversation.id,
        reason: 'budget_reached',
      },
      'automatic message not sent',
    )
    return false
  }
  const content = { text }
  const row = storeMessageIn(
    tx,
    ctx,
    {
      conversationId: conversation.id,
      contactId: contact.id,
      accountId: account.id,
      direction: 'outgoing',
      type: 'text',
      content,
      preview: messagePreview('text', content),
      status: 'pending',
      stage: 'queued',
      source: 'system',
      timestampMs: nowMs,
      receivedAtMs: nowMs,
      ...estimateCostIn(tx, ctx, {
        accountId: account.id,
        country: contact.country,
        conversation,
        category: null,
      }),
    },
    { opensWindow: false, unread: 0, reopens: false, isAnswer: false },
  )
  if (!row) return false
  enqueueSendIn(tx, ctx, row)
  emit(tx, ctx, MessageQueued, {
    contactId: contact.id,
    payload: { messageId: row.id, contactId: contact.id },
  })
  return true
}

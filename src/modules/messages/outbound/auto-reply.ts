import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { messagePreview } from '../../../platform/webhook/content'
import type { AccountRow } from '../../accounts/view'
import { findContact } from '../../contacts/service'
import { findConversationById } from '../../conversations/row'
import { isWindowOpen } from '../../conversations/window'
import { MessageQueued } from '../events'
import { maySendAutomatically } from './automatic'
import { enqueueSendIn } from './queue'
import { estimateCostIn } from '../cost/estimate'
import { isStoppedByBudget } from '../cost/spend'
import { storeMessageIn } from '../store'
import type { MessageRow } from '../view'

/**
 * Sends an automatic text reply, in the transaction of the message it answers. It does not count as
 * an answer of the team. Sends nothing if the window is closed, the number is suspended, someone
 * else may own the thread, or the budget of the month stops automatic messages.
 */
export function sendAutoReplyIn(
  tx: Tx,
  ctx: Ctx,
  to: { message: MessageRow; account: AccountRow },
  text: string,
): void {
  const { message, account } = to
  const nowMs = ctx.clock.nowMs()
  if (
    account.status === 'suspended' ||
    !isWindowOpen({ lastInboundAtMs: message.timestampMs, windowClosedAtMs: null }, nowMs)
  )
    return
  if (!maySendAutomatically(ctx, message.conversationId)) return
  if (isStoppedByBudget(ctx, account.id, 'stop_bots')) {
    ctx.log.info(
      {
        organization_id: ctx.organizationId,
        conversation_id: message.conversationId,
        reason: 'budget_reached',
      },
      'automatic message not sent',
    )
    return
  }
  const conversation = findConversationById(ctx, message.conversationId)
  if (!conversation) return
  const content = { text }
  const row = storeMessageIn(
    tx,
    ctx,
    {
      conversationId: message.conversationId,
      contactId: message.contactId,
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
        country: findContact(ctx, message.contactId)?.country ?? null,
        conversation,
        category: null,
      }),
    },
    { opensWindow: false, unread: 0, reopens: false, isAnswer: false },
  )
  if (!row) return
  const { contactId } = message
  enqueueSendIn(tx, ctx, row)
  emit(tx, ctx, MessageQueued, { contactId, payload: { messageId: row.id, contactId } })
}

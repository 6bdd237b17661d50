import { SECOND_MS } from '../../../../lib/clock'
import type { Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { findAccount } from '../../../channel/accounts/queries'
import type { ConversationRow } from '../../conversations/row'
import { getVisibleConversation } from '../../conversations/queries'
import { recordTypingIn } from '../../conversations/unread'
import { requireOpenWindow } from '../../conversations/window'
import { platformIdOf } from '../view'
import { ShowTyping } from '../jobs'
import { MAX_RECEIPT_MS } from './mark-read'
import { newestIncoming } from './mark-unread'

/** Minimum interval between typing indicators, in milliseconds (platform documentation). */
export const TYPING_EVERY_MS = 20 * SECOND_MS

const NOT_SHOWN = 'The typing indicator was not sent: read receipts of this phone number are off.'

/**
 * Shows the typing indicator to the customer. It also marks the newest message as read at the
 * platform, so it needs enabled read receipts. Returns a sentence about the result. Throws
 * NotFoundError and InvalidError `window_closed`.
 */
export function sendTyping(ctx: Ctx, conversationId: string): string {
  return transact(ctx.db, (tx) => {
    const conversation = getVisibleConversation(ctx, conversationId)
    requireOpenWindow(conversation, ctx.clock.nowMs())
    return showTypingIn(tx, ctx, conversation)
  })
}

/**
 * Shows the typing indicator, in the caller's transaction, whose conversation has an open window.
 * Returns a sentence about the result.
 */
export function showTypingIn(tx: Tx, ctx: Ctx, conversation: ConversationRow): string {
  const nowMs = ctx.clock.nowMs()
  const account = findAccount(ctx, conversation.accountId)
  if (!account?.autoReadReceipt || account.status !== 'active') return NOT_SHOWN
  const newest = newestIncoming(tx, ctx, conversation)
  if (!newest || platformIdOf(newest) === null || nowMs - newest.timestampMs > MAX_RECEIPT_MS)
    return 'The typing indicator was not sent: there is no incoming message.'
  const shownForMs = nowMs - (conversation.lastTypingAtMs ?? 0)
  if (shownForMs < TYPING_EVERY_MS && shownForMs >= 0)
    return 'The typing indicator is already shown.'
  recordTypingIn(tx, ctx, conversation.id)
  enqueue(tx, ctx, ShowTyping, {
    args: { messageId: newest.id, untilMs: nowMs + TYPING_EVERY_MS },
  })
  return 'The typing indicator is shown for up to 25 seconds.'
}

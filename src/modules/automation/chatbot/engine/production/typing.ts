import { SECOND_MS } from '../../../../../lib/clock'
import type { Ctx } from '../../../../../infra/ctx'
import type { Tx } from '../../../../../infra/db/transact'
import { enqueue } from '../../../../../infra/jobs/enqueue'
import type { Outcome } from '../../../../../infra/jobs/work'
import { findConversation } from '../../../../inbox/conversations/service'
import { isWindowOpen } from '../../../../inbox/conversations/window'
import {
  showTypingIn,
  TYPING_EVERY_MS,
} from '../../../../inbox/messages/conversation/send-typing-indicator'
import { maySendAutomatically } from '../../../../inbox/messages/outbound/automatic'
import { ShowBotTyping } from '../../jobs'
import { pendingCall, type CallOfStep } from './pending-call'

/** How long a customer waits for a call of the bot before it shows that it is typing. */
const TYPES_AFTER_MS = SECOND_MS

/** Lets the bot show that it is typing if a call takes long, in the transaction that begins it. */
export const typeSoonIn = (tx: Tx, ctx: Ctx, at: CallOfStep): void =>
  void enqueue(tx, ctx, ShowBotTyping, {
    args: at,
    runAtMs: ctx.clock.nowMs() + TYPES_AFTER_MS,
  })

/**
 * Shows the customer that the bot is typing, in the caller's transaction, as long as the session
 * waits for a call.
 */
export function showBotTypingIn(tx: Tx, ctx: Ctx, at: CallOfStep): Outcome {
  const pending = pendingCall(ctx, at)
  const conversation = pending && findConversation(ctx, pending.row)
  if (!conversation || !isWindowOpen(conversation, ctx.clock.nowMs())) return undefined
  if (!maySendAutomatically(ctx, conversation.id)) return undefined
  showTypingIn(tx, ctx, conversation)
  return { snoozeMs: TYPING_EVERY_MS }
}

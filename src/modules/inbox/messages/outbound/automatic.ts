import type { Ctx } from '../../../../infra/ctx'
import { findConversationById } from '../../conversations/row'
import { currentThreadOwner, holdsBackAutomaticMessages } from '../../conversations/thread-owner'
import type { MessageRow } from '../view'

/** Sources of messages that are sent without a person or an integration asking for each. */
const AUTOMATIC: ReadonlySet<MessageRow['source']> = new Set(['system', 'chatbot'])

/**
 * Whether an automatic message may be sent in a conversation. Every automatic sender asks this
 * before it creates a message, and delivery asks again: a message of ours would take the thread away
 * from the platform's agent or the other app that owns it, or may own it. Leaves a trace in the log
 * if not.
 */
export function maySendAutomatically(
  ctx: Pick<Ctx, 'db' | 'organizationId' | 'clock' | 'log'>,
  conversationId: string,
): boolean {
  const conversation = findConversationById(ctx, conversationId)
  const owner = conversation && currentThreadOwner(ctx, conversation)
  if (owner === null || !holdsBackAutomaticMessages(owner)) return true
  ctx.log.info(
    {
      organization_id: ctx.organizationId,
      conversation_id: conversationId,
      reason: 'not_owner',
      thread_owner: owner,
    },
    'automatic message not sent',
  )
  return false
}

/** Whether a waiting message is automatic and must not be sent any more. */
export const isHeldBack = (ctx: Ctx, row: MessageRow): boolean =>
  AUTOMATIC.has(row.source) && !maySendAutomatically(ctx, row.conversationId)

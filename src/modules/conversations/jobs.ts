import { Type } from '@sinclair/typebox'

import { defineTransactionJob } from '../../infra/jobs/define'
import { changeConversationIn } from './update'
import { findConversationById } from './row'

/**
 * Opens a conversation whose snooze is over; one that was opened or put off anew since stays as it
 * is.
 */
export const wakeConversation = defineTransactionJob({
  name: 'conversation.wake',
  lane: 'default',
  args: Type.Object({ conversationId: Type.String() }),
  isKept: false,
  run(tx, ctx, { conversationId }) {
    const row = findConversationById(ctx, conversationId)
    const isOver = row?.state === 'snoozed' && (row.snoozedUntilMs ?? 0) <= ctx.clock.nowMs()
    if (isOver) changeConversationIn(tx, ctx, row, { state: 'open', snoozedUntilMs: null })
  },
})

import { workInTransaction } from '../../../infra/jobs/work'
import { runHooks } from '../../../infra/transaction-hooks'
import { clearTeamIn } from './clear-team'
import { ConversationMoving } from './events'
import { ClearTeam, PublishConversationChange, WakeConversation } from './jobs'
import { publishDelayedIn } from './publish-throttled'
import { findConversationById } from './row'
import { changeConversationIn } from './update'

export const conversationWorkers = [
  workInTransaction(
    WakeConversation,
    (tx, ctx, { conversationId }) => {
      const row = findConversationById(ctx, conversationId)
      // A conversation that was opened or snoozed again in the meantime stays unchanged.
      // Without a time it waits for the customer.
      const isOver =
        row?.state === 'snoozed' && (row.snoozedUntilMs ?? Infinity) <= ctx.clock.nowMs()
      if (!isOver) return
      runHooks(tx, ctx, ConversationMoving, { before: row, state: 'open' })
      changeConversationIn(tx, ctx, row, { state: 'open', snoozedUntilMs: null })
    },
    { isKept: false },
  ),

  workInTransaction(
    PublishConversationChange,
    (tx, ctx, { conversationId }) => publishDelayedIn(tx, ctx, conversationId),
    { isKept: false },
  ),

  workInTransaction(ClearTeam, (tx, ctx, { teamId, cleared }) =>
    clearTeamIn(tx, ctx, teamId, cleared),
  ),
]

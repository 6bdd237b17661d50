import type { Ctx } from '../../../../../infra/ctx'
import type { Tx } from '../../../../../infra/db/transact'
import { stateChange } from '../../../../inbox/conversations/change-state'
import { findConversation } from '../../../../inbox/conversations/service'
import { changeConversationIn } from '../../../../inbox/conversations/update'
import { endSessionIn } from './end-sessions'
import { clearInboxIn } from './inbox'
import { findActiveSession, findSession, type Place } from './store'

/**
 * Leaves the messages of a turn to people after the turn failed again and again, which only a bug of
 * this server causes. Runs in the transaction that discards its job.
 */
export function abandonTurnIn(tx: Tx, ctx: Ctx, { contactId, accountId }: Place): void {
  const place = { contactId, accountId }
  clearInboxIn(tx, ctx, place)
  const session = findActiveSession(ctx, place)
  if (session) endSessionIn(tx, ctx, session, { status: 'failed', reason: 'internal_error' })
  const conversation = findConversation(ctx, place)
  if (conversation?.state === 'pending')
    changeConversationIn(tx, ctx, conversation, stateChange(ctx, conversation, 'open'))
}

/** Ends a session whose step failed again and again. Runs in the transaction that discards its job. */
export function abandonSessionIn(tx: Tx, ctx: Ctx, sessionId: string): void {
  const session = findSession(ctx, sessionId)
  if (session?.status === 'active')
    endSessionIn(tx, ctx, session, { status: 'failed', reason: 'internal_error' })
}

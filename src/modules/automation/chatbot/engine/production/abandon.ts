import type { Ctx } from '../../../../../infra/ctx'
import type { Tx } from '../../../../../infra/db/transact'
import { giveUpIn } from './give-up'
import { clearInboxIn, waitingMessages } from './inbox'
import { findActiveSession, findSession, type SessionPlace } from './store'

/**
 * Leaves the messages of a turn to people after the turn failed again and again, which only a bug of
 * this server causes. Runs in the transaction that discards its job.
 */
export function abandonTurnIn(tx: Tx, ctx: Ctx, { contactId, accountId }: SessionPlace): void {
  const place = { contactId, accountId }
  const [first] = waitingMessages(ctx, place)
  clearInboxIn(tx, ctx, place)
  giveUpIn(tx, ctx, {
    place,
    session: findActiveSession(ctx, place),
    messageId: first?.messageId ?? null,
    reason: 'internal_error',
  })
}

/** Ends a session whose step failed again and again. Runs in the transaction that discards its job. */
export function abandonSessionIn(tx: Tx, ctx: Ctx, sessionId: string): void {
  const session = findSession(ctx, sessionId)
  if (session?.status !== 'active') return
  const { contactId, accountId } = session
  const place = { contactId, accountId }
  giveUpIn(tx, ctx, { place, session, messageId: null, reason: 'internal_error' })
}

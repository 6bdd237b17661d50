import { asc, eq } from 'drizzle-orm'

import { inOrganization, systemCtx, type Ctx, type Deps } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { stateChange } from '../../conversations/change-state'
import { findConversation } from '../../conversations/service'
import { changeConversationIn } from '../../conversations/update'
import { organizations } from '../../organizations/table'
import { botInbox, botSessions } from './table'

/**
 * Ends all active sessions of a restored database as failed, without a message: their customers may
 * have been answered since the backup was made. Conversations that waited for the bot are open.
 * Returns the number of sessions.
 */
export function endRestoredSessions(deps: Pick<Deps, 'db' | 'clock' | 'ids'>): number {
  return transact(deps.db, (tx) =>
    tx
      .select({ id: organizations.id })
      .from(organizations)
      .orderBy(asc(organizations.id))
      .all()
      .map(({ id }) => endAllIn(tx, systemCtx(deps as Deps, id))) // only its scope, clock and ids are used
      .reduce((sum, ended) => sum + ended, 0),
  )
}

/** The same for one organization, in the caller's transaction. */
export function endAllIn(tx: Tx, ctx: Ctx): number {
  tx.delete(botInbox).where(inOrganization(ctx, botInbox)).run()
  const ended = tx
    .update(botSessions)
    .set({
      status: 'failed',
      waitingFor: null,
      expiresAtMs: null,
      endedAtMs: ctx.clock.nowMs(),
      endReason: 'restored',
    })
    .where(inOrganization(ctx, botSessions, eq(botSessions.status, 'active')))
    .returning({ contactId: botSessions.contactId, accountId: botSessions.accountId })
    .all()
  for (const place of ended) {
    const conversation = findConversation(ctx, place)
    if (conversation?.state === 'pending')
      changeConversationIn(tx, ctx, conversation, stateChange(ctx, conversation, 'open'))
  }
  return ended.length
}

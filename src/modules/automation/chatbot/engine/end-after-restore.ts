import { asc, inArray, sql } from 'drizzle-orm'

import { inOrganization, systemCtx, type Ctx, type Deps } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { stateChange } from '../../../inbox/conversations/change-state'
import { findConversation } from '../../../inbox/conversations/service'
import { changeConversationIn } from '../../../inbox/conversations/update'
import { organizations } from '../../../organization/organizations/table'
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
      .map(({ id }) => endActiveIn(tx, systemCtx(deps as Deps, id))) // only its scope, clock and ids are used
      .reduce((sum, ended) => sum + ended, 0),
  )
}

/** As a limit of SQLite: none. */
const ALL = -1

/** The same for one organization, in the caller's transaction: for all, or for at most so many. */
export function endActiveIn(tx: Tx, ctx: Ctx, most = ALL): number {
  tx.delete(botInbox).where(inOrganization(ctx, botInbox)).run()
  const active = tx
    .select({ id: botSessions.id })
    .from(botSessions)
    .where(inOrganization(ctx, botSessions, sql`${botSessions.status} = 'active'`)) // as their index says it
    .limit(most)
  const ended = tx
    .update(botSessions)
    .set({
      status: 'failed',
      waitingFor: null,
      expiresAtMs: null,
      endedAtMs: ctx.clock.nowMs(),
      endReason: 'restored',
    })
    .where(inOrganization(ctx, botSessions, inArray(botSessions.id, active)))
    .returning({ contactId: botSessions.contactId, accountId: botSessions.accountId })
    .all()
  for (const place of ended) {
    const conversation = findConversation(ctx, place)
    if (conversation?.state === 'pending')
      changeConversationIn(tx, ctx, conversation, stateChange(ctx, conversation, 'open'))
  }
  return ended.length
}

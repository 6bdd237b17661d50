import { and, asc, lte, sql } from 'drizzle-orm'

import { inOrganization, systemCtx, type Ctx, type Deps } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { organizations } from '../../organization/organizations/table'
import { failScheduledIn } from './end'
import { scheduledMessages } from './table'

/**
 * Fails the scheduled messages of a restored database that were due since the backup was made: they
 * may have been sent. Later ones stay scheduled. Returns the number of messages.
 */
export function failDueAfterRestore(deps: Pick<Deps, 'db' | 'clock' | 'ids'>): number {
  return transact(deps.db, (tx) =>
    tx
      .select({ id: organizations.id })
      .from(organizations)
      .orderBy(asc(organizations.id))
      .all()
      .map(({ id }) => failDueIn(tx, systemCtx(deps as Deps, id))) // only its scope, clock and ids are used
      .reduce((sum, failed) => sum + failed, 0),
  )
}

/** As a limit of SQLite: none. */
const ALL = -1

/** The same for one organization, in the caller's transaction: for all, or for at most so many. */
export function failDueIn(tx: Tx, ctx: Ctx, most = ALL): number {
  const due = tx
    .select()
    .from(scheduledMessages)
    .where(
      inOrganization(
        ctx,
        scheduledMessages,
        and(
          sql`${scheduledMessages.state} = 'scheduled'`, // as their index says it
          lte(scheduledMessages.sendAtMs, ctx.clock.nowMs()),
        ),
      ),
    )
    .limit(most)
    .all()
  failScheduledIn(tx, ctx, due, {
    code: 'outcome_unknown',
    message:
      'A backup was restored. The message may have been sent since the backup was made; check ' +
      'before you send it again.',
  })
  return due.length
}

import { inArray } from 'drizzle-orm'

import { inOrganization, systemCtx, type Ctx, type Deps } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { cancelQueueIn } from '../../../../infra/jobs/live-jobs'
import { organizations } from '../../../organization/organizations/table'
import { isPending, ownFailure } from './delivery-state'
import { messages } from '../table'

/** As a limit of SQLite: none. */
const ALL = -1

/** The error of messages with unknown outcome after a restore. */
export const LOST_AFTER_RESTORE = ownFailure(
  'outcome_unknown',
  'This message was unsent in a restored backup. It may have been sent after the backup ' +
    'was made; check before you resend it.',
  true,
)

/**
 * Marks all unsent messages as `unknown` and cancels their jobs after a restore, because they may
 * have been sent since the backup. Returns the number of messages.
 */
export function markSendsUnknown(deps: Pick<Deps, 'db' | 'clock'>): number {
  return transact(deps.db, (tx) =>
    tx
      .select({ id: organizations.id })
      .from(organizations)
      .all()
      .map(({ id }) => markAllIn(tx, systemCtx(deps as Deps, id))) // only its scope and clock are used
      .reduce((sum, marked) => sum + marked, 0),
  )
}

/** The same for one organization, in the caller's transaction. */
function markAllIn(tx: Tx, ctx: Ctx): number {
  cancelQueueIn(tx, ctx, { queue: 'send', nowMs: ctx.clock.nowMs() })
  return markUnknownIn(tx, ctx)
}

/** Jobs looked at in one transaction. */
const JOBS_AT_ONCE = 500

/**
 * Cancels the send jobs among the next 500 jobs of an organization after an ID, in the caller's transaction.
 * Returns the last ID, `null` at the end.
 */
export const cancelSomeSendsIn = (tx: Tx, ctx: Ctx, after: string): string | null =>
  cancelQueueIn(tx, ctx, {
    ...{ queue: 'send', nowMs: ctx.clock.nowMs() },
    ...{ after, most: JOBS_AT_ONCE },
  })

/**
 * Marks the unsent messages of an organization as `unknown`, in the caller's transaction: all, or at most so
 * many. Returns how many.
 */
export function markUnknownIn(tx: Tx, ctx: Ctx, most = ALL): number {
  const unsent = tx
    .select({ id: messages.id })
    .from(messages)
    .where(inOrganization(ctx, messages, isPending))
    .limit(most)
  return tx
    .update(messages)
    .set({
      stage: 'unknown',
      status: 'unknown',
      heldReason: null,
      error: JSON.stringify(LOST_AFTER_RESTORE),
    })
    .where(inOrganization(ctx, messages, inArray(messages.id, unsent)))
    .returning({ id: messages.id })
    .all().length
}

import { inArray } from 'drizzle-orm'

import { inOrganization, systemCtx, type Ctx, type Deps } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { cancelQueueIn } from '../../../infra/jobs/live-jobs'
import { organizations } from '../../organizations/table'
import { isPending, ownFailure } from './delivery-state'
import { messages } from '../table'

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
      .map(({ id }) => markUnknownIn(tx, systemCtx(deps as Deps, id))) // only its scope and clock are used
      .reduce((sum, marked) => sum + marked, 0),
  )
}

/**
 * The same for one organization, in the caller's transaction. With `most`, for so many messages and jobs.
 * Returns how many messages or jobs there were.
 */
export function markUnknownIn(tx: Tx, ctx: Ctx, most = -1): number {
  const nowMs = ctx.clock.nowMs()
  const cancelled = cancelQueueIn(tx, ctx, { queue: 'send', nowMs, most })
  const unsent = tx
    .select({ id: messages.id })
    .from(messages)
    .where(inOrganization(ctx, messages, isPending))
    .limit(most)
  const marked = tx
    .update(messages)
    .set({
      stage: 'unknown',
      status: 'unknown',
      heldReason: null,
      error: JSON.stringify(LOST_AFTER_RESTORE),
      updatedAtMs: nowMs,
    })
    .where(inOrganization(ctx, messages, inArray(messages.id, unsent)))
    .returning({ id: messages.id })
    .all().length
  return most < 0 ? marked : Math.max(marked, cancelled)
}

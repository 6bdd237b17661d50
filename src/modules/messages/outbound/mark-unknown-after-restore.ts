import { inArray } from 'drizzle-orm'

import { inOrganization, systemCtx, type Ctx, type Deps } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { ALL, cancelQueueIn } from '../../../infra/jobs/live-jobs'
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
      .map(({ id }) => markUnknownIn(tx, systemCtx(deps as Deps, id)).messages) // only its scope and clock are used
      .reduce((sum, marked) => sum + marked, 0),
  )
}

/** How many messages were marked, and how many jobs cancelled. */
export interface Marked {
  messages: number
  jobs: number
}

/**
 * The same for one organization, in the caller's transaction: all of them, or at most so many messages
 * and so many jobs.
 */
export function markUnknownIn(tx: Tx, ctx: Ctx, most = ALL): Marked {
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
  return { messages: marked, jobs: cancelled }
}

import { inOrganization, systemCtx, type Deps } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
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
  const nowMs = deps.clock.nowMs()
  return transact(deps.db, (tx) => {
    let marked = 0
    for (const { id } of tx.select({ id: organizations.id }).from(organizations).all()) {
      const ctx = systemCtx(deps as Deps, id) // only its organization is used
      marked += tx
        .update(messages)
        .set({
          stage: 'unknown',
          status: 'unknown',
          heldReason: null,
          error: JSON.stringify(LOST_AFTER_RESTORE),
          updatedAtMs: nowMs,
        })
        .where(inOrganization(ctx, messages, isPending))
        .returning({ id: messages.id })
        .all().length
    }
    cancelQueueIn(tx, { queue: 'send', nowMs })
    return marked
  })
}

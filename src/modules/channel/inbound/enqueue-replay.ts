import { INSTALLATION, systemCtx, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { PROCESS_JOBS } from './jobs'
import { queueOf, type Reopened } from './select'

/**
 * Enqueues the replay of a change, in the queue of its kind and for the organization it belonged
 * to.
 */
export function enqueueReplayIn(tx: Tx, ctx: Ctx, event: Reopened): void {
  enqueue(tx, systemCtx(ctx, event.organizationId ?? INSTALLATION), PROCESS_JOBS[queueOf(event)], {
    args: { eventId: event.id, from: 0, isReplay: true },
    priority: 'low',
  })
}

import { eq } from 'drizzle-orm'

import { MINUTE_MS, SECOND_MS } from '../../../../lib/clock'
import { systemCtx, type JobCtx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { wakeSleepingJobs } from '../../../../infra/jobs/waiting-jobs'
import { jobs } from '../../../../infra/jobs/table'
import type { Outcome } from '../../../../infra/jobs/work'
import { isErasing } from '../../../data/privacy/requests'
import { PROCESS_JOBS, type InboundQueue } from '../jobs'
import { processChangeIn } from './process-change'
import { failChangeIn } from './progress'

/** A stored change, and the item from which processing continues. */
interface ChangePosition {
  eventId: string
  from: number
  isReplay?: boolean
}

/**
 * Maximum time a change waits for an earlier one about the same people, milliseconds. Then it is
 * processed anyway.
 */
const MAX_WAIT_MS = MINUTE_MS

/** Delay before a replay is retried while a person is being erased, milliseconds. */
const ERASURE_RECHECK_MS = 5 * SECOND_MS

/**
 * Processes a batch of one stored change and enqueues the rest, in the caller's transaction. The
 * journal keeps the result.
 */
export function runChangeIn(
  tx: Tx,
  ctx: JobCtx,
  queue: InboundQueue,
  { eventId, from, isReplay = false }: ChangePosition,
): Outcome {
  // New changes do not wait for replays.
  const priority = isReplay ? 'low' : 'normal'
  // A replay must not recreate a contact that is being erased.
  if (isReplay && isErasing(ctx)) return { snoozeMs: ERASURE_RECHECK_MS }
  // Limited to the maximum wait even if the clock was set back after the first attempt.
  const waitLeftMs = (): number =>
    Math.min(MAX_WAIT_MS, firstTriedMs(ctx) + MAX_WAIT_MS - ctx.clock.nowMs())
  const { next, mustWait, shared } = processChangeIn(tx, ctx, {
    eventId,
    from,
    isReplay,
    mayWait: () => waitLeftMs() > 0,
  })
  const job = PROCESS_JOBS[queue]
  for (const other of shared)
    enqueue(tx, systemCtx(ctx, other.organizationId), job, {
      args: { eventId: other.eventId, from: 0, isReplay },
      priority,
    })
  // Snooze instead of retrying: retries of waiting changes would delay the change they wait for.
  if (mustWait) return { snoozeMs: waitLeftMs() }
  if (next !== null) enqueue(tx, ctx, job, { args: { eventId, from: next, isReplay }, priority })
  else if (from > 0) wakeWaitingIn(tx, ctx, queue)
  return undefined
}

/** Marks a change as failed after its job was discarded, in the caller's transaction. */
export function giveUpChangeIn(
  tx: Tx,
  ctx: JobCtx,
  queue: InboundQueue,
  { eventId, from, reason }: ChangePosition & { reason: string },
): void {
  failChangeIn(tx, ctx, eventId, reason)
  if (from > 0) wakeWaitingIn(tx, ctx, queue)
}

/**
 * Wakes the changes that wait for a change of several batches, in the transaction that finishes it.
 */
const wakeWaitingIn = (tx: Tx, ctx: JobCtx, queue: InboundQueue): void =>
  wakeSleepingJobs(tx, ctx, { kind: PROCESS_JOBS[queue].name, longestMs: MAX_WAIT_MS })

/** Returns the time of a job's first attempt, epoch milliseconds. */
const firstTriedMs = (ctx: JobCtx): number =>
  ctx.db.orm
    .select({ atMs: jobs.firstAttemptedAtMs })
    .from(jobs)
    .where(eq(jobs.id, ctx.jobId))
    .get()?.atMs ?? ctx.clock.nowMs()

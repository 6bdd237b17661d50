import { eq } from 'drizzle-orm'

import { MINUTE_MS, SECOND_MS } from '../../../lib/clock'
import { systemCtx, type JobCtx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { wakeSleepingJobs, enqueue } from '../../../infra/jobs/enqueue'
import { jobs } from '../../../infra/jobs/table'
import type { Outcome } from '../../../infra/jobs/work'
import { isErasing } from '../../privacy/requests'
import { PROCESS_JOBS, type InboundQueue } from '../jobs'
import { failChangeIn, processChangeIn } from './process-change'

/** A journaled change, and the item of it from which processing continues. */
interface At {
  eventId: string
  from: number
  isReplay?: boolean
}

/**
 * A change waits at most so long for the end of an earlier one about the same people, milliseconds;
 * then it goes on without it.
 */
const PATIENCE_MS = MINUTE_MS

/** While a person is being erased, replays look this often whether that is over, milliseconds. */
const AFTER_ERASURE_MS = 5 * SECOND_MS

/**
 * Processes a batch of one journaled change and enqueues what is left, in the caller's transaction.
 * The journal keeps the result.
 */
export function runChangeIn(
  tx: Tx,
  ctx: JobCtx,
  queue: InboundQueue,
  { eventId, from, isReplay = false }: At,
): Outcome {
  // What comes in now does not wait for what came in before.
  const priority = isReplay ? 'low' : 'normal'
  // A replay must not bring back a person who is being erased.
  if (isReplay && isErasing(ctx)) return { snoozeMs: AFTER_ERASURE_MS }
  // Never longer, also where the first try was at a time that is yet to come because the clock was
  // put back.
  const patientForMs = (): number =>
    Math.min(PATIENCE_MS, firstTriedMs(ctx) + PATIENCE_MS - ctx.clock.nowMs())
  const { next, mustWait, shared } = processChangeIn(tx, ctx, {
    eventId,
    from,
    isReplay,
    mayWait: () => patientForMs() > 0,
  })
  const job = PROCESS_JOBS[queue]
  for (const other of shared)
    enqueue(tx, systemCtx(ctx, other.organizationId), job, {
      args: { eventId: other.eventId, from: 0, isReplay },
      priority,
    })
  // It stands aside: tried again and again, those that wait would take the turns of the one they
  // wait for.
  if (mustWait) return { snoozeMs: patientForMs() }
  if (next !== null) enqueue(tx, ctx, job, { args: { eventId, from: next, isReplay }, priority })
  else if (from > 0) wakeWaitingIn(tx, ctx, queue)
  return undefined
}

/** Marks a change as failed whose job was given up, in the caller's transaction. */
export function giveUpChangeIn(
  tx: Tx,
  ctx: JobCtx,
  queue: InboundQueue,
  { eventId, from, reason }: At & { reason: string },
): void {
  failChangeIn(tx, ctx, eventId, reason)
  if (from > 0) wakeWaitingIn(tx, ctx, queue)
}

/** Wakes the changes that wait for one of several batches, in the transaction in which it ended. */
const wakeWaitingIn = (tx: Tx, ctx: JobCtx, queue: InboundQueue): void =>
  wakeSleepingJobs(tx, ctx, { kind: PROCESS_JOBS[queue].name, longestMs: PATIENCE_MS })

/** When a job was tried for the first time, epoch milliseconds. */
const firstTriedMs = (ctx: JobCtx): number =>
  ctx.db.orm
    .select({ atMs: jobs.firstAttemptedAtMs })
    .from(jobs)
    .where(eq(jobs.id, ctx.jobId))
    .get()?.atMs ?? ctx.clock.nowMs()

import { and, asc, eq, gt, inArray, isNotNull } from 'drizzle-orm'
import { ConflictError } from '../../lib/errors'
import { isStorageError } from '../db/errors'
import { savepoint, type Tx } from '../db/transact'
import { systemCtx, type Ctx } from '../ctx'
import { withError } from './record-result'
import { jobs, type JobRow } from './table'
import { getJob, jobsMatching, type JobFilter } from './inspect'

/**
 * Makes a job run again now with all its attempts, and runs its retry hook, in the caller's
 * transaction. Throws NotFoundError, and ConflictError if it is running or has succeeded.
 */
export function retryJobIn(tx: Tx, ctx: Ctx, id: string): JobRow {
  const row = getJob(ctx, id)
  if (row.state === 'executing' || row.state === 'completed')
    throw new ConflictError(`The job is ${row.state}.`, { code: 'job_state' })
  makeAvailableIn(tx, ctx, row)
  return getJob(ctx, id)
}

function makeAvailableIn(tx: Tx, ctx: Ctx, row: JobRow): void {
  if (row.finishedAtMs !== null)
    ctx.jobHooks
      .get(row.kind)
      ?.whenRetried?.(
        tx,
        { ...ctx, organizationId: row.organizationId },
        JSON.parse(row.args) as unknown,
      )
  tx.update(jobs)
    .set({ state: 'available', attempt: 0, finishedAtMs: null, scheduledAtMs: ctx.clock.nowMs() })
    .where(eq(jobs.id, row.id))
    .run()
}

const RETRY_BATCH = 100

/**
 * Retries up to 100 discarded jobs with IDs above `after`, in the caller's transaction. Each has
 * its own savepoint; jobs that can no longer run stay discarded. Returns the last ID processed, or
 * `null` when none are left.
 */
export function retryDiscardedIn(
  tx: Tx,
  ctx: Ctx,
  at: { filter: JobFilter; after: string },
): string | null {
  const rows = ctx.db.orm
    .select()
    .from(jobs)
    .where(and(jobsMatching(ctx, { ...at.filter, state: 'discarded' }), gt(jobs.id, at.after)))
    .orderBy(asc(jobs.id))
    .limit(RETRY_BATCH)
    .all()
  for (const row of rows) {
    try {
      savepoint(tx, (inner) => makeAvailableIn(inner, ctx, row))
    } catch (error) {
      if (isStorageError(error)) throw error
      ctx.log.info(
        { error, job_id: row.id, kind: row.kind, organization_id: row.organizationId },
        'a discarded job is not run again',
      )
    }
  }
  return rows.length < RETRY_BATCH ? null : (rows.at(-1)?.id ?? null)
}

/**
 * Deletes ended jobs, in the caller's transaction. Returns how many, or `null` without deleting any
 * if they are more than `most`.
 */
export function deleteJobsIn(
  tx: Tx,
  ctx: Ctx,
  { filter, id, most }: { filter: JobFilter; id: string | undefined; most: number },
): number | null {
  const ids = tx
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      and(
        jobsMatching(ctx, filter),
        isNotNull(jobs.finishedAtMs),
        id === undefined ? undefined : eq(jobs.id, id),
      ),
    )
    .limit(most + 1)
    .all()
    .map((row) => row.id)
  if (ids.length > most) return null
  for (let from = 0; from < ids.length; from += RETRY_BATCH)
    tx.delete(jobs)
      .where(inArray(jobs.id, ids.slice(from, from + RETRY_BATCH)))
      .run()
  return ids.length
}

/**
 * Discards a waiting job and runs its discard hook, in the caller's transaction. Throws
 * NotFoundError, and ConflictError if it is running or has ended.
 */
export function discardJobIn(
  tx: Tx,
  ctx: Ctx,
  { id, reason }: { id: string; reason: string },
): JobRow {
  const row = getJob(ctx, id)
  if (!['available', 'scheduled', 'retryable'].includes(row.state))
    throw new ConflictError(`The job is ${row.state}.`, { code: 'job_state' })
  const errors = withError(row, ctx.clock.nowMs(), reason, { isByPerson: true })
  tx.update(jobs)
    .set({ state: 'discarded', finishedAtMs: ctx.clock.nowMs(), errors })
    .where(eq(jobs.id, id))
    .run()
  const scope = {
    ...systemCtx(ctx, row.organizationId),
    jobId: id,
    attempt: row.attempt,
    isLastAttempt: true,
    gateKey: row.gateKey,
    signal: new AbortController().signal,
  }
  ctx.jobHooks.get(row.kind)?.whenDiscarded?.(tx, scope, JSON.parse(row.args) as unknown, reason)
  return getJob(ctx, id)
}

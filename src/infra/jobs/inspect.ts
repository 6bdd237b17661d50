import { and, asc, count, desc, eq, gt, gte, inArray, lt, lte, sql, type SQL } from 'drizzle-orm'

import { ConflictError, NotFoundError } from '../../lib/errors'
import { compiled } from '../db/compiled'
import { isStorageError } from '../db/errors'
import { savepoint, type Tx } from '../db/transact'
import { systemCtx, type Ctx, type Deps } from '../ctx'
import { nextOrganization } from './eligible-organizations'
import { PRIORITIES, QUEUES, type Queue } from './job'
import { withError } from './record-result'
import { jobs, type JobRow } from './table'
import { uuidPlaceholder } from '../db/uuid'

/** Filter of the job list. */
export interface JobFilter {
  state?: JobRow['state'] | undefined
  kind?: string | undefined
  /**
   * Jobs whose latest time is in this range, both ends included: the end of the job, else its last
   * start, else its due time. Epoch milliseconds.
   */
  fromMs?: number | undefined
  toMs?: number | undefined
  /** Whether to include all organizations; for super admins only. */
  isWholeInstallation: boolean
}

const newestMs = sql<number>`coalesce(${jobs.finishedAtMs}, ${jobs.attemptedAtMs}, ${jobs.scheduledAtMs})`

const which = (ctx: Ctx, filter: JobFilter): SQL | undefined =>
  and(
    filter.isWholeInstallation ? undefined : eq(jobs.organizationId, ctx.organizationId),
    conditionOf(filter),
  )

/** Returns the SQL condition of a filter, without the organization. */
export const conditionOf = (filter: JobFilter): SQL | undefined =>
  and(
    filter.state === undefined ? undefined : eq(jobs.state, filter.state),
    filter.kind === undefined ? undefined : eq(jobs.kind, filter.kind),
    filter.fromMs === undefined ? undefined : gte(newestMs, filter.fromMs),
    filter.toMs === undefined ? undefined : lte(newestMs, filter.toMs),
  )

/** Returns jobs, newest first, below `before` (a job ID) if given. */
export const listJobs = (
  ctx: Ctx,
  filter: JobFilter,
  at: { limit: number; offset: number; before: string | null },
): JobRow[] =>
  ctx.db.orm
    .select()
    .from(jobs)
    .where(and(which(ctx, filter), at.before === null ? undefined : lt(jobs.id, at.before)))
    .orderBy(desc(jobs.id))
    .limit(at.limit)
    .offset(at.offset)
    .all()

/** Returns the number of jobs by state. */
export function countJobs(ctx: Ctx, filter: JobFilter): Record<string, number> {
  const rows = ctx.db.orm
    .select({ state: jobs.state, rows: count() })
    .from(jobs)
    .where(which(ctx, filter))
    .groupBy(jobs.state)
    .all()
  return Object.fromEntries(rows.map(({ state, rows: number }) => [state, number]))
}

/** Returns a job of the organization, or any job for super admins. Throws NotFoundError. */
export function getJob(ctx: Ctx, id: string): JobRow {
  const row = ctx.db.orm
    .select()
    .from(jobs)
    .where(
      and(
        eq(jobs.id, id),
        ctx.actor.isSuperAdmin ? undefined : eq(jobs.organizationId, ctx.organizationId),
      ),
    )
    .get()
  if (!row) throw new NotFoundError('Job')
  return row
}

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
    .where(and(which(ctx, { ...at.filter, state: 'discarded' }), gt(jobs.id, at.after)))
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
  const errors = withError(row, ctx.clock.nowMs(), reason)
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

/** Returns the state of a job of any organization, or `null` if it was pruned. */
export const findJobState = (deps: Pick<Deps, 'db'>, id: string): JobRow['state'] | null =>
  deps.db.orm.select({ state: jobs.state }).from(jobs).where(eq(jobs.id, id)).get()?.state ?? null

/**
 * Cancels all live jobs of a queue, in the caller's transaction. For a database without a running
 * worker.
 */
export function cancelQueueIn(tx: Tx, { queue, nowMs }: { queue: Queue; nowMs: number }): void {
  tx.update(jobs)
    .set({ state: 'cancelled', leaseUntilMs: null, finishedAtMs: nowMs })
    .where(
      and(
        eq(jobs.queue, queue),
        inArray(jobs.state, ['scheduled', 'available', 'executing', 'retryable']),
      ),
    )
    .run()
}

/** State of a waiting or running job. */
export interface LiveJob {
  state: JobRow['state']
  scheduledAtMs: number
  /** Message of the last error. */
  lastError: string | null
}

/**
 * Returns the live jobs of one kind with these ordering keys and arguments, keyed by the arguments as
 * JSON.
 */
export function liveJobsOf(
  ctx: Ctx,
  which: { kind: string; orderingKeys: string[]; args: unknown[] },
): Map<string, LiveJob> {
  if (which.orderingKeys.length === 0) return new Map()
  const wanted = which.args.map((args) => JSON.stringify(args))
  const rows = ctx.db.orm
    .select()
    .from(jobs)
    .where(
      and(
        eq(jobs.organizationId, ctx.organizationId),
        eq(jobs.kind, which.kind),
        inArray(jobs.orderingKey, which.orderingKeys),
        inArray(jobs.args, wanted),
        sql`${jobs.state} in ('scheduled', 'available', 'executing', 'retryable')`,
      ),
    )
    .all()
  return new Map(
    rows.map(({ args, state, scheduledAtMs, errors }) => {
      const known = JSON.parse(errors) as { message: string }[]
      return [args, { state, scheduledAtMs, lastError: known.at(-1)?.message ?? null }]
    }),
  )
}

/** Returns the arguments of the live jobs of one kind and ordering key, oldest first. */
export const liveArgsOf = (ctx: Ctx, of: { kind: string; orderingKey: string }): unknown[] =>
  ctx.db.orm
    .select({ args: jobs.args })
    .from(jobs)
    .where(
      and(
        eq(jobs.organizationId, ctx.organizationId),
        eq(jobs.kind, of.kind),
        eq(jobs.orderingKey, of.orderingKey),
        sql`${jobs.state} in ('scheduled', 'available', 'executing', 'retryable')`,
      ),
    )
    .orderBy(jobs.id)
    .all()
    .map(({ args }) => JSON.parse(args) as unknown)

/** Returns the states of jobs of one kind by unique key. Pruned jobs are missing. */
export const jobStatesByKey = (
  ctx: Ctx,
  which: { kind: string; keys: string[] },
): Map<string, JobRow['state']> =>
  new Map(
    ctx.db.orm
      .select({ key: jobs.uniqueKey, state: jobs.state })
      .from(jobs)
      .where(
        and(
          eq(jobs.organizationId, ctx.organizationId),
          eq(jobs.kind, which.kind),
          inArray(jobs.uniqueKey, which.keys),
        ),
      )
      .all()
      .map(({ key, state }) => [key ?? '', state]),
  )

/**
 * Jobs of each priority that are read to find the oldest one, and organizations examined per queue.
 */
const HEAD = 32
const MAX_EXAMINED = 1_024

const headOfQueue = compiled((orm) =>
  orm
    .select({ atMs: jobs.scheduledAtMs })
    .from(jobs)
    .where(
      and(
        eq(jobs.queue, sql.placeholder('queue')),
        sql`${jobs.state} = 'available' and ${jobs.isBlocked} = 0`,
        eq(jobs.organizationId, uuidPlaceholder('organizationId')),
        sql`${jobs.gateKey} = ''`,
        eq(jobs.priority, sql.placeholder('priority')),
      ),
    )
    .orderBy(jobs.id)
    .limit(HEAD)
    .prepare(),
)

/**
 * Returns when the oldest due job became due that neither a gate nor its ordering key holds back, in
 * epoch milliseconds; `null` if there is none. Reads only the next jobs of each queue, so it stays
 * fast with a large backlog.
 */
export function oldestDueMs({ db }: Pick<Deps, 'db'>): number | null {
  let oldestMs = Infinity
  for (const queue of QUEUES) {
    let next = nextOrganization(db).get({ queue, after: '' })
    for (let examined = 0; next && examined < MAX_EXAMINED; examined += 1) {
      const { organizationId } = next
      for (const priority of Object.values(PRIORITIES))
        for (const { atMs } of headOfQueue(db).all({ queue, organizationId, priority }))
          oldestMs = Math.min(oldestMs, atMs)
      next = nextOrganization(db).get({ queue, after: organizationId })
    }
  }
  return oldestMs === Infinity ? null : oldestMs
}

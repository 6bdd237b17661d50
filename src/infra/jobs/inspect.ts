import { and, asc, count, desc, eq, gt, gte, inArray, lt, lte, sql, type SQL } from 'drizzle-orm'

import { ConflictError, NotFoundError } from '../../lib/errors'
import { compiled } from '../db/compiled'
import { isStorageError } from '../db/errors'
import { savepoint, type Tx } from '../db/transact'
import { systemCtx, type Ctx, type Deps } from '../ctx'
import { nextOrganization, type JobRow } from './claim'
import { PRIORITIES, QUEUES, type Queue } from './job'
import { withError } from './record-result'
import { jobs } from './table'

/** Which jobs are looked at. */
export interface JobFilter {
  state?: JobRow['state'] | undefined
  kind?: string | undefined
  /**
   * Those whose newest time lies in this span, ends included: when they ended, else were begun
   * last, else are due. Epoch milliseconds.
   */
  fromMs?: number | undefined
  toMs?: number | undefined
  /** Whether work of every organization is meant; for super admins only. */
  isWholeInstallation: boolean
}

const newestMs = sql<number>`coalesce(${jobs.finishedAtMs}, ${jobs.attemptedAtMs}, ${jobs.scheduledAtMs})`

const which = (ctx: Ctx, filter: JobFilter): SQL | undefined =>
  and(
    filter.isWholeInstallation ? undefined : eq(jobs.organizationId, ctx.organizationId),
    matching(filter),
  )

/** The condition for the jobs a filter means, whosever they are. */
export const matching = (filter: JobFilter): SQL | undefined =>
  and(
    filter.state === undefined ? undefined : eq(jobs.state, filter.state),
    filter.kind === undefined ? undefined : eq(jobs.kind, filter.kind),
    filter.fromMs === undefined ? undefined : gte(newestMs, filter.fromMs),
    filter.toMs === undefined ? undefined : lte(newestMs, filter.toMs),
  )

/** Jobs, newest first, below `before` (a job id) if given. */
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

/** How many jobs there are, by state. */
export function countJobs(ctx: Ctx, filter: JobFilter): Record<string, number> {
  const rows = ctx.db.orm
    .select({ state: jobs.state, rows: count() })
    .from(jobs)
    .where(which(ctx, filter))
    .groupBy(jobs.state)
    .all()
  return Object.fromEntries(rows.map(({ state, rows: number }) => [state, number]))
}

/**
 * The job with this id: of the scope's organization, or any for a super admin. Throws
 * NotFoundError.
 */
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
 * Lets a job run again now, with all its attempts before it, and does what its definition wants
 * done then, in the caller's transaction. Throws NotFoundError, and ConflictError while it runs or
 * after it succeeded.
 */
export function retryJobIn(tx: Tx, ctx: Ctx, id: string): JobRow {
  const row = getJob(ctx, id)
  if (row.state === 'executing' || row.state === 'completed')
    throw new ConflictError(`The job is ${row.state}.`, { code: 'job_state' })
  reviveIn(tx, ctx, row)
  return getJob(ctx, id)
}

function reviveIn(tx: Tx, ctx: Ctx, row: JobRow): void {
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

const REVIVED_AT_ONCE = 100

/**
 * Lets up to 100 discarded jobs of the organization run again, those with ids above `after`, each
 * by itself: one whose time is over stays as it is. In the caller's transaction. Returns the id of
 * the last one looked at, or `null` when there are no more.
 */
export function reviveDiscardedIn(
  tx: Tx,
  ctx: Ctx,
  at: { filter: JobFilter; after: string },
): string | null {
  const rows = ctx.db.orm
    .select()
    .from(jobs)
    .where(and(which(ctx, { ...at.filter, state: 'discarded' }), gt(jobs.id, at.after)))
    .orderBy(asc(jobs.id))
    .limit(REVIVED_AT_ONCE)
    .all()
  for (const row of rows) {
    try {
      savepoint(tx, (inner) => reviveIn(inner, ctx, row))
    } catch (error) {
      if (isStorageError(error)) throw error
      ctx.log.info(
        { error, job_id: row.id, kind: row.kind, organization_id: row.organizationId },
        'a discarded job is not run again',
      )
    }
  }
  return rows.length < REVIVED_AT_ONCE ? null : (rows.at(-1)?.id ?? null)
}

/**
 * Gives a waiting job up, with what its definition wants done then, in the caller's transaction.
 * Throws NotFoundError, and ConflictError while it runs or after it ended.
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

/** The state of the job with this id, whoever's it is; `null` when it is not kept any more. */
export const findJobState = (deps: Pick<Deps, 'db'>, id: string): JobRow['state'] | null =>
  deps.db.orm.select({ state: jobs.state }).from(jobs).where(eq(jobs.id, id)).get()?.state ?? null

/**
 * Calls off everything of a queue that has not ended, in the caller's transaction: for a database no
 * worker looks at.
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

/** A job that waits or runs, as far as others need to know of it. */
export interface LiveJob {
  state: JobRow['state']
  scheduledAtMs: number
  /** What went wrong the last time. */
  lastError: string | null
}

/**
 * The jobs of one kind that wait or run for these arguments, by the arguments as JSON; looked for
 * among those of the serial keys.
 */
export function liveJobsOf(
  ctx: Ctx,
  which: { kind: string; serialKeys: string[]; args: unknown[] },
): Map<string, LiveJob> {
  if (which.serialKeys.length === 0) return new Map()
  const wanted = which.args.map((args) => JSON.stringify(args))
  const rows = ctx.db.orm
    .select()
    .from(jobs)
    .where(
      and(
        eq(jobs.organizationId, ctx.organizationId),
        eq(jobs.kind, which.kind),
        inArray(jobs.serialKey, which.serialKeys),
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

/** The arguments of the jobs of one kind and one serial key that wait or run, oldest first. */
export const liveArgsOf = (ctx: Ctx, of: { kind: string; serialKey: string }): unknown[] =>
  ctx.db.orm
    .select({ args: jobs.args })
    .from(jobs)
    .where(
      and(
        eq(jobs.organizationId, ctx.organizationId),
        eq(jobs.kind, of.kind),
        eq(jobs.serialKey, of.serialKey),
        sql`${jobs.state} in ('scheduled', 'available', 'executing', 'retryable')`,
      ),
    )
    .orderBy(jobs.id)
    .all()
    .map(({ args }) => JSON.parse(args) as unknown)

/**
 * The states of jobs of one kind, by the unique keys they were enqueued with; those that were
 * pruned are missing.
 */
export const statesByKey = (
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
 * Jobs of each priority of an organization that are looked at for the oldest one, and organizations
 * looked at in a queue.
 */
const HEAD = 32
const MAX_LOOKED_AT = 1_024

const headOfQueue = compiled((orm) =>
  orm
    .select({ atMs: jobs.scheduledAtMs })
    .from(jobs)
    .where(
      and(
        eq(jobs.queue, sql.placeholder('queue')),
        sql`${jobs.state} = 'available' and ${jobs.isBehind} = 0`,
        eq(jobs.organizationId, sql.placeholder('organizationId')),
        sql`${jobs.gateKey} = ''`,
        eq(jobs.priority, sql.placeholder('priority')),
      ),
    )
    .orderBy(jobs.id)
    .limit(HEAD)
    .prepare(),
)

/**
 * Since when the oldest due job waits that neither a gate nor an earlier one of its serial key
 * holds back, epoch milliseconds; `null` when none does. Looks at those that are next in each queue
 * only, for anybody may ask, and a backlog is when it must not take long.
 */
export function oldestDueMs({ db }: Pick<Deps, 'db'>): number | null {
  let oldestMs = Infinity
  for (const queue of QUEUES) {
    let next = nextOrganization(db).get({ queue, after: '' })
    for (let lookedAt = 0; next && lookedAt < MAX_LOOKED_AT; lookedAt += 1) {
      const { organizationId } = next
      for (const priority of Object.values(PRIORITIES))
        for (const { atMs } of headOfQueue(db).all({ queue, organizationId, priority }))
          oldestMs = Math.min(oldestMs, atMs)
      next = nextOrganization(db).get({ queue, after: organizationId })
    }
  }
  return oldestMs === Infinity ? null : oldestMs
}

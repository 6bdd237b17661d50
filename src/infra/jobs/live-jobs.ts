import { and, asc, eq, gt, inArray, lte, sql } from 'drizzle-orm'
import type { Tx } from '../db/transact'
import type { Ctx, Deps } from '../ctx'
import type { ReadCtx } from '../read/read-ctx'
import type { Queue } from './job'
import { jobs, type JobRow } from './table'

/** Returns the state of a job of any organization, or `null` if it was pruned. */
export const findJobState = (deps: Pick<Deps, 'db'>, id: string): JobRow['state'] | null =>
  deps.db.orm.select({ state: jobs.state }).from(jobs).where(eq(jobs.id, id)).get()?.state ?? null

/**
 * Cancels live jobs of an organization in a queue, in the caller's transaction: all, or those among so many
 * of its jobs (`most`) after an ID. Returns the last ID that was looked at, or `null` at the end. For an
 * organization whose jobs do not run.
 */
export function cancelQueueIn(
  tx: Tx,
  { organizationId }: Pick<Ctx, 'organizationId'>,
  {
    queue,
    nowMs,
    after = '',
    most,
  }: { queue: Queue; nowMs: number; after?: string; most?: number },
): string | null {
  const isNext = and(eq(jobs.organizationId, organizationId), gt(jobs.id, after))
  const last =
    most === undefined
      ? undefined
      : tx
          .select({ id: jobs.id })
          .from(jobs)
          .where(isNext)
          .orderBy(asc(jobs.id))
          .limit(1)
          .offset(most - 1)
          .get()?.id
  tx.update(jobs)
    .set({ state: 'cancelled', leaseUntilMs: null, finishedAtMs: nowMs })
    .where(
      and(
        isNext,
        last === undefined ? undefined : lte(jobs.id, last),
        eq(jobs.queue, queue),
        inArray(jobs.state, ['scheduled', 'available', 'executing', 'retryable']),
      ),
    )
    .run()
  return last ?? null
}

/** Cancels the live jobs of some kinds, in the caller's transaction. For a database that no server uses. */
export const cancelKindsIn = (tx: Tx, kinds: string[], nowMs: number): void =>
  tx
    .update(jobs)
    .set({ state: 'cancelled', leaseUntilMs: null, finishedAtMs: nowMs })
    .where(
      and(
        inArray(jobs.kind, kinds),
        inArray(jobs.state, ['scheduled', 'available', 'executing', 'retryable']),
      ),
    )
    .run()

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
  ctx: Pick<ReadCtx, 'db' | 'organizationId'>,
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

/** Whether a job of the organization is running. */
export const isWorking = (ctx: Pick<Ctx, 'db' | 'organizationId'>): boolean =>
  ctx.db.orm
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.organizationId, ctx.organizationId), eq(jobs.state, 'executing')))
    .limit(1)
    .get() !== undefined

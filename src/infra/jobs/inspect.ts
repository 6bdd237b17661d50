import { and, count, desc, eq, gte, lt, lte, sql, type SQL } from 'drizzle-orm'

import { NotFoundError } from '../../lib/errors'
import { compiled, place } from '../db/compiled'
import type { Ctx, Deps } from '../ctx'
import type { ReadCtx } from '../read/read-ctx'
import { nextOrganization } from './eligible-organizations'
import { PRIORITIES, QUEUES } from './job'
import { jobs, type JobRow } from './table'

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

/** Returns the SQL condition of a filter, limited to the organization unless it covers all. */
export const jobsMatching = (ctx: ReadCtx, filter: JobFilter): SQL | undefined =>
  and(
    filter.isWholeInstallation ? undefined : eq(jobs.organizationId, ctx.organizationId),
    conditionOf(filter),
  )

/** Returns the SQL condition of a filter, without the organization. */
const conditionOf = (filter: JobFilter): SQL | undefined =>
  and(
    filter.state === undefined ? undefined : eq(jobs.state, filter.state),
    filter.kind === undefined ? undefined : eq(jobs.kind, filter.kind),
    filter.fromMs === undefined ? undefined : gte(newestMs, filter.fromMs),
    filter.toMs === undefined ? undefined : lte(newestMs, filter.toMs),
  )

/** Returns jobs, newest first, below `before` (a job ID) if given. */
export const listJobs = (
  ctx: ReadCtx,
  filter: JobFilter,
  at: { limit: number; offset: number; before: string | null },
): JobRow[] =>
  ctx.db.orm
    .select()
    .from(jobs)
    .where(and(jobsMatching(ctx, filter), at.before === null ? undefined : lt(jobs.id, at.before)))
    .orderBy(desc(jobs.id))
    .limit(at.limit)
    .offset(at.offset)
    .all()

/** Returns the number of jobs by state. */
export function countJobs(ctx: ReadCtx, filter: JobFilter): Record<string, number> {
  const rows = ctx.db.orm
    .select({ state: jobs.state, rows: count() })
    .from(jobs)
    .where(jobsMatching(ctx, filter))
    .groupBy(jobs.state)
    .all()
  return Object.fromEntries(rows.map(({ state, rows: number }) => [state, number]))
}

/** Kinds that are listed at most; there are some hundred. */
const MAX_KINDS = 500

/** Returns how many jobs there are of each kind, most first, and the newest job of each. */
export function countKinds(
  ctx: ReadCtx,
  filter: JobFilter,
): { kind: string; count: number; newestId: string | null }[] {
  return ctx.db.orm
    .select({
      kind: jobs.kind,
      count: count(),
      newestId: sql<string | null>`max(${jobs.id})`.mapWith(jobs.id),
    })
    .from(jobs)
    .where(jobsMatching(ctx, filter))
    .groupBy(jobs.kind)
    .orderBy(desc(count()), jobs.kind)
    .limit(MAX_KINDS)
    .all()
}

/** Returns a job of any organization, or `null` if it was pruned. */
export const readJob = ({ db }: Pick<ReadCtx, 'db'>, id: string): JobRow | null =>
  db.orm.select().from(jobs).where(eq(jobs.id, id)).get() ?? null

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
        eq(jobs.organizationId, place(jobs.organizationId, 'organizationId')),
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

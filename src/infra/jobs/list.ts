import { and, desc, eq, gte, inArray, lt, sql, type SQL } from 'drizzle-orm'

import type { Ctx } from '../ctx'
import { conditionOf, type JobFilter } from './inspect'
import { jobs, type JobRow } from './table'
import { JOB_STATES } from './view'
import { yieldToEventLoop } from '../event-loop'

/**
 * Jobs read per step. Other work runs between steps, because a tenant may have millions of jobs.
 */
const JOBS_PER_STEP = 2_000

/**
 * The requested page: `limit` jobs after the first `offset`, below `before` (a job ID) if given.
 */
interface PageRequest {
  limit: number
  offset: number
  before: string | null
}

/**
 * A page of jobs, newest first, and the number of matching jobs by state. The counts ignore the
 * state filter.
 */
export interface FoundJobs {
  rows: JobRow[]
  counts: Record<string, number>
}

/** Lists jobs that match a filter, newest first, reading some thousand at a time. */
export async function findJobs(ctx: Ctx, filter: JobFilter, at: PageRequest): Promise<FoundJobs> {
  const counts: Record<string, number> = Object.fromEntries(JOB_STATES.map((state) => [state, 0]))
  const ids: string[] = []
  const wanted = at.offset + at.limit
  for (let below: string | null = null; ;) {
    const chunk = readStep(ctx, filter, below)
    for (const { state, fit } of chunk) if (fit > 0) counts[state] = (counts[state] ?? 0) + fit
    const last = chunk.reduce<string | null>(
      (least, { lowest }) => (least === null || lowest < least ? lowest : least),
      null,
    )
    if (last === null) break
    const hasWanted =
      filter.state === undefined ||
      chunk.some(({ state, fit }) => state === filter.state && fit > 0)
    if (ids.length < wanted && hasWanted && (at.before === null || last < at.before))
      ids.push(
        ...idsWithin(ctx, filter, {
          from: last,
          below: lower(below, at.before),
          limit: wanted - ids.length,
        }),
      )
    if (chunk.reduce((sum, { seen }) => sum + seen, 0) < JOBS_PER_STEP) break
    below = last
    await yieldToEventLoop()
  }
  const shown = ids.slice(at.offset)
  const rows =
    shown.length === 0
      ? []
      : ctx.db.orm.select().from(jobs).where(inArray(jobs.id, shown)).orderBy(desc(jobs.id)).all()
  return { rows, counts }
}

/**
 * Reads the next jobs below an ID. Returns by state how many were read, how many match, and the
 * lowest ID.
 */
function readStep(
  ctx: Ctx,
  filter: JobFilter,
  below: string | null,
): { state: string; seen: number; fit: number; lowest: string }[] {
  const chunk = ctx.db.orm
    .select({
      id: jobs.id,
      state: jobs.state,
      fits: sql<number>`${conditionOf({ ...filter, state: undefined }) ?? sql`1`}`.as('fits'),
    })
    .from(jobs)
    .where(and(scopeOf(ctx, filter), below === null ? undefined : lt(jobs.id, below)))
    .orderBy(desc(jobs.id))
    .limit(JOBS_PER_STEP)
    .as('chunk')
  return ctx.db.orm
    .select({
      state: chunk.state,
      seen: sql<number>`count(*)`,
      fit: sql<number>`sum(${chunk.fits})`,
      lowest: sql`min(${chunk.id})`.mapWith(jobs.id),
    })
    .from(chunk)
    .groupBy(chunk.state)
    .all()
}

function idsWithin(
  ctx: Ctx,
  filter: JobFilter,
  at: { from: string; below: string | null; limit: number },
): string[] {
  return ctx.db.orm
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      and(
        scopeOf(ctx, filter),
        gte(jobs.id, at.from),
        at.below === null ? undefined : lt(jobs.id, at.below),
        conditionOf(filter),
      ),
    )
    .orderBy(desc(jobs.id))
    .limit(at.limit)
    .all()
    .map(({ id }) => id)
}

const scopeOf = (ctx: Ctx, { isWholeInstallation }: JobFilter): SQL | undefined =>
  isWholeInstallation ? undefined : eq(jobs.organizationId, ctx.organizationId)

const lower = (a: string | null, b: string | null): string | null =>
  a === null ? b : b === null || a < b ? a : b

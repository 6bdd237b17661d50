import { isoTime, isoTimeOrNull } from '../../../../lib/clock'
import { longPage, readCursor, type LongPage } from '../../../../lib/page'
import { ForbiddenError, InvalidError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import {
  countJobs,
  countKinds,
  getJob,
  listJobs,
  readJob,
  type JobFilter,
} from '../../../../infra/jobs/inspect'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { scheduleStates } from '../../../../infra/jobs/schedule'
import { type Schedule } from '../../../../infra/jobs/define-schedule'
import {
  errorsOf,
  JOB_STATES,
  jobView,
  maskedArgs,
  type JobView,
} from '../../../../infra/jobs/view'
import { recordAudit } from '../../../organization/audit/record'
import { RetryDiscardedJobs, type JobRetryArgs } from '../jobs'
import type { JobDetails, JobKind, RetryRequest, ScheduleList } from '../model'

/** Query of a job list: which jobs, and in which time range (ISO 8601, ends included). */
interface JobQuery extends Pick<JobFilter, 'state' | 'kind' | 'isWholeInstallation'> {
  from?: string | undefined
  to?: string | undefined
}

interface PageQuery {
  page: number
  limit: number
  cursor?: string | undefined
}

/**
 * The filter of a query; `place` names its fields in the refusal. Throws InvalidError for a time
 * that is none.
 */
function filterOf({ from, to, ...query }: JobQuery, place: 'query' | 'body'): JobFilter {
  return { ...query, fromMs: timeOf(from, `${place}.from`), toMs: timeOf(to, `${place}.to`) }
}

function timeOf(written: string | undefined, path: string): number | undefined {
  const ms = written === undefined ? undefined : Date.parse(written)
  if (!Number.isNaN(ms)) return ms
  throw new InvalidError(`\`${path}\` is not a time.`, {
    code: 'invalid_input',
    errors: [{ path, message: 'is not a time' }],
  })
}

/**
 * A page of jobs, newest first, with how many there are in each state. Throws InvalidError for a
 * time that is none, and ForbiddenError `super_admin_required`.
 */
export function jobPage(
  ctx: ReadCtx,
  { page, limit, cursor, ...conditions }: JobQuery & PageQuery,
): LongPage<JobView> & { counts: Record<string, number> } {
  const filter = filterOf(conditions, 'query')
  requireScope(ctx, filter)
  const before = cursor === undefined ? null : readCursor(cursor).id
  const offset = before === null ? (page - 1) * limit : 0
  const none = Object.fromEntries(JOB_STATES.map((state) => [state, 0]))
  const counts = { ...none, ...countJobs(ctx, { ...filter, state: undefined }) }
  const { state } = filter
  const total = Object.values(counts).reduce((sum, of) => sum + of, 0)
  return {
    ...longPage(
      listJobs(ctx, filter, { limit: limit + 1, offset, before }),
      { page, limit, cursor },
      {
        view: (shown) => shown.map(jobView),
        cursorKeyOf: ({ id }) => ({ value: null, id }),
        total: state === undefined ? total : (counts[state] ?? 0),
      },
    ),
    counts,
  }
}

/** Throws ForbiddenError `super_admin_required` if somebody else asks for all organizations. */
export function requireScope(
  { actor }: Pick<ReadCtx, 'actor'>,
  { isWholeInstallation }: Pick<JobFilter, 'isWholeInstallation'>,
): void {
  if (!isWholeInstallation || actor.isSuperAdmin) return
  throw new ForbiddenError('Only super admins can see the jobs of all organizations.', {
    code: 'super_admin_required',
  })
}

/**
 * Returns the kinds of jobs in a state, most jobs first, each with the newest error. Throws
 * ForbiddenError `super_admin_required`.
 */
export function jobKinds(
  ctx: ReadCtx,
  filter: Pick<JobFilter, 'state' | 'isWholeInstallation'>,
): { items: JobKind[] } {
  requireScope(ctx, filter)
  const items = countKinds(ctx, filter).map(({ kind, count, newestId }) => {
    const row = newestId === null ? null : readJob(ctx, newestId)
    const last = row === null ? undefined : errorsOf(row).at(-1)
    return {
      kind,
      count,
      last_error: last?.message ?? null,
      last_at: isoTimeOrNull(row?.finishedAtMs ?? row?.attemptedAtMs ?? null),
    }
  })
  return { items }
}

/** One job with its arguments, masked, and its errors. Throws NotFoundError. */
export function jobDetails(ctx: Ctx, id: string): JobDetails {
  const row = getJob(ctx, id)
  return {
    ...jobView(row),
    args: maskedArgs(JSON.parse(row.args)) as Record<string, unknown>,
    errors: errorsOf(row).map(({ attempt, at_ms, message }) => ({
      attempt,
      at: isoTime(at_ms),
      message,
    })),
  }
}

/** Jobs one request may run again. */
const MAX_RETRIED = 10_000

/**
 * Has the discarded jobs that fit the request run again; a chain of jobs does it. Throws
 * InvalidError for a time that is none, and `too_many_jobs` over 10,000, and ForbiddenError
 * `super_admin_required`.
 */
export function retryDiscarded(ctx: Ctx, request: RetryRequest): { count: number } {
  const { kind, from, to, all: isWholeInstallation = false } = request
  const filter = filterOf({ kind, from, to, isWholeInstallation }, 'body')
  requireScope(ctx, filter)
  // Jobs discarded after this request are not retried.
  const toMs = Math.min(filter.toMs ?? Infinity, ctx.clock.nowMs())
  return transact(ctx.db, (tx) => {
    const count = countJobs(ctx, { ...filter, toMs, state: 'discarded' })['discarded'] ?? 0
    if (count > MAX_RETRIED)
      throw new InvalidError(
        `The filter matches ${count} discarded jobs; at most ${MAX_RETRIED} can be retried at ` +
          'once. Narrow the filter.',
        {
          code: 'too_many_jobs',
        },
      )
    const span: JobRetryArgs = {
      kind: kind ?? null,
      fromMs: filter.fromMs ?? null,
      toMs,
      after: '',
      isWholeInstallation,
    }
    if (count > 0) {
      enqueue(tx, ctx, RetryDiscardedJobs, { args: span })
      const changes = [{ field: 'jobs', old_value: null, new_value: count }]
      recordAudit(tx, ctx, {
        action: 'retried',
        resourceType: 'job',
        resourceId: null,
        resourceName: kind ?? null,
        changes,
      })
    }
    return { count }
  })
}

/** Returns the recurring work by name, with its last and next time. */
export const listSchedules = (ctx: Ctx, schedules: Schedule[]): ScheduleList => ({
  items: scheduleStates(ctx, schedules).map(
    ({ name, words, lastRunAtMs, lastOutcome, nextRunAtMs }) => ({
      name,
      schedule: words,
      last_run_at: isoTimeOrNull(lastRunAtMs),
      last_outcome: lastOutcome,
      next_run_at: isoTime(nextRunAtMs),
    }),
  ),
})

import { isoTime } from '../../lib/clock'
import { longPage, readCursor, type LongPage } from '../../lib/page'
import { ForbiddenError } from '../../lib/errors'
import type { Ctx } from '../../infra/ctx'
import { countJobs, getJob, listJobs, type JobFilter } from '../../infra/jobs/inspect'
import { errorsOf, jobView, type JobView } from '../../infra/jobs/view'
import type { JobDetails } from './model'

/** A page of jobs, newest first, with how many there are in each state. Throws ForbiddenError `super_admin_required`. */
export function jobPage(
  ctx: Ctx,
  filter: JobFilter,
  query: { page: number; limit: number; cursor?: string | undefined },
): LongPage<JobView> & { counts: Record<string, number> } {
  if (filter.isWholeInstallation && !ctx.actor.isSuperAdmin)
    throw new ForbiddenError('Only a super admin can see the work of all organizations.', { code: 'super_admin_required' })
  const before = query.cursor === undefined ? null : readCursor(query.cursor).id
  const rows = listJobs(ctx, filter, { limit: query.limit + 1, offset: before === null ? (query.page - 1) * query.limit : 0, before })
  const counts = countJobs(ctx, { ...filter, state: undefined })
  const total = Object.entries(counts).reduce(
    (sum, [state, of]) => (filter.state === undefined || filter.state === state ? sum + of : sum),
    0,
  )
  return {
    ...longPage(rows, query, { view: (shown) => shown.map(jobView), placeOf: ({ id }) => ({ value: null, id }), total: () => total }),
    counts,
  }
}

/** One job with its arguments, which hold ids only, and its errors. Throws NotFoundError. */
export function jobDetails(ctx: Ctx, id: string): JobDetails {
  const row = getJob(ctx, id)
  return {
    ...jobView(row),
    args: JSON.parse(row.args) as Record<string, unknown>,
    errors: errorsOf(row).map(({ attempt, at_ms, message }) => ({ attempt, at: isoTime(at_ms), message })),
  }
}

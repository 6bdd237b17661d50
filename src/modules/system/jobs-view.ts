import { isoTime, isoTimeOrNull } from '../../lib/clock'
import { isUuid } from '../../lib/ids'
import { longPage, readCursor, type LongPage } from '../../lib/page'
import { ForbiddenError } from '../../lib/errors'
import type { Ctx } from '../../infra/ctx'
import type { JobRow } from '../../infra/jobs/claim'
import { countJobs, getJob, listJobs, type JobFilter } from '../../infra/jobs/inspect'
import type { JobDetails, JobView } from './model'

interface KeptError {
  attempt: number
  at_ms: number
  message: string
}

const errorsOf = (row: JobRow): KeptError[] => JSON.parse(row.errors) as KeptError[]

/** A job as the API answers it. */
export const jobView = (row: JobRow): JobView => ({
  id: row.id,
  kind: row.kind,
  state: row.state,
  organization_id: isUuid(row.organizationId) ? row.organizationId : null,
  attempt: row.attempt,
  max_attempts: row.maxAttempts,
  scheduled_at: isoTime(row.scheduledAtMs),
  attempted_at: isoTimeOrNull(row.attemptedAtMs),
  finished_at: isoTimeOrNull(row.finishedAtMs),
  lease_until: isoTimeOrNull(row.leaseUntilMs),
  last_error: errorsOf(row).at(-1)?.message ?? null,
  unique_key: row.uniqueKey,
})

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

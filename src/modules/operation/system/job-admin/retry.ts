import { INSTALLATION, type Ctx } from '../../../../infra/ctx'
import { InvalidError } from '../../../../lib/errors'
import { transact, type Tx } from '../../../../infra/db/transact'
import type { JobRow } from '../../../../infra/jobs/table'
import { deleteJobsIn, discardJobIn, retryJobIn } from '../../../../infra/jobs/admin-actions'
import type { AuditAction } from '../../../organization/audit/model'
import { recordAudit, type FieldChange } from '../../../organization/audit/record'
import { requireNotMoving } from '../../../organization/organizations/service'
import type { DismissRequest } from '../model'
import { requireScope } from './queries'

/**
 * Retries a job now and records the caller in the audit log. Throws NotFoundError, and
 * ConflictError `job_state` while the job runs or after it succeeded, and UnavailableError
 * `organization_moving`.
 */
export function retryJob(ctx: Ctx, id: string): JobRow {
  return transact(ctx.db, (tx) => {
    const row = retryJobIn(tx, ctx, id)
    recordIn(tx, ctx, row, { action: 'retried' })
    return row
  })
}

/**
 * Discards a waiting job and records the caller in the audit log. Throws NotFoundError, and
 * ConflictError `job_state` while the job runs or after it ended, and UnavailableError
 * `organization_moving`.
 */
export function discardJob(ctx: Ctx, which: { id: string; reason: string }): JobRow {
  return transact(ctx.db, (tx) => {
    const row = discardJobIn(tx, ctx, which)
    recordIn(tx, ctx, row, {
      action: 'discarded',
      changes: [{ field: 'reason', old_value: null, new_value: which.reason }],
    })
    return row
  })
}

/** Jobs that one request removes from the list at most. */
const MAX_DISMISSED = 10_000

/**
 * Removes failed jobs from the list, as they are removed after a month. Returns how many. Throws
 * ForbiddenError `super_admin_required`, and InvalidError `too_many_jobs` over 10,000.
 */
export function dismissJobs(
  ctx: Ctx,
  { kind, id, all = false }: DismissRequest,
): { count: number } {
  const filter = { kind, state: 'discarded', isWholeInstallation: all } as const
  requireScope(ctx, filter)
  return transact(ctx.db, (tx) => {
    const count = deleteJobsIn(tx, ctx, { filter, id, most: MAX_DISMISSED })
    if (count === null)
      throw new InvalidError(`More than ${MAX_DISMISSED} jobs are meant. Name their kind.`, {
        code: 'too_many_jobs',
      })
    if (count > 0 && ctx.organizationId !== INSTALLATION)
      recordAudit(tx, ctx, {
        action: 'deleted',
        resourceType: 'job',
        resourceId: id ?? null,
        resourceName: kind ?? null,
        changes: [{ field: 'jobs', old_value: count, new_value: null }],
      })
    return { count }
  })
}

/**
 * The audit entry belongs to the organization of the job, or to the caller's organization if the
 * job has none. Without either, no entry is written.
 */
function recordIn(
  tx: Tx,
  ctx: Ctx,
  row: JobRow,
  what: { action: AuditAction; changes?: FieldChange[] },
): void {
  const organizationId =
    row.organizationId === INSTALLATION ? ctx.organizationId : row.organizationId
  if (organizationId === INSTALLATION) return
  requireNotMoving(ctx, organizationId)
  recordAudit(
    tx,
    { ...ctx, organizationId },
    { ...what, resourceType: 'job', resourceId: row.id, resourceName: row.kind },
  )
}

import { INSTALLATION, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import type { JobRow } from '../../../infra/jobs/claim'
import { discardJobIn, retryJobIn } from '../../../infra/jobs/inspect'
import { recordAudit, type FieldChange } from '../../audit/record'

/**
 * Lets a job run again now, and writes down who wanted it. Throws NotFoundError, and ConflictError
 * `job_state` while it runs or after it succeeded.
 */
export function retryJob(ctx: Ctx, id: string): JobRow {
  return transact(ctx.db, (tx) => {
    const row = retryJobIn(tx, ctx, id)
    recordIn(tx, ctx, row, { action: 'retried' })
    return row
  })
}

/**
 * Gives a waiting job up, and writes down who wanted it. Throws NotFoundError, and ConflictError
 * `job_state` while it runs or after it ended.
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

/**
 * It is written down where the job is; what is of no organization is where whoever did it was, and
 * nowhere when that is the machine.
 */
function recordIn(
  tx: Tx,
  ctx: Ctx,
  row: JobRow,
  what: { action: string; changes?: FieldChange[] },
): void {
  const organizationId =
    row.organizationId === INSTALLATION ? ctx.organizationId : row.organizationId
  if (organizationId === INSTALLATION) return
  recordAudit(
    tx,
    { ...ctx, organizationId },
    { ...what, resourceType: 'job', resourceId: row.id, resourceName: row.kind },
  )
}

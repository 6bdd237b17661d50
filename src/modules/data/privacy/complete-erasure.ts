import { and, eq, lte, ne } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { sha256Hex } from '../../../lib/hash'
import { inOrganization, type JobCtx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { exports_ } from '../exports/table'
import { organizationArchives } from '../organization-archive/table'
import { hasPendingDeletions } from '../../channel/media/delete-files'
import { sweepAfterRestart } from '../../channel/media/sweep'
import { advanceWorkIn } from '../../organization/notifications/work/note'
import { changeRequestIn, findRequest, sumOf, type PrivacyCounts } from './requests'

/**
 * Completes an erasure whose steps have all finished. Returns `false` while files may still contain
 * erased data.
 */
export async function completeRequest(ctx: JobCtx, requestId: string): Promise<boolean> {
  const request = findRequest(ctx, requestId)
  if (request?.state !== 'running') return true
  const erasedAtMs = request.createdAtMs
  if (isOlderExportWritten(ctx, erasedAtMs) || isOlderArchiveWritten(ctx, erasedAtMs)) return false
  await sweepAfterRestart(ctx)
  if (hasPendingDeletions(ctx, ctx.jobId) || !(await ctx.db.checkpoints.empty())) return false
  transact(ctx.db, (tx) => {
    const row = findRequest(ctx, requestId)
    if (row?.state !== 'running') return
    const completedAtMs = ctx.clock.nowMs()
    const facts = JSON.stringify([
      row.id,
      row.contactId,
      row.counts,
      isoTime(row.createdAtMs),
      isoTime(completedAtMs),
    ])
    changeRequestIn(tx, ctx, requestId, {
      state: 'completed',
      completedAtMs,
      sha256: sha256Hex(facts),
    })
    const done = sumOf(JSON.parse(row.counts) as PrivacyCounts)
    advanceWorkIn(tx, ctx, requestId, { state: 'completed', done, total: done })
  })
  return true
}

/**
 * Reports whether a contact or message export that was requested before the erasure is still being
 * written. Such a file may contain the person.
 */
const isOlderExportWritten = (ctx: JobCtx, erasedAtMs: number): boolean =>
  ctx.db.orm
    .select({ id: exports_.id })
    .from(exports_)
    .where(
      inOrganization(
        ctx,
        exports_,
        and(
          eq(exports_.status, 'running'),
          ne(exports_.source, 'tags'),
          lte(exports_.createdAtMs, erasedAtMs),
        ),
      ),
    )
    .limit(1)
    .get() !== undefined

/** Reports the same for archives of the organization. */
const isOlderArchiveWritten = (ctx: JobCtx, erasedAtMs: number): boolean =>
  ctx.db.orm
    .select({ id: organizationArchives.id })
    .from(organizationArchives)
    .where(
      inOrganization(
        ctx,
        organizationArchives,
        and(
          eq(organizationArchives.status, 'running'),
          lte(organizationArchives.startedAtMs, erasedAtMs),
        ),
      ),
    )
    .limit(1)
    .get() !== undefined

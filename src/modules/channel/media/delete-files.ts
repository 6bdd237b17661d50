import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { liveArgsOf } from '../../../infra/jobs/live-jobs'
import { hasEarlierJob } from '../../../infra/jobs/waiting-jobs'
import { DeleteFiles } from './jobs'
import { removeMediaRowsIn } from './store'

/** File names per job. */
const NAMES_PER_JOB = 500

/**
 * Deletes files in the caller's transaction, for example of a revoked message or an erased contact.
 * Rows still referred to become `expired`; others are deleted, so callers delete messages first. A
 * job deletes the bytes after the commit.
 */
export function deleteMediaIn(tx: Tx, ctx: Ctx, mediaIds: string[]): void {
  enqueueFileDeletionIn(tx, ctx, removeMediaRowsIn(tx, ctx, mediaIds))
}

/**
 * Returns the ordering key of jobs that delete files of the organization: a later job with this key
 * runs after them.
 */
export const bytesKey = (ctx: Ctx): string => `files:${ctx.organizationId}`

/**
 * Schedules the deletion of stored files, in the transaction that removes their names from the
 * rows.
 */
export function enqueueFileDeletionIn(tx: Tx, ctx: Ctx, names: string[]): void {
  for (let from = 0; from < names.length; from += NAMES_PER_JOB)
    enqueue(tx, ctx, DeleteFiles, {
      args: { names: names.slice(from, from + NAMES_PER_JOB) },
      orderingKey: bytesKey(ctx),
    })
}

/** Reports whether file deletions scheduled before this job are still pending. */
export const hasPendingDeletions = (ctx: Ctx, jobId: string): boolean =>
  hasEarlierJob(ctx, { kind: DeleteFiles.name, orderingKeys: [bytesKey(ctx)] }, jobId)

/** Deletes the files of all waiting jobs of the organization now, before the jobs are deleted. */
export async function deletePendingFiles(ctx: Ctx): Promise<void> {
  for (const { names } of liveArgsOf(ctx, {
    kind: DeleteFiles.name,
    orderingKey: bytesKey(ctx),
  }) as {
    names: string[]
  }[])
    for (const name of names) await ctx.files.remove(name)
}

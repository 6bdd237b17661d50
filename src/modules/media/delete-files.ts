import type { Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { enqueue, hasEarlierJob } from '../../infra/jobs/enqueue'
import { DeleteFiles } from './jobs'
import { takeAwayIn } from './store'

/** Names in the arguments of one job. */
const NAMES_PER_JOB = 500

/**
 * Takes files away for good, in the caller's transaction: of a revoked message, of a contact that
 * is purged. What still refers to them shows `expired`; rows that nothing refers to go too, so
 * whoever deletes messages does that first. Their bytes go by a job after the commit.
 */
export function removeMediaIn(tx: Tx, ctx: Ctx, mediaIds: string[]): void {
  removeBytesIn(tx, ctx, takeAwayIn(tx, ctx, mediaIds))
}

/**
 * The serial key of jobs that delete bytes of the organization: a later job with it runs once those
 * are gone.
 */
export const bytesKey = (ctx: Ctx): string => `files:${ctx.organizationId}`

/**
 * Has a job delete the bytes of files that no row names any more, in the transaction that takes
 * their names away.
 */
export function removeBytesIn(tx: Tx, ctx: Ctx, names: string[]): void {
  for (let from = 0; from < names.length; from += NAMES_PER_JOB)
    enqueue(tx, ctx, DeleteFiles, {
      args: { names: names.slice(from, from + NAMES_PER_JOB) },
      serialKey: bytesKey(ctx),
    })
}

/** Whether bytes of files that were taken away before a job was written are still to be deleted. */
export const areFilesGoing = (ctx: Ctx, jobId: string): boolean =>
  hasEarlierJob(ctx, { kind: DeleteFiles.name, serialKeys: [bytesKey(ctx)] }, jobId)

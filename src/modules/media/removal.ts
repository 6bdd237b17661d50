import type { Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db'
import { enqueue } from '../../infra/jobs/enqueue'
import { deleteFiles } from './jobs'
import { takeAwayIn } from './service'

/** Names in the arguments of one job. */
const NAMES_PER_JOB = 500

/**
 * Takes files away for good, in the caller's transaction: of a revoked message, of a contact that is purged. What still refers to them
 * shows `expired`; rows that nothing refers to go too, so whoever deletes messages does that first. Their bytes go by a job after
 * the commit.
 */
export function removeMediaIn(tx: Tx, ctx: Ctx, mediaIds: string[]): void {
  const names = takeAwayIn(tx, ctx, mediaIds)
  for (let from = 0; from < names.length; from += NAMES_PER_JOB)
    enqueue(tx, ctx, deleteFiles, { args: { names: names.slice(from, from + NAMES_PER_JOB) } })
}
